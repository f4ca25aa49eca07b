import { expect, test } from 'vitest';
import { personMethods } from '../../../src/bridge/person-methods.js';
import { asksPerson, isSend } from '../../../src/bridge/protocol.js';
import { methodTable } from '../../../src/methods/index.js';

const named = (access: string) =>
  [...methodTable].filter(([, method]) => method.access === access).map(([name]) => name);

test('they are those that the table has for a person, and those that sign', () => {
  const signing = named('account').filter((name) => name !== 'wallet_getCapabilities');
  expect([...personMethods].sort()).toEqual([...named('person'), ...signing].sort());
});

test('the client knows each of them, so that none is asked twice after a loss', () => {
  expect(personMethods.filter((name) => !isSend(name) && !asksPerson(name))).toEqual([]);
  const others = named('public').filter((name) => isSend(name) || asksPerson(name));
  expect(others).toEqual(['eth_sendRawTransaction']);
});
