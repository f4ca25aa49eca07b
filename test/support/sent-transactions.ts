import type { TransactionQuestion } from '../../src/approvals/question.js';
import type { Hash } from '../../src/rpc/schema.js';
import type { RecordedTransaction } from '../../src/transactions/transactions.js';

/** The hash of a made-up transaction: one hexadecimal digit, repeated. */
export const hashOf = (digit: string): Hash => `0x${digit.repeat(64)}`;

/** The journal entry of an approved question, signed just now and on its way. */
export function sentFor(
  question: Pick<TransactionQuestion, 'transaction' | 'account' | 'network' | 'origin'>,
  more: Partial<RecordedTransaction> = {},
): RecordedTransaction {
  const { account, network, origin } = question;
  const { transactionType: _type, accessList: _list, ...transaction } = question.transaction;
  return {
    ...{ ...transaction, origin, raw: '0x', hash: hashOf('a'), state: 'sent', createdAt: Date.now() },
    from: account.address,
    chainId: network.chainId,
    ...more,
  };
}
