import { type Clock, systemClock } from '../../../src/async/clock.js';
import { own } from '../../../src/rpc/own.js';
import type { QuotaStore } from '../../../src/service/rate-limit/daily-quota.js';
import type { ClientLimits, Payer } from './access/limits.js';
import type { Policy } from './access/policy.js';
import { type ChainOptions, createRelayChain, type RelayChain } from './chain.js';
import type { Engine } from './engines/engine.js';
import { createInProcessEngine } from './engines/in-process.js';
import { createHub, type Hub, type Subscriber } from './heads/hub.js';
import type { Outlet } from './heads/outlet.js';
import { readSubscription } from './heads/topics.js';
import { once } from './once.js';
import type { Metrics } from './reports/metrics.js';
import { createSession, type Session } from './session.js';

/** The relay without HTTP: its chains, the sessions of its clients, and its steps. */
export interface RelayCore {
  readonly chains: ReadonlyMap<number, RelayChain>;
  /**
   * A session of a client at one chain.
   * @param outlet for a connection that the server can push to; without it, subscriptions are refused with -32601
   * @throws Error for a chain that is not configured
   */
  session(chainId: number, client: ClientLimits, outlet?: Outlet): Session;
  /**
   * The frames of `graft_steps` after the block `since`, for server-sent events: `id` is the hash of the newest block after
   * the step, `data` the step as JSON. An empty step is sent every 15 s. Returns a function that ends it.
   * @param payer pays for what it asks; default: nothing is charged
   * @throws ProviderRpcError -32602 where `since` is not a hash, -32005 where there are too many subscriptions
   */
  steps(
    chainId: number,
    since: string | undefined,
    send: (frame: { readonly id: string; readonly data: string }) => void,
    payer?: Payer,
  ): () => void;
  /**
   * Whether this instance, or the one that leads, follows the head as it should; `ok` as well without subscribers here, when
   * nothing is requested.
   */
  health(chainId: number): {
    readonly ok: boolean;
    readonly height: number | null;
    /** Milliseconds since the last successful poll of the head, the leader's where that is another; `null` where unknown. */
    readonly age: number | null;
    /** This instance has lost the others, and follows alone. */
    readonly degraded?: boolean | undefined;
  };
  /**
   * Polls the head of a chain if it has subscribers: for a relay that is `passive`.
   * @throws ProviderRpcError as the poll does
   */
  poll(chainId: number): Promise<void>;
  /** Whether this instance polls the head of the chain. */
  leads(chainId: number): boolean;
  /** The store of what a client has used of the day at a chain; `undefined` where that is kept in memory. */
  share(chainId: number, client: string): QuotaStore | undefined;
  close(): Promise<void>;
}

export declare namespace createRelayCore {
  interface Options {
    readonly chains: readonly ChainOptions[];
    readonly policy: Policy;
    readonly metrics?: Metrics | undefined;
    /** Default: of one process. */
    readonly engine?: ((chainId: number) => Engine) | undefined;
    readonly clock?: Clock | undefined;
    /** Keeps no timer between polls: the platform calls {@link RelayCore.poll}, by an alarm that lets it sleep. Default false. */
    readonly passive?: boolean | undefined;
    /** Maximum newest blocks of a gap that are reported. Default 1,024; each costs a request. */
    readonly headers?: number | undefined;
    /** Random bytes. Default: of Web Crypto. */
    readonly random?: ((length: number) => Uint8Array) | undefined;
    /** Builds the upstream stack of a chain. Default {@link createRelayChain}. */
    readonly createChain?: ((options: createRelayChain.Options) => RelayChain) | undefined;
  }
}

interface Served {
  readonly chain: RelayChain;
  readonly hub: Hub;
  readonly engine: Engine;
}

/**
 * Creates the relay of some chains. Nothing is requested before the first client asks.
 *
 * @example
 * const core = createRelayCore({ chains: [{ chainId: 31, urls: [url] }], policy, metrics });
 * const session = core.session(31, limits.of('203.0.113.7'));
 * await session.receive('{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber"}'); // { text: '{…"result":"0x5"}', status: 200 }
 */
export function createRelayCore(given: createRelayCore.Options): RelayCore {
  const options = own(given);
  const {
    policy,
    metrics,
    clock = systemClock,
    createChain = createRelayChain,
    random = (length) => globalThis.crypto.getRandomValues(new Uint8Array(length)),
  } = options;
  const served = new Map<number, Served>();

  for (const each of options.chains) {
    const { chainId } = each;
    const engine = options.engine?.(chainId) ?? createInProcessEngine();
    const chain = createChain({
      ...each,
      clock,
      quotaStore: engine.quotaStore,
      // Each instance then polls for itself.
      slowdown: () => (engine.alone?.() ? 2 : 1),
      onPoll: engine.polled,
      upstream: (method, status) => metrics?.upstream(chainId, method, status),
    });
    const { passive, headers } = options;
    const hub = createHub({ chain, engine, clock, metrics, passive, headers });
    served.set(chainId, { chain, hub, engine });
  }

  function of(chainId: number): Served {
    const found = served.get(chainId);
    if (!found) throw new Error(`The chain ${chainId} is not configured.`);
    return found;
  }

  /**
   * The newest block and the last poll of a chain. Where another instance leads, they are that one's: reads of clients here
   * do not show that its steps arrive.
   */
  function headOf({ chain, hub, engine }: Served) {
    const tip = engine.recent().at(-1)?.added.at(-1);
    const published = tip ? Number(tip.number) : null;
    const polledAt = engine.polledAt();
    const polled = polledAt === undefined ? null : Math.max(0, clock.now() - polledAt);
    if (hub.followsSince() !== undefined && hub.leadsSince() === undefined)
      return { height: published, age: polled };
    const read = chain.age();
    const age = read === null || polled === null ? (read ?? polled) : Math.min(read, polled);
    return { height: chain.height() ?? published, age };
  }

  return {
    chains: new Map([...served].map(([chainId, { chain }]) => [chainId, chain])),
    session(chainId, client, outlet) {
      const { chain, hub } = of(chainId);
      return createSession({ chain, hub, policy, client, metrics, outlet, clock, random });
    },
    steps(chainId, since, send, payer) {
      const wanted = readSubscription(['graft_steps', since === undefined ? {} : { since }]);
      const { hub } = of(chainId);
      const subscriber: Subscriber = { id: null, push: (data, { tip = '' }) => send({ id: tip, data }) };
      const { end } = hub.subscribe(wanted.topic, subscriber, {
        since: wanted.since,
        restored: false,
        payer,
      });
      metrics?.subscription('graft_steps', 1);
      return once(() => {
        metrics?.subscription('graft_steps', -1);
        end();
      });
    },
    health(chainId) {
      const { engine, chain, hub } = of(chainId);
      const state = { ...headOf(of(chainId)), degraded: engine.alone?.() || undefined };
      const followedAt = hub.followsSince();
      if (followedAt === undefined) return { ok: true, ...state };
      // The first poll of a leader may not have ended yet, unless it goes on after a sleep.
      const since = Number.isFinite(followedAt) ? Math.max(followedAt, hub.leadsSince() ?? 0) : followedAt;
      const silent = Math.min(state.age ?? Number.POSITIVE_INFINITY, clock.now() - since);
      return { ok: silent <= 3 * chain.interval(), ...state };
    },
    poll: (chainId) => of(chainId).hub.poll(),
    leads: (chainId) => of(chainId).hub.leadsSince() !== undefined,
    share: (chainId, client) => served.get(chainId)?.engine.share?.(client),
    async close() {
      for (const { hub, chain } of served.values()) {
        hub.close();
        chain.close();
      }
      await Promise.all([...served.values()].map(({ engine }) => engine.close()));
    },
  };
}
