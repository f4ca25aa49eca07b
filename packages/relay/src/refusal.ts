import { errorCode, isProviderRpcError, type ProviderRpcError } from '../../../src/rpc/errors.js';
import { own } from '../../../src/rpc/own.js';
import { membersOf } from '../../../src/rpc/own-data.js';
import { type FaultData, type NodeError, nodeErrorOf } from '../../../src/service/errors/errors.js';
import { cutMark } from '../../../src/service/errors/revert.js';

/** An error with the HTTP status of a reply that has only this error. */
export interface Refusal {
  readonly error: NodeError;
  readonly status: number;
  /** Seconds, for the header `Retry-After`. */
  readonly retryAfter?: number | undefined;
}

/**
 * The error as the service sent it: `createService` has translated it for a page, and a wallet behind the relay would
 * translate it a second time. Texts are redacted.
 *
 * Without an error of the service it is ours: -32002 (HTTP 503) where the service cannot be reached or gives no valid
 * JSON, -32005 (429) for limits, -32603 for an invalid reply.
 *
 * @example
 * // A revert, as the node answers it:
 * refusalOf(error); // { error: { code: -32015, message: 'VM Exception …: revert no', data: '0x08c379a0…' }, status: 200 }
 */
export function refusalOf(error: unknown): Refusal {
  if (!isProviderRpcError(error)) return refused(errorCode.internal, 'Internal error of the relay', 500);
  const { serviceCode, httpStatus, retryAfter } = reportedBy(error);
  if (serviceCode === undefined) return { ...ownError(error), retryAfter };
  return { error: nodeErrorOf(error) ?? serviceError(error), status: httpStatus ?? 200, retryAfter };
}

/** Whether the service has answered with this error. */
export const isOfService = (error: unknown): boolean =>
  isProviderRpcError(error) && reportedBy(error).serviceCode !== undefined;

/** For a revert `data` is the payload, and what the service reported is beside it. */
function reportedBy({ data, service }: ProviderRpcError): FaultData {
  const reported = service ?? (typeof data === 'object' && data !== null ? data : {});
  return own(reported as FaultData);
}

function serviceError(error: ProviderRpcError): NodeError {
  const { serviceCode, serviceMessage = '', serviceData } = reportedBy(error);
  const data = error.service ? error.data : serviceData;
  const mark = error.service && error.message.endsWith(cutMark) ? cutMark : '';
  return { code: serviceCode as number, message: serviceMessage + mark, data };
}

/** Reasons for which another request may succeed: the words make a wallet repeat a read (`service/errors/fault-table.ts`). */
const unreachable: readonly unknown[] = [
  'unreachable',
  'late',
  'redirect',
  'status',
  'not-json',
  'nested',
  'refused',
  'offline',
  'circuit-open',
] satisfies FaultData['reason'][];

function ownError({ code, message, data }: ProviderRpcError): Refusal {
  const { reason, retryAfter, outcomeUnknown } = membersOf(data) as FaultData;
  if (unreachable.includes(reason))
    return refused(errorCode.resourceUnavailable, `${message}: please retry`, 503);
  // The service may have accepted the transaction: with another code a wallet would not take it for unclear.
  if (outcomeUnknown || reason === 'wrong-chain') return refused(errorCode.resourceUnavailable, message, 503);
  if (code !== errorCode.limitExceeded) return refused(code, message);
  const isTooMany = reason === 'rate' || reason === 'quota' || reason === 'in-flight';
  return refused(code, message, isTooMany ? 429 : 200, { reason, retryAfter });
}

const statusOf = (code: number): number =>
  code === errorCode.parseError || code === errorCode.invalidRequest ? 400 : 200;

/** @param status of HTTP */
export const refused = (code: number, message: string, status = statusOf(code), data?: object): Refusal => ({
  error: { code, message, data },
  status,
});

/** The refusal of what the client may try again in `retryAfter` seconds. */
export const tooMany = (reason: 'rate' | 'quota', message: string, retryAfter: number): Refusal => ({
  ...refused(errorCode.limitExceeded, message, 429, { reason, retryAfter }),
  retryAfter,
});

export const notAvailable = (method: string, reason: string): Refusal =>
  refused(errorCode.methodNotFound, `The method ${method} does not exist / is not available. ${reason}`);
