import type { Hex, LogCriteria } from '../../rpc/schema.js';

/** The head of the chain as last polled by this page or another tab, for the cache. */
export interface HeadView {
  /** Replaced by another object as soon as anything shows that the newest block may be another one. */
  state(): HeadView.State;
  /** Whether the head was polled less than `limit` milliseconds ago (default {@link maxAge}), and nothing was sent since. */
  isFresh(limit?: number): boolean;
  /**
   * The state as polled less than `maxAge` milliseconds ago (default 0: a new poll). Calls during a poll share it.
   * @throws as the service's request
   */
  latest(options?: { readonly maxAge?: number | undefined }): Promise<HeadView.State>;
  /**
   * Whether the polls have shown, for all heights from `from` to `to` inclusive, linked blocks of this branch whose
   * blooms exclude every wanted log. A bloom never excludes a log that exists.
   */
  excludes(wanted: LogCriteria, from: number, to: number): boolean;
  /**
   * When a request that may send something last ended: milliseconds since 1970. A chain that mines at once has a
   * newer head afterwards.
   */
  lastSendEndedAt(): number;
  /** For how many milliseconds a poll is used, at present; 0 where every answer must be a new one. */
  maxAge(): number;
}

export declare namespace HeadView {
  interface State {
    /** The block as received, as JSON; absent from the moment that something showed a newer head until the next poll. */
    readonly block?: string | undefined;
    readonly number?: Hex | undefined;
    /** Height of the last poll; -1 before the first. */
    readonly height: number;
    /** Replaced whenever a poll does not show that its block is a child of the one polled before. */
    readonly branch: { readonly since: number };
    /** When this state began: milliseconds since 1970. */
    readonly since: number;
  }
}
