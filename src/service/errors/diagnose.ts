import { errorCode, ProviderRpcError } from '../../rpc/errors.js';
import { methodFacts } from '../../rpc/method-facts/method-facts.js';
import { isSend } from '../../rpc/method-facts/wallet-facts.js';
import { own } from '../../rpc/own.js';
import { membersOf } from '../../rpc/own-data.js';
import { createRedactor, maxRedacted } from '../redact.js';
import { type Fault, type FaultData, type NodeError, type Symptom, setNodeError } from './errors.js';
import { type FaultRow, faultTable, judged } from './fault-table.js';
import { beginningOf, clean, readRevert, revertMessage } from './revert.js';

/** Reads the failures of one service: a lazy chunk, since a service that answers needs none of it. */
export interface Diagnosis {
  /** See {@link diagnose}. */
  of(symptom: Symptom): Fault;
  /** See {@link keepNodeError}. */
  keep(error: ProviderRpcError, reply: Omit<Symptom, 'method'>): void;
  /** The message of a revert whose payload has these words. */
  revertMessage(words: string): string;
}

/** @param urls of the service, which leave it in no error */
export function createDiagnosis(urls: readonly string[]): Diagnosis {
  const redact = createRedactor(urls);
  return {
    of: (symptom) => diagnose(symptom, redact),
    keep: (error, reply) => keepNodeError(error, reply, redact),
    revertMessage: (words) => revertMessage(redact(beginningOf(words))),
  };
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
    if (redacted.code === code) setNodeError(error, redacted);
  } catch {
    // It is nested too deeply, or without the key it is no JSON.
  }
}

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
