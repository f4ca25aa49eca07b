import { type Approvals, createApprovals } from './approvals/approvals.js';
import type { Approver } from './approvals/question.js';
import type { Context, InstantContext } from './context.js';
import type { Following } from './following.js';
import { lazy } from './lazy.js';
import { methodTable } from './methods/index.js';
import { createRouter, type Router } from './router.js';
import { errorCode, ProviderRpcError } from './rpc/errors.js';
import type { Hex } from './rpc/schema.js';
import { createService } from './service/client.js';
import type { Network } from './service/networks.js';
import type { Service } from './service/service.js';
import { watchAsset } from './session/session.js';
import type { Signing } from './signing.js';
import { withCodedErrors } from './storage/coded.js';
import { createIdbStorage } from './storage/idb.js';
import type { Storage } from './storage/storage.js';
import { isOpen, type JournalEntry } from './transactions/journal.js';

/** The working provider behind the shell. It loads with the first request that the session cannot answer. */
export interface Core {
  readonly router: Router;
  readonly context: Context;
  readonly signing: () => Promise<Signing>;
  /** What was sent to each chain's service so far. */
  usage(): ReadonlyMap<number, Service.Usage>;
  close(): void;
}

/** What belongs to one chain; made when the chain is first used. */
interface Chain {
  readonly service: Service;
  readonly following: () => Promise<Following>;
  /** The same where it has loaded. */
  readonly followed: () => Following | undefined;
}

export function createCore(options: createCore.Options): Core {
  const { session, origin, networks, approver, notify, setReachable, now = Date.now } = options;
  const known = new Map(networks.map((network) => [network.chainId, network]));
  const chains = new Map<number, Chain>();
  const storage = withCodedErrors(options.storage ?? createIdbStorage({ name: `graft:${options.name}` }));
  const active = () => session.state().chainId;

  let closed = false;
  const requireOpen = (): void => {
    if (closed) throw new ProviderRpcError(errorCode.disconnected, 'The wallet of this page was closed.');
  };
  const chain = (chainId: number): Chain => {
    requireOpen();
    const present = chains.get(chainId);
    if (present) return present;
    const network = known.get(chainId);
    if (!network)
      throw new ProviderRpcError(errorCode.chainDisconnected, `Chain ${chainId} is not configured.`);
    const service = createService({ network });
    service.watch((reachable) => {
      if (active() === chainId) setReachable(reachable);
    });
    let made: Following | undefined;
    const following = lazy(async () => {
      const { createFollowing } = await import('./following.js');
      made = createFollowing({ service, notify, interval: options.pollingInterval });
      if (closed) made.close();
      return made;
    });
    const created = { service, following, followed: () => made };
    chains.set(chainId, created);
    return created;
  };

  const unwatch = session.watch((state, previous) => {
    if (state.chainId === previous.chainId) return;
    // What a page follows belongs to the chain it followed.
    chains.get(previous.chainId)?.followed()?.clear();
    setReachable(chains.get(state.chainId)?.service.reachable() ?? true);
  });

  let made: Signing | undefined;
  const signing = lazy(async () => {
    const { createSigning } = await import('./signing.js');
    made = createSigning({
      name: `graft:${options.name}`,
      storage,
      approvals,
      chain,
      chainIds: () => known.keys(),
      signIn: options.signIn ?? 'refuse',
      ...(options.lockAfter !== undefined && { lockAfter: options.lockAfter }),
      now,
    });
    if (closed) made.close();
    made.keyring.watch(options.changed);
    made.journal.watch(options.changed);
    return made;
  });

  // Earlier pages may have signed what is not mined yet: without this nobody would offer it again.
  const resume = async (): Promise<void> => {
    const entries = (await storage.all('journal')) as JournalEntry[];
    if (entries.some(isOpen)) (await signing()).resume();
  };
  resume().catch(() => {
    // No storage (a sandboxed frame): there is no journal to take up.
  });

  const approvals: Approvals = createApprovals({
    approver,
    lock: async () => (await signing()).keyring,
  });

  const context: Context = {
    origin,
    session,
    networks: known,
    addNetwork: (network) => void known.set(network.chainId, network),
    network: () => known.get(active()) as Network,
    service: () => chain(active()).service,
    probe: (network) => createService({ network }),
    following: async () => {
      const asked = active();
      const following = await chain(asked).following();
      requireOpen();
      if (active() !== asked)
        throw new ProviderRpcError(errorCode.chainDisconnected, 'The chain was switched meanwhile.');
      return following;
    },
    watchAsset: (chainId, asset) => session.update(watchAsset(chainId, asset)),
    approvals,
    signing,
    now,
  };

  return {
    router: createRouter({ methods: methodTable, context, refuse: options.refuse }),
    context,
    signing,
    usage: () => new Map([...chains].map(([chainId, { service }]) => [chainId, service.usage()])),
    close() {
      closed = true;
      unwatch();
      approvals.close();
      made?.close();
      for (const { followed } of chains.values()) followed()?.close();
      storage.close();
    },
  };
}

export declare namespace createCore {
  interface Options extends InstantContext {
    readonly networks: readonly Network[];
    readonly refuse: ReadonlySet<string>;
    readonly approver: () => Approver | Promise<Approver>;
    readonly notify: (subscription: Hex, result: unknown) => void;
    readonly setReachable: (reachable: boolean) => void;
    /** The lock or the journal has changed. */
    readonly changed: () => void;
    readonly storage?: Storage;
    /** Names the database and what else is kept of the vault. */
    readonly name: string;
    /** Milliseconds between two looks at the head. */
    readonly pollingInterval?: number;
    readonly signIn?: 'refuse' | 'warn';
    readonly lockAfter?: number;
    readonly now?: () => number;
  }
}
