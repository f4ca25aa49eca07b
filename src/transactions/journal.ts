import { createListeners } from '../listeners.js';
import type { Address, Hash, Hex } from '../rpc/schema.js';
import type { Storage } from '../storage/storage.js';

/**
 * What was signed here and what became of it. Written before anything is sent, so that a crash, a lost reply
 * or a forgetful pool never loses a transaction, and never signs a second one for the same approval.
 */
export interface JournalEntry {
  readonly hash: Hash;
  readonly raw: Hex;
  readonly chainId: number;
  readonly from: Address;
  readonly to: Address | null;
  readonly nonce: Hex;
  readonly value: Hex;
  readonly data: Hex;
  readonly gas: Hex;
  readonly gasPrice: Hex;
  /** Who asked for it. */
  readonly origin: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /** The page chose the nonce, which may leave a gap below it. */
  readonly nonceChosen?: true;
  /**
   * `signed`: durable, not known to have reached the pool. `sent`: the pool has taken it. `mined`: in
   * `blockHash`. `replaced`: another transaction has used the nonce. `refused`: the chain's rules forbid it.
   */
  readonly state: 'signed' | 'sent' | 'mined' | 'replaced' | 'refused';
  readonly blockNumber?: Hex;
  readonly blockHash?: Hash;
}

/** An entry whose fate is open: it is sent again until it is mined or its nonce is used. */
export const isOpen = (entry: JournalEntry): boolean => entry.state === 'signed' || entry.state === 'sent';

export interface Journal {
  /** Oldest first. */
  entries(): Promise<readonly JournalEntry[]>;
  /** Durable when it resolves; several are all written, or none. */
  record(...entries: readonly JournalEntry[]): Promise<void>;
  /** Changes an entry if it is (still) there. */
  mark(entry: JournalEntry, change: Partial<JournalEntry>): Promise<void>;
  /** Calls `listener` after each change made here. Returns its undo. */
  watch(listener: () => void): () => void;
}

const keyOf = (entry: JournalEntry) =>
  `${entry.chainId}:${entry.from}:${entry.nonce.padStart(18, ' ')}:${entry.hash}`;

export function createJournal(storage: Storage): Journal {
  const listeners = createListeners<[]>();
  const changed = listeners.tell;
  return {
    async entries() {
      const entries = (await storage.all('journal')) as JournalEntry[];
      return entries.sort((a, b) => a.createdAt - b.createdAt);
    },
    async record(...entries) {
      await storage.put(
        'journal',
        entries.map((entry) => [keyOf(entry), entry]),
      );
      changed();
    },
    async mark(entry, change) {
      await storage.update('journal', keyOf(entry), (current) =>
        current === undefined ? undefined : { ...(current as JournalEntry), ...change },
      );
      changed();
    },
    watch: listeners.add,
  };
}
