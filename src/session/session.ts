import { createListeners } from '../async/listeners.js';
import { own } from '../rpc/own.js';
import type { Address } from '../rpc/schema.js';

/**
 * What the page may know without asking anybody: the active chain, the wallet's accounts, and which of them
 * each origin was given. Public data only; it is readable at once, before any chunk or database has loaded,
 * and every change of it is what the provider turns into events.
 */
export interface SessionState {
  readonly chainId: number;
  readonly accounts: readonly SessionAccount[];
  /** By origin. An origin without an entry was given nothing. */
  readonly permissions: Readonly<Record<string, Permission>>;
  /** By chain id. */
  readonly assets: Readonly<Record<number, readonly WatchedAsset[]>>;
}

/** A token a person asked to see (EIP-747): what the page claimed of it. */
export interface WatchedAsset {
  readonly address: Address;
  readonly symbol: string;
  readonly decimals: number;
  readonly image?: string;
}

export interface SessionAccount {
  readonly address: Address;
  readonly label: string;
  /** BIP-32 path; `null` for an imported key. */
  readonly path: string | null;
}

export interface Permission {
  readonly accounts: readonly Address[];
  /** Milliseconds since 1970 (EIP-2255 `date`). */
  readonly date: number;
}

export interface Session {
  state(): SessionState;
  /** Applies `next` to the newest state, remembers it, then tells every watcher. A no-op tells nobody. */
  update(next: (state: SessionState) => SessionState): void;
  /** Changes made here and in other tabs. Watchers run before `update` returns. Returns its undo. */
  watch(listener: (state: SessionState, previous: SessionState) => void): () => void;
  close(): void;
}

/** Where the session is remembered: one string, read at once. `storage` events bring other tabs' changes. */
export interface SessionMemory {
  read(): string | null;
  write(value: string): void;
  /** Calls `changed` after another tab wrote. Returns its undo. */
  watch(changed: () => void): () => void;
}

export function createSession(options: createSession.Options): Session {
  const { memory, initialChainId, chainIds } = options;
  const listeners = createListeners<[state: SessionState, previous: SessionState]>();
  const fresh: SessionState = { chainId: initialChainId, accounts: [], permissions: {}, assets: {} };
  let state = readState(memory.read(), fresh, chainIds);
  let told = state;
  let telling = false;

  // A chain that only another page knows (EIP-3085, or another configuration) does not move this one.
  const recall = () => readState(memory.read(), { ...fresh, chainId: state.chainId }, chainIds);

  /** Watchers hear of one change after the other, also of those that a watcher makes. */
  const become = (next: SessionState): void => {
    if (isSame(next, state)) return;
    state = next;
    if (telling) return;
    telling = true;
    while (told !== state) {
      const [now, previous] = [state, told];
      told = now;
      listeners.emit(now, previous);
    }
    telling = false;
  };

  const remember = (next: SessionState): void => {
    // Nor does this page move one that is on a chain which this one does not know.
    const keeps = next.chainId === state.chainId;
    const chainId = keeps ? (readChainId(memory.read()) ?? next.chainId) : next.chainId;
    memory.write(JSON.stringify({ ...next, chainId }));
  };

  const unwatch = memory.watch(() => become(recall()));

  return {
    state: () => state,
    update(next) {
      // Another tab may have written since its event last reached us.
      become(recall());
      const changed = next(state);
      if (isSame(changed, state)) return;
      remember(changed);
      become(changed);
    },
    watch: listeners.add,
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
    readonly initialChainId: number;
    /** Configured chains: a remembered one that is no longer configured is forgotten. */
    readonly chainIds: readonly number[];
  }
}

/** The accounts that `origin` was given and the wallet still has, the first being the selected one. */
export function permittedAccounts(state: SessionState, origin: string): readonly Address[] {
  const permission = Object.hasOwn(state.permissions, origin) ? state.permissions[origin] : undefined;
  if (!permission) return [];
  return permission.accounts.filter((address) =>
    state.accounts.some((account) => account.address === address),
  );
}

export const grant =
  (origin: string, accounts: readonly Address[], date: number) =>
  (state: SessionState): SessionState => ({
    ...state,
    permissions: { ...state.permissions, [origin]: { accounts, date } },
  });

export const revoke =
  (origin: string) =>
  (state: SessionState): SessionState => {
    const { [origin]: _revoked, ...permissions } = state.permissions;
    return { ...state, permissions };
  };

/** Adds the asset, or takes the newer words for it. */
export const watchAsset =
  (chainId: number, asset: WatchedAsset) =>
  (state: SessionState): SessionState => {
    const others = (own(state.assets)[chainId] ?? []).filter(({ address }) => address !== asset.address);
    return { ...state, assets: { ...state.assets, [chainId]: [...others, asset] } };
  };

/** The chain that was remembered, whether or not this page knows it. */
function readChainId(text: string | null): number | null {
  try {
    const { chainId } = own(JSON.parse(text ?? '') as { chainId?: unknown });
    return Number.isSafeInteger(chainId) ? (chainId as number) : null;
  } catch {
    return null;
  }
}

/** Remembered text is untrusted: anything in the page's origin can write it. What does not fit is forgotten. */
function readState(text: string | null, fresh: SessionState, chainIds: readonly number[]): SessionState {
  try {
    const { chainId, accounts, permissions, assets } = own(JSON.parse(text ?? '') as Partial<SessionState>);
    const isAddress = (value: unknown): value is Address =>
      typeof value === 'string' && /^0x[0-9a-f]{40}$/.test(value);
    return {
      chainId: chainIds.includes(chainId as number) ? (chainId as number) : fresh.chainId,
      accounts: (accounts ?? [])
        .filter(({ address }) => isAddress(address))
        .map(({ address, label, path }) => ({
          address,
          label: String(label),
          path: path === null ? null : String(path),
        })),
      permissions: Object.fromEntries(
        Object.entries(permissions ?? {}).map(([origin, permission]) => [
          origin,
          { accounts: permission.accounts.filter(isAddress), date: Number(permission.date) || 0 },
        ]),
      ),
      assets: Object.fromEntries(
        Object.entries(assets ?? {}).map(([chain, list]) => [
          Number(chain),
          list.filter((asset) => isAddress(asset.address)),
        ]),
      ),
    };
  } catch {
    return fresh;
  }
}
