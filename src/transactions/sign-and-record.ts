import type { Approved } from '../approvals/approved.js';
import type { Keyring } from '../keyring/keyring.js';
import { own } from '../rpc/own.js';
import type { Address, Hash, Hex } from '../rpc/schema.js';
import type { Journal } from './journal.js';
import type { JournalEntry } from './journal-entry.js';
import { type Counts, chooseNonces, type NonceLock } from './nonces.js';

/**
 * Signs approved transactions of one account and writes them down, all or none, under the account's nonce lock.
 * Nothing is on the network before everything is durable. A send is a batch of one.
 *
 * @returns `null`, with nothing signed, when another send has meanwhile taken a nonce that the page chose: what
 * the person saw is not what would happen
 * @throws ProviderRpcError -32003 for a chosen nonce that is used by now; the storage's own error
 */
export type SignAndRecord = (
  approvals: readonly Approved<Keyring.TransactionSubject>[],
  plan: SigningPlan,
) => Promise<readonly JournalEntry[] | null>;

/** What was settled before the person was asked. */
export interface SigningPlan {
  readonly chainId: number;
  readonly from: Address;
  readonly origin: string;
  readonly counts: Counts;
  readonly anchor: NonNullable<JournalEntry['anchor']>;
  /** The page's own nonce, and the hash of the waiting transaction that the person was told it replaces. */
  readonly chosen?: { readonly nonce: Hex; readonly replaces: Hash | null };
  /** Writes what belongs to the entries, before them. Returns its undo, for when they cannot be written. */
  readonly before?: (entries: readonly JournalEntry[]) => Promise<() => Promise<void>>;
}

export function createSignAndRecord(options: createSignAndRecord.Options): SignAndRecord {
  const { journal, keyring, nonceLock, now } = options;
  return (approvals, plan) => {
    const { chainId, from, origin, counts, anchor, chosen, before } = own(plan);
    return nonceLock(chainId, from, async () => {
      const known = await journal.entriesOf(chainId, from);
      const choice = chooseNonces(approvals.length, counts, known, chosen?.nonce);
      if (chosen && (choice.replaces?.hash ?? null) !== chosen.replaces) return null;
      const createdAt = now();
      const entries: JournalEntry[] = [];
      for (const [i, approved] of approvals.entries()) {
        const { type: _type, ...fields } = approved.subject;
        const nonce = choice.nonces[i] as Hex;
        const { raw, hash } = await keyring.signTransaction(approved, nonce);
        entries.push({
          ...fields,
          ...{ nonce, raw, hash, origin, createdAt, anchor, state: 'signed' },
          ...(chosen && { nonceChosen: true as const }),
        });
      }
      const undo = await before?.(entries);
      try {
        await journal.record(...entries);
      } catch (error) {
        await undo?.().catch(() => {});
        throw error;
      }
      return entries;
    });
  };
}

export declare namespace createSignAndRecord {
  interface Options {
    readonly journal: Journal;
    readonly keyring: Keyring;
    readonly nonceLock: NonceLock;
    /** Milliseconds since 1970. */
    readonly now: () => number;
  }
}
