import { type Approvals, createApprovals } from './approvals/approvals.js';
import type { Approver } from './approvals/question.js';
import { createReads, type Reads } from './chain/lazy-cache.js';
import type { Context, InstantContext } from './context.js';
import type { Following } from './following.js';
import { lazy } from './async/lazy.js';
import { methodTable } from './methods/index.js';
import { createRouter, type Router } from './router.js';
import { type ErrorClass, joinErrors } from './rpc/error-base.js';
import { errorCode, ProviderRpcError } from './rpc/errors.js';
import type { Hex } from './rpc/schema.js';
import type { Budget } from './service/rate-limit/limiter.js';
import type { BudgetLimits } from './service/rate-limit/limits.js';
import type { Cache } from './service/cache/cache.js';
import { createService } from './service/client.js';
import type { DescribeRevert } from './service/errors/error-signatures.js';
import type { LogRanges } from './service/logs/ranges.js';
import type { Network } from './service/networks.js';
import { withPriority } from './service/rate-limit/priority.js';
import type { Service } from './service/service.js';
import { whileOpen } from './service/while-open.js';
import { createLocalMemory } from './session/memory.js';
import { watchAsset } from './session/session.js';
import type { Signing } from './signing.js';
import { withCodedErrors } from './storage/coded.js';
import { createIdbStorage } from './storage/idb.js';
import type { Storage } from './storage/storage.js';
import { isOpen, isUnproven, type JournalEntry } from './transactions/journal-entry.js';

/** The working provider behind the shell. It loads with the first request that the session cannot answer. */
export interface Core {
  readonly router: Router;
  readonly context: Context;
  readonly signing: () => Promise<Signing>;
  /** What was asked of each chain's service so far, and what it was spared. */
  usage(): ReadonlyMap<number, Cache.Usage>;
  close(): void;
}

/** What belongs to one chain; made when the chain is first used. */
interface Chain {
  readonly service: Service;
  /** The same, for what a person has asked for, and for what runs by itself. */
  readonly direct: Service;
  readonly background: Service;
  readonly reads: Reads;
  readonly logRanges: () => Promise<LogRanges>;
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
  if (options.errorBase) joinErrors(options.errorBase);

  let closed = false;
  const requireOpen = (): void => {
    if (closed) throw new ProviderRpcError(errorCode.disconnected, 'The wallet of this page was closed.');
  };
  const budgets: Budget[] = [];
  /** What a service on this machine may be asked nobody counts, unless its owner says so. */
  const budgetOf = (network: Network) => {
    const limits = options.limits?.get(network.chainId);
    if (!limits && !network.urls.some((url) => url.startsWith('https:'))) return undefined;
    return async () => {
      const { createBudget } = await import('./service/rate-limit/limiter.js');
      const memory = createLocalMemory;
      const made = createBudget({ network, limits, memory, onChange: options.changed });
      budgets.push(made);
      if (closed) made.close();
      return made;
    };
  };
  const chain = (chainId: number): Chain => {
    requireOpen();
    const present = chains.get(chainId);
    if (present) return present;
    const network = known.get(chainId);
    if (!network)
      throw new ProviderRpcError(errorCode.chainDisconnected, `Chain ${chainId} is not configured.`);
    const reads = createReads({
      service: whileOpen(
        createService({ network, describeRevert: options.describeRevert, budget: budgetOf(network) }),
        requireOpen,
      ),
      shared: () => made?.service,
      interval: options.pollingInterval,
      // A page that looks again and again does it together with the other tabs.
      onRepeat: () => void following().catch(() => {}),
    });
    const { service } = reads;
    const background = withPriority(service, 'background');
    service.watch((reachable) => {
      if (active() === chainId) setReachable(reachable);
    });
    const logRanges = lazy(async () => {
      const [{ createLogRanges }, { cache, head }] = await Promise.all([
        import('./service/logs/ranges.js'),
        reads.caching(),
      ]);
      return createLogRanges(cache.lasting, { head });
    });
    let made: Following | undefined;
    const following = lazy(async () => {
      const [{ createFollowing }, ranges, { head }] = await Promise.all([
        import('./following.js'),
        logRanges(),
        reads.caching(),
      ]);
      made = createFollowing({
        service: background,
        name: `graft:${options.name}`,
        logRanges: ranges,
        head,
        storage,
        origin,
        notify,
      });
      if (closed) made.close();
      return made;
    });
    const direct = withPriority(service, 'person');
    const created = {
      ...{ service, reads, direct, background, logRanges, following },
      followed: () => made,
    };
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
      session,
      approvals,
      chain(chainId) {
        const { background, following } = chain(chainId);
        return { service: background, following };
      },
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
    if (entries.some((entry) => isOpen(entry) || isUnproven(entry, now()))) (await signing()).resume();
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
    service: () => chain(active()).reads.remembered,
    direct: () => chain(active()).direct,
    probe: (network) => createService({ network }),
    logRanges: () => chain(active()).logRanges(),
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
    usage: () =>
      new Map(
        [...chains].map(([chainId, { reads, followed }]) => [
          chainId,
          // What other tabs answered is shared too.
          { ...reads.usage(), ...followed()?.service.usage() },
        ]),
      ),
    close() {
      closed = true;
      unwatch();
      approvals.close();
      made?.close();
      for (const { followed } of chains.values()) followed()?.close();
      for (const budget of budgets) budget.close();
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
    /** The lock, the journal, or where a budget stands has changed. */
    readonly changed: () => void;
    readonly storage?: Storage;
    /** Names the database and what else is kept of the vault. */
    readonly name: string;
    readonly describeRevert?: DescribeRevert;
    readonly errorBase?: ErrorClass;
    /** Milliseconds between two looks at the head. */
    readonly pollingInterval?: number;
    /** What the services of chains may be asked, where their owner has said it. */
    readonly limits?: ReadonlyMap<number, BudgetLimits>;
    readonly signIn?: 'refuse' | 'warn';
    readonly lockAfter?: number;
    readonly now?: () => number;
  }
}
