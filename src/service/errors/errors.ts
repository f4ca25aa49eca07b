import { errorCode, isProviderRpcError, ProviderRpcError } from '../../rpc/errors.js';
import { isSend } from '../../rpc/method-facts/wallet-facts.js';
import { own } from '../../rpc/own.js';
import type { Reason, Trouble } from './fault-table.js';

/** Symptoms of a request without a result. `text` and `data` are the server's, so untrusted. */
export interface Symptom {
  readonly method: string;
  /** The failure, if there is no JSON-RPC error to read. */
  readonly trouble?: Trouble | undefined;
  /** HTTP status. */
  readonly status?: number | undefined;
  /** Seconds to wait, from `Retry-After`. */
  readonly retryAfter?: number | undefined;
  /** `error.code`, `error.message` and `error.data` of the reply. With a `trouble`, `text` is ours. */
  readonly code?: number | undefined;
  readonly text?: string | undefined;
  readonly data?: unknown;
}

/** A failure as the caller gets it, and what the client may try next. */
export interface Fault {
  readonly error: ProviderRpcError;
  readonly retry?: 'again' | 'elsewhere' | undefined;
  readonly reason?: Reason | undefined;
  readonly retryAfter?: number | undefined;
}

/** The service's report: in `error.data`; for a revert, whose data is the payload as flat hex, in `error.service`. */
export interface FaultData {
  readonly reason?: Reason;
  /** Seconds. */
  readonly retryAfter?: number;
  readonly httpStatus?: number;
  readonly serviceCode?: number;
  readonly serviceMessage?: string;
  readonly serviceData?: unknown;
  readonly outcomeUnknown?: true;
}

/** Whether a transaction that failed with `error` may be in the pool: it must be looked up or sent again. */
export const outcomeUnknown = (error: unknown): boolean => dataOf(error)?.outcomeUnknown === true;

/** Whether the service refused the transaction only because it already has it, which is a success. */
export const alreadyKnown = (error: unknown): boolean => reasonOf(error) === 'already-known';

/** Whether a node refused a signed transaction by its rules, with one of the texts in the fault table. */
export const isRefusal = (error: unknown): boolean =>
  isProviderRpcError(error) && error.code === errorCode.transactionRejected;

export const reasonOf = (error: unknown): Reason | undefined => dataOf(error)?.reason;

/** Whether the node answered that it failed inside, as it does for a revert whose reason it cannot read. */
export const isNodeFailure = (error: unknown): boolean => {
  const data = dataOf(error);
  return data?.serviceCode === errorCode.internal && data.httpStatus === undefined;
};

function dataOf(error: unknown): FaultData | undefined {
  const data = error instanceof ProviderRpcError ? error.data : undefined;
  return typeof data === 'object' && data !== null ? own(data as FaultData) : undefined;
}

/** The error of a request whose signal was aborted. */
export const requestAborted = (method: string): ProviderRpcError =>
  failed(method, errorCode.internal, 'The request was aborted', 'aborted');

/** The error of a reply that is nested too deeply. */
export const tooNested = (method: string): ProviderRpcError =>
  failed(method, errorCode.parseError, "The service's reply is nested too deeply", 'nested');

/** Failures in which the server has no word: the fault table has them too, for what it says of repetitions. */
const failed = (method: string, code: number, message: string, reason: Reason): ProviderRpcError =>
  new ProviderRpcError(code, message, { reason, ...(isSend(method) && { outcomeUnknown: true }) });

/** An error object of JSON-RPC, as a node has sent it. */
export interface NodeError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown | undefined;
}

/**
 * The node's error behind an error of a client that keeps them (`nodeErrors`), where that has shortened it: the message is long or
 * has control characters, or the data is long. Keys are redacted. `undefined` for one of more than {@link maxRedacted} characters.
 */
export const nodeErrorOf = (error: object): NodeError | undefined => nodeErrors.get(error);

/** Keeps the node's error behind one of ours. */
export const setNodeError = (error: object, nodeError: NodeError): void =>
  void nodeErrors.set(error, nodeError);

const nodeErrors = new WeakMap<object, NodeError>();

/** Copies an error whose data is JSON, so that a caller can change its copy only. */
export function copyOf(error: ProviderRpcError): ProviderRpcError {
  const { code, message, data, service } = error;
  const copy = new ProviderRpcError(code, message, ownJson(data), ownJson(service));
  const nodeError = nodeErrors.get(error);
  if (nodeError) nodeErrors.set(copy, nodeError);
  return copy;
}

const ownJson = <T>(value: T): T =>
  typeof value === 'object' ? (JSON.parse(JSON.stringify(value)) as T) : value;
