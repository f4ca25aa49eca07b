import { describe, expect, test } from 'vitest';
import { toQuantity } from '../../../../src/rpc/hex.js';
import type { NodeBlock } from '../../../support/balanced-nodes.js';
import { address, word } from '../../../support/simulated-chain.js';
import { setup } from './setup.js';

/** Every read whose answer names, or depends on, a block: what it is asked for is in the newest block that was shown. */
const behindRows: readonly [name: string, method: string, params: (block: NodeBlock) => unknown[]][] = [
  ['a receipt', 'eth_getTransactionReceipt', () => [word(42)]],
  ['a transaction', 'eth_getTransactionByHash', () => [word(42)]],
  ['a block by its number', 'eth_getBlockByNumber', ({ number }) => [number, false]],
  ['a block by its hash', 'eth_getBlockByHash', ({ hash }) => [hash, false]],
  ['a count by number', 'eth_getBlockTransactionCountByNumber', ({ number }) => [number]],
  ['a count by hash', 'eth_getBlockTransactionCountByHash', ({ hash }) => [hash]],
  ['a raw header by number', 'rsk_getRawBlockHeaderByNumber', ({ number }) => [number]],
  ['a raw header by hash', 'rsk_getRawBlockHeaderByHash', ({ hash }) => [hash]],
  ['a trace', 'trace_block', ({ number }) => [number]],
  [
    'a transaction by number and index',
    'eth_getTransactionByBlockNumberAndIndex',
    ({ number }) => [number, '0x0'],
  ],
  ['a transaction by hash and index', 'eth_getTransactionByBlockHashAndIndex', ({ hash }) => [hash, '0x0']],
  ['a balance at a number', 'eth_getBalance', ({ number }) => [address(1), number]],
  ['a balance at a hash', 'eth_getBalance', ({ hash }) => [address(1), { blockHash: hash }]],
  [
    'a balance at a number in an object',
    'eth_getBalance',
    ({ number }) => [address(1), { blockNumber: number }],
  ],
  ['a nonce', 'eth_getTransactionCount', ({ number }) => [address(1), number]],
  ['code', 'eth_getCode', ({ number }) => [address(1), number]],
  ['a storage word', 'eth_getStorageAt', ({ number }) => [address(1), '0x0', number]],
  ['a call', 'eth_call', ({ number }) => [{ to: address(1) }, number]],
  ['an estimate', 'eth_estimateGas', ({ number }) => [{ to: address(1) }, number]],
];

describe('a node that is behind', () => {
  test.each(behindRows)('is asked again for %s until another node answers', async (_name, method, params) => {
    const { nodes, ahead, request, methods } = setup();
    const block = await ahead();
    nodes.route([0]);
    const right = await nodes.service.request(method, params(block));
    nodes.asked.length = 0;
    nodes.route([1, 0]);
    expect(await request(method, params(block))).toEqual(right);
    expect(methods()).toEqual([method, method]);
  });

  test.each(behindRows)('costs nothing where it has %s', async (_name, method, params) => {
    const { nodes, ahead, request, methods } = setup();
    const block = await ahead();
    await request(method, params(block));
    nodes.route([0]);
    expect(methods()).toEqual([method]);
  });

  test.each(behindRows)(
    'is not believed while no node has %s, nor its block',
    async (_name, method, params) => {
      const { nodes, ahead, request, methods } = setup();
      const block = await ahead();
      nodes.route([1]);
      await expect(request(method, params(block))).rejects.toMatchObject({
        code: -32603,
        data: { reason: 'behind' },
      });
      // Two reads, and eight questions for the block.
      const asks = methods().filter(
        (each, at) => each === 'eth_getBlockByNumber' && (each !== method || at > 1),
      );
      expect(asks).toHaveLength(8);
      expect(methods()).toHaveLength(10);
    },
  );

  test.each(behindRows)(
    'may answer for %s once the block has left the chain',
    async (_name, method, params) => {
      const { nodes, ahead, reorganise, request } = setup();
      const block = await ahead();
      reorganise();
      nodes.route([0]);
      let right: unknown;
      try {
        right = await nodes.service.request(method, params(block));
      } catch (error) {
        right = error;
      }
      const answer = await request(method, params(block)).catch((error) => error);
      expect(answer).toEqual(right);
    },
  );

  const stateRows = behindRows.filter(([, method]) =>
    /Balance|TransactionCount$|Code|Storage|call|estimate/.test(method),
  );
  test.each(stateRows)(
    'does not answer for the newest state, in place of %s',
    async (_name, method, params) => {
      const { nodes, ahead, request } = setup();
      const block = await ahead();
      const newest = params(block);
      newest.splice(method === 'eth_getStorageAt' ? 2 : 1, 1, 'latest');
      const right = await nodes.service.request(method, newest);
      for (let again = 0; again < 3; again++) {
        nodes.route([1, 0]);
        expect(await request(method, newest)).toEqual(right);
      }
    },
  );
});

describe('a block that the service lacks in another way', () => {
  test('null for an index passes after three reads, and does not show that nodes differ', async () => {
    const { nodes, request, methods } = setup();
    const { number } = nodes.mine(nodes.tips[0], { transactions: [42] });
    nodes.grow(1);
    await request('eth_blockNumber', []);
    nodes.asked.length = 0;
    expect(await request('eth_getTransactionByBlockNumberAndIndex', [number, '0x9'])).toBeNull();
    expect(methods().filter((each) => each !== 'eth_getBlockByNumber')).toHaveLength(3);
    nodes.asked.length = 0;
    await request('eth_getBalance', [nodes.account, 'latest']);
    expect(nodes.asked).toHaveLength(1);
    expect(nodes.asked[0]?.params[1]).toBe(number);
  });

  test.each(['eth_getTransactionByBlockNumberAndIndex', 'eth_getTransactionByBlockHashAndIndex'])(
    '%s is null at once above the index of the last transaction that was shown, and never up to it',
    async (method) => {
      const { nodes, ahead, request } = setup();
      const { number, hash } = await ahead();
      const block = method.includes('Number') ? number : hash;
      expect(await request(method, [block, '0x2'])).toBeNull();
      expect(nodes.asked).toHaveLength(1);
      // One that is behind answers three times, and once more.
      nodes.route((each) => (each === method && nodes.asked.length < 8 ? 1 : 0));
      expect(await request(method, [block, '0x1'])).toMatchObject({ blockHash: hash });
      nodes.route((each) => (each === method ? 1 : 0));
      await expect(request(method, [block, '0x0'])).rejects.toMatchObject({ data: { reason: 'behind' } });
    },
  );

  test('a count that no node gives is the one that the block has shown', async () => {
    const { nodes, ahead, request } = setup();
    const { number, hash } = await ahead();
    nodes.intercept((each) => (each.includes('CountBy') ? 'null' : undefined));
    expect(await request('eth_getBlockTransactionCountByNumber', [number])).toBe('0x2');
    expect(await request('eth_getBlockTransactionCountByHash', [hash])).toBe('0x2');
  });

  test('a method that answers null about every block passes, and fails once it has answered otherwise', async () => {
    const { nodes, ahead, request } = setup();
    const { number } = await ahead();
    const method = 'eth_getUncleCountByBlockNumber';
    nodes.intercept((each) => (each === method ? 'null' : undefined));
    expect(await request(method, [number])).toBeNull();
    nodes.intercept((each) => (each === method ? '0x0' : undefined));
    expect(await request(method, [number])).toBe('0x0');
    nodes.intercept((each) => (each === method ? 'null' : undefined));
    await expect(request(method, [number])).rejects.toMatchObject({ data: { reason: 'behind' } });
  });

  test('a block above the top is null without a further request', async () => {
    const { nodes, ahead, request } = setup();
    const { number } = await ahead();
    nodes.route([1]);
    expect(await request('eth_getBlockByNumber', [toQuantity(Number(number) + 1), false])).toBeNull();
    expect(nodes.asked).toHaveLength(1);
  });

  test('a block far below the top may be missing: a service without old state says so too', async () => {
    const { nodes, request } = setup();
    nodes.grow(80);
    await request('eth_getBlockByNumber', ['latest', false]);
    nodes.intercept((method) => (method === 'eth_getBlockByNumber' ? 'null' : undefined));
    nodes.asked.length = 0;
    expect(await request('eth_getBlockByNumber', ['0x2', false])).toBeNull();
    expect(nodes.asked).toHaveLength(1);
  });
});
