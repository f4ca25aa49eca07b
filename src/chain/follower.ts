import type { Block } from '../rpc/schema.js';

/**
 * Follows the head of one network by `parentHash` and says, in order, which blocks joined and left the chain
 * we have told of. Never derived from server filters: they lose and invent blocks (node-facts §3).
 */
export interface Follower {
  /** Starts following with the first watcher, stops with the last: nobody watching costs no request. */
  watch(listener: Follower.Listener): () => void;
  /** The newest block delivered; `null` before the first. */
  head(): Block | null;
  /** Ask the service now instead of at the next tick (an own transaction was sent, the page woke up). */
  poke(): void;
  stop(): void;
}

export declare namespace Follower {
  /** One step. `removed` (newest first) leave before `added` (oldest first) join. */
  interface Step {
    readonly removed: readonly Block[];
    readonly added: readonly Block[];
  }
  /** May return a promise: the next step is delivered after it settles; a rejection is re-delivered later. */
  type Listener = (step: Step) => void | Promise<void>;
}
