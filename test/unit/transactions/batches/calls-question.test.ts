import { expect, test } from 'vitest';
import type { Warning } from '../../../../src/approvals/warning.js';
import { callsQuestion } from '../../../../src/transactions/batches/calls-question.js';
import { payment, tokenTransfer } from '../../../support/questions.js';

const sums = { fee: '0x10', total: '0x20' } as const;
const danger: Warning = { code: 'approval-for-all', severity: 'danger' };
const caution: Warning = { code: 'unknown-call', severity: 'caution' };
const reverts: Warning = { code: 'simulation-reverts', severity: 'danger', detail: 'paused' };
const other: Warning = { code: 'typed-data-other-chain', severity: 'caution', detail: 'Rootstock' };

test('a question has the calls, their sums and the balance', () => {
  const question = callsQuestion([payment, tokenTransfer], sums, []);
  expect(question).toMatchObject({
    kind: 'calls',
    ...sums,
    balance: payment.balance,
    account: payment.account,
    calls: [
      { transaction: payment.transaction, fee: payment.fee, call: null },
      { transaction: tokenTransfer.transaction, call: { name: 'transfer' } },
    ],
    warnings: [],
  });
});

test('one call is a transaction', () => {
  const warned = { ...payment, warnings: [caution] };
  expect(callsQuestion([warned], sums, [other])).toEqual({ ...payment, warnings: [caution, other] });
});

test('every warning names its calls, the most severe first', () => {
  const question = callsQuestion(
    [
      { ...payment, warnings: [caution] },
      { ...payment, warnings: [reverts, caution] },
      { ...payment, warnings: [danger, caution] },
    ],
    sums,
    [other],
  );
  expect(question.warnings).toEqual([
    { ...reverts, detail: '#2: paused' },
    { ...danger, detail: '#3' },
    { ...caution, detail: '#1, #2, #3' },
    other,
  ]);
});
