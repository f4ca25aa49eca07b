import type { DescribeCall } from '../approvals/abi-calls.js';
import type { Approver } from '../approvals/question.js';
import type { PriceOptions } from '../assets/coin-prices.js';
import { lazy } from '../async/lazy.js';
import { createListeners } from '../async/listeners.js';
import { workers } from '../keyring/builtins.js';
import type { Keyring } from '../keyring/keyring.js';
import type { GrantedPermission } from '../permissions/granted.js';
import { type Announcement, announce } from '../provider/announce.js';
import { pageOrigin } from '../provider/origin.js';
import { createProvider, type Provider } from '../provider/provider.js';
import { createShell } from '../provider/shell.js';
import type { HeldPurse } from '../purse/purse.js';
import type { ErrorClass } from '../rpc/error-base.js';
import { errorCode, invalidParams, ProviderRpcError, walletClosed } from '../rpc/errors.js';
import { throwNotLoaded } from '../rpc/not-loaded.js';
import type { Observation, WalletEvent } from '../rpc/observation.js';
import { type OptionType, requireTypes } from '../rpc/options.js';
import { own } from '../rpc/own.js';
import type { Address, Hash } from '../rpc/schema.js';
import type { Cache } from '../service/cache/cache.js';
import type { DescribeRevert } from '../service/errors/solidity-errors.js';
import { createNetworks, isOnThisMachine, type Network, type NetworkOptions } from '../service/networks.js';
import { type RateLimits, readLimits } from '../service/rate-limit/limits.js';
import { createLocalMemory } from '../session/memory.js';
import {
  createSession,
  knownNetworks,
  revoke,
  type SessionMemory,
  type SessionState,
  unwatchAsset,
} from '../session/session.js';
import type { Storage } from '../storage/storage.js';
import type { RecordedTransaction, TransactionsOptions } from '../transactions/transactions.js';
import type { PanelView } from '../ui/panel/context.js';
import type { Look } from '../ui/preferences.js';
import type { ResultSource } from '../ui/results/result-line.js';
import type { Accounts } from './accounts.js';
import type { AddedNetworks } from './added-networks.js';
import type { Allowances } from './allowances.js';
import type { BitcoinSide } from './bitcoin.js';
import type { Contacts } from './contacts.js';
import type { Core } from './core.js';
import { coreOf } from './core-of.js';
import { shieldEvents } from './event-shield.js';
import type { Payments } from './payments.js';
import type { IncomingPayments } from './received.js';

/** A wallet in this page: the provider for dapps, and the functions of a wallet panel. */
export interface Wallet
  extends Accounts,
    Payments,
    Contacts,
    IncomingPayments,
    Allowances,
    BitcoinSide,
    AddedNetworks {
  /** The EIP-1193 provider, for dapps and client libraries. */
  readonly provider: Provider;
  /** Origin of the dapps that the provider is for; their permissions and their active chain are kept under it. */
  readonly origin: string;
  /**
   * Announces the provider to dapps (EIP-6963), and as `window.ethereum` on request. Returns its undo.
   *
   * @example
   * wallet.announce({ name: 'Example Wallet', rdns: 'example.wallet' });
   */
  announce(options?: Announcement): () => void;

  /**
   * The active chain, the accounts, the permissions of each origin, the watched tokens, and whether a backup is due.
   *
   * @example
   * const { chainId, accounts, backup } = wallet.state();
   */
  state(): SessionState;
  /**
   * The configured networks, and those that pages or the owner have added.
   *
   * @example
   * const names = wallet.networks().map(({ name }) => name);
   */
  networks(): readonly Network[];
  /**
   * The active network.
   *
   * @example
   * console.log(wallet.network().currency.symbol);
   */
  network(): Network;
  /**
   * Calls `listener` when the state, the lock, the passkeys, the journal or the state of a quota ({@link Wallet.usage}) has
   * changed, and when a node was contradicted.
   * Returns its undo.
   *
   * @example
   * const stop = wallet.watch(() => console.log(wallet.state().accounts.length));
   *
   * @throws ProviderRpcError -32602 for a value that is not a function
   */
  watch(listener: () => void): () => void;
  /**
   * Calls `listener` with an event for each request, HTTP round trip, block, subscription, question, permission and change
   * of the leading tab: {@link WalletEvent}. No event holds a secret. Returns its undo.
   *
   * The code for it loads with the first observer, and the wallet's first request of the service waits for it. Missed are
   * only requests that the session answers until then (`eth_accounts`, `eth_chainId`, `net_version`).
   *
   * @example
   * const stop = wallet.observe((event) => {
   *   if (event.kind === 'http') console.log(event.methods, event.status, `${event.ms} ms`);
   * });
   * @throws ProviderRpcError -32602 for a value that is not a function
   */
  observe(listener: (event: WalletEvent) => void): () => void;

  /**
   * `empty`: no vault yet. `missing`: there was one, and it is lost or damaged. `locked` and `unlocked` otherwise.
   *
   * @example
   * if ((await wallet.vaultState()) === 'empty') await wallet.create('a long password');
   */
  vaultState(): Promise<Keyring.State>;
  /**
   * Locks the keys in all pages of this origin.
   *
   * @example
   * await wallet.lock();
   */
  lock(): Promise<void>;

  /**
   * Switches the active chain without asking.
   *
   * @example
   * wallet.switchChain(31);
   *
   * @throws ProviderRpcError 4902 for a chain that is not configured
   */
  switchChain(chainId: number): void;
  /**
   * Revokes the permission of an origin, by default of this page.
   *
   * @example
   * for (const origin of Object.keys(wallet.state().permissions)) wallet.disconnect(origin);
   *
   * @throws ProviderRpcError -32602
   */
  disconnect(origin?: string): void;

  /**
   * Permissions of sites to send without a question (ERC-7715) that have not ended, with what is left of each. The numbers are
   * checked while the wallet is unlocked.
   *
   * @example
   * const [permission] = await wallet.permissions();
   * console.log(permission?.origin, BigInt(permission?.left ?? 0)); // wei, or base units of its token
   */
  permissions(): Promise<readonly GrantedPermission[]>;
  /**
   * Ends a permission, also while the wallet is locked. Nothing is signed under it once this has resolved.
   *
   * @example
   * for (const { context } of await wallet.permissions()) await wallet.endPermission(context);
   *
   * @throws ProviderRpcError -32602 for another context
   */
  endPermission(context: Hash): Promise<void>;

  /**
   * Purses of sites, each an account whose key its site has, with what they hold. Sites of another domain get one in place of a
   * permission, where the browser gives the wallet's frame a storage of its own.
   *
   * @example
   * for (const { origin, balance } of await wallet.purses()) console.log(origin, BigInt(balance ?? 0)); // wei
   *
   * @param lost sites for whose purses to look on the chain, because their records were lost, such as with the browser's data. Those
   * that are found count as taken back, and {@link takeBack} sends what is in them
   * @throws ProviderRpcError 4100 while the wallet is locked; with `lost` as a read of the service
   */
  purses(lost?: readonly string[]): Promise<readonly HeldPurse[]>;
  /**
   * Ends a purse, and sends its tokens and then its coins back to its account. Resolves with the hashes. Coins that arrive later can
   * be taken back in the same way. Asks to unlock the wallet if it is locked.
   *
   * @example
   * for (const { address } of await wallet.purses()) await wallet.takeBack(address);
   *
   * @throws ProviderRpcError -32602 for another address; 4001 if the wallet is not unlocked; -32003 for what the chain refuses
   */
  takeBack(address: Address): Promise<readonly Hash[]>;

  /**
   * The transactions that were signed here, oldest first: the newest 50, and all that are open. One with a `hold` is not sent
   * automatically; call {@link resend} or {@link abandon}.
   *
   * @example
   * const held = (await wallet.transactions()).filter(({ hold }) => hold === 'old');
   * const more = await wallet.transactions({ chainId: 30, limit: 200 });
   *
   * @throws ProviderRpcError -32602 for options that cannot be
   */
  transactions(options?: TransactionsOptions): Promise<readonly RecordedTransaction[]>;
  /**
   * Sends a held transaction.
   *
   * @example
   * for (const { hash, hold } of await wallet.transactions()) if (hold === 'old') await wallet.resend(hash);
   *
   * @throws ProviderRpcError -32602 for one that is not open, whose nonce a later one has, or of another chain; -32003 if
   * the chain refuses it
   */
  resend(hash: Hash): Promise<void>;
  /**
   * Gives up a transaction that no node has accepted.
   *
   * @example
   * for (const { hash, hold } of await wallet.transactions()) if (hold === 'damaged') await wallet.abandon(hash);
   *
   * @throws ProviderRpcError -32602 for one that a node has accepted
   */
  abandon(hash: Hash): Promise<void>;
  /**
   * The transactions as the text of a file: JSON with every field except the signed bytes, or a CSV table.
   *
   * @example
   * const csv = await wallet.exportTransactions('csv');
   *
   * @throws ProviderRpcError -32602 for an unknown format
   */
  exportTransactions(format: 'json' | 'csv'): Promise<string>;
  /**
   * The page of a transaction or an address in a network's block explorer; `undefined` where the network has none.
   *
   * @example
   * const url = wallet.explorerUrl({ hash });
   *
   * @param of `chainId` is the active one by default
   * @throws ProviderRpcError -32602 for an invalid hash or address
   */
  explorerUrl(of: ExplorerSubject): string | undefined;
  /**
   * Stops watching a token of the active network.
   *
   * @example
   * wallet.unwatchToken(token);
   *
   * @param tokenId of a collectible, decimal
   */
  unwatchToken(address: Address, tokenId?: string): void;
  /**
   * Usage of each chain's service: HTTP requests sent and results from the cache, by method; shared requests; and the
   * daily quota: requests of all tabs, the allowance, and its state `normal`, `saving`, `reserved` or `spent`; and how replies stood
   * against Bitcoin's work where the network is verified.
   *
   * @example
   * for (const [chainId, { sent, quota }] of wallet.usage()) console.log(chainId, sent.eth_call, quota?.today);
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
  /**
   * Takes up the open transactions that another page of this wallet has left behind: they are sent again until they are
   * mined. At the start this happens by itself.
   *
   * @example
   * await wallet.resume();
   */
  resume(): Promise<void>;
  /**
   * Stops all activity, refuses waiting questions, and locks. Later requests are refused with 4900.
   *
   * @example
   * addEventListener('pagehide', () => wallet.destroy());
   */
  destroy(): void;
}

/** The transaction or address that {@link Wallet.explorerUrl} links to. */
export type ExplorerSubject =
  | { readonly hash: Hash; readonly chainId?: number | undefined }
  | { readonly address: Address; readonly chainId?: number | undefined };

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
  const { source, questions } = own(options.price);
  requireTypes(own({ source: source ?? undefined, questions }), { source: 'function', questions: 'boolean' });
  const networks = createNetworks(options.networks);
  const limits = readLimits(options.networks);
  const name = options.name ?? 'wallet';
  const ownSite = options.ownSite === true && globalThis.top === globalThis.self;
  const origin = options.origin ?? pageOrigin();
  const session = createSession({
    memory: options.memory ?? createLocalMemory(`graft:${name}:session`),
    origin,
    initialChainId: (networks[0] as Network).chainId,
    chainIds: networks.map(({ chainId }) => chainId),
  });
  const refuse = new Set(options.refuse);
  if (workers && options.workerUrl !== undefined) workers.file = options.workerUrl;
  const watchers = createListeners<[]>();
  session.watch(() => watchers.emit());
  shieldEvents();
  const observation: Observation = own({});
  let observing: Promise<void> | undefined;
  /** Aborted when the wallet is destroyed. */
  const closing = new AbortController();

  const core = lazy(async (): Promise<Core> => {
    // Loads the rate limiter in parallel, which the first request to a hosted service needs.
    if (networks.some(({ urls }) => !urls.every(isOnThisMachine)))
      import('../service/rate-limit/limiter.js').catch(() => {});
    const { createCore } = await import('./core.js');
    await observing;
    return createCore(
      own({
        ...options,
        name,
        session,
        origin,
        page: pageOrigin(),
        networks,
        observation,
        refuse,
        limits,
        approver:
          options.approver ?? (() => openDialog({ look: options.look, wallet, signal: closing.signal })),
        owner: async () => ({ ...owner, prepare: accounts }),
        onboarding: options.onboarding ?? 'dialog',
        notify: (subscription, result) => side.notify(subscription, result),
        setReachable: (reachable) => side.setReachable(reachable),
        changed: watchers.emit,
      }),
    );
  });

  const ownerFunctions = lazy(async () => {
    const [opened, { createOwnerFunctions }] = await Promise.all([core(), import('./owner-functions.js')]);
    if (closing.signal.aborted) throw walletClosed();
    return createOwnerFunctions({ core: opened, configured: networks, ownSite, changed: watchers.emit });
  });
  const accounts = async () => (await ownerFunctions()).accounts();
  /** The functions that a dialog gets too. It does not get the wallet, whose members a page can replace. */
  const owner = own({
    ...loadedBy(async () => (await ownerFunctions()).vault(), vaultFunctions),
    ...loadedBy(accounts, accountFunctions),
    ownSite,
  });

  const known = () => knownNetworks(networks, session.state());
  const network = () => known().find(({ chainId }) => chainId === session.state().chainId) as Network;

  const side = createProvider({
    requests: createShell({
      context: { origin, session },
      core,
      isInstant: (method) => !refuse.has(method),
      observation,
    }),
    session,
    origin,
  });
  const { provider } = side;
  const announced: (() => void)[] = [];
  // In a microtask, so that listeners which are added in this task get the `connect` event (EIP-1193).
  queueMicrotask(() => side.setReachable(true));

  // A wallet with accounts may have open transactions, which the core resumes.
  const mayResume = session.state().accounts.length > 0 && own(session.state()).journal !== 'settled';
  const resumeTimer = mayResume ? setTimeout(core, resumeDelay) : undefined;

  const wallet: Wallet = {
    ...owner,
    ...loadedBy(core, ['resume']),
    ...loadedBy(async () => (await ownerFunctions()).transactions(), transactionFunctions),
    ...loadedBy(async () => (await ownerFunctions()).payments(), paymentFunctions),
    ...loadedBy(async () => (await ownerFunctions()).received(), ['received']),
    ...loadedBy(async () => (await ownerFunctions()).allowances(), ['allowances', 'revoke']),
    ...loadedBy(async () => (await ownerFunctions()).contacts(), contactFunctions),
    ...loadedBy(async () => (await ownerFunctions()).bitcoin(), bitcoinFunctions),
    ...loadedBy(async () => (await ownerFunctions()).addedNetworks(), ['addNetwork', 'removeNetwork']),
    provider,
    origin,
    announce(announcement) {
      const undo = announce(provider, announcement);
      announced.push(undo);
      return undo;
    },
    state: session.state,
    networks: known,
    network,
    watch(listener) {
      requireFunction(listener);
      return watchers.add(listener);
    },
    observe(listener) {
      requireFunction(listener);
      const ended = new AbortController();
      observing = import('./observing.js')
        .then(({ observe }) => observe(observation, listener, ended.signal))
        .catch(() => {});
      return () => ended.abort();
    },

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
    explorerUrl(of) {
      requireTypes(of, { hash: 'string', address: 'string', chainId: 'number' });
      const { hash, address, chainId = session.state().chainId } = own(of as ExplorerFields);
      const [field, page, digits] = hash === undefined ? ['address', 'address', 40] : ['hash', 'tx', 64];
      const id = (hash ?? address ?? '').toLowerCase();
      if (!new RegExp(`^0x[0-9a-f]{${digits}}$`).test(id))
        throw invalidParams(`${field}: expected ${digits} hexadecimal digits`);
      const explorer = known().find((each) => each.chainId === chainId)?.explorer;
      return explorer && `${explorer}/${page}/${id}`;
    },
    unwatchToken(address, tokenId) {
      if (typeof address !== 'string') throw invalidParams('address: expected a string');
      const asset = { address: address.toLowerCase() as Address, ...(tokenId !== undefined && { tokenId }) };
      session.update((state) => unwatchAsset(state.chainId, asset)(state));
    },
    usage: () => core.peek()?.usage() ?? new Map(),
    open: async (view) =>
      (await import('../ui/panel/panel.js').catch(throwNotLoaded)).openPanel(wallet, view, options.look),
    destroy() {
      closing.abort();
      for (const undo of announced.splice(0)) undo();
      clearTimeout(resumeTimer);
      core.close((loaded) => loaded.close());
      session.close();
      side.close();
      watchers.clear();
    },
  };
  coreOf.set(wallet, core);
  return wallet;
}

const transactionFunctions = ['transactions', 'resend', 'abandon', 'exportTransactions'] as const;

const vaultFunctions = ['vaultState', 'lock', 'unlock', 'passkeys'] as const;

const accountFunctions = [
  'permissions',
  'endPermission',
  'purses',
  'changePassword',
  'removePassword',
  'addPasskey',
  'wakePasskey',
  'renamePasskey',
  'removePasskey',
  'newMnemonic',
  'create',
  'createFromPasskey',
  'restoreFromPasskey',
  'confirmBackup',
  'importMnemonic',
  'importPrivateKey',
  'importKeystore',
  'deriveAccount',
  'addAccount',
  'discover',
  'setLockAfter',
  'rename',
  'hide',
  'remove',
  'exportMnemonic',
  'exportPassphrase',
  'exportPrivateKey',
  'exportKeystore',
  'backup',
  'takeBack',
  'restore',
  'erase',
  'persist',
] as const;

const paymentFunctions = [
  'send',
  'fees',
  'speedUp',
  'cancel',
  'prove',
  'balance',
  'coinPrice',
  'tokens',
  'resolveName',
  'nameOf',
] as const;

const contactFunctions = [
  'contacts',
  'saveContact',
  'removeContact',
  'watchAccount',
  'unwatchAccount',
] as const;

const bitcoinFunctions = ['bitcoinAddress', 'pegOuts', 'pegOutEstimate', 'exportWif'] as const;

/** Functions that load at their first call. */
function loadedBy<Functions, Name extends keyof Functions>(
  load: () => Promise<Functions>,
  names: readonly Name[],
): Pick<Functions, Name> {
  return Object.fromEntries(
    names.map((name) => [
      name,
      async (...args: never[]) =>
        ((await load().catch(throwNotLoaded))[name] as (...args: never[]) => unknown)(...args),
    ]),
  ) as Pick<Functions, Name>;
}

const optionTypes: Readonly<Record<Exclude<keyof createWallet.Options, 'networks'>, OptionType>> = {
  approver: 'function',
  look: 'object',
  onboarding: 'string',
  name: 'string',
  origin: 'string',
  ownSite: 'boolean',
  storage: 'object',
  memory: 'object',
  signIn: 'string',
  lockAfter: 'number',
  describeRevert: 'function',
  describeCall: 'function',
  names: 'boolean',
  price: 'object',
  errorBase: 'function',
  workerUrl: 'string',
  refuse: 'array',
  pollingInterval: 'number',
};

type ExplorerFields = Partial<{ readonly hash: Hash; readonly address: Address; readonly chainId: number }>;

/** Milliseconds after which the core loads, for a wallet that may have open transactions. */
const resumeDelay = 2_000;

function requireFunction(listener: unknown): void {
  if (typeof listener !== 'function') throw invalidParams('listener: expected a function');
}

const openDialog = async (source: ResultSource): Promise<Approver> =>
  (await import('../ui/dialog/dialog.js')).walletDialog(source);

export declare namespace createWallet {
  /** The options of {@link createWallet}. */
  interface Options {
    /** At least one. The first is active initially. */
    readonly networks: readonly (NetworkOptions & RateLimits)[];
    /** Loads the approver, once. Default: the dialog of "graft-wallet/ui". */
    readonly approver?: (() => Approver | Promise<Approver>) | undefined;
    /**
     * Theme, language and texts of that dialog and of the panel that {@link Wallet.open} shows, and whether the page shows the results
     * of what was approved.
     */
    readonly look?: Look | undefined;
    /**
     * Behaviour of `eth_requestAccounts` without a wallet. `dialog` (default): the dialog sets one up, then asks
     * which accounts to share. `page`: it is refused with 4100, for pages that have their own onboarding.
     */
    readonly onboarding?: 'dialog' | 'page' | undefined;
    /**
     * Prefix of the stores, which separates wallets of one origin. Default "wallet". Create one wallet for each name in a
     * page: two with the same name do not see each other's changes.
     */
    readonly name?: string | undefined;
    /** The origin of the page. Default: `window.origin`. */
    readonly origin?: string | undefined;
    /**
     * The page is the wallet's own site: no script of a dapp runs on its origin. There a passkey can bring a wallet back
     * ({@link Accounts.createFromPasskey}), and dialog and panel offer it. Anywhere else a script could ask for the same passkey
     * and would get the keys. Default false.
     */
    readonly ownSite?: boolean | undefined;
    /** Storage for the vault and the journal. Default: IndexedDB. */
    readonly storage?: Storage | undefined;
    /** Storage for the session. Default: `localStorage`. */
    readonly memory?: SessionMemory | undefined;
    /** A sign-in message (EIP-4361) for another site or account: refuse it (default), or warn. */
    readonly signIn?: 'refuse' | 'warn' | undefined;
    /** Milliseconds without a signature after which the keys lock, unless the person has chosen. Default 900,000. */
    readonly lockAfter?: number | undefined;
    /**
     * Describes the data of a revert in words, for errors and the dialog: `solidityErrors([...])` for the custom errors of
     * the page's contracts. Default: only Solidity's own `Error(string)` and `Panic(uint256)` are described.
     */
    readonly describeRevert?: DescribeRevert | undefined;
    /**
     * Decodes calls for the dialog that the wallet does not know by itself: `abiCalls([...])` for the page's contracts.
     * Default: only the common token calls are decoded.
     */
    readonly describeCall?: DescribeCall | undefined;
    /**
     * Whether names of the RIF Name Service are looked up: in `send` and `resolveName`, and for the recipient in the dialog.
     * Default true.
     */
    readonly names?: boolean | undefined;
    /** The price of the coin, to show about how much an amount is. Default: from an oracle on the chain, and not in questions. */
    readonly price?: PriceOptions | undefined;
    /**
     * A library's error class that the wallet's errors are also instances of, in the whole page. With viem's `BaseError`,
     * viem decodes a revert after one request; otherwise it sends three more.
     */
    readonly errorBase?: ErrorClass | undefined;
    /**
     * The address of this version's `dist/kdf-worker.js`, absolute or relative to the document, on the origin of the page:
     * for a Content-Security-Policy that lets no worker start from `blob:`. A file with another content is not used. Applies
     * to all wallets of the page; the last one wins. Default: a blob, then the file beside the script.
     */
    readonly workerUrl?: string | undefined;
    /** Methods to disable: they are refused with 4200. */
    readonly refuse?: readonly string[] | undefined;
    /** Milliseconds between two polls of the head. Default: depends on the network's block time. */
    readonly pollingInterval?: number | undefined;
  }
}
