import { describe, expect, test } from 'vitest';
import type { CallsQuestion, Question, TransactionQuestion } from '../../../../src/approvals/question.js';
import * as questions from '../../../../test/support/questions.js';
import { approveWith, type Choice } from '../../src/testing/choice.js';

const { connect, greeting, payment, account, savings } = questions;

const fee = { gasPrice: '0x10', fee: '0x20' } as const;
const prices = { fees: { slow: fee, normal: fee, fast: fee }, minimum: '0x10', maximum: '0x20' } as const;
const approval: TransactionQuestion = { ...payment, choices: { ...prices, allowance: '500' } };
const calls = { ...approval, kind: 'calls', choices: prices } as unknown as CallsQuestion;

const checksummed = account.address.toUpperCase().replace('0X', '0x');

describe('a choice that the question offers', () => {
  test.each<[string, Question, Choice, object]>([
    ['nothing', connect, {}, {}],
    ['an account in any letter case', connect, { accounts: [checksummed] }, { accounts: [account.address] }],
    ['a price as a bigint', approval, { gasPrice: 16n }, { gasPrice: '0x10' }],
    ['a price in decimal digits', approval, { gasPrice: '32' }, { gasPrice: '0x20' }],
    ['a price in hexadecimal digits', calls, { gasPrice: '0x1f' }, { gasPrice: '0x1f' }],
    ['an amount as a bigint', approval, { allowance: 0n }, { allowance: '0' }],
    ['an amount in decimal digits', approval, { allowance: '500' }, { allowance: '500' }],
  ])('becomes an answer: %s', (_, question, choice, answer) => {
    expect(approveWith(choice, question)).toEqual({ approved: true, ...answer });
  });
});

describe('a choice that the question does not offer', () => {
  const offered = `the question offers ${account.address}, ${savings.address}`;
  const privateKey = `0x${'47'.repeat(32)}`;

  test.each<[string, Question, Choice, string]>([
    [
      'another account',
      connect,
      { accounts: [questions.token] },
      `accounts: ${questions.token} is not offered; ${offered}`,
    ],
    [
      'no account',
      connect,
      { accounts: [] },
      `accounts: expected a list of at least one address; ${offered}`,
    ],
    [
      'what is no address, and may be a secret',
      connect,
      { accounts: [account.address, privateKey] },
      `accounts: a value that is no address is not offered; ${offered}`,
    ],
    [
      'accounts for a message',
      greeting,
      { accounts: [account.address] },
      'accounts: the question { kind: "message" } offers no such choice',
    ],
    [
      'a price below the lowest',
      approval,
      { gasPrice: 15n },
      'gasPrice: 15 is not offered; the question offers 16 to 32 wei per gas',
    ],
    [
      'a price above the highest',
      approval,
      { gasPrice: '0x21' },
      'gasPrice: 33 is not offered; the question offers 16 to 32 wei per gas',
    ],
    [
      'a price that is no number',
      approval,
      { gasPrice: '0.1' },
      'gasPrice: expected a bigint, or a whole number in hexadecimal (0x…) or decimal digits',
    ],
    [
      'a price where there is no choice',
      payment,
      { gasPrice: 16n },
      'gasPrice: the question { kind: "transaction" } offers no such choice',
    ],
    [
      'more than the requested amount',
      approval,
      { allowance: 501n },
      'allowance: 501 is not offered; the question offers 0 to 500',
    ],
    [
      'an amount of calls',
      calls,
      { allowance: 1n },
      'allowance: the question { kind: "calls" } offers no such choice',
    ],
  ])('is an error that names it, and what is offered: %s', (_, question, choice, message) => {
    expect(() => approveWith(choice, question)).toThrow(new Error(message));
  });
});
