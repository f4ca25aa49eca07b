import { errorCode, ProviderRpcError } from '../rpc/errors.js';
import type { Storage } from '../storage/storage.js';
import { canonical, encodeBase64Url, readVaultRecord, type VaultRecord } from './vault-record.js';
import type { VaultTraces } from './vault-traces.js';
import { requireWebCrypto } from './web-crypto.js';

/**
 * Where vault records live (security.md §4, "Write"): two slots and a pointer. A write goes to the slot that
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

  const commit = async (record: VaultRecord, base: LoadedVault): Promise<LoadedVault> => {
    const counting = base.slot ?? readPointer(base.pointer)?.slot;
    const slot: Slot = counting === 'slot-a' ? 'slot-b' : 'slot-a';
    const digest = await digestOf(record);
    const pointer: Pointer = { slot, vaultId: record.vaultId, gen: record.gen, digest };
    const seen = await storage.get('vault', slot);
    const requirePointer = (current: unknown, expected: unknown) => {
      if (canonical(readPointer(current) ?? null) !== canonical(expected ?? null)) throw stale();
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
    await storage.update('vault', 'pointer', (current) => {
      requirePointer(current, base.pointer);
      return pointer;
    });
    // Without Web Locks another page may have written the slot between the last two steps.
    await requireRecord();
    traces.setSentinel({ vaultId: record.vaultId, gen: record.gen });
    await traces.setCopy(record);
    return { kind: 'record', record, slot, pointer };
  };

  return {
    load,
    commit,
    async settle(opened) {
      if (opened.kind !== 'record') return;
      const { record } = opened;
      if (opened.slot === null) {
        await commit(record, opened);
        return;
      }
      traces.setSentinel({ vaultId: record.vaultId, gen: record.gen });
      if (canonical((await traces.copy()) ?? null) !== canonical(record)) await traces.setCopy(record);
      for (const slot of slots) {
        if (slot === opened.slot || (await storage.get('vault', slot)) === undefined) continue;
        await storage.update('vault', slot, (other) => {
          const reading = readVaultRecord(other);
          const isOlder = reading.kind === 'record' && reading.record.gen < record.gen;
          return isOlder || reading.kind === 'damaged' ? undefined : other;
        });
      }
    },
  };
}

function readPointer(value: unknown): Pointer | undefined {
  const { slot, vaultId, gen, digest } = (value ?? {}) as Partial<Pointer>;
  const isSound =
    (slot === 'slot-a' || slot === 'slot-b') &&
    typeof vaultId === 'string' &&
    Number.isSafeInteger(gen) &&
    typeof digest === 'string';
  return isSound ? { slot, vaultId, gen: gen as number, digest } : undefined;
}

async function digestOf(record: VaultRecord): Promise<string> {
  requireWebCrypto();
  const bytes = new TextEncoder().encode(canonical(record));
  return encodeBase64Url(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)));
}
