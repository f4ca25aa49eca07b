import type { CallsQuestion, Question, TransactionQuestion } from '../../approvals/question.js';
import type { Hash } from '../../rpc/schema.js';
import type { RecordedTransaction } from '../../transactions/transactions.js';

/** A question whose approval sends transactions. */
export type SendQuestion = TransactionQuestion | CallsQuestion;

/** State of an approved transaction. */
export interface SentOutcome {
  /**
   * - `unsent`: signed, and no node is known to have it.
   * - `held`: not sent until the person decides.
   * - `done`, `failed`: in a block.
   * - `replaced`: another transaction, which does something else, has its place.
   */
  readonly state: 'unsent' | 'sent' | 'held' | 'done' | 'failed' | 'refused' | 'replaced' | 'abandoned';
  /** The transaction that decides it: the approved one, or one with the same nonce. */
  readonly entry: RecordedTransaction;
}

/** Whether approving the question sends something: `eth_signTransaction` and a missing balance send nothing. */
export const isSendQuestion = (question: Question): question is SendQuestion =>
  (question.kind === 'calls' || (question.kind === 'transaction' && question.action === 'send')) &&
  question.shortfall === undefined;

type Call = Pick<TransactionQuestion['transaction'], 'to' | 'value' | 'data'>;

/** Length of `0x` and of the selector of a call. The rest of an approval may differ, since the person can lower its amount. */
const selectorLength = 10;

/** Whether two transactions do the same. */
const isSameCall = (one: Call, other: Call): boolean =>
  one.to === other.to &&
  BigInt(one.value) === BigInt(other.value) &&
  one.data.slice(0, selectorLength) === other.data.slice(0, selectorLength);

const callsOf = (question: SendQuestion): readonly Call[] =>
  question.kind === 'calls' ? question.calls.map(({ transaction }) => transaction) : [question.transaction];

/**
 * Finds the transactions that were signed for an approved question; `null` while they are not in the journal.
 *
 * @param entries oldest first
 * @param askedAt milliseconds since 1970
 */
export function findSent(
  question: SendQuestion,
  entries: readonly RecordedTransaction[],
  askedAt: number,
): readonly Hash[] | null {
  const { account, network, origin } = question;
  const candidates = entries.filter(
    (entry) =>
      entry.createdAt >= askedAt &&
      entry.from === account.address &&
      entry.chainId === network.chainId &&
      entry.origin === origin &&
      // Sent under a permission, without a question.
      (entry.ledger?.permission ?? null) === null,
  );
  const calls = callsOf(question);
  for (let start = 0; start + calls.length <= candidates.length; start++) {
    const found = candidates.slice(start, start + calls.length);
    if (found.every((entry, index) => isSameCall(entry, calls[index] as Call)))
      return found.map(({ hash }) => hash);
  }
  return null;
}

/**
 * Reads the state of a transaction from its journal entry and from those with the same nonce.
 *
 * @param entries as `wallet.transactions({ hash })` lists them: the transaction itself first
 */
export function outcomeOf(entries: readonly RecordedTransaction[]): SentOutcome | null {
  const [entry] = entries;
  if (!entry) return null;
  const included = entries.find(({ state }) => state === 'mined' || state === 'reverted');
  if (included) {
    // A transaction that was sped up is mined at either price.
    if (included !== entry && !isSameCall(included, entry)) return { state: 'replaced', entry };
    return { state: included.state === 'mined' ? 'done' : 'failed', entry: included };
  }
  const open = entries.find(
    ({ state, supersededBy }) => (state === 'signed' || state === 'sent') && supersededBy === undefined,
  );
  if (open) return { state: open.hold ? 'held' : open.state === 'sent' ? 'sent' : 'unsent', entry: open };
  return { state: entry.state as 'refused' | 'replaced' | 'abandoned', entry };
}
