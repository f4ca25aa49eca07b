import type { Hex, LogCriteria } from '../../rpc/schema.js';

/** What was last seen of the newest block of a chain, by whoever looked at it. */
export interface Head {
  /** Another object as soon as anything shows that the newest block may be another one. */
  state(): Head.State;
  /** Whether that block was looked at no longer than {@link maxAge} ago. */
  isFresh(): boolean;
  /** Looks. Those who come while a look is under way share it. @throws as the service's request */
  look(): Promise<void>;
  /**
   * Whether the blooms of all blocks between two heights, inclusive, were seen below the block of the last look and
   * deny each log that is wanted. A bloom never denies a log that is there.
   */
  denies(wanted: LogCriteria, from: number, to: number): boolean;
  /** When something was last sent: on a chain that mines at once, nothing from before it is the newest any more. */
  sentAt(): number;
  /** Milliseconds for which a look serves, as it is now; 0 where each answer is to be new. */
  maxAge(): number;
}

export declare namespace Head {
  interface State {
    /** The block as received, as JSON; none was seen since something showed that the head has moved. */
    readonly block?: string;
    readonly number?: Hex;
    /** That of the last look; -1 before the first. */
    readonly height: number;
    /** Another one whenever a look does not show that its block stands on the one before. */
    readonly branch: { readonly since: number };
    /** Since when it is known; milliseconds since 1970. */
    readonly since: number;
  }
}
