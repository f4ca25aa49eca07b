import type { Hash, Hex } from './schema.js';

/**
 * The events that {@link Wallet.observe} reports, one type for each `kind`. Each event is built from named fields alone: names of
 * methods that the wallet knows, counts, times, error codes, public hashes and block numbers. None holds a param, a result, a
 * message of an error, a URL or anything that a person has typed.
 *
 * @example
 * wallet.observe((event) => {
 *   if (event.kind === 'answered' && event.code !== undefined) console.log(event.method, event.code, `${event.ms} ms`);
 * });
 */
export type WalletEvent =
  | WalletEvent.Asked
  | WalletEvent.Answered
  | WalletEvent.Read
  | WalletEvent.Http
  | WalletEvent.Quota
  | WalletEvent.Head
  | WalletEvent.Reorganisation
  | WalletEvent.Subscription
  | WalletEvent.Delivered
  | WalletEvent.Leader
  | WalletEvent.Served
  | WalletEvent.Contradicted
  | WalletEvent.Permission
  | WalletEvent.Question;

export declare namespace WalletEvent {
  /** Fields of every event. */
  interface Event {
    /** Milliseconds since 1970. */
    readonly at: number;
  }
  /** The page has made a request. Anything but a JSON-RPC request is refused without an event. */
  interface Asked extends Event {
    /** `asked`: this event reports a request of the page. */
    readonly kind: 'asked';
    /** Id of the request, unique in this page; its {@link WalletEvent.Answered} has the same. */
    readonly id: number;
    /** `unknown` for a method that the wallet does not know: the page may have put anything there. */
    readonly method: string;
    /** Origin of the page; over the bridge, of the dapp. */
    readonly origin: string;
    /** The active chain. */
    readonly chainId: number;
  }
  /** A request of the page was answered or refused. */
  interface Answered extends Event {
    /** `answered`: this event reports the end of a request of the page. */
    readonly kind: 'answered';
    /** Id of the request, as in {@link WalletEvent.Asked}. */
    readonly id: number;
    /** As in {@link WalletEvent.Asked}. */
    readonly method: string;
    /** Milliseconds since {@link WalletEvent.Asked}, waiting for a person included. */
    readonly ms: number;
    /** Where the answer came from: the furthest of the reads that the request took, else `local`. */
    readonly from: 'local' | Source;
    /** Code of the error (EIP-1193, EIP-1474); absent where the request succeeded. */
    readonly code?: number | undefined;
  }
  /**
   * Where a read was answered: `cache`, from memory; `shared`, by an equal request in flight; `tab`, by the tab that leads;
   * `service`, by HTTP requests of this page.
   */
  type Source = 'cache' | 'shared' | 'tab' | 'service';
  /** A JSON-RPC request that the wallet needed, for the page or for itself. */
  interface Read extends Event {
    /** `read`: this event reports a JSON-RPC request that the wallet needed. */
    readonly kind: 'read';
    /** The chain that the request is about. */
    readonly chainId: number;
    /** The JSON-RPC method of the request. */
    readonly method: string;
    /** Where it was answered. */
    readonly from: Source;
    /** The id of the page's request that needed it; absent for work of the wallet's own. */
    readonly asked?: number | undefined;
  }
  /** One HTTP request has ended. */
  interface Http extends Event {
    /** `http`: this event reports the end of an HTTP request. */
    readonly kind: 'http';
    /** The chain of the endpoint. */
    readonly chainId: number;
    /** Host and port of the endpoint, without the path, which has the API key. */
    readonly host: string;
    /** Method of each call in the request, in order; several for a JSON-RPC batch. */
    readonly methods: readonly string[];
    /** How many of the calls had been sent before, without success. */
    readonly retries: number;
    /** HTTP status; absent where no response arrived. */
    readonly status?: number | undefined;
    /** Milliseconds to the last byte of the reply, or to the failure. */
    readonly ms: number;
    /** Size of the reply, after decompression; 0 where none could be read. */
    readonly bytes: number;
    /** Calls counted against the daily quota; 0 for a service without one. */
    readonly cost: number;
  }
  /** The daily quota of a chain's service, after a request that cost some of it. */
  interface Quota extends Event {
    /** `quota`: this event reports a change of the daily quota. */
    readonly kind: 'quota';
    /** The chain of the service. */
    readonly chainId: number;
    /** Requests of all tabs of the origin since midnight UTC. */
    readonly used: number;
    /** Requests per day; `null` for no limit. */
    readonly perDay: number | null;
    /** Requests left today, never below 0; `null` for no limit. */
    readonly left: number | null;
    /** How far the quota is used up, from `normal` to `spent`; the wallet saves requests from `saving` on. */
    readonly state: 'normal' | 'saving' | 'reserved' | 'spent';
    /** The factor by which background work is slowed down: 1 to 16. */
    readonly slowdown: number;
  }
  /** Another block is the newest. */
  interface Head extends Event {
    /** `head`: this event reports a new head. */
    readonly kind: 'head';
    /** The chain of the block. */
    readonly chainId: number;
    /** Number of the block. */
    readonly number: number;
    /** Hash of the block. */
    readonly hash: Hash;
  }
  /** Blocks that had been delivered have left the chain. */
  interface Reorganisation extends Event {
    /** `reorganisation`: this event reports blocks that have left the chain. */
    readonly kind: 'reorganisation';
    /** The chain that was reorganised. */
    readonly chainId: number;
    /** Number of blocks that left. */
    readonly removed: number;
    /** Number of blocks that came in their place. */
    readonly added: number;
  }
  /** A subscription of the page began or ended. */
  interface Subscription extends Event {
    /** `subscription`: this event reports the beginning or the end of a subscription. */
    readonly kind: 'subscription';
    /** The chain that it follows. */
    readonly chainId: number;
    /** As `eth_subscribe` returned it. */
    readonly id: Hex;
    /** Kind of the subscription: the first param of `eth_subscribe`. */
    readonly of: 'newHeads' | 'logs' | 'newPendingTransactions' | 'syncing';
    /** Whether it began or ended. */
    readonly state: 'created' | 'ended';
    /** Whether it keeps its position over reloads (`resume`). */
    readonly durable: boolean;
  }
  /** A subscription has emitted a result to the page. */
  interface Delivered extends Event {
    /** `delivered`: this event reports a result of a subscription. */
    readonly kind: 'delivered';
    /** The chain that the subscription follows. */
    readonly chainId: number;
    /** Id of the subscription, as `eth_subscribe` returned it. */
    readonly id: Hex;
    /** The number of the block up to which it has delivered; absent where a result belongs to no block. */
    readonly block?: number | undefined;
    /** Whether the result was of a block that has left the chain. */
    readonly removed: boolean;
  }
  /** This tab has become the one that polls for all tabs of its origin, or is it no longer. */
  interface Leader extends Event {
    /** `leader`: this event reports a change of the leading tab. */
    readonly kind: 'leader';
    /** The chain that is polled. */
    readonly chainId: number;
    /** Whether this tab polls from now on. */
    readonly leads: boolean;
  }
  /** This tab, which leads, has answered a request of another tab. */
  interface Served extends Event {
    /** `served`: this event reports a request of another tab that was answered here. */
    readonly kind: 'served';
    /** The chain that the request is about. */
    readonly chainId: number;
    /** The JSON-RPC method of the request. */
    readonly method: string;
  }
  /** A reply of an endpoint cannot be true: Bitcoin's work, or what it shows, speaks against it (`verify` of a network). */
  interface Contradicted extends Event {
    /** `contradicted`: this event reports a reply that cannot be true. */
    readonly kind: 'contradicted';
    /** The chain of the endpoint. */
    readonly chainId: number;
    /** The JSON-RPC method of the request. */
    readonly method: string;
    /** Host and port of the endpoint, without the path, which has the API key. */
    readonly host: string;
    /** The reason, in one of the wallet's own sentences. */
    readonly why: string;
    /** The height that the reply is about; absent where it tells none. */
    readonly number?: number | undefined;
  }
  /** A permission to send without a question (ERC-7715) was granted, used or used up, or has ended. */
  interface Permission extends Event {
    /** `permission`: this event reports a change or a use of a permission. */
    readonly kind: 'permission';
    /**
     * `used`: transactions were signed under it, those of a batch once. `short`: it is for such transactions, and too little is left,
     * so the person is asked. `ended`: by the person, the site or a new one in its place, or with the connection or the account; its
     * expiry is no event.
     */
    readonly what: 'granted' | 'used' | 'short' | 'ended';
    /** The chain that it is for. */
    readonly chainId: number;
    /** The origin of the site that has it. */
    readonly origin: string;
    /** Names it: 32 random bytes, no secret. */
    readonly context: Hash;
  }
  /** A question to a person was put into the queue, or has ended. */
  interface Question extends Event {
    /** `question`: this event reports a question to a person, or its end. */
    readonly kind: 'question';
    /** Unique in this page: the end of a question has the id of its beginning. */
    readonly id: number;
    /** The kind of the question, such as `connect` or `transaction`. */
    readonly of: string;
    /** The origin of the page that asks. */
    readonly origin: string;
    /** `failed`: it could not be shown here, or the keys were still locked. */
    readonly state: 'asked' | 'approved' | 'refused' | 'failed';
    /** Milliseconds in the queue and before the person; 0 when asked. */
    readonly ms: number;
  }
}

/** Holds the {@link Observer} for all parts of a wallet; `by` is absent without one. */
export interface Observation {
  by?: Observer | undefined;
}

/**
 * The receiver of reports from the parts of a wallet. They hand over what they have; the observer alone builds the events
 * (`observing.ts`), so that what an event may hold is decided in one file.
 */
export interface Observer {
  /** Called with each request of the page. `method` is `undefined` unless it is one of the method table. */
  asked<C extends RequestContext>(method: string | undefined, context: C): ObservedRequest<C>;
  read(chainId: number, method: string, from: WalletEvent.Source, asked: number | undefined): void;
  posted(service: MeteredService, url: string, calls: readonly PostedCall[], reply: Promise<object>): void;
  head(chainId: number, block: { readonly number: Hex; readonly hash: Hash }): void;
  step(
    chainId: number,
    step: { readonly removed: readonly unknown[]; readonly added: readonly unknown[] },
  ): void;
  subscription(chainId: number, id: Hex, of: WalletEvent.Subscription['of'], resume: unknown): void;
  unsubscribed(id: Hex): void;
  delivered(chainId: number, id: Hex, result: unknown): void;
  leader(chainId: number, leads: boolean): void;
  contradicted(
    chainId: number,
    contradiction: Omit<WalletEvent.Contradicted, 'at' | 'kind' | 'chainId'>,
  ): void;
  served(chainId: number, method: string): void;
  permission(
    what: WalletEvent.Permission['what'],
    permission: Pick<WalletEvent.Permission, 'chainId' | 'origin' | 'context'>,
  ): void;
  question(question: { readonly kind: string; readonly origin: string }, answer: Promise<object>): void;
}

/** A request of the page that an observer knows. Its end must be reported. */
export interface ObservedRequest<C extends RequestContext> {
  /** The context to handle it in, which tells its reads from those of other requests. */
  readonly context: C;
  answered(): void;
  failed(error: unknown): void;
}

/** The context of an observed request; its reads are distinguished from those of other requests. */
export interface RequestContext {
  readonly origin: string;
  readonly session: { state(): { readonly chainId: number } };
  reads?(): Requesting;
  sends?(): Requesting;
}

interface Requesting {
  request(method: string, params: readonly unknown[], options?: object): Promise<unknown>;
}

interface MeteredService {
  readonly network: { readonly chainId: number };
  usage(): { readonly quota?: (Pick<WalletEvent.Quota, 'perDay' | 'state'> & { today: number }) | undefined };
  slowdown?(): number;
}

interface PostedCall {
  readonly method: string;
  /** Counts from 1. */
  readonly attempt: number;
}
