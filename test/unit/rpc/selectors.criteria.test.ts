import { describe, expect, test } from 'vitest';
import type { Json } from '../../../src/rpc/message.js';
import { callObject, logFilter } from '../../../src/rpc/selectors.js';

const address = '0x5afe51de5afe51de5afe51de5afe51de5afe51de';
const topic = `0x${'ab'.repeat(32)}`;
const failing = (read: () => unknown) => {
  try {
    read();
  } catch (error) {
    return error;
  }
  throw new Error('it was taken');
};

describe('logFilter', () => {
  test('a filter’s fields are kept, and a block number is normalised', () => {
    expect(logFilter({}, 'params[0]')).toEqual({});
    const whole = { fromBlock: '0x01', toBlock: 'latest', address, topics: [topic, null, [topic, topic]] };
    expect(logFilter(whole, 'params[0]')).toEqual({ ...whole, fromBlock: '0x1' });
    expect(logFilter({ blockHash: topic }, 'params[0]')).toEqual({ blockHash: topic });
  });

  test('null means absent for every key', () => {
    const nulls = { fromBlock: null, toBlock: null, address: null, topics: null, blockHash: null };
    expect(logFilter(nulls, 'params[0]')).toEqual({});
    expect(logFilter({ blockHash: topic, fromBlock: null, toBlock: null }, 'params[0]')).toEqual({
      blockHash: topic,
    });
  });

  test('a position that matches anything becomes null, and is dropped at the end', () => {
    const read = (topics: Json) => logFilter({ topics }, 'params[0]').topics;
    expect(read([[], [null], null, topic])).toEqual([null, null, null, topic]);
    expect(read([topic, null, [], [null]])).toEqual([topic]);
    expect(read([null, [], [null]])).toEqual([]);
  });

  test('a null among alternatives is dropped, as the node drops it', () => {
    expect(logFilter({ topics: [[topic, null]] }, 'params[0]')).toEqual({ topics: [[topic]] });
  });

  test('accepts addresses in any case', () => {
    expect(logFilter({ address: [address.toUpperCase().replace('0X', '0x')] }, 'params[0]')).toEqual({
      address: [address],
    });
  });

  test.each<[string, Json]>([
    ['params[0]', []],
    ['params[0]', null],
    ['fromBlock', { fromBlock: 'safe' }],
    ['toBlock', { toBlock: 5 }],
    ['fromblock', { fromblock: '0x1' }],
    ['address', { address: 'vitalik.eth' }],
    ['address[1]', { address: [address, null] }],
    ['topics', { topics: topic }],
    ['topics', { topics: Array(5).fill(null) }],
    ['topics[0]', { topics: ['0x12'] }],
    ['topics[0][1]', { topics: [[topic, '0x12']] }],
    ['blockHash', { blockHash: '0x1' }],
    ['blockHash', { blockHash: topic, toBlock: 'latest' }],
  ])('%s of %j', (place, filter) => {
    const error = failing(() => logFilter(filter, 'params[0]'));
    expect(error).toMatchObject({ code: -32602, message: expect.stringContaining(place) });
  });

  test.each([
    ['address', { address: Array(1_001).fill(address) }],
    ['topics[0]', { topics: [Array(1_001).fill(topic)] }],
  ])('refuses too many %s', (place, filter) => {
    const error = failing(() => logFilter(filter, 'params[0]'));
    expect(error).toMatchObject({ code: -32005, message: expect.stringContaining(place) });
  });
});

describe('callObject', () => {
  test('a call’s fields are kept, and its data is lower-case', () => {
    const call = { from: address, to: address, gas: '0x1', gasPrice: '0x2', value: '0x3', data: '0xAB' };
    expect(callObject(call, 'params[0]')).toEqual({ ...call, data: '0xab' });
    expect(callObject({}, 'params[0]')).toEqual({});
  });

  test('accepts aliases and drops fields that the node ignores', () => {
    const typed = { maxFeePerGas: '0x1', maxPriorityFeePerGas: '0x1', type: '0x2', accessList: [] };
    expect(callObject({ input: '0xab', gasLimit: '0x5', nonce: '0x1', ...typed }, 'params[0]')).toEqual({
      data: '0xab',
      gas: '0x5',
    });
    expect(callObject({ data: '0xab', input: '0xAB' }, 'params[0]')).toEqual({ data: '0xab' });
  });

  test('null means absent', () => {
    expect(callObject({ from: null, to: null, data: null, gas: null }, 'params[0]')).toEqual({});
  });

  test.each<[string, Json]>([
    ['params[0]', []],
    ['to', { to: '0x12' }],
    ['value', { value: 5 }],
    ['data', { data: '0x1' }],
    ['data and input', { data: '0xab', input: '0xac' }],
    ['gasprice', { gasprice: '0x1' }],
  ])('%s of %j', (place, call) => {
    const error = failing(() => callObject(call, 'params[0]'));
    expect(error).toMatchObject({ code: -32602, message: expect.stringContaining(place) });
  });
});
