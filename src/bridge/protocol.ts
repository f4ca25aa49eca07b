import { randomBytes } from '../keyring/builtins.js';
import { errorCode, ProviderRpcError } from '../rpc/errors.js';
import { own } from '../rpc/own.js';
import { membersOf } from '../rpc/own-data.js';

/**
 * The messages between the client in a dapp's page and the host on the wallet's origin. Params and results are JSON text,
 * so that neither side meets getters or exotic clones of the other; every message is read into an object without a
 * prototype, and other values are ignored.
 *
 * A window message from the host says that it is ready; one from the client hands over a `MessagePort`. Everything else
 * goes through that port.
 */

/** The majors of this protocol that are spoken, newest first. Within one only additions are made. */
export const versions: readonly number[] = [1];

/** Bounds on what one side takes from the other. */
export const limits = {
  /** Characters of a request's or an answer's JSON text: 1 MiB. */
  size: 2 ** 20,
  /** Requests in flight. */
  inFlight: 1_000,
  /** Characters of params per second, after a burst of four seconds' worth. */
  pace: 2 ** 20,
};

/** Milliseconds. */
export const times = {
  /** From the frame's insertion to its `ready`. */
  ready: 10_000,
  /** From `open` to `welcome`. */
  welcome: 3_000,
  /** From `surface` to `shown`. */
  shown: 2_000,
  /** Without a message while requests are in flight, after which the host is pinged. */
  quiet: 15_000,
  /** From `ping` to `pong`. */
  pong: 5_000,
  /** From the opening of a window to its first message. */
  hello: 20_000,
  /** For which a window waits for the page's next request. */
  linger: 1_000,
  /** From the hiding of a page to the end of its idle frame. */
  idle: 600_000,
};

/** CSS pixels of a window of the wallet. */
export const windowSize = { width: 440, height: 720 };
export const windowFeatures = `popup,width=${windowSize.width},height=${windowSize.height}`;

/** A message without a prototype. Its members have any type until they are read. */
export interface Message {
  readonly t: string;
  readonly [member: string]: unknown;
}

/** The part of the session that the dapp's origin may see. */
export interface VisibleSession {
  readonly chainId: number;
  readonly accounts: readonly string[];
  /** The dapp's permissions to send without a question; absent for none. */
  readonly permitted?: readonly PermittedSends[];
}

/** A permission as the dapp's page needs it, to open no window for what it may cover. */
export interface PermittedSends {
  /** Unix seconds. */
  readonly end: number;
  /** The recipients and contracts of its transactions. */
  readonly recipients: readonly string[];
}

/** Reads a value that came through a port. Returns `null` if it is not a message. */
export function readMessage(data: unknown): Message | null {
  if (typeof data !== 'object' || data === null) return null;
  const message = own(data as Message);
  return typeof message.t === 'string' ? message : null;
}

/** Reads a window message of the bridge. Returns `null` for any other message. */
export function readGreeting(data: unknown): Message | null {
  const message = readMessage(data);
  return message?.graft === 'bridge' ? message : null;
}

/** The newest major that both sides speak; `undefined` if they share no major. */
export const commonVersion = (offered: unknown): number | undefined =>
  Array.isArray(offered) ? versions.find((each) => offered.slice(0, 64).includes(each)) : undefined;

/** Whether `value` is the text of a value of at most {@link limits.size} characters. */
export const isText = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= limits.size;

/** Counts from 1. */
export const isId = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) > 0;

/** 128 bits, hexadecimal. */
export const isToken = (value: unknown): value is string =>
  typeof value === 'string' && /^[0-9a-f]{32}$/.test(value);

export const randomToken = (): string =>
  Array.from(randomBytes(16), (byte) => byte.toString(16).padStart(2, '0')).join('');

/** An error as it crosses: `json` is its data. */
export interface PostedError {
  readonly code: number;
  readonly message: string;
  readonly json?: string;
  /** The service's own error, for a revert. */
  readonly service?: string;
}

export function writeError(error: ProviderRpcError): PostedError {
  const { code, message, data, service } = error;
  return {
    code,
    message,
    ...(data !== undefined && { json: JSON.stringify(data) }),
    ...(service && { service: JSON.stringify(service) }),
  };
}

/** Reads an error that the other side has sent. Never throws: other values become an internal error. */
export function readError(value: unknown): ProviderRpcError {
  const { code, message, json, service } = membersOf(value) as unknown as PostedError;
  if (!Number.isSafeInteger(code) || typeof message !== 'string')
    return new ProviderRpcError(errorCode.internal, 'The wallet sent an answer that cannot be read.');
  return new ProviderRpcError(code, message, readJson(json), readJson(service) as object | undefined);
}

/** Parses JSON. Returns `undefined` if it is not JSON. */
export function readJson(text: unknown): unknown {
  try {
    return JSON.parse(text as string);
  } catch {
    return undefined;
  }
}
