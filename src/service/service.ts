import type { Network } from './networks.js';

/**
 * What the rest of the house may ask of the node service of ONE network (docs/notes/service.md#endpoints): a request
 * in, its `result` out. Everything about HTTP, endpoints, keys, retries, sharing and the node's own error
 * dialect is behind this port; its in-memory twin for tests is a plain object with this shape.
 */
export interface Service {
  readonly network: Network;
  /**
   * Sends one JSON-RPC request and resolves with `result` as received (no field is dropped or renamed).
   *
   * Identical requests in flight are shared, but each asker owns its result and may write into it. Reads are
   * retried with back-off inside one deadline. What changes something (sends, `eth_new…Filter`,
   * `eth_getFilterChanges`, `evm_…`) is neither. A revert is told again for 1.5 s without asking, until this
   * client sends or sees a new block; a method that the endpoint lacks, for five minutes.
   *
   * @throws ProviderRpcError, already in the caller's dialect (docs/notes/clients.md#error-codes): `3` for a revert with flat
   * hex data, -32003 for a refused transaction, -32005 for limits, -32002 where the service cannot be
   * reached or refuses us, -32603 where its reply breaks the protocol, -32700 where it is not JSON, 4900 on a
   * device that is offline, 4901 without asking while the service keeps failing or serves another chain.
   * The service's own code, message and data stand, redacted, in `data` (`FaultData` of errors.ts; of a revert,
   * whose `data` is the payload, in `service`), where
   * `outcomeUnknown` and `alreadyKnown` read what a failed send means.
   */
  request(method: string, params: readonly unknown[], options?: Service.RequestOptions): Promise<unknown>;
  /** Whether the last contact succeeded. True before the first one. */
  reachable(): boolean;
  /** Calls `listener` whenever {@link reachable} changes. Returns its undo. */
  watch(listener: (reachable: boolean) => void): () => void;
  /** What was sent since creation, and where the budget stands. */
  usage(): Service.Usage;
  /** How much slower than usual to do what runs by itself: a factor, 1 while the budget is in order. */
  stretch?(): number;
  /**
   * Resolves once an endpoint has said that it serves `network.chainId`; asks again when it last said so more
   * than a minute ago. Those who wait at once share one request.
   * @throws ProviderRpcError 4901 when it serves another chain: nothing may be signed for it.
   */
  verifyChain(): Promise<void>;
}

export declare namespace Service {
  interface RequestOptions {
    signal?: AbortSignal;
    /**
     * Checks `result` and throws for a bad one. A read is then made at another endpoint if there is one; else it fails
     * with -32603, the method's name and this check's message.
     */
    check?: (result: unknown) => void;
    /** Who waits for it. Default `read`; whoever sends a signed transaction is always a `person`. */
    priority?: Priority;
  }
  /**
   * Where requests must wait for each other the first goes before the second: what a person has asked for and
   * waits for (a send, a dialog), what a page reads, what runs by itself (heads, filters, the outbox). As the day's
   * allowance runs out the last is done less often, and then the last two are refused: -32005, `data.reason`
   * `quota`, `data.retryAfter` seconds.
   */
  type Priority = 'person' | 'read' | 'background';
  interface Usage {
    /** HTTP requests, by JSON-RPC method. */
    readonly sent: Readonly<Record<string, number>>;
    /** Requests that joined one in flight. */
    readonly shared: number;
    /** Absent where nobody counts: a service on this machine, and before the first request. */
    readonly quota?: Quota | undefined;
  }
  /** A network's daily allowance, of all its endpoints together. */
  interface Quota {
    /** Requests since midnight UTC of all tabs of the origin, other tabs' of the last second perhaps not yet. */
    readonly today: number;
    /** Requests a day; `null` for no limit. */
    readonly perDay: number | null;
    /**
     * `saving`: what runs by itself runs less often. `reserved`: the rest is kept for what a person does.
     * `spent`: only signed transactions are still offered to the service; or it has said itself that it is.
     */
    readonly state: 'normal' | 'saving' | 'reserved' | 'spent';
  }
}
