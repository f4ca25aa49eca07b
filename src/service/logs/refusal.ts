import { limitExceeded, noLogs } from '../../rpc/core-errors.js';
import { errorCode, isProviderRpcError, type ProviderRpcError } from '../../rpc/errors.js';
import type { FaultData } from '../errors/errors.js';

const sizes: readonly unknown[] = ['range-too-large', 'too-large', 'timeout'] satisfies FaultData['reason'][];

/** Whether a smaller range may succeed: too many blocks or logs, too large a reply, or a timeout. */
export const isTooLarge = (error: unknown): error is ProviderRpcError =>
  isProviderRpcError(error) &&
  error.code === errorCode.limitExceeded &&
  sizes.includes((error.data as FaultData | undefined)?.reason);

/**
 * Whether a smaller range may succeed although nothing says so: an internal error of the node, the HTTP status of a
 * gateway, or a result that is no list. A refusal in unknown words (-32000) is one of the filter.
 */
export const mayBeTooLarge = (error: unknown): error is ProviderRpcError => {
  if (isTooLarge(error)) return true;
  if (!isProviderRpcError(error) || error.code !== errorCode.internal) return false;
  const { reason, serviceCode } = (error.data ?? {}) as FaultData;
  const isNoList = reason === 'broken' && error.message.endsWith(noLogs);
  return reason === 'status' || isNoList || (serviceCode !== undefined && reason === undefined);
};

/** Whether the number of logs is exactly a multiple of the limit: the service may have cut the result silently. */
export const mayBeCut = (logs: readonly unknown[], limit = 10_000): boolean =>
  logs.length > 0 && logs.length % limit === 0;

/** The error to use for a result that may be cut. */
export const cut = () =>
  limitExceeded('The answer has exactly as many logs as the limit allows', { reason: 'range-too-large' });

/** Whether the service has no `eth_getLogs`: logs can then be read from receipts. */
export const isLacking = (error: unknown): error is ProviderRpcError =>
  isProviderRpcError(error) &&
  ((error.code === errorCode.methodNotFound &&
    (error.data as FaultData | undefined)?.reason === 'method-not-found') ||
    error.code === errorCode.unsupportedMethod);

/**
 * Whether the service could not be asked: the error says nothing about the request itself, so that the same request may succeed
 * later. A refusal for the size of the answer does not count.
 */
export const isOutOfReach = (error: unknown): boolean =>
  isProviderRpcError(error) && outOfReach.includes(error.code) && !isTooLarge(error);

const { resourceUnavailable, parseError, disconnected, chainDisconnected } = errorCode;
const outOfReach: readonly number[] = [
  resourceUnavailable,
  errorCode.limitExceeded,
  parseError,
  disconnected,
  chainDisconnected,
];

/** The number of blocks that may be requested instead of a range that was refused here as too long. */
export const blocksInstead = (error: unknown): number | undefined =>
  isTooLarge(error) ? (error.data as { readonly blocks?: number }).blocks : undefined;

/**
 * The error for a range that needs more requests than one call may make. Callers inside the wallet may continue with its
 * newest `blocks`.
 */
export const tooManyRequests = (blocks: number, requests: number, max: number) =>
  limitExceeded(
    `The service gives the logs of at most ${blocks} ${blocks === 1 ? 'block' : 'blocks'} at once: the range would take ${requests} requests, and at most ${max} are made. Ask for fewer blocks, or configure an endpoint that gives more at once.`,
    { reason: 'range-too-large', blocks: blocks * max },
  );

const withoutLogs = 'The service has no eth_getLogs, and logs are read from the receipts of transactions';
const instead = 'Ask for fewer blocks, or configure an endpoint that has eth_getLogs.';

export const tooManyBlocks = (max: number) =>
  limitExceeded(`${withoutLogs}: of at most ${max} blocks at once. ${instead}`, {
    reason: 'range-too-large',
    blocks: max,
  });

export const tooManyReceipts = (receipts: number, max: number, blocks: number) =>
  limitExceeded(
    `${withoutLogs}: the blocks that may hold them have ${receipts} transactions, and at most ${max} receipts are read at once. ${instead}`,
    { reason: 'range-too-large', blocks: Math.max(1, Math.floor((blocks * max) / receipts)) },
  );
