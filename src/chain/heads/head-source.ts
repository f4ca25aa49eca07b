import type { Hash } from '../../rpc/schema.js';

/**
 * Reports that the head of a chain may have changed: the WebSocket of a node or a relay, or a block filter of the
 * service. Its hints are never a proof. They may be late, repeated, out of order, of another fork, absent or false: the
 * follower still goes by parent hash, and {@link createPushedHeads} compares the hints with what it reads.
 */
export interface HeadSource {
  /** Connects, and connects again whenever the connection is lost, until the connection is closed. */
  open(listener: HeadSource.Listener): HeadSource.Connection;
  /** Milliseconds after which a live source has reported a head at the latest. */
  readonly maxDelay: () => number;
  /** Whether it learns of heads by polls of its own: another poll may then show one first. */
  readonly isPolled?: boolean | undefined;
}

export declare namespace HeadSource {
  interface Listener {
    head(hint: Hint): void;
    /** `live`: the source says that it reports each new head from now on. `lost`: no longer. Begins as `lost`. */
    state(state: 'live' | 'lost'): void;
  }
  interface Hint {
    /** Hash of the new head. Absent where the source only knows that blocks may have been missed. */
    readonly hash?: Hash | undefined;
    /** Its height. */
    readonly height?: number | undefined;
    /**
     * The new blocks, oldest first, each as `eth_getBlockByNumber` returns it without transactions. The last is the
     * head. Only of a source that is trusted as much as the service itself.
     */
    readonly blocks?: readonly unknown[] | undefined;
  }
  interface Connection {
    /** Ends it for ever. */
    close(): void;
    /** Drops this connection, whose hints were false or incomplete. The source connects again after a pause. */
    fail(): void;
  }
}
