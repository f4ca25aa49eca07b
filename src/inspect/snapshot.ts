import type { WalletEvent } from '../rpc/observation.js';
import type { Hash, Hex } from '../rpc/schema.js';

/** The counts of an inspection. Times are milliseconds since 1970, durations milliseconds. */
export interface Snapshot {
  /** Counts by method name: requests of the page, and those the wallet made for the page and for itself. */
  readonly methods: readonly MethodCounts[];
  /** HTTP requests of all methods together. */
  readonly http: HttpCounts;
  /** The newest requests of the page, newest first; as many as the option `capacity` says. */
  readonly requests: readonly InspectedRequest[];
  /** One for each chain that an event was about. */
  readonly chains: readonly InspectedChain[];
  /** Open subscriptions of the page. */
  readonly subscriptions: readonly InspectedSubscription[];
  /** Counts by kind of question. */
  readonly questions: readonly QuestionCounts[];
  /** Counts of permissions by the site that has them. */
  readonly permissions: readonly PermissionCounts[];
  /** Counts of the tabs that share one poll. */
  readonly tabs: TabCounts;
}

/** The counts of one method. */
export interface MethodCounts {
  /** Its name; `unknown` for all that the wallet does not know. */
  readonly method: string;
  /** Requests of the page, those in flight included. */
  readonly asked: number;
  /** Requests of the page that have succeeded. */
  readonly answered: number;
  /** Requests of the page that have ended with an error. */
  readonly failed: number;
  /** Mean duration of the requests that have ended; 0 without any. */
  readonly ms: number;
  /** Where the reads were answered, those of the wallet's own among them. */
  readonly from: Readonly<Record<WalletEvent.Source, number>>;
  /** Calls sent by HTTP, retries included; several may share one HTTP request. */
  readonly sent: number;
  /** Calls counted against a daily quota. */
  readonly cost: number;
  /** Requests of other tabs that this one, while it led, has answered. */
  readonly served: number;
}

/** The counts of all HTTP requests of this page. */
export interface HttpCounts {
  /** HTTP requests that have ended. */
  readonly requests: number;
  /** JSON-RPC calls in them; a batch has several. */
  readonly calls: number;
  /** Calls among these that had been sent before, without success. */
  readonly retries: number;
  /** HTTP requests without a response, or with a status that is not 2xx. */
  readonly failed: number;
  /** Size of all replies in bytes, after decompression. */
  readonly bytes: number;
  /** Mean duration; 0 without any. */
  readonly ms: number;
  /** Calls counted against a daily quota. */
  readonly cost: number;
}

/** One request of the page. */
export interface InspectedRequest {
  /** Unique in this page. */
  readonly id: number;
  /** When the page made it, in milliseconds since 1970. */
  readonly at: number;
  /** Its name; `unknown` for one that the wallet does not know. */
  readonly method: string;
  /** Origin of the page; over the bridge, that of the dapp. */
  readonly origin: string;
  /** The chain that was active. */
  readonly chainId: number;
  /** Milliseconds until it ended. Like `from`, absent while it is in flight. */
  readonly ms?: number;
  /** Where the answer came from. */
  readonly from?: WalletEvent.Answered['from'];
  /** Code of the error; absent for a request that is in flight or has succeeded. */
  readonly code?: number;
}

/** State and counts of one chain. */
export interface InspectedChain {
  /** Its id. */
  readonly chainId: number;
  /** The newest block; absent before the first. */
  readonly head?: { readonly number: number; readonly hash: Hash };
  /** How often delivered blocks have left it. */
  readonly reorganisations: number;
  /** Calls of this page counted against the daily quota. */
  readonly cost: number;
  /** Requests of other tabs that this one, while it led, has answered. */
  readonly served: number;
  /** Daily quota, used by all tabs of the origin since midnight UTC; absent for a service without a quota. */
  readonly quota?: Pick<WalletEvent.Quota, 'used' | 'perDay' | 'left' | 'state' | 'slowdown'>;
}

/** One subscription of the page. */
export interface InspectedSubscription {
  /** As `eth_subscribe` returned it. */
  readonly id: Hex;
  /** The chain that it follows. */
  readonly chainId: number;
  /** Absent for one that was created before the inspection began. */
  readonly of?: WalletEvent.Subscription['of'];
  /** Whether it keeps its position over reloads (`resume`). */
  readonly durable: boolean;
  /** Results emitted to the page. */
  readonly delivered: number;
  /** The block up to which it has delivered; absent before the first. */
  readonly block?: number;
}

/** The counts of the questions of one kind. */
export interface QuestionCounts {
  /** The kind, such as `connect` or `transaction`. */
  readonly of: string;
  /** Questions put into the queue. */
  readonly asked: number;
  /** Questions that the person approved. */
  readonly approved: number;
  /** Questions that were refused. */
  readonly refused: number;
  /** Questions that could not be shown, or for which the keys stayed locked. */
  readonly failed: number;
}

/** The counts of the permissions of one site to send without a question. */
export interface PermissionCounts {
  /** The origin of the site. */
  readonly origin: string;
  /** Permissions that were granted. */
  readonly granted: number;
  /** Signatures under one of them, each for a transaction or a batch. */
  readonly used: number;
  /** Requests for which too little was left of one. */
  readonly short: number;
  /** Permissions that have ended, other than by their expiry. */
  readonly ended: number;
}

/** Requests that the tabs of one origin answer for each other. */
export interface TabCounts {
  /** Whether this tab polls for all tabs of its origin. */
  readonly leads: boolean;
  /** Requests of this tab that the leading one has answered. */
  readonly answeredByOthers: number;
  /** Requests of other tabs that this one has answered. */
  readonly served: number;
}
