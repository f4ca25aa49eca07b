import { errorCode, isProviderRpcError, ProviderRpcError } from '../../rpc/errors.js';
import { own } from '../../rpc/own.js';

/** A message on the channel of the tabs. Every tab gets all of them. */
export type TabMessage =
  | TabMessage.Request
  // The leader has begun to answer a request.
  | { readonly kind: 'ack'; readonly id: string }
  | ({ readonly kind: 'reply'; readonly id: string } & TabReply)
  // The sender has become the leader; or it leads, and new heads are not pushed to it any more: it polls for them.
  | { readonly kind: 'leading' | 'polling' }
  // A poll of the leader has shown another head.
  | { readonly kind: 'head'; readonly poll: string };

export declare namespace TabMessage {
  /** To the leader. */
  interface Request {
    readonly kind: 'request';
    readonly id: string;
    /** The tab that sends it. */
    readonly from: string;
    /** When it was sent, milliseconds since 1970: a leader that slept must not answer outdated requests. */
    readonly at: number;
    readonly method: string;
    readonly params: readonly unknown[];
    /** The last poll that the tab has; it needs another one. */
    readonly lastPoll?: string | undefined;
    /** Milliseconds. */
    readonly maxAge?: number | undefined;
    /** The dapp that pays for the request. */
    readonly dapp?: string | undefined;
  }
}

/** Exactly one of `result` (as JSON, so that each reader has a copy of its own) and `failure` is present. */
export interface TabReply {
  readonly result?: string | undefined;
  readonly failure?: SerializedError | undefined;
  /** Id of the poll that it comes from. */
  readonly poll?: string | undefined;
  /** When that poll was sent: milliseconds since 1970. */
  readonly at?: number | undefined;
  /** New heads are pushed to the leader, which announces them. */
  readonly live?: boolean | undefined;
}

/** A `ProviderRpcError`; `data` as JSON. */
export interface SerializedError {
  readonly code: number;
  readonly message: string;
  readonly data?: string | undefined;
}

/** Errors of the service are redacted where they are created. Other errors are replaced by a general one. */
export function serializeError(error: unknown): SerializedError {
  if (!isProviderRpcError(error)) return { code: errorCode.internal, message: 'The request failed' };
  const { code, message } = error;
  const data = error.data === undefined ? undefined : JSON.stringify(error.data);
  return {
    code,
    message: message.slice(0, maxMessage),
    ...(data !== undefined && data.length <= maxData && { data }),
  };
}

export function deserializeError(failure: SerializedError): ProviderRpcError {
  const { code, message, data } = own(failure);
  return new ProviderRpcError(code, message, data === undefined ? undefined : JSON.parse(data));
}

/**
 * Reads a received message; `null` if it does not follow the protocol. Other tabs may run another build or have a bug, so every
 * field is checked.
 */
export function readTabMessage(received: unknown): TabMessage | null {
  if (!isObject(received)) return null;
  const { kind, id, poll, from, at, method, params, lastPoll, maxAge, dapp } = own(received);
  if (kind === 'leading' || kind === 'polling') return { kind };
  if (kind === 'head') return isName(poll) ? { kind, poll } : null;
  if (!isName(id)) return null;
  if (kind === 'ack') return { kind, id };
  if (kind === 'reply') {
    const reply = readReply(received);
    return reply && { kind, id, ...reply };
  }
  if (kind !== 'request' || !isName(from) || !isName(method) || !isTime(at)) return null;
  if (!Array.isArray(params) || params.length > 2) return null;
  if (!(lastPoll === undefined || isName(lastPoll)) || !(maxAge === undefined || isTime(maxAge))) return null;
  const payer = isName(dapp) ? dapp : undefined;
  return { kind, id, from, at, method, params, lastPoll, maxAge, dapp: payer };
}

function readReply(received: Record<string, unknown>): TabReply | null {
  const { result, failure, poll, at, live } = own(received);
  if (!(poll === undefined || isName(poll)) || !(at === undefined || isTime(at))) return null;
  const origin = { poll, at, live: live === true || undefined };
  if (typeof result === 'string')
    return isJson(result, maxResult) ? { result, failure: undefined, ...origin } : null;
  if (!isObject(failure)) return null;
  const { code, message, data } = own(failure);
  if (!Number.isSafeInteger(code) || typeof message !== 'string' || message.length > maxMessage) return null;
  if (!(data === undefined || isJson(data, maxData))) return null;
  return { result: undefined, failure: { code: code as number, message, data }, ...origin };
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;
const isName = (value: unknown): value is string =>
  typeof value === 'string' && value.length > 0 && value.length <= 100;
const isTime = (value: unknown): value is number =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0;

function isJson(value: unknown, maxCharacters: number): value is string {
  if (typeof value !== 'string' || value.length > maxCharacters) return false;
  try {
    JSON.parse(value);
    return true;
  } catch {
    return false;
  }
}

/** Characters: the largest reply of the service (10 MiB) and some more. */
const maxResult = 11_000_000;
const maxMessage = 1_000;
const maxData = 10_000;

/** To and from the other tabs. */
export interface TabChannel {
  post(message: TabMessage): void;
  close(): void;
}

export type OpenTabChannel = (name: string, onMessage: (message: TabMessage) => void) => TabChannel;

/** @throws where there is no BroadcastChannel, or it is forbidden */
export const openTabChannel: OpenTabChannel = (name, onMessage) => {
  const channel = new BroadcastChannel(name);
  channel.onmessage = ({ data }) => {
    const message = readTabMessage(data);
    if (message) onMessage(message);
  };
  return {
    post: (message) => channel.postMessage(message),
    close: () => channel.close(),
  };
};
