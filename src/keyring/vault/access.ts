import { errorName, resourceUnavailable, unauthorized } from '../../rpc/core-errors.js';
import { isProviderRpcError } from '../../rpc/errors.js';
import type { KeyringAccount } from '../account.js';
import { randomBytes, sliceBytes } from '../builtins.js';
import type { Kdf } from '../kdf/kdf.js';
import type { Contents } from './contents.js';
import {
  encodeBase64Url,
  maxGeneration,
  newerVault,
  type PairWrap,
  type PasskeyIdentity,
  passkeyWraps,
  recordVersion,
  type VaultRecord,
} from './record.js';
import { type LoadedVault, stale, type VaultSlots } from './slots.js';
import {
  isWeak,
  type Lend,
  type OpenVault,
  openVault,
  openWithSecrets,
  rekeyVault,
  reopenVault,
  resealVault,
  sealVault,
  type Ways,
  withContents,
} from './vault.js';
import { type NewPasskey, type Opener, type Secrets, wipeSecrets } from './wraps.js';

/** An open vault, the stored record that it was read from, and its public accounts. */
export interface HeldVault {
  readonly vault: OpenVault;
  readonly loaded: LoadedVault;
  readonly accounts: readonly KeyringAccount[];
}

/** `lend` gets the secrets of each vault that is opened, and of each that was stored under a new data key. */
export interface VaultAccess {
  /** @throws ProviderRpcError -32002 if there is a vault, or a missing one, and the options do not say to replace it */
  requireVacant(options: VaultAccess.Replacing): Promise<LoadedVault>;
  /** @throws ProviderRpcError as {@link requireVacant}; -32002 if it cannot be stored */
  create(
    contents: Contents,
    openers: readonly (string | NewPasskey)[],
    options: VaultAccess.Replacing,
    lend?: Lend,
  ): Promise<HeldVault>;
  /** Writes nothing. @throws ProviderRpcError 4100 for a wrong password or passkey, or a damaged vault */
  open(opener: Opener, lend?: Lend): Promise<HeldVault>;
  /** Opens the vault with its secrets. @throws ProviderRpcError 4100 for another vault, or one that was rekeyed since */
  openShared(vaultId: string, secrets: Secrets): Promise<HeldVault>;
  /** The vault as stored now; `null` if its keys have changed. @throws ProviderRpcError -32002 for a newer version */
  reload(held: HeldVault): Promise<HeldVault | null>;
  /**
   * Stores the contents that `change` returns. Writes nothing if they are the same object.
   * @param how `replace` also deletes older records
   * @throws ProviderRpcError 4100 for a vault of an older version that could not be upgraded yet
   */
  rewrite(
    held: HeldVault,
    change: (contents: Contents) => Contents | Promise<Contents>,
    how?: 'commit' | 'replace',
  ): Promise<HeldVault>;
  /** Stores the vault with wraps that differ in their names, or other passkeys that are asleep. */
  rename(held: HeldVault, ways: Pick<VaultRecord, 'wraps' | 'asleep'>): Promise<HeldVault>;
  /**
   * Stores the vault under a new data key. When it resolves, no record is left that another password or passkey opens.
   * @param ways of the present wraps; those of other types end
   */
  rekey(held: HeldVault, ways: Ways, lend?: Lend): Promise<HeldVault>;
  /**
   * Call after a successful unlock: repairs the stored copies, and rekeys a vault with the weak key derivation. A vault of
   * an older version is upgraded: of its ways, the present one stays and the other passkeys are put to sleep.
   * @throws ProviderRpcError -32002 if another page has written the vault since it was opened
   */
  settle(held: HeldVault, opener: Opener, lend?: Lend): Promise<HeldVault>;
}

export declare namespace VaultAccess {
  interface Replacing {
    /** Replace a vault that is lost or damaged. */
    readonly replaceMissing?: boolean | undefined;
    /** Replace whatever vault there is. */
    readonly replace?: boolean | undefined;
  }
}

export function createVaultAccess({ slots, now, kdf }: createVaultAccess.Options): VaultAccess {
  const requireRecord = (loaded: LoadedVault): VaultRecord => {
    if (loaded.kind === 'record') return loaded.record;
    if (loaded.kind === 'newer') throw newerVault();
    throw unauthorized(
      loaded.kind === 'empty' ? 'There is no wallet here yet.' : 'Wrong password, or the vault is damaged.',
    );
  };
  const hold = async (vault: OpenVault, loaded: LoadedVault): Promise<HeldVault> => {
    slots.opened(vault.record);
    return {
      vault,
      loaded,
      accounts: await withContents(vault, ({ accounts }) =>
        accounts.map(({ address, path }) => ({ address, path })),
      ),
    };
  };
  const store = async (
    vault: OpenVault,
    base: LoadedVault,
    how: 'commit' | 'replace' = 'commit',
  ): Promise<HeldVault> => {
    try {
      return await hold(vault, await slots[how](vault.record, base));
    } catch (error) {
      if (isProviderRpcError(error)) throw error;
      throw resourceUnavailable(`The vault could not be stored (${errorName(error)}). Nothing was changed.`);
    }
  };
  /** Lends the secrets of the vault that `make` is to seal after `keep` has stored it. */
  const lendStored = async (
    lend: Lend | undefined,
    make: (lend: Lend | undefined) => Promise<OpenVault>,
    keep: (vault: OpenVault) => Promise<HeldVault>,
  ): Promise<HeldVault> => {
    let secrets: Secrets | undefined;
    const copy: Lend = async (_, { dataKey, secret }) => {
      secrets = { dataKey: sliceBytes(dataKey), secret: sliceBytes(secret) };
    };
    try {
      const vault = await make(lend && copy);
      const held = await keep(vault);
      if (secrets !== undefined) await lend?.(vault.record.vaultId, secrets);
      return held;
    } finally {
      if (secrets !== undefined) wipeSecrets(secrets);
    }
  };
  const rekey: VaultAccess['rekey'] = async (held, ways, lend) =>
    lendStored(
      lend,
      (lent) => rekeyVault(held.vault, ways, kdf, lent),
      (vault) => store(vault, held.loaded, 'replace'),
    );

  const requireVacant: VaultAccess['requireVacant'] = async ({ replaceMissing, replace }) => {
    const loaded = await slots.load();
    if (loaded.kind === 'newer') throw newerVault();
    if (loaded.kind === 'record' && !replace) throw resourceUnavailable('There is a wallet here already.');
    if (loaded.kind === 'missing' && !replace && !replaceMissing)
      throw resourceUnavailable(
        'There was a wallet here, and the browser has lost it. Restore it from its backup.',
      );
    return loaded;
  };

  return {
    requireVacant,
    async create(contents, openers, options, lend) {
      const loaded = await requireVacant(options);
      // A higher generation than that of the vault it replaces, whose record is deleted as the older one.
      // Unless that one was planted with a generation that leaves no room.
      const replaced = loaded.kind === 'record' ? loaded.record.gen : 0;
      const gen = replaced < maxGeneration / 2 ? replaced + 1 : 1;
      const header = { vaultId: encodeBase64Url(randomBytes(16)), gen, createdAt: now() };
      const how = loaded.kind === 'empty' ? 'commit' : 'replace';
      return lendStored(
        lend,
        (lent) => sealVault(contents, openers, header, kdf, lent),
        (vault) => store(vault, loaded, how),
      );
    },
    async open(opener, lend) {
      const loaded = await slots.load();
      const record = requireRecord(loaded);
      if (record.v === recordVersion) return hold(await openVault(record, opener, lend), loaded);
      const { openLegacyVault } = await import('./legacy.js');
      return hold(await openLegacyVault(record, opener), loaded);
    },
    async openShared(vaultId, secrets) {
      const loaded = await slots.load();
      const record = requireRecord(loaded);
      const vault = record.vaultId === vaultId ? await openWithSecrets(record, secrets) : null;
      if (vault === null) throw unauthorized('The vault was changed since it was unlocked.');
      return hold(vault, loaded);
    },
    async reload(held) {
      const loaded = await slots.load();
      if (loaded.kind === 'newer') throw newerVault();
      if (loaded.kind !== 'record') return null;
      if (loaded.record.mac === held.vault.record.mac) return { ...held, loaded };
      const vault = await reopenVault(held.vault, loaded.record);
      return vault && hold(vault, loaded);
    },
    async rewrite(held, change, how) {
      const vault = await withContents(held.vault, async (contents) => {
        const changed = await change(contents);
        if (changed === contents) return null;
        requireUpgraded(held.vault.record);
        return resealVault(held.vault, changed);
      });
      return vault === null ? held : store(vault, held.loaded, how);
    },
    async rename(held, ways) {
      requireUpgraded(held.vault.record);
      const vault = await withContents(held.vault, (contents) => resealVault(held.vault, contents, ways));
      return store(vault, held.loaded);
    },
    rekey,
    async settle(held, opener, lend) {
      const { record } = held.vault;
      if (record.v < recordVersion) {
        const now = await slots.load();
        if (now.kind !== 'record' || now.record.mac !== record.mac) throw stale();
        try {
          return await lendStored(
            lend,
            (lent) => rekeyVault(held.vault, upgradedWays(record, opener), kdf, lent),
            async (upgraded) => hold(upgraded, await slots.replace(upgraded.record, held.loaded)),
          );
        } catch (error) {
          if (isProviderRpcError(error)) throw error;
          // The storage is full: the vault is open as it is, and cannot be written.
          return held;
        }
      }
      await slots.settle(held.loaded).catch(() => {});
      if (typeof opener !== 'string' || kdf !== undefined || !isWeak(record)) return held;
      // If memory is still too small, the weak derivation stays.
      return rekey(held, { keep: keptPasskeys(record), add: [opener] }, lend).catch(() => held);
    },
  };
}

/** The ways after an upgrade. A passkey that was not used just now may have been planted in the record. */
function upgradedWays(record: VaultRecord, opener: Opener): Ways {
  const asleep = new Map<string, PasskeyIdentity>();
  for (const { credentialId, rpId, prfSalt, createdAt, name } of passkeyWraps(record))
    asleep.set(credentialId, { credentialId, rpId, prfSalt, createdAt, name });
  if (typeof opener === 'string') return { keep: [], add: [opener], asleep: [...asleep.values()] };
  const used = asleep.get(opener.credentialId) as PasskeyIdentity;
  asleep.delete(opener.credentialId);
  return { keep: [], add: [{ ...used, ...opener }], asleep: [...asleep.values()] };
}

/** @throws ProviderRpcError 4100 for a record of an older version, which the next unlock upgrades */
function requireUpgraded({ v }: VaultRecord): void {
  if (v < recordVersion)
    throw unauthorized(
      'The wallet has to be unlocked once more before this: its vault could not be upgraded.',
    );
}

/**
 * The wraps of a record that a new data key can be wrapped with again: those of passkeys, and of the password.
 * @throws ProviderRpcError 4100 for a record of an older version, which the next unlock upgrades
 */
export function lastingWraps(record: VaultRecord): readonly PairWrap[] {
  requireUpgraded(record);
  const isKnown = ({ type }: { readonly type: string }) => type === 'password' || type === 'prf';
  return record.wraps.filter(isKnown) as unknown as readonly PairWrap[];
}

/** The passkeys that stay when the password changes. @throws ProviderRpcError as {@link lastingWraps} */
export const keptPasskeys = (record: VaultRecord): readonly PairWrap[] =>
  record.v === 1 ? [] : lastingWraps(record).filter(({ type }) => type === 'prf');

export declare namespace createVaultAccess {
  interface Options {
    readonly slots: VaultSlots;
    readonly now: () => number;
    /** Key derivation for new passwords. Default: scrypt, or PBKDF2 where its memory cannot be allocated. */
    readonly kdf?: Kdf | undefined;
  }
}
