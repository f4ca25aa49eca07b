import { errorCode, isProviderRpcError, ProviderRpcError } from '../../rpc/errors.js';
import { methodFacts } from '../../rpc/method-facts/method-facts.js';
import { isSend } from '../../rpc/method-facts/wallet-facts.js';
import { own } from '../../rpc/own.js';
import { membersOf } from '../../rpc/own-data.js';
import { maxRedacted } from '../redact.js';
import { type FaultRow, faultTable, judged, type Reason, type Trouble } from './fault-table.js';
import { beginningOf, clean, readRevert } from './revert.js';

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

/**
 * Turns a symptom into the error for the caller. The error has no `cause`, and every text of the server goes through
 * `redact`: platform errors contain the URL, and a server may echo it
 * (docs/notes/security.md#http-clients-of-libraries).
 */
export function diagnose(seen: Symptom, redact: (text: string) => string): Fault {
  const symptom = own(seen);
  const { method, trouble, status } = symptom;
  // Numbers are the server's too: eight digits may be a part of its key.
  const code =
    symptom.code === undefined || redact(`${symptom.code}`) === `${symptom.code}` ? symptom.code : 0;
  const text = symptom.text === undefined ? undefined : clean(redact(beginningOf(symptom.text)));
  const row = rowOf(symptom, text);
  const reason = row.reason ?? trouble;
  const isLimit = reason === 'rate' || reason === 'quota';
  const seconds = symptom.retryAfter ?? (isLimit ? waitIn(text ?? '', symptom.data) : undefined);
  const retryAfter = seconds && Math.min(maxRetryAfter, seconds);
  const message =
    row.message
      ?.replace('@', () => method)
      .replace(/(: )?\$/, (_, colon = '') => (text ? colon + text : '')) ??
    (text || standard[row.becomes] || 'The service failed');
  const reported: FaultData = {
    ...(reason && { reason }),
    ...(retryAfter !== undefined && { retryAfter }),
    ...(status !== undefined && status !== 200 && { httpStatus: status }),
    ...(code !== undefined && { serviceCode: code, serviceMessage: text ?? '' }),
    ...(row.unclear && isSend(method) && { outcomeUnknown: true }),
  };
  if (row.becomes === errorCode.executionReverted) {
    const revert = readRevert(text ?? '', symptom.data, redact);
    return own({ error: new ProviderRpcError(row.becomes, revert.message, revert.data, reported) });
  }
  const data: FaultData = {
    ...reported,
    ...(symptom.data !== undefined && { serviceData: redactData(symptom.data, redact) }),
  };
  return {
    error: new ProviderRpcError(
      row.becomes,
      row.status && row.status !== judged ? `${message} (HTTP ${status})` : message,
      data,
    ),
    retry: row.retry,
    reason,
    retryAfter,
  };
}

const secondsOf: Readonly<Record<string, number>> = { ms: 0.001, s: 1, m: 60, h: 3600 };

/** The seconds that a limit names in its text ("retry in 10m0s") or data, since pages seldom see `Retry-After`. */
function waitIn(text: string, data: unknown): number | undefined {
  const [, digits, unit] =
    /\b(?:retry|again)(?: in| after)? (\d{1,6}(?:\.\d+)?) ?(ms|s|m|h)/i.exec(text) ?? [];
  if (digits) return Math.ceil(Number(digits) * (secondsOf[`${unit}`.toLowerCase()] as number));
  const { rate = data } = membersOf(data);
  const { backoff_seconds: seconds } = membersOf(rate);
  return Number(seconds) > 0 ? Math.ceil(Number(seconds)) : undefined;
}

/** Seconds: 115 days. */
const maxRetryAfter = 9_999_999;

/** The error of a request whose signal was aborted. */
export const requestAborted = (method: string): ProviderRpcError =>
  diagnose({ method, trouble: 'aborted' }, String).error;

/** The first matching row of the fault table; `text` is the symptom's text, redacted. */
export const rowOf = ({ method, trouble, status, code, data }: Symptom, text = ''): FaultRow =>
  faultTable.find(
    (row) =>
      (!row.trouble || row.trouble === trouble) &&
      (!row.code ||
        (row.code === 'any'
          ? code !== undefined || trouble === 'uncoded'
          : row.code.includes(code as number))) &&
      (!row.status || row.status.test(`${status}`)) &&
      (!row.method || row.method === method) &&
      (row.on === undefined || isOn(row.on, method)) &&
      (!row.text || row.text.test(row.detail ? `${text} ${JSON.stringify(data)?.slice(0, 512)}` : text)),
  ) as FaultRow;

function isOn(on: NonNullable<FaultRow['on']>, method: string): boolean {
  if (on === 'send') return isSend(method);
  if (on === 'other') return !isSend(method);
  const { ranges, follows } = methodFacts(method);
  return ranges === 'logs' || (on === 'ranges' && (ranges !== undefined || follows === 'filter'));
}

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

const nodeErrors = new WeakMap<object, NodeError>();

/** Keeps the node's error for {@link nodeErrorOf}. */
export function keepNodeError(
  error: ProviderRpcError,
  { code, text, data }: Omit<Symptom, 'method'>,
  redact: (text: string) => string,
): void {
  if (code === undefined || text === undefined) return;
  try {
    // Most are short: only what is kept is searched for keys.
    if (clean(text) === text && (JSON.stringify(data) ?? '').length <= maxData) return;
    const whole = JSON.stringify({ code, message: text, data });
    if (whole.length > maxRedacted) return;
    const redacted: NodeError = JSON.parse(redact(whole));
    if (redacted.code === code) nodeErrors.set(error, redacted);
  } catch {
    // It is nested too deeply, or without the key it is no JSON.
  }
}

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

/** Standard messages (EIP-1474) for errors without one. */
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

/** Characters of a node's data that an error has. */
const maxData = 4_096;

/** Redacts the data as JSON text, so that a key is found at any depth. Omits data of more than {@link maxData} characters. */
function redactData(data: unknown, redact: (text: string) => string): unknown {
  const text = JSON.stringify(data);
  if (text.length > maxData) return '[too long]';
  try {
    return JSON.parse(redact(text));
  } catch {
    return '[redacted]';
  }
}
