import { errorName, resourceUnavailable } from '../../rpc/core-errors.js';
import { bytesToHex } from '../../rpc/hex.js';
import { own } from '../../rpc/own.js';
import type { Storage } from '../../storage/storage.js';
import { Bytes, encodeText, randomBytes, subtle } from '../builtins.js';
import { requireWebCrypto } from '../web-crypto.js';
import {
  canonical,
  encodeBase64Url,
  isCount,
  isNewer,
  isSameStored,
  type Reading,
  readVaultRecord,
  recordVersion,
  type VaultRecord,
} from './record.js';
import type { VaultTraces } from './traces.js';

/**
 * Storage of vault records: two slots and a pointer to the current one. A write goes to the other slot, is read back, and
 * becomes current when the pointer is changed, so that exactly one record is current whenever a write is interrupted
 * (docs/notes/security.md#how-a-vault-is-written).
 */
export interface VaultSlots {
  load(): Promise<LoadedVault>;
  /**
   * Makes `record` current, if `base` (a result of {@link load}) still is.
   * @throws ProviderRpcError -32002 if another page has written since; the storage's own error
   */
  commit(record: VaultRecord, base: LoadedVault): Promise<LoadedVault>;
  /**
   * Does the same, and deletes every older record, in the other slot and in the second copy: one that an old password
   * opens, one with a key that was removed, one of a vault that is replaced. If it is interrupted, exactly one of the two
   * records opens.
   * @throws ProviderRpcError -32002 also if an old record cannot be deleted; the message says that the new one counts
   */
  replace(record: VaultRecord, base: LoadedVault): Promise<LoadedVault>;
  /** Remembers that a record was opened: from then on one of an older version is outdated, whatever the traces say. */
  opened(record: VaultRecord): void;
  /** After `opened` was decrypted: deletes the older record, and restores the sentinel and the second copy. */
  settle(opened: LoadedVault): Promise<void>;
  /**
   * Deletes the vault and all its traces. If interrupted, the vault either still opens or is gone. Leaves a record
   * {@link erasedKey}, so that the rest of the erasure is finished later.
   */
  erase(): Promise<void>;
}

/** Key of the record, in the store of the vault, that says that an erasure has to be finished. */
export const erasedKey = 'erased';

/** Key of the pointer, in the store of the vault. Its digest names the record that counts. */
export const pointerKey = 'pointer';

/** Key of the unlocks that documents share (`shared-unlock.ts`), in the store of the vault so that an erasure ends them. */
export const unlocksKey = 'unlocks';

/**
 * Key of a random text that every shared unlock is bound to, in the store of the vault. Another one ends them all, also those
 * that a writer of the storage puts back, unless they put this back too.
 */
export const unlocksEpochKey = 'unlocks-epoch';

/** A value for {@link unlocksEpochKey}: 16 bytes in hexadecimal. */
export const newEpoch = (): string => bytesToHex(randomBytes(16));

export type LoadedVault = {
  /** As stored; compared before it is replaced. */
  readonly pointer: unknown;
  /** The slot of the record; `null` if only the second copy has it. */
  readonly slot: Slot | null;
} & (
  | {
      readonly kind: 'record';
      readonly record: VaultRecord;
      /**
       * A trace, or this page, knows that the vault had a later version than this record: it may open only if a person agrees.
       */
      readonly isOutdated: boolean;
    }
  | { readonly kind: 'empty' | 'missing' | 'newer' }
);

/** Whether the record is of an older version than the vault is known to have had. */
export const isOutdated = (loaded: LoadedVault): boolean => loaded.kind === 'record' && loaded.isOutdated;

type Slot = 'slot-a' | 'slot-b';

interface Candidate {
  /** `null` for the second copy. */
  readonly slot: Slot | null;
  readonly record: VaultRecord;
}

interface Pointer {
  readonly slot: Slot;
  readonly vaultId: string;
  readonly gen: number;
  /** Digest of the record, which distinguishes a damaged record from a wrong password. */
  readonly digest: string;
  /** The version of the record; `undefined` until version 3. */
  readonly v: number | undefined;
}

const slots: readonly Slot[] = ['slot-a', 'slot-b'];
const otherThan = (slot: Slot | undefined): Slot => (slot === 'slot-a' ? 'slot-b' : 'slot-a');

export const stale = () => resourceUnavailable('The vault was changed by another page meanwhile. Try again.');

export function createVaultSlots(storage: Storage, traces: VaultTraces): VaultSlots {
  let hasOpenedNewest = false;
  const load = async (): Promise<LoadedVault> => {
    const stored = await storage.get('vault', pointerKey);
    const pointer = readPointer(stored);
    const sentinel = traces.sentinel();
    const held = await Promise.all(
      slots.map(async (slot) => ({ slot, ...readVaultRecord(await storage.get('vault', slot)) })),
    );
    const nowhere = (kind: 'empty' | 'missing' | 'newer'): LoadedVault => ({ kind, slot: null, pointer });
    // A write of a newer build counts, wherever it shows.
    if (isNewer(pointer?.v) || isNewer(sentinel?.v)) return nowhere('newer');

    const named = held.find(({ slot }) => slot === pointer?.slot);
    if (named?.kind === 'newer') return nowhere('newer');
    const isPointed = named?.kind === 'record' && (await digestOf(named.record)) === pointer?.digest;
    const pointed: Candidate | undefined = isPointed ? named : undefined;
    const lost =
      pointed === undefined ||
      (sentinel?.vaultId === pointed.record.vaultId && sentinel.gen > pointed.record.gen);
    if (pointed?.record.v === recordVersion && !lost) {
      const { slot, record } = pointed;
      if (held.some((each) => each.slot !== slot && isOld(each))) await dropOld(slot).catch(() => {});
      return { kind: 'record', slot, record, pointer, isOutdated: false };
    }

    // Another page may have written between the two reads.
    if (!isSameStored(await storage.get('vault', pointerKey), stored)) return load();

    // The storage has lost the current record, or reverted to a state before a finished write: look for the newest one
    // in the second copy and the other slot (docs/notes/security.md#storage-that-disappears). The same where a record of an
    // older version counts: it may have been put back.
    const copied = readVaultRecord(await traces.copy());
    if (copied.kind === 'newer') return nowhere('newer');
    const copy = copied.kind === 'record' ? copied.record : undefined;
    const isUpgraded =
      hasOpenedNewest || [pointer, sentinel, copy].some((trace) => trace?.v === recordVersion);
    if (pointed !== undefined && !lost && !isUpgraded)
      return { kind: 'record', slot: pointed.slot, record: pointed.record, pointer, isOutdated: false };

    const isKnown = pointer !== undefined || sentinel !== null || stored !== undefined;
    // After the upgrade, only traces that say so are believed.
    const [trusted] = [pointer, sentinel, ...(isUpgraded ? [copy] : [])].filter(
      (trace) => trace && (!isUpgraded || trace.v === recordVersion),
    );
    const newest = trusted === copy ? Number.POSITIVE_INFINITY : (trusted?.gen ?? Number.POSITIVE_INFINITY);
    const candidates: Candidate[] = pointed ? [pointed] : [];
    if (copy !== undefined) candidates.push({ slot: null, record: copy });
    // Skip a record that fails its digest, and one whose write did not finish.
    for (const each of held)
      if (each.kind === 'record' && each.slot !== pointer?.slot && isKnown && each.record.gen <= newest)
        candidates.push(each);
    const ranked = candidates
      .filter(({ record }) => trusted === undefined || record.vaultId === trusted?.vaultId)
      .sort((a, b) => b.record.gen - a.record.gen);
    const upgraded = ranked.find(({ record }) => isUpgraded && record.v === recordVersion);
    const best = upgraded ?? ranked[0];
    if (best !== undefined) {
      const { slot, record } = best;
      return { kind: 'record', slot, record, pointer, isOutdated: isUpgraded && best !== upgraded };
    }
    if (held.some(({ kind }) => kind === 'newer')) return nowhere('newer');
    return nowhere(isKnown ? 'missing' : 'empty');
  };

  /** Writes the second copy while `pointer` is current: without Web Locks another page may write at the same time. */
  const writeCopy = async (record: VaultRecord, pointer: Pointer): Promise<void> => {
    const isCurrent = async () => samePointer(await storage.get('vault', pointerKey), pointer);
    if (!(await isCurrent())) return;
    await traces.setCopy(record);
    if (!(await isCurrent())) await traces.dropCopy();
  };

  const dropSlot = (slot: Slot, isDropped: (reading: Reading) => boolean): Promise<unknown> =>
    storage.update('vault', slot, (held) => (isDropped(readVaultRecord(held)) ? undefined : held));

  /** After an upgrade that was interrupted: deletes what is left of older versions, the slot last. */
  const dropOld = async (current: Slot | null): Promise<void> => {
    const copied = readVaultRecord(await traces.copy());
    if (copied.kind === 'damaged' || isOld(copied)) await traces.dropCopy();
    for (const slot of slots) if (slot !== current) await dropSlot(slot, isOld);
  };

  const write = async (
    record: VaultRecord,
    base: LoadedVault,
    beforeCommit = async (): Promise<void> => {},
    afterCommit = async (_written: Slot): Promise<void> => {},
  ): Promise<LoadedVault> => {
    const slot = otherThan(base.slot ?? readPointer(base.pointer)?.slot);
    const digest = await digestOf(record);
    // A record of an older version that is stored again stays what only a person can agree to.
    const v = isOutdated(base) ? recordVersion : record.v;
    const pointer: Pointer = { slot, vaultId: record.vaultId, gen: record.gen, digest, v };
    const seen = await storage.get('vault', slot);
    const requirePointer = (current: unknown, expected: unknown) => {
      if (!samePointer(current, expected)) throw stale();
    };
    requirePointer(await storage.get('vault', pointerKey), base.pointer);
    await storage.update('vault', slot, (current) => {
      if (!isSameStored(current, seen)) throw stale();
      return record;
    });
    const requireRecord = async () => {
      if (!isSameStored(await storage.get('vault', slot), record)) throw stale();
    };
    await requireRecord();
    await beforeCommit();
    await storage.update('vault', pointerKey, (current) => {
      requirePointer(current, base.pointer);
      return pointer;
    });
    // Without Web Locks another page may have written the slot between the last two steps.
    await requireRecord();
    traces.setSentinel({ vaultId: record.vaultId, gen: record.gen, v });
    await afterCommit(slot);
    await writeCopy(record, pointer);
    return { kind: 'record', record, slot, pointer, isOutdated: false };
  };

  const replace = async (record: VaultRecord, base: LoadedVault): Promise<LoadedVault> => {
    // A vault that only the second copy has must not be lost with it.
    const stored = base.kind === 'record' && base.slot === null ? await write(base.record, base) : base;
    const dropOther = async (written: Slot): Promise<void> => {
      await dropSlot(otherThan(written), (held) => held.kind !== 'newer').catch((error: unknown) => {
        throw resourceUnavailable(
          `The change counts, but the browser kept an older copy of the vault (${errorName(error)}). Unlock the wallet again to delete it.`,
        );
      });
    };
    // Delete the second copy first: if that fails, the old record stays valid.
    return write(record, stored, traces.dropCopy, dropOther);
  };

  return {
    load,
    opened({ v }) {
      if (v === recordVersion) hasOpenedNewest = true;
    },
    async erase() {
      const loaded = await load();
      // Restore a vault that only the second copy has, so that `clear` below is the one step that erases it.
      if (loaded.kind === 'record' && loaded.slot === null) await write(loaded.record, loaded);
      // Left behind without a vault, they would report it as lost.
      traces.dropSentinel();
      await traces.dropCopy();
      await storage.clear('vault', [[erasedKey, true]]);
      hasOpenedNewest = false;
    },
    commit: (record, base) => write(record, base),
    replace,
    async settle(opened) {
      if (opened.kind !== 'record') return;
      const { record } = opened;
      // Store one that no pointer names: only the second copy has it, or an older pointer was put back.
      if (opened.slot === null || readPointer(opened.pointer)?.slot !== opened.slot) {
        await write(record, opened);
        return;
      }
      traces.setSentinel({ vaultId: record.vaultId, gen: record.gen, v: record.v });
      if (!isSameStored(await traces.copy(), record)) await writeCopy(record, opened.pointer as Pointer);
      const other = otherThan(opened.slot);
      if ((await storage.get('vault', other)) === undefined) return;
      await dropSlot(other, (held) =>
        held.kind === 'record' ? held.record.gen < record.gen : held.kind === 'damaged',
      );
    },
  };
}

const isOld = (reading: Reading): boolean => reading.kind === 'record' && reading.record.v < recordVersion;

function readPointer(value: unknown): Pointer | undefined {
  const { slot, vaultId, gen, digest, v } = own((value ?? {}) as Partial<Pointer>);
  const isSound =
    (slot === 'slot-a' || slot === 'slot-b') &&
    typeof vaultId === 'string' &&
    Number.isSafeInteger(gen) &&
    typeof digest === 'string';
  return isSound ? { slot, vaultId, gen: gen as number, digest, v: isCount(v) ? v : undefined } : undefined;
}

const samePointer = (current: unknown, expected: unknown): boolean =>
  canonical(readPointer(current) ?? null) === canonical(expected ?? null);

async function digestOf(record: VaultRecord): Promise<string> {
  requireWebCrypto();
  const bytes = encodeText(canonical(record));
  return encodeBase64Url(new Bytes(await subtle.digest('SHA-256', bytes)));
}
