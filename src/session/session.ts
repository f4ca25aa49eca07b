import { createListeners } from '../async/listeners.js';
import { own } from '../rpc/own.js';
import { type Address, type Hash, isLowerAddress } from '../rpc/schema.js';
import { createNetworks, type Network } from '../service/networks.js';

/**
 * The active chain, the wallet's accounts, the permissions of each origin, the watched tokens and whether there is a
 * backup. It is public data, readable synchronously before any chunk or database has loaded. The provider derives its
 * events from changes of it.
 */
export interface SessionState {
  /** The active chain of this wallet's own origin. */
  readonly chainId: number;
  /** By origin: the chain that it has switched to. Another one begins with the first configured chain. */
  readonly chains: Readonly<Record<string, number>>;
  /** Hidden ones too. */
  readonly accounts: readonly SessionAccount[];
  /** The accounts of others that the person looks at. They have no key here, so nothing signs for them. Absent for none. */
  readonly watchOnly?: readonly WatchOnlyAccount[];
  /** Another number after each change of the contacts, which the vault keeps. Absent for none. */
  readonly contacts?: number;
  /** By origin. An origin without an entry has no permission. */
  readonly permissions: Readonly<Record<string, Permission>>;
  /** By chain id. */
  readonly assets: Readonly<Record<number, readonly WatchedAsset[]>>;
  /** `needed` from the creation of a mnemonic on, until the person has confirmed that it is written down. */
  readonly backup: 'done' | 'needed';
  /** Milliseconds without a signature after which the keys lock, if the person has chosen; else the page's option holds. */
  readonly lockAfter?: number;
  /**
   * `settled`: no transaction of the journal has to be followed, so a page need not load the journal to take it up. A random
   * number: one may have to be. Absent: not known.
   */
  readonly journal?: 'settled' | number;
  /** The permissions to sign without a question that have not ended; the vault has what each covers. Absent for none. */
  readonly granted?: readonly SessionGrant[];
  /** The networks that pages or the owner have added. One that this page has configured itself has no effect. */
  readonly networks: readonly Network[];
}

/** A token that the person agreed to watch (EIP-747), as the page described it. */
export interface WatchedAsset {
  /** The contract of the token. */
  readonly address: Address;
  /** 1 to 16 visible characters. */
  readonly symbol: string;
  /** 0 to 36; 0 for a collectible. */
  readonly decimals: number;
  /** An https URL, or a PNG, JPEG or WebP data URI. */
  readonly image?: string;
  /** For a collectible; absent for ERC-20. */
  readonly type?: 'ERC721' | 'ERC1155';
  /** Id of a collectible, decimal. */
  readonly tokenId?: string;
  /** Origin of the page that had it watched. */
  readonly addedBy?: string;
}

/** An account as pages and panels see it. */
export interface SessionAccount {
  /** Lower case. */
  readonly address: Address;
  /** For display, such as `Account 1`. */
  readonly label: string;
  /** BIP-32 path; `null` for an imported key. */
  readonly path: string | null;
  /** Not shown in pickers, and absent for pages. */
  readonly hidden?: true;
}

/** An account without a key in this wallet: a contact that is listed among the accounts. */
export interface WatchOnlyAccount {
  /** Lower case. */
  readonly address: Address;
  /** The contact's name. */
  readonly label: string;
}

/** The accounts that an origin may see and use. */
export interface Permission {
  /** The selected one first. */
  readonly accounts: readonly Address[];
  /** Milliseconds since 1970 (EIP-2255 `date`). */
  readonly date: number;
}

/** A permission as the session lists it: without an entry here, the one in the vault covers nothing. */
export interface SessionGrant {
  /** Names it: 32 random bytes, no secret. */
  readonly context: Hash;
  /** The site that may use it. */
  readonly origin: string;
  /** The account that pays. */
  readonly account: Address;
  /** The chain, as a number such as 30. */
  readonly chainId: number;
  /** Unix seconds. */
  readonly end: number;
  /** The date of the connection that it holds for. */
  readonly connectedAt: number;
  /** The recipients and contracts that its transactions may have. */
  readonly recipients: readonly Address[];
}

export interface Session {
  state(): SessionState;
  /** Applies `next` to the newest state, stores the result, then calls the watchers if anything has changed. */
  update(next: (state: SessionState) => SessionState): void;
  /** Calls `listener` after changes here (before `update` returns) and in other tabs. Returns its undo. */
  watch(listener: (state: SessionState, previous: SessionState) => void): () => void;
  /** Forgets everything, here and in the memory, then calls the watchers. */
  reset(): void;
  close(): void;
}

/** The part of a session that the provider needs. The session may be a copy of another page's. */
export type ReadableSession = Pick<Session, 'state' | 'watch'>;

/**
 * Where the session is stored: one string, read synchronously.
 *
 * @example
 * let stored: string | null = null;
 * const memory: SessionMemory = {
 *   read: () => stored,
 *   write: (value) => {
 *     stored = value;
 *   },
 *   watch: () => () => {},
 * };
 */
export interface SessionMemory {
  /** The stored string; `null` for none. */
  read(): string | null;
  /** Stores the string in place of the one before. */
  write(value: string): void;
  /** Deletes the string. Default: an empty string is written. */
  remove?(): void;
  /** Calls `changed` after another tab wrote. Returns its undo. */
  watch(changed: () => void): () => void;
}

export function createSession(options: createSession.Options): Session {
  const { memory, origin, initialChainId, chainIds } = options;
  const listeners = createListeners<[state: SessionState, previous: SessionState]>();
  const fresh: SessionState = {
    chainId: initialChainId,
    chains: {},
    accounts: [],
    permissions: {},
    assets: {},
    backup: 'done',
    networks: [],
  };
  let state = readState(memory.read(), fresh, chainIds, origin);
  /** The state that watchers were last called with. */
  let emitted = state;
  let isEmitting = false;

  // A stored chain that this page does not know (added by another page, or not configured here) is ignored.
  const readStored = () => readState(memory.read(), { ...fresh, chainId: state.chainId }, chainIds, origin);

  /** Sets the state. Changes made by a watcher are emitted after the present one, so that watchers see them in order. */
  const setState = (next: SessionState): void => {
    if (isSame(next, state)) return;
    state = next;
    if (isEmitting) return;
    isEmitting = true;
    while (emitted !== state) {
      const current = state;
      const previous = emitted;
      emitted = current;
      listeners.emit(current, previous);
    }
    isEmitting = false;
  };

  const unwatch = memory.watch(() => setState(readStored()));

  return {
    state: () => state,
    update(next) {
      // Another tab may have written, and its event may not have arrived yet.
      setState(readStored());
      let changed = next(state);
      if (changed.chainId !== state.chainId)
        changed = { ...changed, chains: { ...changed.chains, [origin]: changed.chainId } };
      if (isSame(changed, state)) return;
      // Which chain is active is in `chains`, by origin.
      const { chainId: _, ...stored } = changed;
      memory.write(JSON.stringify(stored));
      setState(changed);
    },
    watch: listeners.add,
    reset() {
      // The chain of this page is no part of the wallet: it stays, and no page gets an event for it.
      const empty = { ...fresh, chainId: state.chainId };
      if (memory.remove) memory.remove();
      else memory.write('');
      setState(empty);
    },
    close() {
      unwatch();
      listeners.clear();
    },
  };
}

const isSame = (a: SessionState, b: SessionState): boolean => JSON.stringify(a) === JSON.stringify(b);

export declare namespace createSession {
  interface Options {
    readonly memory: SessionMemory;
    /** Origin whose chain is the active one. */
    readonly origin: string;
    readonly initialChainId: number;
    /** The configured chains. A stored chain that is no longer configured is ignored. */
    readonly chainIds: readonly number[];
  }
}

export const isHidden = (account: SessionAccount): boolean => own(account).hidden === true;

export const watchOnlyAccounts = (state: SessionState): readonly WatchOnlyAccount[] =>
  own(state).watchOnly ?? [];

export const watchOnlyAccount = (state: SessionState, address: Address): WatchOnlyAccount | undefined =>
  watchOnlyAccounts(state).find((account) => account.address === address);

/** The accounts that `origin` may see, and that the wallet still has and shows, the selected one first. */
export function permittedAccounts(state: SessionState, origin: string): readonly Address[] {
  const permission = Object.hasOwn(state.permissions, origin) ? state.permissions[origin] : undefined;
  if (!permission) return [];
  return permission.accounts.filter(
    (address) =>
      watchOnlyAccount(state, address) !== undefined ||
      state.accounts.some((account) => account.address === address && !isHidden(account)),
  );
}

export const revoke =
  (origin: string) =>
  (state: SessionState): SessionState => {
    const { [origin]: _revoked, ...permissions } = state.permissions;
    return { ...state, permissions };
  };

/** Removes the asset with this address and id. */
export const unwatchAsset =
  (chainId: number, asset: Pick<WatchedAsset, 'address' | 'tokenId'>) =>
  (state: SessionState): SessionState => ({
    ...state,
    assets: { ...state.assets, [chainId]: withoutAsset(own(state.assets)[chainId] ?? [], asset) },
  });

/** The assets but for the one with this address and id. */
export const withoutAsset = (
  assets: readonly WatchedAsset[],
  { address, tokenId }: Pick<WatchedAsset, 'address' | 'tokenId'>,
) => assets.filter((each) => each.address !== address || own(each).tokenId !== tokenId);

/** The configured networks, and the added ones of other chains. */
export const knownNetworks = (configured: readonly Network[], state: SessionState): readonly Network[] => [
  ...configured,
  ...state.networks.filter(({ chainId }) => !configured.some((each) => each.chainId === chainId)),
];

/** Reads the stored state, which any script of the origin can write. Invalid parts are dropped. */
export function readState(
  text: string | null,
  fresh: SessionState,
  chainIds: readonly number[],
  origin = '',
): SessionState {
  try {
    const stored = own(JSON.parse(text ?? '') as Partial<SessionState>);
    const { accounts, watchOnly, permissions, assets, backup, lockAfter, journal, granted, contacts } =
      stored;
    const listed = entriesWithAddress<SessionAccount>(accounts);
    const watched = entriesWithAddress<WatchOnlyAccount>(watchOnly)
      .filter(({ address }) => !listed.some((account) => account.address === address))
      .map(({ address, label }) => ({ address, label: textOf(label) }));
    const networks = readNetworks(stored.networks);
    const known = [...chainIds, ...networks.map((network) => network.chainId)];
    const isKnown = (id: unknown): id is number => known.includes(id as number);
    const chains = Object.fromEntries(
      Object.entries(stored.chains ?? {}).filter(([, id]) => Number.isSafeInteger(id)),
    );
    return {
      chainId: [own(chains)[origin], fresh.chainId].find(isKnown) ?? (chainIds[0] as number),
      chains,
      accounts: listed.map(({ address, label, path, hidden }) => ({
        address,
        label: textOf(label),
        path: path === null ? null : textOf(path),
        ...(hidden === true && { hidden }),
      })),
      ...(watched.length > 0 && { watchOnly: watched }),
      permissions: Object.fromEntries(
        Object.entries(permissions ?? {}).map(([origin, permission]) => [
          origin,
          { accounts: permission.accounts.filter(isLowerAddress), date: Number(permission.date) || 0 },
        ]),
      ),
      assets: Object.fromEntries(
        Object.entries(assets ?? {}).map(([chain, list]) => [
          Number(chain),
          list.filter((asset) => isLowerAddress(asset.address)),
        ]),
      ),
      backup: backup === 'needed' ? 'needed' : 'done',
      ...(isLockTime(lockAfter) && { lockAfter }),
      ...(typeof contacts === 'number' && { contacts }),
      ...((journal === 'settled' || typeof journal === 'number') && { journal }),
      ...(Array.isArray(granted) && { granted: granted.filter((each) => typeof each?.context === 'string') }),
      networks,
    };
  } catch {
    return fresh;
  }
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** The entries of a stored list that have an address. */
const entriesWithAddress = <Entry extends { readonly address: Address }>(list: unknown): readonly Entry[] =>
  (Array.isArray(list) ? list : [])
    .map((each) => own(Object(each) as Entry))
    .filter(({ address }) => isLowerAddress(address));

/** Whether keys may lock after this time without a signature: one minute to eight hours, in milliseconds. */
export const isLockTime = (value: unknown): value is number =>
  Number.isSafeInteger(value) && (value as number) >= 60_000 && (value as number) <= 28_800_000;

/** Checks each stored network as if it was added now; one that is not valid (any more) is dropped. */
function readNetworks(stored: unknown): readonly Network[] {
  const networks = new Map<number, Network>();
  for (const each of Array.isArray(stored) ? (stored as unknown[]) : []) {
    try {
      const { urls, addedBy, ...rest } = own(each as Network);
      const [network] = createNetworks([{ ...rest, url: urls }]) as [Network];
      networks.set(network.chainId, typeof addedBy === 'string' ? own({ ...network, addedBy }) : network);
    } catch {
      // Another script of the origin wrote it.
    }
  }
  return [...networks.values()];
}
