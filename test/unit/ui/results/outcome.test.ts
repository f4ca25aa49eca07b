import { describe, expect, test } from 'vitest';
import type { CallsQuestion, TransactionQuestion } from '../../../../src/approvals/question.js';
import type { RecordedTransaction } from '../../../../src/transactions/transactions.js';
import { findSent, isSendQuestion, outcomeOf } from '../../../../src/ui/results/outcome.js';
import * as questions from '../../../support/questions.js';
import { hashOf, sentFor } from '../../../support/sent-transactions.js';

const { payment, tokenTransfer, unlimitedApproval, savings, recipient } = questions;
const batch: CallsQuestion = {
  ...{ id: '1', kind: 'calls', origin: payment.origin, network: payment.network, locked: false },
  ...{ account: payment.account, calls: [payment, tokenTransfer, payment], warnings: [] },
  ...{ fee: payment.fee, total: payment.total, balance: payment.balance },
} as const;
const now = Date.now();
const at = (entry: Partial<RecordedTransaction>, question: TransactionQuestion = payment) =>
  sentFor(question, { createdAt: now, ...entry });

describe('isSendQuestion', () => {
  test.each([
    ['a payment', payment, true],
    ['a batch', batch, true],
    ['a transaction that is only signed', { ...payment, action: 'sign' }, false],
    ['a payment that the balance does not cover', { ...payment, shortfall: '0x1' }, false],
    ['a batch that the balance does not cover', { ...batch, shortfall: '0x1' }, false],
    ['a message', questions.greeting, false],
    ['a permission', questions.permission, false],
  ] as const)('reads whether approving sends something: %s', (_, question, expected) => {
    expect(isSendQuestion(question as TransactionQuestion)).toBe(expected);
  });
});

describe('findSent', () => {
  test('finds the transaction of a question among others', () => {
    const others = [
      at({ hash: hashOf('1'), createdAt: now - 1 }),
      at({ hash: hashOf('2'), origin: 'https://other.example' }),
      at({ hash: hashOf('3'), chainId: 30 }),
      at({ hash: hashOf('4'), from: savings.address }),
      at({ hash: hashOf('5'), value: '0x1' }),
      at({ hash: hashOf('6'), to: savings.address }),
    ];
    expect(findSent(payment, others, now)).toBeNull();
    expect(findSent(payment, [...others, at({})], now)).toEqual([hashOf('a')]);
  });

  test('leaves out what was sent under a permission', () => {
    const mark = { period: 0, amount: '0x1', fees: '0x1', mac: '0x' } as const;
    expect(findSent(payment, [at({ ledger: { ...mark, permission: hashOf('1') } })], now)).toBeNull();
    expect(findSent(payment, [at({ ledger: { ...mark, permission: null } })], now)).toEqual([hashOf('a')]);
  });

  test('finds an approval whose amount the person has lowered, at another price', () => {
    const { data } = unlimitedApproval.transaction;
    const lowered = `0x${data.slice(2, -4)}0001` as const;
    const entry = at({ data: lowered, gasPrice: '0x1' }, unlimitedApproval);
    expect(findSent(unlimitedApproval, [entry], now)).toEqual([hashOf('a')]);
  });

  test('finds the transactions of a batch in their order, all or none', () => {
    const [first, second, third] = [
      at({ hash: hashOf('1') }),
      at({ hash: hashOf('2') }, tokenTransfer),
      at({ hash: hashOf('3') }),
    ];
    const before = at({ hash: hashOf('0') });
    expect(findSent(batch, [before, first, second], now)).toBeNull();
    expect(findSent(batch, [before, first, second, third], now)).toEqual(
      [first, second, third].map(({ hash }) => hash),
    );
  });
});

describe('outcomeOf', () => {
  const rival = { hash: hashOf('b'), gasPrice: '0xffffffff' } as const;

  test.each([
    ['signed', {}, 'unsent'],
    ['sent', {}, 'sent'],
    ['mined', {}, 'done'],
    ['reverted', {}, 'failed'],
    ['replaced', {}, 'replaced'],
    ['refused', {}, 'refused'],
    ['abandoned', {}, 'abandoned'],
    ['signed', { hold: 'old' }, 'held'],
    ['sent', { hold: 'other-chain' }, 'held'],
  ] as const)('reads %s %j as %s', (state, more, expected) => {
    expect(outcomeOf([at({ state, ...more })])?.state).toBe(expected);
  });

  test('returns null for a transaction that the journal does not have', () => {
    expect(outcomeOf([])).toBeNull();
  });

  test('follows the replacement that was sent at a higher price', () => {
    const entries = [at({ supersededBy: rival.hash }), at(rival)];
    expect(outcomeOf(entries)).toEqual({ state: 'sent', entry: entries[1] });
  });

  test.each(['mined', 'reverted'] as const)('counts either price of one transaction: %s', (state) => {
    const expected = state === 'mined' ? 'done' : 'failed';
    expect(outcomeOf([at({ state: 'replaced' }), at({ ...rival, state })])?.state).toBe(expected);
    expect(outcomeOf([at({ state }), at({ ...rival, state: 'replaced' })])?.state).toBe(expected);
  });

  test('is replaced by a mined transaction that does something else', () => {
    const cancel = at({ ...rival, state: 'mined', to: payment.account.address, value: '0x0' });
    expect(outcomeOf([at({ state: 'replaced' }), cancel])?.state).toBe('replaced');
    expect(
      outcomeOf([at({ state: 'replaced' }), at({ ...rival, state: 'mined', to: recipient })])?.state,
    ).toBe('done');
  });
});
