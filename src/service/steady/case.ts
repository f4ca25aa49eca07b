import { badReply } from '../../rpc/core-errors.js';
import type { ProviderRpcError } from '../../rpc/errors.js';
import type { Answer, SteadyRead } from './contradiction.js';
import type { ChainPoint } from './shown.js';
import type { Standing } from './standing.js';

/** One read that is being settled. */
export interface Case {
  readonly read: SteadyRead;
  readonly signal: AbortSignal;
  /** Reads again, at another endpoint where there is one. The first call is number 1. */
  again(number: number): Promise<Answer>;
  /** Whether a shown block is still on the chain. */
  find(point: ChainPoint, isFull?: boolean): Promise<Standing>;
  /** Reads as the first time. */
  readAnew(): Promise<Answer>;
  /** Passes an answer to the caller's read on. */
  pass(answer: Answer): unknown;
  /** Passes on what was read by other requests, if the caller's check accepts it. */
  passOther(result: unknown): unknown;
}

export const behind = (method: string): ProviderRpcError =>
  badReply(method, 'the nodes that answered are behind a block that was shown; try again', {
    reason: 'behind',
  });
