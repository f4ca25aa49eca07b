import type { Approvals } from '../approvals/approvals.js';
import type { Owner } from '../approvals/owner.js';
import type { Approver } from '../approvals/question.js';
import type { PriceOptions } from '../assets/coin-prices.js';
import { lazy } from '../async/lazy.js';
import type { Context, InstantContext, Signing } from '../methods/context.js';
import { type CountedRequests, createRequests, createRouter } from '../provider/router.js';
import { type ErrorClass, joinErrors } from '../rpc/error-base.js';
import { errorCode, ProviderRpcError, walletClosed } from '../rpc/errors.js';
import { throwNotLoaded } from '../rpc/not-loaded.js';
import { own } from '../rpc/own.js';
import type { Cache } from '../service/cache/cache.js';
import { createService } from '../service/client.js';
import type { Network } from '../service/networks.js';
import type { RateLimits } from '../service/rate-limit/limits.js';
import { addNetwork, withSettledJournal, withWatchedAsset } from '../session/changes.js';
import { knownNetworks, type Session, type SessionState } from '../session/session.js';
import { withCodedErrors } from '../storage/coded.js';
import type { Storage } from '../storage/storage.js';
import { isOpen, isUnproven, type JournalEntry } from '../transactions/journal-entry.js';
import { type ChainRuntime, createChainRuntime } from './chain-runtime.js';
import type { createSigning } from './signing.js';

/** Everything behind the shell: loads with the first request that the session alone cannot answer. */
export interface Core {
  readonly requests: CountedRequests;
  readonly context: Context;
  readonly signing: () => Promise<Signing>;
  readonly storage: Storage;
  /** @throws ProviderRpcError 4901 for a chain that is not configured (any more) */
  readonly chain: (chainId: number) => ChainRuntime;
  /** Whether the options disable a method. */
  isRefused(method: string): boolean;
  /** Requests sent and saved so far, by chain id. */
  usage(): ReadonlyMap<number, Cache.Usage>;
  /** Takes up rebroadcasting transactions that other pages left in the journal. Never rejects. */
  resume(): Promise<void>;
  close(): void;
}

export function createCore(options: createCore.Options): Core {
  const { session, origin, approver, setReachable, now = () => Date.now() } = options;
  const networks = new Map<number, Network>();
  const chains = new Map<number, ChainRuntime>();
  const name = `graft:${options.name}`;
  const given = options.storage;
  const storage = withCodedErrors(
    async () => given ?? (await import('../storage/idb.js')).createIdbStorage({ name }),
    own(given).durable,
  );
  const activeChainId = () => session.state().chainId;
  if (options.errorBase) joinErrors(options.errorBase);

  let closed = false;
  const requireOpen = (): void => {
    if (closed) throw walletClosed();
  };

  /** The runtime of a chain, created at its first use. @throws ProviderRpcError 4901 for an unknown chain */
  const chain = (chainId: number): ChainRuntime => {
    requireOpen();
    const present = chains.get(chainId);
    if (present) return present;
    const network = networks.get(chainId);
    if (!network)
      throw new ProviderRpcError(errorCode.chainDisconnected, `Chain ${chainId} is not configured.`);
    const created = createChainRuntime({
      ...options,
      network,
      limits: options.limits?.get(chainId),
      requireOpen,
      onReachable(reachable) {
        if (activeChainId() === chainId) setReachable(reachable);
      },
      name,
      storage,
      connected: () => Object.keys(session.state().permissions).filter((each) => each !== options.page),
      dapp: origin === options.page ? null : origin,
    });
    chains.set(chainId, created);
    return created;
  };
  const activeChain = () => chain(activeChainId());

  /** Takes over the networks that were added, changed or removed, here or in another tab. */
  const updateNetworks = (state: SessionState): void => {
    const known = new Map(knownNetworks(options.networks, state).map((each) => [each.chainId, each]));
    for (const [chainId, network] of networks) {
      if (JSON.stringify(known.get(chainId)) === JSON.stringify(network)) continue;
      networks.delete(chainId);
      signing.peek()?.forget(chainId);
      chains.get(chainId)?.close();
      chains.delete(chainId);
    }
    for (const [chainId, network] of known) if (!networks.has(chainId)) networks.set(chainId, network);
  };

  const unwatch = session.watch((state, previous) => {
    updateNetworks(state);
    if (state.chainId === previous.chainId) return;
    // Subscriptions and filters end with the chain that they were made for.
    chains.get(previous.chainId)?.following.peek()?.clear();
    setReachable(chains.get(state.chainId)?.reads.fresh.reachable() ?? true);
  });

  const approvals = lazy(async (): Promise<Approvals> => {
    const { createApprovals } = await import('../approvals/approvals.js').catch(throwNotLoaded);
    return createApprovals({
      approver,
      lock: async () => (await signing()).lock,
      owner: options.owner,
      // Something is to be signed, which loads the rest.
      cover: (site, service) => signing.peek()?.cover(site, service) ?? null,
      observation: options.observation,
    });
  });

  const signing = lazy(async (): Promise<Signing> => {
    const [{ createSigning }, queue] = await Promise.all([import('./signing.js'), approvals()]);
    const created = createSigning({
      name,
      storage,
      session,
      approvals: queue,
      chain,
      chainIds: () => networks.keys(),
      isServed: options.page !== undefined && origin !== options.page,
      networkOf: (chainId) => networks.get(chainId),
      observation: options.observation,
      signIn: options.signIn ?? 'refuse',
      price: own(options.price),
      names: options.names ?? true,
      describeCall: options.describeCall,
      lockAfter: options.lockAfter,
      now,
    });
    created.keyring.watch(options.changed);
    created.journal.watch(options.changed);
    if (isSettled) void resume();
    return created;
  });

  updateNetworks(session.state());

  // It reads failures, and when the network fails it would not load.
  const diagnosisTimer = setTimeout(() => {
    import('../service/errors/diagnose.js').catch(() => {});
  }, diagnosisDelay);
  // In Node it must not keep a process alive.
  if (typeof diagnosisTimer === 'object') (diagnosisTimer as { unref?(): void }).unref?.();

  const resumeJournal = async (): Promise<void> => {
    const { journal } = own(session.state());
    const entries = (await storage.all('journal')) as JournalEntry[];
    if (entries.some((entry) => isOpen(entry) || isUnproven(entry, now()))) (await signing()).resume();
    else session.update(withSettledJournal(journal));
  };
  const resume = () =>
    resumeJournal().catch(() => {
      // Without storage (a sandboxed frame) there is no journal.
    });
  // A settled journal has nothing to take up: it is read when something is to be signed.
  const isSettled = own(session.state()).journal === 'settled';
  if (!isSettled) void resume();

  const context: Context = {
    origin,
    session,
    networks,
    addNetwork: (network) => session.update(addNetwork(network)),
    network: () => networks.get(activeChainId()) as Network,
    reads: () => activeChain().reads.cached,
    sends: () => activeChain().sends,
    probe: (network) => createService({ network }),
    logRanges: () => activeChain().logRanges(),
    async following() {
      const chainId = activeChainId();
      const following = await chain(chainId).following();
      requireOpen();
      if (activeChainId() !== chainId)
        throw new ProviderRpcError(errorCode.chainDisconnected, 'The chain was switched meanwhile.');
      return following;
    },
    watchAsset: (chainId, asset) => session.update(withWatchedAsset(chainId, asset)),
    approvals,
    onboarding: options.onboarding ?? 'page',
    signing,
    now,
  };

  return {
    requests: createRequests({ router: createRouter({ ...options, context }) }),
    context,
    signing,
    storage,
    chain,
    resume,
    isRefused: (method) => options.refuse.has(method),
    usage: () => new Map([...chains].map(([chainId, runtime]) => [chainId, runtime.usage()])),
    close() {
      closed = true;
      clearTimeout(diagnosisTimer);
      unwatch();
      approvals.close((queue) => queue.close());
      signing.close((loaded) => loaded.close());
      for (const runtime of chains.values()) runtime.close();
      storage.close();
    },
  };
}

/** Milliseconds after which the chunk that reads failures loads, beside no request of the page's beginning. */
const diagnosisDelay = 2_000;

export declare namespace createCore {
  interface Options
    extends InstantContext,
      Pick<
        createChainRuntime.Options,
        'changed' | 'describeRevert' | 'notify' | 'observation' | 'pollingInterval'
      >,
      Pick<createSigning.Options, 'describeCall' | 'lockAfter'> {
    readonly session: Session;
    /** Origin of the page that runs the wallet; `origin` differs from it where a wallet's own site serves a dapp. */
    readonly page?: string | undefined;
    readonly networks: readonly Network[];
    readonly refuse: ReadonlySet<string>;
    readonly approver: () => Approver | Promise<Approver>;
    /** The owner's functions, for questions that set up or recover a wallet. */
    readonly owner?: (() => Promise<Owner>) | undefined;
    /** Default `page`: without the owner's functions, no dialog can set up a wallet. */
    readonly onboarding?: 'dialog' | 'page' | undefined;
    readonly setReachable: (reachable: boolean) => void;
    readonly storage?: Storage | undefined;
    /** Part of the name of the database and of all else that is stored. */
    readonly name: string;
    readonly errorBase?: ErrorClass | undefined;
    /** Rate limits of the endpoints, by chain id, if configured. */
    readonly limits?: ReadonlyMap<number, RateLimits> | undefined;
    readonly signIn?: 'refuse' | 'warn' | undefined;
    readonly price?: PriceOptions | undefined;
    /** Whether names of the RIF Name Service are looked up. Default true. */
    readonly names?: boolean | undefined;
    readonly now?: (() => number) | undefined;
  }
}
