import { unauthorized } from '../../rpc/core-errors.js';
import { errorCode, isProviderRpcError, ProviderRpcError } from '../../rpc/errors.js';
import { own } from '../../rpc/own.js';
import type { Account } from '../account.js';
import type { Contents } from './contents.js';
import {
  encodeBase64Url,
  newerVault,
  type PairWrap,
  passkeyWraps,
  passwordWraps,
  recordVersion,
  type VaultRecord,
  type Wrap,
} from './record.js';
import type { LoadedVault, VaultSlots } from './slots.js';
import {
  isWeak,
  type OpenVault,
  openVault,
  rekeyVault,
  reopenVault,
  resealVault,
  sealVault,
  type Ways,
  withContents,
} from './vault.js';
import type { NewPasskey, Opener, VaultOptions } from './wraps.js';

/** An open vault, the stored record that it was read from, and its public accounts. */
export interface HeldVault {
  readonly vault: OpenVault;
  readonly loaded: LoadedVault;
  readonly accounts: readonly Account[];
}

export interface VaultAccess {
  /** @throws ProviderRpcError -32002 if there is a vault, or a missing one, and the options do not say to replace it */
  requireVacant(options: VaultAccess.Replacing): Promise<LoadedVault>;
  /** @throws ProviderRpcError as {@link requireVacant}; -32002 if it cannot be stored */
  create(
    contents: Contents,
    openers: readonly (string | NewPasskey)[],
    options: VaultAccess.Replacing,
  ): Promise<HeldVault>;
  /** @throws ProviderRpcError 4100 for a wrong password or passkey, or a damaged vault */
  open(opener: Opener): Promise<HeldVault>;
  /** The vault as stored now; `null` if its data key has changed. */
  reload(held: HeldVault): Promise<HeldVault | null>;
  /**
   * Stores the contents that `change` returns. Writes nothing if they are the same object.
   * @param how `replace` also deletes older records
   */
  rewrite(
    held: HeldVault,
    change: (contents: Contents) => Contents | Promise<Contents>,
    how?: 'commit' | 'replace',
  ): Promise<HeldVault>;
  /** Stores the vault with wraps that differ from the present ones in their names. */
  rename(held: HeldVault, wraps: readonly Wrap[]): Promise<HeldVault>;
  /**
   * Stores the vault under a new data key. When it resolves, no record is left that another password or passkey opens.
   * @param ways of the present wraps; those of other types end
   */
  rekey(held: HeldVault, ways: Ways): Promise<HeldVault>;
  /**
   * Call after a successful unlock: repairs the stored copies, and rekeys a vault of version 1 or with the weak key
   * derivation.
   */
  settle(held: HeldVault, opener: Opener): Promise<HeldVault>;
}

export declare namespace VaultAccess {
  interface Replacing {
    /** Replace a vault that is lost or damaged. */
    readonly replaceMissing?: boolean;
    /** Replace whatever vault there is. */
    readonly replace?: boolean;
  }
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
  const rekey = async (held: HeldVault, ways: Ways): Promise<HeldVault> =>
    store(await rekeyVault(held.vault, ways, options), held.loaded, 'replace');

  const requireVacant: VaultAccess['requireVacant'] = async (given) => {
    const { replaceMissing = false, replace = false } = own(given);
    const loaded = await slots.load();
    if (loaded.kind === 'newer') throw newerVault();
    const isTaken =
      (loaded.kind === 'record' && !replace) || (loaded.kind === 'missing' && !replace && !replaceMissing);
    if (isTaken)
      throw new ProviderRpcError(
        errorCode.resourceUnavailable,
        loaded.kind === 'record'
          ? 'There is a wallet here already.'
          : 'There was a wallet here, and the browser has lost it. Restore it from its backup.',
      );
    return loaded;
  };

  return {
    requireVacant,
    async create(contents, openers, given) {
      const loaded = await requireVacant(given);
      // A higher generation than that of the vault it replaces, whose record is deleted as the older one.
      const gen = loaded.kind === 'record' ? loaded.record.gen + 1 : 1;
      const header = { vaultId: encodeBase64Url(options.random(16)), gen, createdAt: now() };
      const how = loaded.kind === 'empty' ? 'commit' : 'replace';
      return store(await sealVault(contents, openers, header, options), loaded, how);
    },
    async open(opener) {
      const loaded = await slots.load();
      return hold(await openVault(requireRecord(loaded), opener), loaded);
    },
    async reload(held) {
      const loaded = await slots.load();
      if (loaded.kind !== 'record') return null;
      if (loaded.record.mac === held.vault.record.mac) return { ...held, loaded };
      const vault = await reopenVault(held.vault, loaded.record);
      return vault && hold(vault, loaded);
    },
    async rewrite(held, change, how) {
      const vault = await withContents(held.vault, async (contents) => {
        const changed = await change(contents);
        return changed === contents ? null : resealVault(held.vault, changed, options);
      });
      return vault === null ? held : store(vault, held.loaded, how);
    },
    async rename(held, wraps) {
      const vault = await withContents(held.vault, (contents) =>
        resealVault(held.vault, contents, options, wraps),
      );
      return store(vault, held.loaded);
    },
    rekey,
    async settle(held, opener) {
      const { record } = held.vault;
      await slots.settle(held.loaded).catch(() => {});
      if (typeof opener !== 'string' || !isOutdated(record, options)) return held;
      // If memory is still too small, the weak derivation stays.
      return rekey(held, { keep: passkeyWraps(record), add: [opener] }).catch(() => held);
    },
  };
}

const isOutdated = (record: VaultRecord, { kdf }: VaultOptions): boolean =>
  record.v !== recordVersion || (kdf === undefined && isWeak(record));

/**
 * The wraps of a record that a new data key can be wrapped with again.
 * @throws ProviderRpcError 4100 for a record of version 1, which the next unlock with the password replaces
 */
export function lastingWraps(record: VaultRecord): readonly PairWrap[] {
  if (record.v !== recordVersion)
    throw unauthorized('The wallet has to be unlocked with its password once more before this.');
  return [...(passwordWraps(record) as readonly PairWrap[]), ...passkeyWraps(record)];
}

export declare namespace createVaultAccess {
  interface Options extends VaultOptions {
    readonly slots: VaultSlots;
    readonly now: () => number;
  }
}
