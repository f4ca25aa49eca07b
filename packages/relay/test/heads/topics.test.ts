import { keccak256, toBytes } from 'viem';
import { expect, test } from 'vitest';
import { address, word } from '../../../../test/support/simulated-chain.js';
import { readSubscription, topicOfKey } from '../../src/heads/topics.js';

const idOf = (...params: readonly unknown[]) => readSubscription(params).topic.id;

test('the id is 16 bytes of the hash of the subscription', () => {
  expect(idOf('newHeads')).toBe(keccak256(toBytes('["newHeads"]')).slice(0, 34));
  expect(idOf('newHeads', {})).toBe(idOf('newHeads'));
  expect(idOf('newHeads', false)).toBe(idOf('newHeads'));
  expect(idOf('newHeads')).not.toBe(idOf('graft_steps'));
  expect(idOf('graft_steps', { since: word(1) })).toBe(idOf('graft_steps'));
});

test('filters that match the same have one id', () => {
  const [a, b] = [address(0xa), address(0xb)];
  const [one, two] = [word(0xa1), word(2)];
  expect(idOf('logs')).toBe(idOf('logs', {}));
  expect(idOf('logs', { address: [] })).toBe(idOf('logs', { topics: [] }));
  expect(idOf('logs', { topics: [null, [], [null]] })).toBe(idOf('logs', { address: null }));
  expect(idOf('logs', { address: a })).toBe(
    idOf('logs', { address: [a.toUpperCase().replace('X', 'x'), a] }),
  );
  expect(idOf('logs', { address: [a, b] })).toBe(idOf('logs', { address: [b, a] }));
  expect(idOf('logs', { topics: [one, null] })).toBe(
    idOf('logs', { topics: [[one.toUpperCase().replace('X', 'x')]] }),
  );
  expect(idOf('logs', { topics: [[one, two]] })).toBe(idOf('logs', { topics: [[two, one, two]] }));
  expect(idOf('logs', { address: a, fromBlock: '0x1' })).toBe(idOf('logs', { address: a }));
  const different = [
    {},
    { address: a },
    { address: b },
    { topics: [one] },
    { topics: [null, one] },
    { topics: [two] },
  ];
  expect(new Set(different.map((each) => idOf('logs', each))).size).toBe(different.length);
});

test('the key gives the topic back', () => {
  for (const params of [
    ['newHeads'],
    ['graft_steps'],
    ['logs', { address: address(0xa), topics: [null, word(3)] }],
  ]) {
    const { topic } = readSubscription(params);
    expect(topicOfKey(topic.key)).toEqual(topic);
  }
  expect(topicOfKey('nonsense')).toBeUndefined();
  expect(topicOfKey('["syncing"]')).toBeUndefined();
});

test('since is a hash', () => {
  const upper = `0x${'AB'.repeat(32)}`;
  expect(readSubscription(['graft_steps', { since: upper }]).since).toBe(upper.toLowerCase());
  expect(readSubscription(['graft_steps', { since: null }]).since).toBeUndefined();
  expect(() => readSubscription(['graft_steps', { since: '0x1' }])).toThrow('params[1].since');
});

test('other kinds and wrong filters are refused', () => {
  const codeOf = (...params: readonly unknown[]) => {
    try {
      readSubscription(params);
    } catch (error) {
      return (error as { code: number }).code;
    }
    return undefined;
  };
  expect(codeOf('newPendingTransactions')).toBe(-32601);
  expect(codeOf('syncing')).toBe(-32601);
  expect(codeOf()).toBe(-32602);
  expect(codeOf('logs', { address: '0x1' })).toBe(-32602);
  expect(codeOf('logs', { topics: [1] })).toBe(-32602);
  expect(codeOf('logs', 'all')).toBe(-32602);
});
