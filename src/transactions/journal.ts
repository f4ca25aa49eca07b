import { withTimeout } from '../async/cancellation.js';
import { lazy } from '../async/lazy.js';
import { createListeners } from '../async/listeners.js';
import { createMutex } from '../async/mutex.js';
import { own } from '../rpc/own.js';
import type { Address, Hash, Hex, Receipt } from '../rpc/schema.js';
import type { PrivateFile } from '../storage/private-file.js';
import type { Storage } from '../storage/storage.js';
import {
  type ArchivedCount,
  archiveKeys,
  isMined,
  isOpen,
  type JournalEntry,
  keyOf,
  newestFirst,
  type Party,
  prefixOf,
} from './journal-entry.js';

/**
 * The signed transactions of this browser. Those that may still change, and the newest ones, are entries of the journal, with a
 * second copy outside the storage; the others are in its archive, so that a payment reads about as much after 10,000 of them as
 * after a few.
 */
export interface Journal {
  /** All entries that are not in the archive, oldest first. */
  entries(): Promise<readonly JournalEntry[]>;
  /** Those of one account, or those with one nonce, oldest first. */
  entriesOf(chainId: number, from: Address, nonce?: Hex): Promise<readonly JournalEntry[]>;
  /** The entry with this hash, of the journal or of the archive. */
  find(hash: Hash): Promise<JournalEntry | undefined>;
  /**
   * The newest entries of both, oldest first.
   * @param chainId default: of every chain
   * @param limit default: all
   */
  newest(chainId?: number, limit?: number): Promise<readonly JournalEntry[]>;
  /** The hashes of the archive's entries with this one's nonce. If there are any, the chain has used it for good. */
  archivedRivals(entry: JournalEntry): Promise<readonly Hash[]>;
  /** Those with whom the archive has transactions whose address is this one, or looks like it. */
  parties(address: Address): Promise<readonly Party[]>;
  /** Notes that a node of this chain has taken these bytes from this page. */
  noteTaken(chainId: number, raw: Hex): void;
  /** Whether one has, in the last two minutes. A mempool drops what is older. */
  hasTaken(chainId: number, raw: Hex): boolean;
  /** Adds all entries or none. Durable when it resolves. */
  record(...entries: readonly JournalEntry[]): Promise<void>;
  /**
   * Applies a transition to the stored entry, in one storage transaction. Resolves with the entry after it, which is
   * unchanged if the transition no longer applies; `undefined` if the entry is not stored any more, or another one is in its place.
   */
  change(entry: JournalEntry, transition: Transition): Promise<JournalEntry | undefined>;
  /** Deletes the journal, the archive and the second copy. */
  erase(): Promise<void>;
  /** Restores entries that the storage has lost from the second copy. Resolves with their number. */
  restore(): Promise<number>;
  /** Calls `listener` after each change made here. Returns its undo. */
  watch(listener: () => void): () => void;
}

/** Milliseconds for which the second copy has what is settled. */
const copiedPeriod = 86_400_000;
/** Milliseconds that `record` waits for the second copy; the storage has the entries already. */
const copyTimeout = 1_000;
/** Milliseconds for which a node is expected to keep what it has taken. */
const takenPeriod = 120_000;
const maxTaken = 100;
/** Milliseconds that an erasure waits for a tab that moves entries, or writes the copy. */
const lockTimeout = 5_000;
/** Entries of the journal at which the archive is filled, and by how many it grows until it is filled again. */
const firstFill = 150;
const fillStep = 100;
/** Parties that are compared with an address. */
const maxParties = 200;

const byAge = (a: JournalEntry, b: JournalEntry) => a.createdAt - b.createdAt;

export function createJournal(storage: Storage, options: createJournal.Options = {}): Journal {
  const { copy, name = null, opening = () => {}, needed, now = Date.now } = options;
  const listeners = createListeners<[]>();
  const nameLock = (what: string) => createMutex(name === null ? null : `${name}:${what}`);
  const copyMutex = nameLock('journal-copy');
  const fillMutex = nameLock('journal-archive');
  const filling = lazy(() => import('./fill-archive.js'));
  /** When bytes were taken, by chain: a script can have them sent to another one, whose node does what it wants. */
  const taken = new Map<string, number>();
  let copying: Promise<void> | undefined;
  /** How many entries cause the archive to be filled. */
  let fillAt = firstFill;

  const read = async (prefix?: string) =>
    (await storage.all('journal', prefix)).map((entry) => own(entry as JournalEntry));

  const stored = async () => {
    const entries = await read();
    if (entries.length >= fillAt) {
      // Entries that cannot be moved are no reason to try again at each read.
      fillAt = entries.length + fillStep;
      void fill();
    }
    return entries;
  };

  const fill = async () => {
    try {
      const [{ fillArchive }, isNeeded] = await Promise.all([filling(), needed?.()]);
      await fillArchive(storage, fillMutex, now(), isNeeded);
      fillAt = Math.max(firstFill, (await read()).length + fillStep);
      void writeCopy();
    } catch {
      // The storage or the chunk failed: the entries stay where they are.
    }
  };

  /** Writes the copy. Changes made before a waiting write has started share that write. */
  const writeCopy = (): Promise<void> => {
    if (!copy) return Promise.resolve();
    copying ??= copyMutex(async () => {
      copying = undefined;
      const since = now() - copiedPeriod;
      await copy.write((await stored()).filter((entry) => isOpen(entry) || entry.createdAt > since));
    }).catch(() => {
      // The storage failed; the next change writes the copy again.
    });
    return copying;
  };

  const changed = () => {
    listeners.emit();
    void writeCopy();
  };

  /** @param hash whatever a page has passed */
  const findArchived = async (hash: Hash) => {
    if (typeof hash !== 'string') return undefined;
    const key = await storage.get('archive', archiveKeys.hash(hash));
    const entry = typeof key === 'string' ? await storage.get('archive', key) : undefined;
    const found = entry === undefined ? undefined : own(entry as JournalEntry);
    return found?.hash === hash ? found : undefined;
  };

  const archivedChains = async (): Promise<readonly number[]> => {
    const counts = (await storage.all('archive', archiveKeys.counts)) as ArchivedCount[];
    return [...new Set(counts.map(({ chainId }) => chainId))];
  };

  /** The newest ones of the archive. */
  const archived = async (chainId?: number, limit?: number): Promise<readonly JournalEntry[]> => {
    const chains = chainId === undefined ? await archivedChains() : [chainId];
    const ofChains = await Promise.all(
      chains.map((id) => storage.all('archive', archiveKeys.entriesOf(id), limit)),
    );
    return (ofChains.flat() as JournalEntry[]).map(own);
  };

  return {
    entries: async () => (await stored()).sort(byAge),
    async entriesOf(chainId, from, nonce) {
      const found = await read(prefixOf(chainId, from, nonce));
      // Any script of the origin can put the entry of another account, or of another chain, under a key of this one.
      const isAsked = (entry: JournalEntry) =>
        entry.chainId === chainId && entry.from === from && (nonce ?? entry.nonce) === entry.nonce;
      return found.filter(isAsked).sort(byAge);
    },
    find: async (hash) => (await stored()).find((entry) => entry.hash === hash) ?? (await findArchived(hash)),
    async newest(chainId, limit) {
      const isAsked = (entry: JournalEntry) => chainId === undefined || entry.chainId === chainId;
      const entries = (await stored()).filter(isAsked).sort(newestFirst);
      const present = new Set(entries.map(({ hash }) => hash));
      // Read after the journal, so that what is moved meanwhile is in one of the two.
      const others = (await archived(chainId, limit)).filter(({ hash }) => !present.has(hash));
      return [...entries, ...others].sort(newestFirst).slice(0, limit).reverse();
    },
    async archivedRivals(entry) {
      const hashes = (await storage.get('archive', archiveKeys.nonce(entry))) as readonly Hash[] | undefined;
      return (hashes ?? []).filter((hash) => hash !== entry.hash);
    },
    parties: async (address) =>
      ((await storage.all('archive', archiveKeys.partiesLike(address), maxParties)) as Party[]).map(own),
    noteTaken(chainId, raw) {
      // Without a note the node is asked.
      if (taken.size > maxTaken) taken.clear();
      taken.set(`${chainId}:${raw}`, now());
    },
    hasTaken: (chainId, raw) => Math.abs(now() - (taken.get(`${chainId}:${raw}`) ?? 0)) < takenPeriod,
    async record(...added) {
      opening();
      await storage.put(
        'journal',
        added.map((entry) => [keyOf(entry), entry]),
      );
      listeners.emit();
      await withTimeout(copyTimeout, writeCopy);
    },
    async change(entry, transition) {
      let applied = false;
      let isStored = false;
      const after = await storage.update('journal', keyOf(entry), (value) => {
        if (value === undefined) return undefined;
        const current = own(value as JournalEntry);
        // Any script of the origin can put another entry under this one's key: what was read for the one is not of the other.
        isStored = keyOf(current) === keyOf(entry);
        const next = isStored ? transition(current) : null;
        applied = next !== null;
        if (next && isOpen(next) && !isOpen(current)) opening();
        return next ?? current;
      });
      if (applied) changed();
      return isStored ? own(after as JournalEntry) : undefined;
    },
    async erase() {
      let isCleared = false;
      const clear = async () => {
        if (isCleared) return;
        await storage.clear('journal');
        await storage.clear('archive');
        isCleared = true;
      };
      // A tab that moves entries meanwhile would put them back; one that does not answer has stopped.
      await withTimeout(lockTimeout, () => fillMutex(clear));
      await clear();
      if (!copy) return;
      // One that writes the copy has read the entries before.
      await withTimeout(lockTimeout, () => copyMutex(async () => {}));
      await copy.remove();
    },
    async restore() {
      const copied: unknown = await copy?.read();
      if (!Array.isArray(copied)) return 0;
      const present = new Set((await stored()).map(keyOf));
      const absent = copied.filter(isEntry).filter((entry) => !present.has(keyOf(entry)));
      const inArchive = await Promise.all(absent.map(({ hash }) => findArchived(hash)));
      const lost = absent.filter((_, at) => inArchive[at] === undefined);
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
    readonly copy?: PrivateFile | undefined;
    /** Prefix of the locks under which tabs write the copy and fill the archive. */
    readonly name?: string | undefined;
    /** Tells which entries stay in the journal although nothing can change them any more. Default: none do. */
    readonly needed?: (() => Promise<((entry: JournalEntry) => boolean) | undefined>) | undefined;
    /** Called before entries are added or opened again. */
    readonly opening?: (() => void) | undefined;
    /** Milliseconds since 1970. Default: the clock's. */
    readonly now?: (() => number) | undefined;
  }
}

function isEntry(value: unknown): value is JournalEntry {
  const entry = (value ?? {}) as Partial<JournalEntry>;
  const { hash, raw, chainId, from, nonce, value: amount, gas, gasPrice, createdAt, state } = entry;
  return (
    [hash, raw, from, nonce, amount, gas, gasPrice].every((field) => /^0x[0-9a-f]+$/i.test(`${field}`)) &&
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
export interface Inclusion extends Pick<JournalEntry, 'fee' | 'reason' | 'effects' | 'created'> {
  readonly state: 'mined' | 'reverted';
  readonly blockNumber: Hex;
  readonly blockHash: Hash;
}

/** @param at when the receipt was read, milliseconds since 1970 */
export const included =
  (inclusion: Inclusion, at: number): Transition =>
  (current) => {
    const { held: _held, replacedBy: _by, proven: _proven, ...kept } = current;
    const { reason: _reason, effects: _effects, created: _created, ...rest } = kept;
    const isCorrection = !isOpen(current) && !isMined(current);
    return { ...rest, ...inclusion, ...(isCorrection && { correctedAt: at }) };
  };

/** Bitcoin's miners have worked on its block. */
export const proven =
  (blockHash: Hash): Transition =>
  (current) =>
    isMined(current) && current.blockHash === blockHash ? { ...current, proven: true } : null;

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
  return hold === undefined || !isOpen(current) ? null : rest;
};

/** The page for which it was signed sends it: restarts the ten minutes of {@link holdOf}. */
export const submitted =
  (at: number): Transition =>
  ({ held: hold, ...rest }) =>
    hold === 'page' && isOpen(rest) ? { ...rest, deferredAt: at } : null;

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
      proven: _proven,
      effects: _effects,
      created: _created,
      ...rest
    } = current;
    if (isMined(current)) return { ...rest, state: 'sent' };
    if (current.state === 'replaced') return { ...rest, state: 'signed', maybeSent: true };
    return { ...rest, ...(current.reason !== undefined && { reason: current.reason }) };
  };
