import { describe, expect, test } from 'vitest';
import type { CallsQuestion, TransactionQuestion } from '../../../../src/approvals/question.js';
import type { RecordedTransaction } from '../../../../src/transactions/transactions.js';
import { textOf } from '../../../../src/ui/h.js';
import type { SentOutcome } from '../../../../src/ui/results/outcome.js';
import { summarize, usualWait } from '../../../../src/ui/results/summary.js';
import { english } from '../../../support/english.js';
import { payment } from '../../../support/questions.js';
import { hashOf, sentFor } from '../../../support/sent-transactions.js';

const now = Date.now();
const outcome = (state: SentOutcome['state'], more: Partial<RecordedTransaction> = {}): SentOutcome => ({
  state,
  entry: sentFor(payment, { createdAt: now, ...more }),
});
const linesOf = (
  outcomes: readonly SentOutcome[],
  question: TransactionQuestion | CallsQuestion = payment,
) => {
  const { text, tone, slow } = summarize(question, outcomes, english, now);
  return [textOf(text).trim(), tone, slow?.hash ?? null];
};
const late = { createdAt: now - usualWait };

describe('one transaction', () => {
  test.each([
    ['unsent', {}, 'Sending…', 'waiting'],
    ['unsent', late, 'Not sent yet. The wallet keeps trying.', 'waiting'],
    ['sent', {}, 'Sent. It’s on its way…', 'waiting'],
    ['done', {}, 'Done. It’s in a block.', 'good'],
    ['replaced', {}, 'Another transaction took its place, so this one won’t go through.', 'bad'],
    ['abandoned', {}, 'You abandoned it, so it won’t be sent.', 'bad'],
    ['held', late, 'It’s on hold. Open your wallet to decide what to do.', 'bad'],
  ] as const)('%s %j', (state, more, text, tone) => {
    expect(linesOf([outcome(state, more)])).toEqual([text, tone, null]);
  });

  test('can be sped up once it has waited for longer than usual', () => {
    const text = 'Still on its way. This takes longer than usual.';
    expect(linesOf([outcome('sent', late)])).toEqual([text, 'waiting', hashOf('a')]);
    expect(linesOf([outcome('sent', { createdAt: now - usualWait + 1 })])[2]).toBeNull();
  });

  test.each([
    [undefined, ''],
    ['no reason given', ''],
    ['out of gas', ' It ran out of gas.'],
    [
      'ERC20: transfer amount exceeds balance',
      ' The contract’s reason: ERC20: transfer amount exceeds balance',
    ],
    ['one\n\ntwo\u202e', ' The contract’s reason: one two\\u{202e}'],
  ])('names the reason of a revert: %j', (reason, text) => {
    expect(linesOf([outcome('failed', reason === undefined ? {} : { reason })])).toEqual([
      `It failed. Only the fee was paid.${text}`,
      'bad',
      null,
    ]);
  });

  test('cuts a long reason', () => {
    const [text] = linesOf([outcome('failed', { reason: 'x'.repeat(1_000) })]);
    expect(text).toMatch(/x{160}…$/);
    expect(text).not.toMatch(/x{161}/);
  });

  test.each([
    [undefined, ''],
    [
      'insufficient funds for gas * price + value',
      ' The account doesn’t hold enough for the amount and the fee.',
    ],
    ['nonce too low', ' Another transaction of this account came first.'],
    ['replacement transaction underpriced', ' The fee was too low.'],
    [
      "max fee per gas less than block base fee: gas price lower than the block's minimum",
      ' The fee was too low.',
    ],
    ['exceeds block gas limit', ' Its reason: exceeds block gas limit'],
  ])('names the reason of a refusal: %j', (reason, text) => {
    expect(linesOf([outcome('refused', reason === undefined ? {} : { reason })])[0]).toBe(
      `The network refused it.${text}`,
    );
  });

  test('says whether a transaction was cancelled in time', () => {
    const cancel = { ...payment, replacement: 'cancel' } as const;
    expect(linesOf([outcome('done')], cancel)[0]).toBe(
      'Cancelled. The earlier transaction won’t go through.',
    );
    expect(linesOf([outcome('replaced')], cancel)).toEqual([
      'Too late to cancel: the transaction is already in a block.',
      'bad',
      null,
    ]);
  });
});

describe('a batch', () => {
  const states = (...all: SentOutcome['state'][]) => linesOf(all.map((state) => outcome(state)));

  test('counts its transactions', () => {
    expect(states('sent', 'sent')).toEqual(['Sent. It’s on its way…', 'waiting', null]);
    expect(states('done', 'sent', 'unsent')).toEqual([
      '1 of 3 in a block. The others are on their way…',
      'waiting',
      null,
    ]);
    expect(states('done', 'done')).toEqual(['Done. All 2 are in a block.', 'good', null]);
  });

  test('says which part went through, and why another one did not', () => {
    expect(states('done', 'replaced', 'done')).toEqual(['Only 2 of 3 went through.', 'bad', null]);
    const failed = outcome('failed', { reason: 'out of gas' });
    expect(linesOf([outcome('done'), failed])[0]).toBe('Only 1 of 2 went through. It ran out of gas.');
  });

  test('can have the one sped up that waits', () => {
    const outcomes = [
      outcome('done', late),
      outcome('sent', { ...late, hash: hashOf('b') }),
      outcome('sent'),
    ];
    expect(linesOf(outcomes)).toEqual([
      'Still on its way. This takes longer than usual.',
      'waiting',
      hashOf('b'),
    ]);
  });
});
