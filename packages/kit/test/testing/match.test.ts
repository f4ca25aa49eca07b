import { describe, expect, test } from 'vitest';
import type { Question } from '../../../../src/approvals/question.js';
import * as questions from '../../../../test/support/questions.js';
import { factsOf, isMatch, printFields, type QuestionMatch, requireMatch } from '../../src/testing/match.js';

const { payment, permission, greeting, typedData, tokenTransfer, watchAsset, switchChain, connect } =
  questions;

describe('a match', () => {
  test.each<[string, Question, QuestionMatch]>([
    ['everything', connect, {}],
    ['a kind', connect, { kind: 'connect' }],
    ['wei in decimal digits', payment, { value: String(BigInt(payment.transaction.value)) }],
    ['wei in hexadecimal digits', payment, { value: payment.transaction.value }],
    [
      'an address in capitals',
      payment,
      { to: payment.transaction.to?.toUpperCase().replace('0X', '0x') as string },
    ],
    ['the account', payment, { account: payment.account.address.toUpperCase().replace('0X', '0x') }],
    ['a decoded call', tokenTransfer, { call: 'transfer' }],
    ['a part of a text', greeting, { text: /./g }],
    ['typed data', typedData, { primaryType: typedData.primaryType }],
    ['a token', watchAsset, { asset: watchAsset.asset.address }],
    [
      'the amount, the total and the reason of a permission',
      permission,
      { text: /periodic 500000000000000 3500000000000000 Stakes of your games$/ },
    ],
    ['the chain to switch to, not the active one', switchChain, { chainId: switchChain.target.chainId }],
  ])('fits %s', (_, question, match) => {
    expect(isMatch(question, match)).toBe(true);
    // A pattern with the flag g remembers where it has stopped.
    expect(isMatch(question, match)).toBe(true);
  });

  test.each<[string, Question, QuestionMatch]>([
    ['kind', connect, { kind: 'transaction' }],
    ['value', payment, { value: BigInt(payment.transaction.value) + 1n }],
    ['value, where there is none', connect, { value: 0n }],
    ['recipient', payment, { to: payment.account.address }],
    ['recipient: the creation of a contract', payment, { to: null }],
    ['text, where only a part is the same', greeting, { text: (greeting.text as string).slice(1) }],
    ['amount of a permission', permission, { text: /\b500000000000001\b/ }],
    ['origin', payment, { kind: 'transaction', origin: 'https://other.example' }],
    ['chain', switchChain, { chainId: switchChain.network.chainId }],
  ])('does not fit another %s', (_, question, match) => {
    expect(isMatch(question, match)).toBe(false);
  });

  test('reads no member that a page has added to every object', () => {
    Object.assign(Object.prototype, { kind: 'transaction' });
    try {
      expect(isMatch(connect, {})).toBe(true);
    } finally {
      Reflect.deleteProperty(Object.prototype, 'kind');
    }
  });
});

describe('a match that is wrong is an error that says what it may be', () => {
  const members = 'kind, origin, chainId, account, to, value, call, text, primaryType, asset';
  test.each<[string, unknown, string]>([
    ['a member', { knd: 'connect' }, `match: there is no member "knd"; its members are ${members}`],
    ['no object', 'connect', `match: expected an object; its members are ${members}`],
    ['null', null, `match: expected an object; its members are ${members}`],
    [
      'a kind',
      { kind: 'conect' },
      'match.kind: there is no such question; there are onboarding, connect, transaction, calls, calls-status, message, typed-data, switch-chain, add-chain, watch-asset, permission, pay-elsewhere, unlock',
    ],
    ...['0.01', '', 5, '1e18'].map((value): [string, unknown, string] => [
      `the value ${JSON.stringify(value)}`,
      { value },
      'match.value: expected a bigint, or a whole number in hexadecimal (0x…) or decimal digits',
    ]),
  ])('%s', (_, match, message) => {
    expect(() => requireMatch('match', match as QuestionMatch)).toThrow(new Error(message));
  });

  test('every kind of question is known', () => {
    for (const { kind } of Object.values(questions.examples)) requireMatch('match', { kind });
  });
});

test('every kind of question has facts, which print on one line', () => {
  for (const question of Object.values(questions.examples)) {
    expect(factsOf(question)).toMatchObject({ kind: question.kind, origin: question.origin });
    expect(printFields(factsOf(question))).toMatch(
      new RegExp(`^\\{ kind: "${question.kind}", origin: .* \\}$`),
    );
  }
});

test('a connection has the account and the text of its sign-in, or neither', () => {
  const { connectAndSignIn, connect, savings, account } = questions;
  const match = { kind: 'connect', account: account.address, text: /Nonce: 32891756$/m } as const;
  expect(isMatch(connectAndSignIn, match)).toBe(true);
  expect(isMatch({ ...connectAndSignIn, selected: [savings.address] }, match)).toBe(false);
  expect(isMatch(connect, match)).toBe(false);
  expect(Object.keys(factsOf(connect))).toEqual(['kind', 'origin', 'chainId']);
});

test('several permissions have one line each, without a reason where the site gives none', () => {
  const both = {
    ...questions.permission,
    permissions: [...questions.permission.permissions, ...questions.callsPermission.permissions],
  };
  expect(factsOf(both)).toMatchObject({
    account: questions.account.address,
    text: [
      'native-token-periodic 500000000000000 3500000000000000 Stakes of your games',
      'graft-contract-calls 1000000000000000 1000000000000000',
    ].join('\n'),
  });
});

test('a match prints what it names, in one order', () => {
  expect(printFields({ value: 5n, text: /hello/, kind: 'message' })).toBe(
    '{ kind: "message", value: 5n, text: /hello/ }',
  );
  expect(printFields({})).toBe('any question');
});
