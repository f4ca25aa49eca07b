import type { Clock } from '../../async/clock.js';
import { errorCode, isProviderRpcError } from '../../rpc/errors.js';
import { membersOf } from '../../rpc/own-data.js';
import type { Service } from '../service.js';
import type { Read } from './contradiction.js';
import type { Shown } from './shown.js';

/** A read, as the caller has made it. */
export interface SteadyRead extends Read {
  readonly options: Service.RequestOptions;
  /** When it was made: a time of the clock. */
  readonly startedAt: number;
}

/** State shared by the settling part and the noting part. */
export interface SteadyState {
  readonly shown: Shown;
  readonly clock: Clock;
  readonly now: () => number;
  /** Whether all endpoints are on this machine, where requests cost nothing. */
  readonly isLocal: boolean;
  /** Methods that the service has answered with more than `null`. */
  readonly answered: Set<string>;
  /** When an answer last showed the top, or a block above it. */
  reachedAt: number;
  /** When the top last rose. */
  raisedAt: number;
  /** When nodes were last seen to differ. */
  differedAt: number;
  /** When a request last ended that may have changed the chain. */
  sentAt: number;
  /** The first top. */
  firstTop: number;
}

/**
 * Whether a node refuses a read in words that do not say why: perhaps for the selector that it was pinned to, which the page has
 * not asked for.
 */
export const isRefused = (error: unknown): boolean => {
  if (!isProviderRpcError(error)) return false;
  const { reason, serviceCode } = membersOf(error.data);
  if (error.code === errorCode.internal) return serviceCode !== undefined && reason === undefined;
  return error.code === errorCode.invalidParams || error.code === errorCode.invalidInput;
};

/** Whether the age of a time is below a limit in milliseconds. After the clock was set back an age is unknown. */
export const isWithin = ({ now }: SteadyState, time: number, limit: number): boolean =>
  Math.abs(now() - time) < limit;

/** The params with another selector of the block; those before it that are absent stay so. */
export const withSelector = (params: readonly unknown[], at: number, selector: unknown): readonly unknown[] =>
  Object.assign(Array.from({ length: at }), params, { [at]: selector });

/** Milliseconds for which reads of the newest state are pinned to the top, from when it was last shown. */
export const pinnedFor = 2_000;
/** Milliseconds for which nodes count as differing. */
export const differenceLasts = 600_000;
