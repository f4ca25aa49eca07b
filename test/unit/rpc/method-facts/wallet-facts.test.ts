import { expect, test } from 'vitest';
import { methodFacts, methodNames } from '../../../../src/rpc/method-facts/method-facts.js';
import { asksPerson, isSend, walletFacts } from '../../../../src/rpc/method-facts/wallet-facts.js';

test('a page with a permission signs only what a person is asked about', () => {
  const signing = methodNames().filter((name) => methodFacts(name).access === 'account');
  expect(signing.filter((name) => !asksPerson(name))).toEqual(['wallet_getCapabilities']);
});

test('only bytes that were signed elsewhere are sent without a question', () => {
  expect(methodNames().filter((name) => isSend(name) && !asksPerson(name))).toEqual([
    'eth_sendRawTransaction',
  ]);
});

test('a method that needs a person, the session or keys is in the part of the table that the bridge loads', () => {
  const differing = methodNames().filter((name) => {
    const { asksPerson, isOfSession, effect, follows, access } = methodFacts(name);
    const isOfWallet = asksPerson || isOfSession || access || follows || effect === 'send';
    return isOfWallet && walletFacts(name) !== methodFacts(name);
  });
  expect(differing).toEqual([]);
});
