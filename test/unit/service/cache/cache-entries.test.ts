import { describe, expect, test } from 'vitest';
import { blockOf, scopeOf } from '../../../../src/service/cache/cache-entries.js';
import { methodTable } from '../../../support/methods.js';

const hash = `0x${'ab'.repeat(32)}`;
const address = `0x${'cd'.repeat(20)}`;
const state = { height: 1_000, branch: { since: 0 }, since: 0 };

describe('blockOf', () => {
  test.each([
    ['eth_blockNumber', [], 'latest'],
    ['eth_gasPrice', [], 'latest'],
    ['eth_getBalance', [address, 'latest'], 'latest'],
    ['eth_getBalance', [address], 'latest'],
    ['eth_getBalance', [address, 'earliest'], 0],
    ['eth_getBalance', [address, '0x10'], 16],
    ['eth_getBalance', [address, { blockNumber: '0x10' }], 16],
    ['eth_getBalance', [address, hash], 'answer'],
    ['eth_getBalance', [address, { blockHash: hash }], 'answer'],
    ['eth_call', [{ to: address }, { blockHash: hash }], 'answer'],
    ['eth_getStorageAt', [address, '0x0', '0x10'], 16],
    ['eth_getBlockByNumber', ['latest', true], 'latest'],
    ['eth_getBlockByHash', [hash, false], 'answer'],
    ['eth_getTransactionReceipt', [hash], 'answer'],
    ['trace_block', ['0x10'], 16],
    ['rsk_getRawBlockHeaderByNumber', ['latest'], 'latest'],
  ])('%s %j', (method, params, block) => {
    expect(blockOf(method, params)).toBe(block);
  });

  test.each([
    [{}, 'latest'],
    [{ fromBlock: '0x1' }, 'latest'],
    [{ fromBlock: '0x1', toBlock: 'latest' }, 'latest'],
    [{ fromBlock: '0x1', toBlock: '0x20' }, 32],
    [{ fromBlock: '0x20', toBlock: '0x1' }, 32],
    [{ fromBlock: 'earliest', toBlock: '0x1' }, 1],
    [{ blockHash: hash }, 'answer'],
    [{ fromBlock: 'pending' }, undefined],
    [{ fromBlock: '0x1', toBlock: 'pending' }, undefined],
    [undefined, 'latest'],
  ])('eth_getLogs %j', (filter, block) => {
    expect(blockOf('eth_getLogs', [filter])).toBe(block);
  });

  test.each([
    ['eth_call', [{}, 'pending']],
    ['eth_getTransactionCount', [address, 'pending']],
    ['eth_getBlockByNumber', ['pending', false]],
    ['eth_getBalance', [address, 'safe']],
    ['eth_getBalance', [address, 16]],
    ['eth_getBalance', [address, null]],
    ['eth_getBalance', [address, {}]],
  ])('%s %j is not cached', (method, params) => {
    expect(blockOf(method, params)).toBeUndefined();
  });

  test('no method that changes state, waits or describes the node is cached', () => {
    const kept = [...methodTable.keys()].filter((name) => blockOf(name, []) !== undefined);
    expect(
      kept.filter((name) => /send|submit|sign|filter|subscri|pending|txpool|net_|syncing/i.test(name)),
    ).toEqual([]);
    expect(kept.length).toBeGreaterThan(20);
    for (const name of ['constructor', 'toString', '__proto__', 'eth_getBlockFoo', 'my_eth_call', ''])
      expect(blockOf(name, ['latest'])).toBeUndefined();
  });
});

describe('scopeOf', () => {
  const scope = (method: string, block: Parameters<typeof scopeOf>[1], result: unknown) =>
    scopeOf(method, block, result, state, 100);

  test('depends on the depth of the block', () => {
    expect(scope('eth_getBalance', 'latest', '0x1')).toBe('head');
    expect(scope('eth_getBalance', 900, '0x1')).toBe('always');
    expect(scope('eth_getBalance', 901, '0x1')).toBe('branch');
    expect(scope('eth_getBalance', 988, '0x1')).toBe('branch');
    expect(scope('eth_getBalance', 989, '0x1')).toBe('head');
    expect(scope('eth_getBalance', 1_001, '0x1')).toBe('head');
    expect(scope('eth_getTransactionReceipt', 'answer', { blockNumber: '0x1' })).toBe('always');
    expect(scope('eth_getBlockByHash', 'answer', { number: '0x3dc' })).toBe('branch');
    expect(scope('eth_getBlockByHash', 'answer', { number: '0x3dd' })).toBe('head');
    expect(scope('eth_getLogs', 'answer', [{ blockNumber: '0x1' }])).toBe('always');
  });

  test('is never permanent before the first poll', () => {
    const unseen = { ...state, height: -1 };
    expect(scopeOf('eth_getBalance', 0, '0x1', unseen, 100)).toBe('head');
  });

  test('a null result is never cached for long', () => {
    expect(scope('eth_getTransactionReceipt', 'answer', null)).toBe('head');
    expect(scope('eth_getBlockByNumber', 5, null)).toBe('head');
    expect(scope('eth_getTransactionByHash', 'answer', null)).toBeUndefined();
    expect(scope('eth_getBlockByHash', 'answer', null)).toBeUndefined();
  });

  test.each([
    { blockHash: null, blockNumber: null },
    { blockHash: `0x${'00'.repeat(32)}`, blockNumber: null },
    { blockHash: `0x${'00'.repeat(32)}`, blockNumber: '0x0' },
  ])('a pending transaction is not cached: %j', (block) => {
    expect(scope('eth_getTransactionByHash', 'answer', { hash, ...block })).toBeUndefined();
  });

  test('a result without a block is valid for the head', () => {
    expect(scope('eth_call', 'answer', '0x')).toBe('head');
    expect(scope('eth_getLogs', 'answer', [])).toBe('head');
    expect(scope('trace_transaction', 'answer', [])).toBeUndefined();
  });
});
