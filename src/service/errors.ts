import { errorCode, ProviderRpcError } from '../rpc/errors.js';
import { type FaultRow, faultTable, type Reason, type Trouble } from './fault-table.js';
import { maxRevertData, revertReason } from './revert.js';

/** From what an endpoint did to what the caller is told, and to what the client may try next. */

/** What was seen of one exchange that brought no result. `text` and `data` are the server's: untrusted. */
export interface Symptom {
  readonly method: string;
  /** What went wrong before there was a JSON-RPC error to read. */
  readonly trouble?: Trouble;
  /** HTTP status. */
  readonly status?: number;
  /** Seconds to wait, from `Retry-After`. */
  readonly retryAfter?: number | undefined;
  /** `error.code`, `error.message`, `error.data` of the reply. With a `trouble`, our own words on it. */
  readonly code?: number;
  readonly text?: string | undefined;
  readonly data?: unknown;
}

export interface Fault {
  readonly error: ProviderRpcError;
  readonly retry?: 'again' | 'elsewhere' | undefined;
  readonly reason?: Reason | undefined;
  readonly retryAfter?: number | undefined;
}

/** `error.data` of every error of the service but a revert, whose data is the payload as flat hex. */
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

/** Requests whose loss matters: the service may have taken what it did not answer. */
export const isSend = (method: string) => method.startsWith('eth_send');

/** Whether the transaction that failed with `error` may be in the pool all the same: ask, or send it again. */
export const outcomeUnknown = (error: unknown): boolean => dataOf(error)?.outcomeUnknown === true;

/** Whether the service refused the transaction only because it has it already: a success. */
export const alreadyKnown = (error: unknown): boolean => reasonOf(error) === 'already-known';

export const reasonOf = (error: unknown): Reason | undefined => dataOf(error)?.reason;

function dataOf(error: unknown): FaultData | undefined {
  const data = error instanceof ProviderRpcError ? error.data : undefined;
  return typeof data === 'object' && data !== null ? data : undefined;
}

/**
 * The error is built from scratch: no `cause`, and every text of the server goes through `redact`, because a
 * platform's error carries the URL and a server may echo it (security.md finding 9).
 */
export function diagnose(symptom: Symptom, redact: (text: string) => string): Fault {
  const { method, trouble, status, retryAfter, code } = symptom;
  const text = symptom.text === undefined ? undefined : clean(redact(symptom.text));
  const row = faultTable.find(
    (each) =>
      (!each.trouble || each.trouble === trouble) &&
      (!each.code || each.code.includes(code as number)) &&
      (!each.status || each.status.test(`${status}`)) &&
      (!each.method || each.method.test(method)) &&
      (!each.text || each.text.test(text ?? '')),
  ) as FaultRow;
  if (row.becomes === errorCode.executionReverted)
    return { error: reverted(text ?? '', symptom.data, redact) };

  const reason = row.reason ?? trouble;
  const message =
    row.says?.replace('@', () => method).replace(/(: )?\$/, (_, colon = '') => (text ? colon + text : '')) ??
    (text || standard[row.becomes] || 'The service failed');
  const data: FaultData = {
    ...(reason && { reason }),
    ...(retryAfter !== undefined && { retryAfter }),
    ...(status !== undefined && status !== 200 && { httpStatus: status }),
    ...(code !== undefined && { serviceCode: code, serviceMessage: text ?? '' }),
    ...(symptom.data !== undefined && { serviceData: redactData(symptom.data, redact) }),
    ...(row.unclear && isSend(method) && { outcomeUnknown: true }),
  };
  return {
    error: new ProviderRpcError(row.becomes, row.status ? `${message} (HTTP ${status})` : message, data),
    retry: row.retry,
    reason,
    retryAfter,
  };
}

/** EIP-1474's names, for errors that come without a message. */
const standard: Readonly<Record<number, string>> = {
  [errorCode.parseError]: 'Parse error',
  [errorCode.invalidRequest]: 'Invalid request',
  [errorCode.methodNotFound]: 'The method does not exist / is not available',
  [errorCode.invalidParams]: 'Invalid params',
  [errorCode.internal]: 'Internal error',
  [errorCode.invalidInput]: 'Invalid input',
  [errorCode.resourceNotFound]: 'Resource not found',
  [errorCode.transactionRejected]: 'Transaction rejected',
  [errorCode.limitExceeded]: 'Limit exceeded',
};

/** For a person to read in one line: no control, bidirectional or private characters, no flood. */
const clean = (text: string) =>
  text
    .slice(0, 512)
    .replace(/\p{C}+/gu, ' ')
    .slice(0, 256);

/**
 * viem, ethers and web3.js decode a revert only as code 3 with flat hex in `data` (clients.md D4).
 * The reason is read from the payload, and from the node's two forms of text where that says nothing.
 */
function reverted(text: string, payload: unknown, redact: (text: string) => string): ProviderRpcError {
  const flat = (payload as { data?: unknown } | null | undefined)?.data ?? payload;
  const isData = typeof flat === 'string' && flat.length % 2 === 0 && /^0x[0-9a-f]*$/i.test(flat);
  const data = isData && redact(flat) === flat ? flat : undefined;
  const kept = data?.slice(0, maxRevertData);
  const reason =
    (kept && revertReason(kept)) ||
    text
      .replace(/^VM Exception while processing transaction:\s*/i, '')
      .replace(/^(execution |transaction )?revert(ed)?:?\s*/i, '');
  const cut = kept === data ? '' : ' (revert data cut at 256 KiB)';
  return new ProviderRpcError(
    errorCode.executionReverted,
    `execution reverted${reason ? `: ${clean(redact(reason))}` : ''}${cut}`,
    kept,
  );
}

/** Through its text, so that a key is found at any depth; what is too long to be an explanation is left out. */
function redactData(data: unknown, redact: (text: string) => string): unknown {
  const text = JSON.stringify(data);
  if (text.length > 4096) return '[too long]';
  try {
    return JSON.parse(redact(text));
  } catch {
    return '[redacted]';
  }
}
