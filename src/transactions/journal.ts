import { createListeners } from '../async/listeners.js';
import { createMutex } from '../async/mutex.js';
import { withTimeout } from '../async/with-timeout.js';
import { own } from '../rpc/own.js';
import type { Address } from '../rpc/schema.js';
import type { PrivateFile } from '../storage/private-file.js';
import type { Storage } from '../storage/storage.js';
import { isOpen, type JournalEntry } from './journal-entry.js';
import type { Transition } from './transitions.js';

/** The signed transactions of this browser: in storage, with a second copy beside it, oldest settled ones dropped. */
export interface Journal {
  /** All of them, oldest first. */
  entries(): Promise<readonly JournalEntry[]>;
  entriesOf(chainId: number, from: Address): Promise<readonly JournalEntry[]>;
  /** Durable when it resolves; several are all written, or none. */
  record(...entries: readonly JournalEntry[]): Promise<void>;
  /**
   * Applies a transition to the entry as it is stored, in one storage transaction. Resolves with the entry after
   * it: unchanged where the transition no longer applies, `undefined` where the entry is gone.
   */
  change(entry: JournalEntry, transition: Transition): Promise<JournalEntry | undefined>;
  /** Takes what the storage has lost from the second copy. Resolves with how many entries came back. */
  restore(): Promise<number>;
  /** Calls `listener` after each change made here. Returns its undo. */
  watch(listener: () => void): () => void;
}

/** Settled transactions kept for each chain; an entry is dropped only when it is also a day old. */
const kept = 1_000;
const keptFor = 86_400_000;
/** Milliseconds that a new entry waits for its second copy; the storage has it already. */
const patience = 1_000;

const keyOf = (entry: JournalEntry) =>
  `${entry.chainId}:${entry.from}:${entry.nonce.padStart(18, ' ')}:${entry.hash}`;

export function createJournal(storage: Storage, options: createJournal.Options = {}): Journal {
  const { copy, name = null } = options;
  const listeners = createListeners<[]>();
  const oneWriter = createMutex(name === null ? null : `${name}:journal-copy`);
  let copying: Promise<void> | undefined;

  const stored = async () => (await storage.all('journal')).map((entry) => own(entry as JournalEntry));

  /** Writes the copy once for all changes that are made before it starts. */
  const writeCopy = (): Promise<void> => {
    if (!copy) return Promise.resolve();
    copying ??= oneWriter(async () => {
      copying = undefined;
      await copy.write(await stored());
    }).catch(() => {
      // The storage does not answer; the next change writes the copy again.
    });
    return copying;
  };

  const changed = () => {
    listeners.emit();
    void writeCopy();
  };

  const prune = async (chainId: number, now: number) => {
    const settled = (await stored()).filter((entry) => entry.chainId === chainId && !isOpen(entry));
    if (settled.length <= kept) return;
    const byAge = settled.sort((a, b) => b.createdAt - a.createdAt);
    for (const entry of byAge.slice(kept))
      if (entry.createdAt < now - keptFor) await storage.update('journal', keyOf(entry), () => undefined);
  };

  const entries = async () => (await stored()).sort((a, b) => a.createdAt - b.createdAt);

  return {
    entries,
    entriesOf: async (chainId, from) =>
      (await entries()).filter((entry) => entry.chainId === chainId && entry.from === from),
    async record(...added) {
      await storage.put(
        'journal',
        added.map((entry) => [keyOf(entry), entry]),
      );
      listeners.emit();
      const [first] = added;
      // An entry that could not be dropped now is dropped another time.
      if (first) await prune(first.chainId, first.createdAt).catch(() => {});
      await withTimeout(patience, writeCopy);
    },
    async change(entry, transition) {
      let applied = false;
      const after = await storage.update('journal', keyOf(entry), (value) => {
        if (value === undefined) return undefined;
        const current = own(value as JournalEntry);
        const next = transition(current);
        applied = next !== null;
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
    /** Where the second copy is kept. Default: nowhere, for storage that is not durable. */
    readonly copy?: Pick<PrivateFile, 'read' | 'write'>;
    /** Names the lock under which tabs write the copy one after the other. */
    readonly name?: string;
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
