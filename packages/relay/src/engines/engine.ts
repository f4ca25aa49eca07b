import type { BlockLink, MinedBlock } from '../../../../src/chain/blocks.js';
import type { Hash, Hex, Log } from '../../../../src/rpc/schema.js';
import type { QuotaStore } from '../../../../src/service/rate-limit/daily-quota.js';

/**
 * The port between the instances of a relay: which of them follows one chain, and where the steps of that chain and the
 * counts of the daily quota are kept. A relay of one process uses `in-process.ts`. One contract suite runs over every
 * engine (`test/support/engine-contract.ts`).
 */
export interface Engine {
  /**
   * Makes this instance a candidate for leader. When it is elected, `follow` is called with the newest links of the
   * chain that are known, oldest first and possibly none; the function that it returned is called when the instance is
   * no longer the leader. Instances are candidates only while somebody is subscribed there, so that a chain without
   * subscribers has no leader. Returns a function that ends the candidacy, and the leadership with it. An instance is a
   * candidate once at a time.
   */
  lead(follow: (from: readonly BlockLink[]) => () => void): () => void;
  /**
   * Publishes a step of the leader to every instance, this one included.
   * @throws if this instance is not the leader, or the step could not be stored: the leader then publishes it again
   */
  publish(step: RelayStep): Promise<void>;
  /**
   * Calls `listener` with each step that is published after this call, in order and once. Steps may be lost, and after a
   * change of the leader one may follow on none of the earlier ones: the receiver compares parent hashes. Returns a
   * function that removes the listener.
   */
  subscribe(listener: (step: RelayStep) => void): () => void;
  /** The newest published steps, oldest first, at most {@link stepsKept}. */
  recent(): readonly RelayStep[];
  readonly logs: {
    /** Whether somebody on this instance is subscribed to logs. */
    want(wanted: boolean): void;
    /** Whether somebody on any instance is. */
    wanted(): boolean;
    /** Whether the leader reads the logs of a step before it publishes it, so that the other instances need not. */
    readonly inSteps: boolean;
  };
  /** The store of one count of the daily quota; `name` contains no key. */
  quotaStore(name: string): QuotaStore;
  /**
   * The store of what a client has used of the day. Absent where that is kept in memory, since the process lives as long as
   * it has clients.
   */
  share?(client: string): QuotaStore;
  /**
   * Notes a successful poll of the head, at a time in milliseconds since 1970, for all instances. Ignored from one that is not
   * the leader.
   */
  polled(at: number): void;
  /** When the leader last polled the head with success: milliseconds since 1970; `undefined` where that is not known. */
  polledAt(): number | undefined;
  /**
   * Whether the instances cannot reach what they share: this one then follows the chain by itself, and should poll less
   * often. Absent where that cannot happen.
   */
  alone?(): boolean;
  close(): Promise<void>;
}

/** How many steps an engine keeps. */
export const stepsKept = 256;

/** A header as `eth_getBlockByNumber(…, false)` returns it: with the hashes of its transactions. */
export type RelayBlock = MinedBlock;

/** A removed block: its number, its hash and its parent's. */
export interface RemovedBlock {
  readonly number: Hex;
  readonly hash: Hash;
  readonly parentHash: Hash;
}

/**
 * One change of the chain, as plain JSON.
 *
 * @example
 * // Block 0x10 was replaced by another, which has no logs, and 0x11 was mined on it.
 * {
 *   removed: [{ number: '0x10', hash: '0xaa…', parentHash: '0x99…' }],
 *   added: [{ number: '0x10', hash: '0xbb…', parentHash: '0x99…', … }, { number: '0x11', parentHash: '0xbb…', … }],
 *   seen: 1795324051323,
 * }
 */
export interface RelayStep {
  /** Newest first. */
  readonly removed: readonly RemovedBlock[];
  /** Oldest first, each the parent of the next. The first step of a leader without links has the newest block only. */
  readonly added: readonly RelayBlock[];
  /** Heights (inclusive) below the added blocks whose blocks the leader did not read. */
  readonly missed?: { readonly from: Hex; readonly to: Hex };
  /**
   * All logs of a block, by its hash, where the leader has read them. An added block that is not in here has no logs if
   * its bloom is empty; else the receiver reads them itself.
   */
  readonly logs?: Readonly<Record<Hash, readonly Log[]>> | undefined;
  /** When the leader saw it: milliseconds since 1970. */
  readonly seen: number;
}
