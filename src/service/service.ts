import type { Lazy } from '../async/lazy.js';
import type { Verdict } from '../proof/verdict.js';
import { own } from '../rpc/own.js';
import type { Hash } from '../rpc/schema.js';
import type { Network } from './networks.js';

/**
 * The port to the node service of one network (docs/notes/service.md#endpoints): it takes a JSON-RPC request and
 * resolves with its `result`. HTTP, endpoints, API keys, retries, sharing and the node's error dialect are hidden
 * behind it. Tests implement it with a plain object.
 */
export interface Service {
  readonly network: Network;
  /**
   * Sends one JSON-RPC request and resolves with `result` as received (no field is dropped or renamed).
   *
   * Identical requests in flight are shared, except those from before a send that has ended since; but each caller owns its
   * result and may change it. Reads are retried with
   * backoff within one deadline. Requests that change state (sends, `eth_new…Filter`, `eth_getFilterChanges`, `evm_…`)
   * are neither shared nor retried. A revert is cached for 1.5 s, until this client sends something or sees a new
   * block; the refusal of a method that the endpoint does not have, for five minutes.
   *
   * @throws ProviderRpcError with the code for the caller (docs/notes/clients.md#error-codes): `3` for a revert with flat
   * hex data, -32003 for a refused transaction, -32005 for limits, -32002 if the service cannot be reached or refuses
   * the key, -32603 if its reply breaks the protocol, -32700 if it is not JSON, 4900 if the device is offline, 4901
   * without a request while the service keeps failing or serves another chain. The service's own code, message and
   * data are redacted in `data` (`FaultData` in errors.ts; for a revert, whose `data` is the payload, in `service`).
   * `outcomeUnknown` and `alreadyKnown` read from it what a failed send means.
   */
  request(method: string, params: readonly unknown[], options?: Service.RequestOptions): Promise<unknown>;
  /** Whether the last contact succeeded. True before the first one. */
  reachable(): boolean;
  /** Calls `listener` whenever {@link reachable} changes. Returns a function that removes it. */
  watch(listener: (reachable: boolean) => void): () => void;
  /** The requests since creation, and the state of the daily quota. */
  usage(): Service.Usage;
  /** The factor by which background work slows down: 1 while the quota suffices. */
  slowdown?(): number;
  /**
   * Resolves once an endpoint has confirmed that it serves `network.chainId`. A confirmation holds for a minute.
   * Concurrent calls share one request.
   * @throws ProviderRpcError 4901 if it serves another chain: nothing may be signed for it.
   */
  verifyChain(): Promise<void>;
  /** Holds replies against Bitcoin's work; absent where the network is not verified. Loads with the first reply. */
  readonly verification?: Lazy<Service.Verification> | undefined;
}

export declare namespace Service {
  interface RequestOptions {
    signal?: AbortSignal | undefined;
    /**
     * Throws for an invalid `result`. A read is then repeated at another endpoint if there is one; else it fails with
     * -32603, the name of the method and the message of the check.
     */
    check?: ((result: unknown) => void) | undefined;
    /** Default `read`; a signed transaction always has the priority `person`. */
    priority?: Priority | undefined;
    /** The dapp that is charged for the request. Default: that of this wallet. */
    payer?: Payer | undefined;
    /** The id of the page's request that needs this one, for observers. */
    asked?: number | undefined;
    /** Set where the last answer was behind what others have shown: its endpoint is avoided for 3 s if there is another. */
    elsewhere?: boolean | undefined;
    /**
     * Called where no other node could give another answer while the newest block has this height
     * (docs/notes/service.md#monotonic-reads).
     */
    onCertain?: ((height: number) => void) | undefined;
    /** The block that is known to hold the transaction that is asked for, from before this page was loaded. */
    place?: { readonly height: number; readonly hash: Hash } | undefined;
  }
  /**
   * The order in which requests wait for the rate limit: `person`, for which a person waits (a send, a dialog); `read`,
   * the reads of a page; `background`, the wallet's own work (heads, filters, the outbox). As the daily quota runs out,
   * `background` slows down, and then `read` and `background` are refused with -32005, `data.reason` `quota` and
   * `data.retryAfter` in seconds.
   */
  type Priority = 'person' | 'read' | 'background';
  /**
   * The dapp whose share of the limits a request takes; `null` for no dapp, to which it changes when another one joins the
   * request. Past its share of the daily quota a dapp's requests are refused with -32005, `data.reason` `quota-share` and
   * `data.retryAfter` in seconds, while other dapps use the same wallet.
   */
  interface Payer {
    dapp: string | null;
  }
  /** Requests to the service since the page has loaded, and the rest of the daily quota. */
  interface Usage {
    /** HTTP requests, by JSON-RPC method. */
    readonly sent: Readonly<Record<string, number>>;
    /** Requests that joined one in flight. */
    readonly shared: number;
    /** Absent for a service on this machine, which has no quota, and before the first request. */
    readonly quota?: Quota | undefined;
    /** How replies stood against Bitcoin's work; absent where the network is not verified, and before the first one. */
    readonly verified?: Verified | undefined;
  }
  interface Verification {
    /**
     * The verdict on the transaction or the block with a hash, with at most so many blocks on top of it. Where no endpoint shows it,
     * it is claimed.
     */
    verdictOf(hash: Hash, confirmations: number): Promise<Finding>;
    /** Whether a block that came another way holds by itself. */
    holds(block: unknown): boolean;
    usage(): Verified;
  }
  /** Replies about blocks, receipts and logs, held against Bitcoin's work. */
  interface Verified {
    /** How many replies were proven, since the page has loaded. */
    readonly proven: number;
    /** How many replies nothing shows, and nothing speaks against. */
    readonly claimed: number;
    /** How many replies cannot be true. */
    readonly contradicted: number;
    /** Hosts of the endpoints that are not asked at present, because another one has contradicted them. */
    readonly quarantined: readonly string[];
    /** The last contradiction, in a sentence. */
    readonly last?: string | undefined;
  }
  /** The verdict on a transaction or a block. */
  interface Finding {
    readonly verdict: Verdict;
    /** Says why it is not proven, in a sentence. */
    readonly why?: string | undefined;
    /** Blocks with work on top of it, as far as they were asked for. */
    readonly confirmations: number;
  }
  /** The daily quota of a network, summed over its endpoints. */
  interface Quota {
    /** Requests of all tabs of the origin since midnight UTC; those of other tabs are up to a second late. */
    readonly today: number;
    /** Requests per day; `null` for no limit. */
    readonly perDay: number | null;
    /**
     * `saving`: background work slows down. `reserved`: the rest is reserved for requests of a person. `spent`: only
     * signed transactions are still sent, or the service has reported that the quota is spent.
     */
    readonly state: 'normal' | 'saving' | 'reserved' | 'spent';
  }
}

/** The same service, whose requests have this priority and payer unless they name others. */
export function withPriority(service: Service, priority: Service.Priority, payer?: Service.Payer): Service {
  const base = bases.get(service) ?? service;
  const prioritised: Service = {
    ...base,
    request: (method, params, options) => base.request(method, params, own({ priority, payer, ...options })),
  };
  bases.set(prioritised, base);
  return prioritised;
}

/** The service below each that has a priority: a second priority replaces the first, and adds no layer. */
const bases = new WeakMap<Service, Service>();

/** Charges no dapp: for what the person does in the wallet, for what they have approved, and for the wallet's own work. */
export const noDapp: Service.Payer = Object.freeze({ dapp: null });

/** The service for what the person does in the wallet or has approved: its requests wait for no dapp, and have the reserve. */
export const asPerson = (service: Service): Service => withPriority(service, 'person', noDapp);
