import type { NewQuestion } from '../../approvals/approvals.js';
import type { CallsQuestion, TransactionQuestion } from '../../approvals/question.js';
import { bySeverity, type Warning } from '../../approvals/warning.js';
import { own } from '../../rpc/own.js';
import type { PreparedCalls } from './prepare-calls.js';

/**
 * One question about all calls of a batch, in which each warning names the calls that it is about. A single call stays
 * a question about a transaction.
 *
 * @param others warnings about the batch as a whole
 */
export function callsQuestion(
  transactions: readonly NewQuestion<TransactionQuestion>[],
  { fee, total, choices }: Pick<PreparedCalls, 'fee' | 'total' | 'choices'>,
  others: readonly Warning[],
): NewQuestion<TransactionQuestion | CallsQuestion> {
  const first = transactions[0] as NewQuestion<TransactionQuestion>;
  if (transactions.length === 1) return { ...first, warnings: bySeverity([...first.warnings, ...others]) };
  const { origin, network, account, balance } = first;
  return {
    kind: 'calls',
    origin,
    network,
    account,
    balance,
    calls: transactions.map((each) => {
      const { transaction, nonceChosenBy, fee, total, ownRecipient, call, warnings } = each;
      const { tree, described, recipient } = own(each);
      return {
        ...{ transaction, nonceChosenBy, fee, total, ownRecipient, call },
        ...(tree && { tree }),
        ...(described && { described }),
        ...(recipient && { recipient }),
        warnings,
      };
    }),
    fee,
    total,
    ...(choices && { choices }),
    warnings: bySeverity([...numbered(transactions.map(({ warnings }) => warnings)), ...others]),
  };
}

/** Each warning once. Its detail starts with the numbers of the calls that it is about. */
function numbered(warnings: readonly (readonly Warning[])[]): readonly Warning[] {
  const found = new Map<string, { readonly warning: Warning; readonly numbers: string[] }>();
  for (const [index, list] of warnings.entries()) {
    for (const warning of list) {
      const key = JSON.stringify(warning);
      const known = found.get(key) ?? { warning, numbers: [] };
      found.set(key, known);
      known.numbers.push(`#${index + 1}`);
    }
  }
  return [...found.values()].map(({ warning, numbers }) => ({
    ...warning,
    detail: [numbers.join(', '), own(warning).detail].filter(Boolean).join(': '),
  }));
}
