import { withTimeout } from '../async/cancellation.js';
import { createListeners } from '../async/listeners.js';
import { createMutex } from '../async/mutex.js';
import { own } from '../rpc/own.js';
import type { Address, Hash, Hex, Receipt } from '../rpc/schema.js';
import type { PrivateFile } from '../storage/private-file.js';
import type { Storage } from '../storage/storage.js';
import { isMined, isOpen, type JournalEntry } from './journal-entry.js';

/** The signed transactions of this browser, in storage and in a second copy outside it. */
export interface Journal {
  /** All entries, oldest first. */
  entries(): Promise<readonly JournalEntry[]>;
  /** The entries of one account, or those with one nonce, oldest first. */
  entriesOf(chainId: number, from: Address, nonce?: Hex): Promise<readonly JournalEntry[]>;
  /** Adds all entries or none. Durable when it resolves. */
  record(...entries: readonly JournalEntry[]): Promise<void>;
  /**
   * Applies a transition to the stored entry, in one storage transaction. Resolves with the entry after it, which is
   * unchanged if the transition no longer applies; `undefined` if the entry is not stored any more.
   */
  change(entry: JournalEntry, transition: Transition): Promise<JournalEntry | undefined>;
  /** Restores entries that the storage has lost from the second copy. Resolves with their number. */
  restore(): Promise<number>;
  /** Calls `listener` after each change made here. Returns its undo. */
  watch(listener: () => void): () => void;
}

/** Settled transactions kept for each chain and origin; older ones are deleted. */
const kept = 1_000;
/** Milliseconds that a settled transaction is kept at least. */
const minimumAge = 86_400_000;
/** Milliseconds that `record` waits for the second copy; the storage has the entries already. */
const copyTimeout = 1_000;

const byAge = (a: JournalEntry, b: JournalEntry) => a.createdAt - b.createdAt;

const keyOf = ({ chainId, from, nonce, hash }: JournalEntry) => `${prefixOf(chainId, from, nonce)}${hash}`;

/** Prefix of the keys of an account's entries, or of those with one nonce. */
const prefixOf = (chainId: number, from: Address, nonce?: Hex) =>
  `${chainId}:${from}:${nonce === undefined ? '' : `${nonce.padStart(18, ' ')}:`}`;

export function createJournal(storage: Storage, options: createJournal.Options = {}): Journal {
  const { copy, name = null, opening = () => {} } = options;
  const listeners = createListeners<[]>();
  const copyMutex = createMutex(name === null ? null : `${name}:journal-copy`);
  let copying: Promise<void> | undefined;

  const stored = async (prefix?: string) =>
    (await storage.all('journal', prefix)).map((entry) => own(entry as JournalEntry));

  /** Writes the copy. Changes made before a waiting write has started share that write. */
  const writeCopy = (): Promise<void> => {
    if (!copy) return Promise.resolve();
    copying ??= copyMutex(async () => {
      copying = undefined;
      await copy.write(await stored());
    }).catch(() => {
      // The storage failed; the next change writes the copy again.
    });
    return copying;
  };

  const changed = () => {
    listeners.emit();
    void writeCopy();
  };

  const prune = async (chainId: number, origin: string, now: number) => {
    const settled = (await stored(`${chainId}:`)).filter(
      (entry) => entry.origin === origin && !isOpen(entry),
    );
    if (settled.length <= kept) return;
    for (const entry of settled.sort(byAge).slice(0, -kept))
      if (entry.createdAt < now - minimumAge) await storage.update('journal', keyOf(entry), () => undefined);
  };

  return {
    entries: async () => (await stored()).sort(byAge),
    entriesOf: async (chainId, from, nonce) => (await stored(prefixOf(chainId, from, nonce))).sort(byAge),
    async record(...added) {
      opening();
      await storage.put(
        'journal',
        added.map((entry) => [keyOf(entry), entry]),
      );
      listeners.emit();
      const [first] = added;
      // A failed cleanup is repeated with the next record.
      if (first) await prune(first.chainId, first.origin, first.createdAt).catch(() => {});
      await withTimeout(copyTimeout, writeCopy);
    },
    async change(entry, transition) {
      let applied = false;
      const after = await storage.update('journal', keyOf(entry), (value) => {
        if (value === undefined) return undefined;
        const current = own(value as JournalEntry);
        const next = transition(current);
        applied = next !== null;
        if (next && isOpen(next) && !isOpen(current)) opening();
        return next ?? current;
      });
      if (applied) changed();
      return after === undefined ? undefined : own(after as JournalEntry);
    },
    async restore() {
      const copied: unknown = await copy?.read();
      if (!Array.isArray(copied)) return 0;
      const present = new Set((await stored()).map(keyOf));
      const lost = copied.filter(isEntry).filter((entry) => !present.has(keyOf(entry)));
      if (lost.length === 0) return 0;
      opening();
      await storage.put(
        'journal',
        lost.map((entry) => [keyOf(entry), entry]),
      );
      listeners.emit();
      return lost.length;
    },
    watch: listeners.add,
  };
}

export declare namespace createJournal {
  interface Options {
    /** The file of the second copy. Default: none, for storage that is not durable. */
    readonly copy?: Pick<PrivateFile, 'read' | 'write'> | undefined;
    /** Prefix of the lock under which tabs write the copy. */
    readonly name?: string | undefined;
    /** Called before entries are added or opened again. */
    readonly opening?: (() => void) | undefined;
  }
}

function isEntry(value: unknown): value is JournalEntry {
  const { hash, raw, chainId, from, nonce, createdAt, state } = (value ?? {}) as Partial<JournalEntry>;
  return (
    [hash, raw, from, nonce].every((field) => typeof field === 'string' && field.startsWith('0x')) &&
    Number.isSafeInteger(chainId) &&
    typeof createdAt === 'number' &&
    typeof state === 'string'
  );
}

/**
 * A state transition of an entry. Returns the entry after it, or `null` if the transition no longer applies because
 * another one came first.
 */
export type Transition = (current: JournalEntry) => JournalEntry | null;

export const accepted: Transition = (current) =>
  current.state === 'signed' ? { ...current, state: 'sent' } : null;

/** A node will accept it later: restarts the ten minutes of {@link holdOf}. */
export const deferred =
  (at: number): Transition =>
  (current) =>
    isOpen(current) ? { ...current, deferredAt: at } : null;

/** A broadcast had no conclusive reply. */
export const uncertain: Transition = (current) =>
  isOpen(current) && !current.maybeSent ? { ...current, maybeSent: true } : null;

/** The outcome that a receipt shows. */
export interface Inclusion {
  readonly state: 'mined' | 'reverted';
  readonly blockNumber: Hex;
  readonly blockHash: Hash;
  readonly fee?: Hex;
  readonly reason?: string;
}

/** @param at when the receipt was read, milliseconds since 1970 */
export const included =
  (inclusion: Inclusion, at: number): Transition =>
  (current) => {
    const { held: _held, reason: _reason, replacedBy: _replacedBy, ...rest } = current;
    const isCorrection = !isOpen(current) && !isMined(current);
    return { ...rest, ...inclusion, ...(isCorrection && { correctedAt: at }) };
  };

/**
 * Another transaction has used the nonce. For a refused or abandoned entry this proves that it was not mined.
 *
 * @param by the other transaction and its block, if known
 */
export const replaced =
  (by?: Replacement): Transition =>
  (current) => {
    if (isMined(current) || (!isOpen(current) && !by)) return null;
    const block = by && { blockNumber: by.blockNumber, blockHash: by.blockHash, replacedBy: by.hash };
    return { ...current, ...(isOpen(current) && { state: 'replaced' as const }), ...block };
  };

/** A mined transaction with the nonce of another one. */
export type Replacement = Pick<Receipt, 'blockNumber' | 'blockHash'> & { readonly hash: Hash };

/**
 * The node's rules forbid it. If a node may have it, a refusal counts only when `proven`, since another node's mempool
 * may still have the bytes.
 */
export const refused =
  (reason: string, proven = false): Transition =>
  (current) =>
    isOpen(current) && (proven || (current.state === 'signed' && !current.maybeSent))
      ? { ...current, state: 'refused', reason }
      : null;

export const abandoned: Transition = (current) =>
  current.state === 'signed' ? { ...current, state: 'abandoned' } : null;

/** A page submits the bytes of a refused entry again. */
export const renewed =
  (at: number): Transition =>
  ({ reason: _reason, ...current }) =>
    current.state === 'refused' ? { ...current, state: 'signed', deferredAt: at } : null;

export const held =
  (why: 'other-chain' | 'damaged'): Transition =>
  (current) =>
    isOpen(current) && current.held !== why ? { ...current, held: why } : null;

export const released: Transition = (current) => {
  const { held: hold, ...rest } = current;
  return hold === undefined ? null : rest;
};

/** Its block has left the chain, so it has no outcome any more. */
export const reopened =
  (blockHash: Hash): Transition =>
  (current) => {
    if (current.blockHash !== blockHash) return null;
    const {
      blockHash: _hash,
      blockNumber: _number,
      fee: _fee,
      reason: _reason,
      replacedBy: _by,
      ...rest
    } = current;
    if (isMined(current)) return { ...rest, state: 'sent' };
    if (current.state === 'replaced') return { ...rest, state: 'signed', maybeSent: true };
    return { ...rest, ...(current.reason !== undefined && { reason: current.reason }) };
  };
