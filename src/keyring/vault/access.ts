import { errorCode, isProviderRpcError, ProviderRpcError, unauthorized } from '../../rpc/errors.js';
import { own } from '../../rpc/own.js';
import type { Account } from '../account.js';
import type { Contents } from './contents.js';
import { encodeBase64Url, newerVault, type VaultRecord } from './record.js';
import type { LoadedVault, VaultSlots } from './slots.js';
import {
  isWeak,
  type OpenVault,
  openVault,
  reopenVault,
  resealVault,
  sealVault,
  type VaultOptions,
  withContents,
} from './vault.js';

/** An open vault, the stored record that it was read from, and its public accounts. */
export interface HeldVault {
  readonly vault: OpenVault;
  readonly loaded: LoadedVault;
  readonly accounts: readonly Account[];
}

export interface VaultAccess {
  /** @throws ProviderRpcError -32002 if there is a vault already, or a missing one that is not to be replaced */
  create(contents: Contents, password: string, replaceMissing: boolean): Promise<HeldVault>;
  /** @throws ProviderRpcError 4100 for a wrong password or a damaged vault */
  open(password: string): Promise<HeldVault>;
  /** The vault as stored now; `null` if its data key has changed. */
  reload(held: HeldVault): Promise<HeldVault | null>;
  /** Stores the contents that `change` returns. Writes nothing if they are the same object. */
  rewrite(held: HeldVault, change: (contents: Contents) => Contents | Promise<Contents>): Promise<HeldVault>;
  /** Stores the vault under a new salt and data key. When it resolves, no record is left that another password opens. */
  rekey(held: HeldVault, password: string): Promise<HeldVault>;
  /** Call after a successful unlock: repairs the stored copies, and rekeys a vault that has the weak key derivation. */
  settle(held: HeldVault, password: string): Promise<HeldVault>;
}

export function createVaultAccess(given: createVaultAccess.Options): VaultAccess {
  const options = own(given);
  const { slots, now } = options;

  const requireRecord = (loaded: LoadedVault): VaultRecord => {
    if (loaded.kind === 'record') return loaded.record;
    if (loaded.kind === 'newer') throw newerVault();
    throw unauthorized(
      loaded.kind === 'empty' ? 'There is no wallet here yet.' : 'Wrong password, or the vault is damaged.',
    );
  };
  const hold = async (vault: OpenVault, loaded: LoadedVault): Promise<HeldVault> => ({
    vault,
    loaded,
    accounts: await withContents(vault, ({ accounts }) =>
      accounts.map(({ address, path }) => ({ address, path })),
    ),
  });
  const store = async (
    vault: OpenVault,
    base: LoadedVault,
    how: 'commit' | 'replace' = 'commit',
  ): Promise<HeldVault> => {
    try {
      return await hold(vault, await slots[how](vault.record, base));
    } catch (error) {
      if (isProviderRpcError(error)) throw error;
      const reason = error instanceof Error ? error.name : 'unknown';
      throw new ProviderRpcError(
        errorCode.resourceUnavailable,
        `The vault could not be stored (${reason}). Nothing was changed.`,
      );
    }
  };
  const rekey = async (held: HeldVault, password: string): Promise<HeldVault> => {
    const { vaultId, gen, createdAt } = held.vault.record;
    const header = { vaultId, gen: gen + 1, createdAt };
    const vault = await withContents(held.vault, (contents) =>
      sealVault(contents, password, header, options),
    );
    return store(vault, held.loaded, 'replace');
  };

  return {
    async create(contents, password, replaceMissing) {
      const loaded = await slots.load();
      if (loaded.kind === 'newer') throw newerVault();
      if (loaded.kind === 'record' || (loaded.kind === 'missing' && !replaceMissing))
        throw new ProviderRpcError(
          errorCode.resourceUnavailable,
          loaded.kind === 'record'
            ? 'There is a wallet here already.'
            : 'There was a wallet here, and the browser has lost it. Restore it from its backup.',
        );
      const header = { vaultId: encodeBase64Url(options.random(16)), gen: 1, createdAt: now() };
      return store(await sealVault(contents, password, header, options), loaded);
    },
    async open(password) {
      const loaded = await slots.load();
      return hold(await openVault(requireRecord(loaded), password), loaded);
    },
    async reload(held) {
      const loaded = await slots.load();
      if (loaded.kind !== 'record') return null;
      if (loaded.record.mac === held.vault.record.mac) return { ...held, loaded };
      const vault = await reopenVault(held.vault, loaded.record);
      return vault && hold(vault, loaded);
    },
    async rewrite(held, change) {
      const vault = await withContents(held.vault, async (contents) => {
        const changed = await change(contents);
        return changed === contents ? null : resealVault(held.vault, changed, options);
      });
      return vault === null ? held : store(vault, held.loaded);
    },
    rekey,
    async settle(held, password) {
      await slots.settle(held.loaded).catch(() => {});
      if (options.kdf !== undefined || !isWeak(held.vault.record)) return held;
      // If memory is still too small, the weak derivation stays.
      return rekey(held, password).catch(() => held);
    },
  };
}

export declare namespace createVaultAccess {
  interface Options extends VaultOptions {
    readonly slots: VaultSlots;
    readonly now: () => number;
  }
}
