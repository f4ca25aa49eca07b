import { Bytes, encodeText, subtle } from '../../builtins.js';
import { errorCode, ProviderRpcError } from '../../rpc/errors.js';
import { own } from '../../rpc/own.js';
import type { Storage } from '../../storage/storage.js';
import { requireWebCrypto } from '../web-crypto.js';
import { canonical, encodeBase64Url, type Reading, readVaultRecord, type VaultRecord } from './record.js';
import type { VaultTraces } from './traces.js';

/**
 * Where vault records live (docs/notes/security.md#how-a-vault-is-written): two slots and a pointer. A write goes to the slot that
 * the pointer does not name, is read back, and counts once the pointer names it; so whatever interrupts it,
 * exactly one record counts (NL-3).
 */
export interface VaultSlots {
  load(): Promise<LoadedVault>;
  /**
   * Makes `record` the one that counts, provided that `base` (what {@link load} gave) still does.
   * @throws ProviderRpcError -32002 when another page has written since; the storage's own error when it fails
   */
  commit(record: VaultRecord, base: LoadedVault): Promise<LoadedVault>;
  /**
   * The same for a record under a new password. Once it resolves, no record is left that the old one opens: neither in
   * the other slot nor in the copy outside. Whatever interrupts it, exactly one of the two passwords opens the vault.
   * @throws ProviderRpcError -32002 also when an old record cannot be deleted, saying which password counts
   */
  replace(record: VaultRecord, base: LoadedVault): Promise<LoadedVault>;
  /** Once `opened` is known to open: deletes the record before it, and puts back what is missing of it. */
  settle(opened: LoadedVault): Promise<void>;
}

export type LoadedVault = {
  /** As stored; compared before it is replaced. */
  readonly pointer: unknown;
  /** Where the record lies; `null` for one that only the copy outside still had. */
  readonly slot: Slot | null;
} & (
  | { readonly kind: 'record'; readonly record: VaultRecord }
  | { readonly kind: 'empty' | 'missing' | 'newer' }
);

type Slot = 'slot-a' | 'slot-b';

interface Candidate {
  readonly slot: Slot | null;
  readonly record: VaultRecord;
}

interface Pointer {
  readonly slot: Slot;
  readonly vaultId: string;
  readonly gen: number;
  /** Of the record: tells a damaged one from a wrong password. */
  readonly digest: string;
}

const slots: readonly Slot[] = ['slot-a', 'slot-b'];

const stale = () =>
  new ProviderRpcError(
    errorCode.resourceUnavailable,
    'The vault was changed by another page meanwhile. Try again.',
  );

export function createVaultSlots(storage: Storage, traces: VaultTraces): VaultSlots {
  const load = async (): Promise<LoadedVault> => {
    const stored = await storage.get('vault', 'pointer');
    const pointer = readPointer(stored);
    const sentinel = traces.sentinel();
    const held = await Promise.all(
      slots.map(async (slot) => ({ slot, ...readVaultRecord(await storage.get('vault', slot)) })),
    );
    const nowhere = (kind: 'empty' | 'missing' | 'newer'): LoadedVault => ({ kind, slot: null, pointer });

    let pointed: Candidate | undefined;
    for (const each of held) {
      if (each.slot !== pointer?.slot) continue;
      if (each.kind === 'newer') return nowhere('newer');
      if (each.kind === 'record' && (await digestOf(each.record)) === pointer.digest) pointed = each;
    }
    const lost =
      pointed === undefined ||
      (sentinel?.vaultId === pointed.record.vaultId && sentinel.gen > pointed.record.gen);
    if (pointed !== undefined && !lost)
      return { kind: 'record', slot: pointed.slot, record: pointed.record, pointer };

    // Another page may have written between the two reads.
    if (canonical((await storage.get('vault', 'pointer')) ?? null) !== canonical(stored ?? null))
      return load();

    // Storage has lost the record that counts, or went back behind a write that had ended (finding 13): the
    // copy outside has it, or the other slot the record before it.
    const copied = readVaultRecord(await traces.copy());
    if (copied.kind === 'newer') return nowhere('newer');
    const isKnown = pointer !== undefined || sentinel !== null || stored !== undefined;
    const vaultId = pointer?.vaultId ?? sentinel?.vaultId;
    const newest = pointer?.gen ?? sentinel?.gen ?? Number.POSITIVE_INFINITY;
    const candidates: Candidate[] = [];
    if (pointed !== undefined) candidates.push(pointed);
    if (copied.kind === 'record') candidates.push({ slot: null, record: copied.record });
    for (const each of held) {
      // Not the one that fails its digest, nor one whose write never ended: then nobody knows of it.
      if (each.kind === 'record' && each.slot !== pointer?.slot && isKnown && each.record.gen <= newest)
        candidates.push(each);
    }
    const [best] = candidates
      .filter(({ record }) => vaultId === undefined || record.vaultId === vaultId)
      .sort((a, b) => b.record.gen - a.record.gen);
    if (best !== undefined) return { kind: 'record', slot: best.slot, record: best.record, pointer };
    if (held.some(({ kind }) => kind === 'newer')) return nowhere('newer');
    return nowhere(isKnown ? 'missing' : 'empty');
  };

  /** Writes the copy outside, as long as `pointer` is the one that counts: without Web Locks pages may race. */
  const writeCopy = async (record: VaultRecord, pointer: Pointer): Promise<void> => {
    const counts = async () => samePointer(await storage.get('vault', 'pointer'), pointer);
    if (!(await counts())) return;
    await traces.setCopy(record);
    if (!(await counts())) await traces.dropCopy();
  };

  const write = async (
    record: VaultRecord,
    base: LoadedVault,
    beforeItCounts = async (): Promise<void> => {},
  ): Promise<LoadedVault> => {
    const counting = base.slot ?? readPointer(base.pointer)?.slot;
    const slot: Slot = counting === 'slot-a' ? 'slot-b' : 'slot-a';
    const digest = await digestOf(record);
    const pointer: Pointer = { slot, vaultId: record.vaultId, gen: record.gen, digest };
    const seen = await storage.get('vault', slot);
    const requirePointer = (current: unknown, expected: unknown) => {
      if (!samePointer(current, expected)) throw stale();
    };
    requirePointer(await storage.get('vault', 'pointer'), base.pointer);
    await storage.update('vault', slot, (current) => {
      if (canonical(current ?? null) !== canonical(seen ?? null)) throw stale();
      return record;
    });
    const requireRecord = async () => {
      if (canonical(await storage.get('vault', slot)) !== canonical(record)) throw stale();
    };
    await requireRecord();
    await beforeItCounts();
    await storage.update('vault', 'pointer', (current) => {
      requirePointer(current, base.pointer);
      return pointer;
    });
    // Without Web Locks another page may have written the slot between the last two steps.
    await requireRecord();
    traces.setSentinel({ vaultId: record.vaultId, gen: record.gen });
    await writeCopy(record, pointer);
    return { kind: 'record', record, slot, pointer };
  };

  const dropSlot = (slot: Slot, isDropped: (reading: Reading) => boolean): Promise<unknown> =>
    storage.update('vault', slot, (held) => (isDropped(readVaultRecord(held)) ? undefined : held));

  const replace = async (record: VaultRecord, base: LoadedVault): Promise<LoadedVault> => {
    // The copy goes first: while it is there and cannot be deleted, the old password has to stay.
    const written = await write(record, base, () => traces.dropCopy());
    for (const slot of slots) {
      if (slot === written.slot) continue;
      await dropSlot(slot, (held) => held.kind !== 'newer').catch((error: unknown) => {
        throw new ProviderRpcError(
          errorCode.resourceUnavailable,
          `The new password counts, but the browser kept a vault that the old one opens (${nameOf(error)}). Unlock with the new one to delete it.`,
        );
      });
    }
    return written;
  };

  return {
    load,
    commit: (record, base) => write(record, base),
    replace,
    async settle(opened) {
      if (opened.kind !== 'record') return;
      const { record } = opened;
      if (opened.slot === null) {
        await write(record, opened);
        return;
      }
      traces.setSentinel({ vaultId: record.vaultId, gen: record.gen });
      if (canonical((await traces.copy()) ?? null) !== canonical(record))
        await writeCopy(record, opened.pointer as Pointer);
      for (const slot of slots) {
        if (slot === opened.slot || (await storage.get('vault', slot)) === undefined) continue;
        await dropSlot(slot, (held) =>
          held.kind === 'record' ? held.record.gen < record.gen : held.kind === 'damaged',
        );
      }
    },
  };
}

function readPointer(value: unknown): Pointer | undefined {
  const { slot, vaultId, gen, digest } = own((value ?? {}) as Partial<Pointer>);
  const isSound =
    (slot === 'slot-a' || slot === 'slot-b') &&
    typeof vaultId === 'string' &&
    Number.isSafeInteger(gen) &&
    typeof digest === 'string';
  return isSound ? { slot, vaultId, gen: gen as number, digest } : undefined;
}

const samePointer = (current: unknown, expected: unknown): boolean =>
  canonical(readPointer(current) ?? null) === canonical(expected ?? null);

const nameOf = (error: unknown): string => (error instanceof Error ? error.name : 'unknown');

async function digestOf(record: VaultRecord): Promise<string> {
  requireWebCrypto();
  const bytes = encodeText(canonical(record));
  return encodeBase64Url(new Bytes(await subtle.digest('SHA-256', bytes)));
}
