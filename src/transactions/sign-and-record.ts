import type { Approved } from '../approvals/approved.js';
import type { Keyring } from '../keyring/keyring.js';
import { own } from '../rpc/own.js';
import type { Address, Hash, Hex } from '../rpc/schema.js';
import type { Journal } from './journal.js';
import type { JournalEntry } from './journal-entry.js';
import { type Counts, chooseNonces, type NonceLock } from './nonces.js';

/**
 * Signs approved transactions of one account and journals them, all or none, under the account's nonce lock. Nothing
 * is sent before all of them are durable.
 *
 * @returns `null`, with nothing signed, if the transaction that the page's chosen nonce replaces is no longer the one
 * that the person saw
 * @throws ProviderRpcError -32003 for a chosen nonce that has been used since; the storage's own error
 */
export type SignAndRecord = (
  approvals: readonly Approved<Keyring.TransactionSubject>[],
  plan: SigningPlan,
) => Promise<readonly JournalEntry[] | null>;

/** Values that were read and chosen before the person was asked. */
export interface SigningPlan {
  readonly chainId: number;
  readonly from: Address;
  readonly origin: string;
  readonly counts: Counts;
  readonly anchor: NonNullable<JournalEntry['anchor']>;
  /** The nonce that the page chose, and the pending transaction that the person saw it replace. */
  readonly chosen?: { readonly nonce: Hex; readonly replaces: Hash | null };
  /** Runs before the entries are recorded. Returns its undo, which runs if recording them fails. */
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
          nonce,
          raw,
          hash,
          origin,
          createdAt,
          anchor,
          state: 'signed',
          ...(chosen && { nonceChosen: true as const }),
          ...(chosen?.replaces && { replaces: chosen.replaces }),
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
