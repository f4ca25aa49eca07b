import type { Accounts } from './accounts.js';
import type { AddedNetworks } from './added-networks.js';
import { type Announcement, announce } from './announce.js';
import type { DescribeCall } from './approvals/abi-calls.js';
import type { Approver } from './approvals/question.js';
import { lazy } from './async/lazy.js';
import { createListeners } from './async/listeners.js';
import type { Core } from './core.js';
import type { Keyring } from './keyring/keyring.js';
import { pageOrigin } from './origin.js';
import type { Payments } from './payments.js';
import { createProvider, type Provider } from './provider.js';
import type { ErrorClass } from './rpc/error-base.js';
import { errorCode, invalidParams, ProviderRpcError } from './rpc/errors.js';
import { type OptionType, requireTypes } from './rpc/options.js';
import { own } from './rpc/own.js';
import type { Address, Hash } from './rpc/schema.js';
import type { Cache } from './service/cache/cache.js';
import type { DescribeRevert } from './service/errors/solidity-errors.js';
import { createNetworks, isOnThisMachine, type Network, type NetworkOptions } from './service/networks.js';
import { type RateLimits, readLimits } from './service/rate-limit/limits.js';
import { createLocalMemory } from './session/memory.js';
import {
  createSession,
  knownNetworks,
  revoke,
  type SessionMemory,
  type SessionState,
  unwatchAsset,
} from './session/session.js';
import { createShell } from './shell.js';
import type { Storage } from './storage/storage.js';
import type { RecordedTransaction } from './transactions/transactions.js';
import type { PanelView } from './ui/panel/context.js';
import type { Look } from './ui/preferences.js';

/** A wallet in this page: the provider for dapps, and the functions of a wallet panel. */
export interface Wallet extends Accounts, Payments, AddedNetworks {
  readonly provider: Provider;
  /**
   * Announces the provider to dapps (EIP-6963), and as `window.ethereum` on request. Returns its undo.
   *
   * @example
   * wallet.announce({ name: 'Example Wallet', rdns: 'example.wallet' });
   */
  announce(options?: Announcement): () => void;

  /** The active chain, the accounts, the permissions of each origin, the watched tokens, and whether a backup is due. */
  state(): SessionState;
  /** The configured networks, and those that pages or the owner have added. */
  networks(): readonly Network[];
  /** The active network. */
  network(): Network;
  /**
   * Calls `listener` when the state, the lock, the passkeys, the journal or the state of a quota ({@link Wallet.usage}) has
   * changed.
   * Returns its undo. @throws ProviderRpcError -32602 for a value that is not a function
   */
  watch(listener: () => void): () => void;

  /** `empty`: no vault yet. `missing`: there was one, and it is lost or damaged. `locked` and `unlocked` otherwise. */
  vaultState(): Promise<Keyring.State>;
  /** Locks the keys in all pages of this origin. */
  lock(): Promise<void>;

  /** Switches the active chain without asking. @throws ProviderRpcError 4902 for a chain that is not configured */
  switchChain(chainId: number): void;
  /** Revokes the permission of an origin, by default of this page. @throws ProviderRpcError -32602 */
  disconnect(origin?: string): void;

  /**
   * The transactions that were signed here, oldest first. One with a `hold` is not sent automatically; call
   * {@link resend} or {@link abandon}.
   *
   * @example
   * const held = (await wallet.transactions()).filter(({ hold }) => hold === 'old');
   */
  transactions(): Promise<readonly RecordedTransaction[]>;
  /**
   * Sends a held transaction.
   * @throws ProviderRpcError -32602 for one that is not open, whose nonce a later one has, or of another chain; -32003 if
   * the chain refuses it
   */
  resend(hash: Hash): Promise<void>;
  /** Gives up a transaction that no node has accepted. @throws ProviderRpcError -32602 for one that a node has accepted */
  abandon(hash: Hash): Promise<void>;
  /**
   * The transactions as the text of a file: JSON with every field except the signed bytes, or a CSV table.
   * @throws ProviderRpcError -32602 for an unknown format
   */
  exportTransactions(format: 'json' | 'csv'): Promise<string>;
  /**
   * The page of a transaction or an address in a network's block explorer; `undefined` where the network has none.
   *
   * @param of `chainId` is the active one by default
   * @throws ProviderRpcError -32602 for an invalid hash or address
   */
  explorerUrl(of: ExplorerSubject): string | undefined;
  /** Stops watching a token of the active network. @param tokenId of a collectible, decimal */
  unwatchToken(address: Address, tokenId?: string): void;
  /**
   * Usage of each chain's service: HTTP requests sent and results from the cache, by method; shared requests; and the
   * daily quota: requests of all tabs, the allowance, and its state `normal`, `saving`, `reserved` or `spent`.
   */
  usage(): ReadonlyMap<number, Cache.Usage>;
  /**
   * Opens the panel over the page, by default at its home: balances, sending and receiving, activity, accounts, sites,
   * networks and settings. Resolves when it has closed. Nothing of it is loaded before.
   *
   * @example
   * await wallet.open('receive');
   */
  open(view?: PanelView): Promise<void>;
  /** Stops all activity, refuses waiting questions, and locks. Later requests are refused with 4900. */
  destroy(): void;
}

/** What {@link Wallet.explorerUrl} leads to. */
export type ExplorerSubject =
  | { readonly hash: Hash; readonly chainId?: number }
  | { readonly address: Address; readonly chainId?: number };

/**
 * Creates a wallet. It can be announced at once and answers `eth_accounts`, `eth_chainId` and `net_version`; the core,
 * the signer and the dialog are lazy chunks.
 *
 * @example
 * const wallet = createWallet({ networks: [{ chainId: 31, url: 'https://rpc.testnet.rootstock.io/KEY' }] });
 * wallet.announce();
 *
 * @throws ProviderRpcError -32602 naming the option that is wrong
 */
export function createWallet(given: createWallet.Options): Wallet {
  requireTypes(given, optionTypes);
  const options = own(given);
  const networks = createNetworks(options.networks);
  const limits = readLimits(options.networks);
  const name = options.name ?? 'wallet';
  const origin = options.origin ?? pageOrigin();
  const session = createSession({
    memory: options.memory ?? createLocalMemory(`graft:${name}:session`),
    initialChainId: (networks[0] as Network).chainId,
    chainIds: networks.map(({ chainId }) => chainId),
  });
  const refuse = new Set(options.refuse);
  const watchers = createListeners<[]>();
  session.watch(() => watchers.emit());
  let destroyed = false;

  let loaded: Core | undefined;
  const core = lazy(async () => {
    // Loads the rate limiter in parallel, which the first request to a hosted service needs.
    if (networks.some(({ urls }) => !urls.every(isOnThisMachine)))
      import('./service/rate-limit/limiter.js').catch(() => {});
    const { createCore } = await import('./core.js');
    loaded = createCore(
      own({
        name,
        ...(options.storage && { storage: options.storage }),
        ...(options.pollingInterval !== undefined && { pollingInterval: options.pollingInterval }),
        ...(options.signIn && { signIn: options.signIn }),
        ...(options.lockAfter !== undefined && { lockAfter: options.lockAfter }),
        ...(options.describeRevert && { describeRevert: options.describeRevert }),
        ...(options.describeCall && { describeCall: options.describeCall }),
        ...(options.names !== undefined && { names: options.names }),
        ...(options.errorBase && { errorBase: options.errorBase }),
        session,
        origin,
        networks,
        refuse,
        limits,
        approver: options.approver ?? (() => openDialog(options.look)),
        owner: async () => (await owner()).accounts,
        onboarding: options.onboarding ?? 'dialog',
        notify: (subscription, result) => side.notify(subscription, result),
        setReachable: (reachable) => side.setReachable(reachable),
        changed: watchers.emit,
      }),
    );
    if (destroyed) loaded.close();
    return loaded;
  });

  const owner = lazy(async () => {
    const [{ signing, context }, { createAccounts }] = await Promise.all([core(), import('./accounts.js')]);
    if (destroyed) throw new ProviderRpcError(errorCode.disconnected, 'The wallet was destroyed.');
    const { keyring, transactions } = await signing();
    const { reads: service } = context;
    const changed = watchers.emit;
    const accounts = createAccounts({ keyring, session, network, service, changed });
    return { keyring, transactions, accounts };
  });

  const asOwner = <Name extends keyof Accounts>(name: Name): Accounts[Name] =>
    (async (...args: never[]) =>
      ((await owner()).accounts[name] as (...args: never[]) => unknown)(...args)) as Accounts[Name];

  const payments = lazy(async () => {
    const [opened, { createPayments }] = await Promise.all([core(), import('./payments.js')]);
    return createPayments({ core: opened, session, origin, networks: known, now: Date.now });
  });

  const asPayer = <Name extends keyof Payments>(name: Name): Payments[Name] =>
    (async (...args: never[]) =>
      ((await payments())[name] as (...args: never[]) => unknown)(...args)) as Payments[Name];

  const addedNetworks = lazy(async () => {
    const [{ context }, { createAddedNetworks }] = await Promise.all([core(), import('./added-networks.js')]);
    return createAddedNetworks({ context, configured: networks });
  });

  const known = () => knownNetworks(networks, session.state());
  const network = () => known().find(({ chainId }) => chainId === session.state().chainId) as Network;

  const side = createProvider({
    router: createShell({
      context: { origin, session },
      router: { loaded: () => loaded?.router, load: async () => (await core()).router },
      refuse,
      closed: () => destroyed,
    }),
    session,
    origin,
  });
  const { provider } = side;
  const announced: (() => void)[] = [];
  // In a microtask, so that listeners which are added in this task get the `connect` event (EIP-1193).
  queueMicrotask(() => side.setReachable(true));

  // A wallet with accounts may have open transactions, which the core resumes.
  const resumeTimer = session.state().accounts.length > 0 ? setTimeout(core, resumeDelay) : undefined;

  const wallet: Wallet = {
    provider,
    announce(announcement) {
      const undo = announce(provider, announcement);
      announced.push(undo);
      return undo;
    },
    state: session.state,
    networks: known,
    network,
    watch(listener) {
      if (typeof listener !== 'function') throw invalidParams('listener: expected a function');
      return watchers.add(listener);
    },

    vaultState: async () => (await owner()).keyring.state(),
    lock: async () => (await owner()).keyring.lock(),
    unlock: asOwner('unlock'),
    changePassword: asOwner('changePassword'),
    removePassword: asOwner('removePassword'),
    passkeys: asOwner('passkeys'),
    addPasskey: asOwner('addPasskey'),
    renamePasskey: asOwner('renamePasskey'),
    removePasskey: asOwner('removePasskey'),
    newMnemonic: asOwner('newMnemonic'),
    create: asOwner('create'),
    confirmBackup: asOwner('confirmBackup'),
    importMnemonic: asOwner('importMnemonic'),
    importPrivateKey: asOwner('importPrivateKey'),
    importKeystore: asOwner('importKeystore'),
    deriveAccount: asOwner('deriveAccount'),
    addAccount: asOwner('addAccount'),
    discover: asOwner('discover'),
    setLockAfter: asOwner('setLockAfter'),
    rename: asOwner('rename'),
    hide: asOwner('hide'),
    remove: asOwner('remove'),
    exportMnemonic: asOwner('exportMnemonic'),
    exportPassphrase: asOwner('exportPassphrase'),
    exportPrivateKey: asOwner('exportPrivateKey'),
    exportKeystore: asOwner('exportKeystore'),
    backup: asOwner('backup'),
    restore: asOwner('restore'),
    erase: asOwner('erase'),
    persist: asOwner('persist'),

    switchChain(chainId) {
      if (!Number.isSafeInteger(chainId)) throw invalidParams('chainId: expected a whole number');
      if (!known().some((each) => each.chainId === chainId))
        throw new ProviderRpcError(errorCode.unrecognizedChain, `Chain ${chainId} is not configured.`);
      session.update((state) => ({ ...state, chainId }));
    },
    disconnect(from = origin) {
      if (typeof from !== 'string') throw invalidParams('origin: expected a string');
      session.update(revoke(from));
    },
    transactions: async () => (await owner()).transactions.list(),
    resend: async (hash) => (await owner()).transactions.resend(hash),
    abandon: async (hash) => (await owner()).transactions.abandon(hash),
    send: asPayer('send'),
    fees: asPayer('fees'),
    speedUp: asPayer('speedUp'),
    cancel: asPayer('cancel'),
    balance: asPayer('balance'),
    tokens: asPayer('tokens'),
    resolveName: asPayer('resolveName'),
    nameOf: asPayer('nameOf'),
    addNetwork: async (...args) => (await addedNetworks()).addNetwork(...args),
    removeNetwork: async (chainId) => (await addedNetworks()).removeNetwork(chainId),
    explorerUrl(of) {
      requireTypes(of, { hash: 'string', address: 'string', chainId: 'number' });
      const { hash, address, chainId = session.state().chainId } = own(of as ExplorerFields);
      const digits = hash === undefined ? 40 : 64;
      const id = (hash ?? address ?? '').toLowerCase();
      if (!new RegExp(`^0x[0-9a-f]{${digits}}$`).test(id))
        throw invalidParams(
          `${hash === undefined ? 'address' : 'hash'}: expected ${digits} hexadecimal digits`,
        );
      const explorer = known().find((each) => each.chainId === chainId)?.explorer;
      return explorer && `${explorer}/${hash === undefined ? 'address' : 'tx'}/${id}`;
    },
    unwatchToken(address, tokenId) {
      if (typeof address !== 'string') throw invalidParams('address: expected a string');
      const asset = { address: address.toLowerCase() as Address, ...(tokenId !== undefined && { tokenId }) };
      session.update((state) => unwatchAsset(state.chainId, asset)(state));
    },
    exportTransactions: async (format) => (await owner()).transactions.export(format),
    usage: () => loaded?.usage() ?? new Map(),
    open: async (view) => (await import('./ui/panel/panel.js')).openPanel(wallet, view, options.look),
    destroy() {
      destroyed = true;
      for (const undo of announced.splice(0)) undo();
      clearTimeout(resumeTimer);
      loaded?.close();
      session.close();
      side.close();
      watchers.clear();
    },
  };
  return wallet;
}

const optionTypes: Readonly<Record<Exclude<keyof createWallet.Options, 'networks'>, OptionType>> = {
  approver: 'function',
  look: 'object',
  onboarding: 'string',
  name: 'string',
  origin: 'string',
  storage: 'object',
  memory: 'object',
  signIn: 'string',
  lockAfter: 'number',
  describeRevert: 'function',
  describeCall: 'function',
  names: 'boolean',
  errorBase: 'function',
  refuse: 'array',
  pollingInterval: 'number',
};

type ExplorerFields = { readonly hash?: Hash; readonly address?: Address; readonly chainId?: number };

/** Milliseconds after which the core loads, for a wallet that may have open transactions. */
const resumeDelay = 2_000;

const openDialog = async (look: Look | undefined): Promise<Approver> =>
  (await import('./ui/dialog/dialog.js')).dialog(look);

export declare namespace createWallet {
  interface Options {
    /** At least one. The first is active initially. */
    readonly networks: readonly (NetworkOptions & RateLimits)[];
    /** Loads the approver, once. Default: the dialog of "graft-wallet/ui". */
    readonly approver?: () => Approver | Promise<Approver>;
    /** Theme, language and texts of that dialog and of the panel that {@link Wallet.open} shows. */
    readonly look?: Look;
    /**
     * What `eth_requestAccounts` does where there is no wallet yet. `dialog` (default): the dialog sets one up, then asks
     * which accounts to share. `page`: it is refused with 4100, for pages that have their own onboarding.
     */
    readonly onboarding?: 'dialog' | 'page';
    /**
     * Prefix of the stores, which separates wallets of one origin. Default "wallet". Create one wallet for each name in a
     * page: two with the same name do not see each other's changes.
     */
    readonly name?: string;
    /** The origin of the page. Default: `window.origin`. */
    readonly origin?: string;
    /** Storage for the vault and the journal. Default: IndexedDB. */
    readonly storage?: Storage;
    /** Storage for the session. Default: `localStorage`. */
    readonly memory?: SessionMemory;
    /** A sign-in message (EIP-4361) for another site or account: refuse it (default), or warn. */
    readonly signIn?: 'refuse' | 'warn';
    /** Milliseconds without a signature after which the keys lock, unless the person has chosen. Default 900,000. */
    readonly lockAfter?: number;
    /**
     * Describes the data of a revert in words, for errors and the dialog: `solidityErrors([...])` for the custom errors of
     * the page's contracts. Default: only Solidity's own `Error(string)` and `Panic(uint256)` are described.
     */
    readonly describeRevert?: DescribeRevert;
    /**
     * Decodes calls for the dialog that the wallet does not know by itself: `abiCalls([...])` for the page's contracts.
     * Default: only the common token calls are decoded.
     */
    readonly describeCall?: DescribeCall;
    /**
     * Whether names of the RIF Name Service are looked up: in `send` and `resolveName`, and for the recipient in the dialog.
     * Default true.
     */
    readonly names?: boolean;
    /**
     * A library's error class that the wallet's errors are also instances of, in the whole page. With viem's `BaseError`,
     * viem decodes a revert after one request; otherwise it sends three more.
     */
    readonly errorBase?: ErrorClass;
    /** Methods to disable: they are refused with 4200. */
    readonly refuse?: readonly string[];
    /** Milliseconds between two polls of the head. Default: depends on the network's block time. */
    readonly pollingInterval?: number;
  }
}
