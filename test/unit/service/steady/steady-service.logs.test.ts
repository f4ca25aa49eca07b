import { describe, expect, test } from 'vitest';
import { ProviderRpcError } from '../../../../src/rpc/errors.js';
import type { Log } from '../../../../src/rpc/schema.js';
import { address, word } from '../../../support/simulated-chain.js';
import { setup } from './setup.js';

const behind = { code: -32603, data: { reason: 'behind' } };
const topicsOf = (logs: unknown) => (logs as Log[]).map(({ topics }) => Number(topics[0]));
const mined = { transactions: [42], logs: [5, 6] };
const count = (methods: readonly string[], method: string) =>
  methods.filter((each) => each === method).length;

describe('the logs of a range', () => {
  test.each<[string, (number: string, hash: string) => object]>([
    ['to latest', (number) => ({ fromBlock: number, toBlock: 'latest' })],
    ['without an end', (number) => ({ fromBlock: number })],
    ['to a number', (number) => ({ fromBlock: '0x0', toBlock: number })],
    ['of a topic', (number) => ({ fromBlock: '0x0', toBlock: number, topics: [word(5)] })],
    [
      'of one of several topics',
      (number) => ({ fromBlock: '0x0', toBlock: number, topics: [[word(5), word(9)]] }),
    ],
    ['of a block by its hash', (_, blockHash) => ({ blockHash })],
  ])('%s are read again where a node that is behind has left out the newest', async (_name, filterOf) => {
    const { nodes, ahead, request, methods } = setup();
    const block = await ahead(mined);
    const filter = filterOf(block.number, block.hash);
    nodes.route([0]);
    const right = await nodes.service.request('eth_getLogs', [filter]);
    expect(topicsOf(right).length).toBeGreaterThan(0);
    nodes.asked.length = 0;
    nodes.route([1, 0]);
    expect(await request('eth_getLogs', [filter])).toEqual(right);
    expect(methods()).toEqual(['eth_getLogs', 'eth_getLogs']);
  });

  describe('logs of a node that refuses a block which it lacks', () => {
    const filters: [string, (number: string, hash: string) => object][] = [
      ['of a block by its hash', (_, blockHash) => ({ blockHash })],
      ['to a number', (number) => ({ fromBlock: '0x1', toBlock: number })],
      ['to latest', (number) => ({ fromBlock: number, toBlock: 'latest' })],
    ];
    const refuse = (nodes: ReturnType<typeof setup>['nodes'], refuses: (node: number) => boolean) =>
      nodes.intercept((method, _params, node) => {
        if (method === 'eth_getLogs' && refuses(node)) throw new ProviderRpcError(-32001, 'unknown block');
        return undefined;
      });

    test.each(filters)('%s are read again', async (_name, filterOf) => {
      const { nodes, ahead, request, methods } = setup();
      const { number, hash } = await ahead(mined);
      refuse(nodes, (node) => node === 1);
      nodes.route([1, 0]);
      expect(topicsOf(await request('eth_getLogs', [filterOf(number, hash)]))).toEqual([5, 6]);
      expect(methods()).toEqual(['eth_getLogs', 'eth_getLogs']);
    });

    test.each(filters)('%s are behind where no node has them', async (_name, filterOf) => {
      const { nodes, ahead, request, methods } = setup();
      const { number, hash } = await ahead(mined);
      refuse(nodes, () => true);
      await expect(request('eth_getLogs', [filterOf(number, hash)])).rejects.toMatchObject(behind);
      expect(count(methods(), 'eth_getLogs')).toBeLessThanOrEqual(8);
    });

    test('are the refusal once the block has left the chain', async () => {
      const { nodes, ahead, request, reorganise } = setup();
      const { hash } = await ahead(mined);
      reorganise();
      nodes.route([0]);
      refuse(nodes, () => true);
      await expect(request('eth_getLogs', [{ blockHash: hash }])).rejects.toMatchObject({ code: -32001 });
    });

    test('are the refusal for a block that was not shown, at one request', async () => {
      const { nodes, ahead, request, methods } = setup();
      await ahead(mined);
      refuse(nodes, () => true);
      for (const filter of [{ blockHash: word(99) }, { fromBlock: '0x7777', toBlock: '0x7778' }])
        await expect(request('eth_getLogs', [filter])).rejects.toMatchObject({ code: -32001 });
      expect(methods()).toEqual(['eth_getLogs', 'eth_getLogs']);
    });
  });

  test('logs that a node has lost come from the receipts, in their place', async () => {
    const { nodes, ahead, request } = setup();
    nodes.grow(1, { transactions: [40], logs: [1] });
    const lost = await ahead(mined);
    nodes.tips[0] = nodes.mine(lost, { transactions: [43], logs: [8] });
    await request('eth_getBlockByNumber', ['latest', false]);
    nodes.intercept((method, params, node) => {
      if (method !== 'eth_getLogs') return undefined;
      const logs = nodes
        .chainOf(nodes.tips[node] as never)
        .flatMap((block) => (block === lost ? [] : block.logs));
      return logs.filter(
        ({ blockNumber }) => Number(blockNumber) >= Number((params[0] as { fromBlock: string }).fromBlock),
      );
    });
    const logs = await request('eth_getLogs', [{ fromBlock: '0xb', toBlock: 'latest' }]);
    expect(topicsOf(logs)).toEqual([1, 5, 6, 8]);
    expect((logs as Log[]).map(({ blockHash }) => blockHash).slice(1, 3)).toEqual([lost.hash, lost.hash]);
  });

  test('logs that the bloom has by chance are looked for once', async () => {
    const { nodes, ahead, request, methods } = setup();
    const { number } = await ahead({ ...mined, logs: [] });
    // A bloom with every bit set but one: with all of them it would say nothing.
    nodes.intercept((method, params, node) => {
      const tip = nodes.tips[node];
      if (method !== 'eth_getBlockByNumber' || !tip) return undefined;
      if (params[0] !== 'latest' && params[0] !== number) return undefined;
      return { ...tip, logsBloom: `0x7${'f'.repeat(511)}`, uncles: [] };
    });
    await request('eth_getBlockByNumber', ['latest', false]);
    const filter = { fromBlock: number, toBlock: 'latest', topics: [word(77)] };
    // Its receipts are not those of such a bloom.
    await expect(request('eth_getLogs', [filter])).rejects.toMatchObject(behind);
    nodes.intercept();
    const shared = nodes.mine(nodes.tips[0], { transactions: [50], logs: [6] });
    nodes.tips[0] = shared;
    await request('eth_getBlockByNumber', ['latest', false]);
    expect(count(methods(), 'eth_getTransactionReceipt')).toBeGreaterThan(0);
  });

  test('are an error where no node has them and the receipts are missing', async () => {
    const { nodes, ahead, request } = setup();
    const { number } = await ahead(mined);
    nodes.route((method) => (method === 'eth_getBlockByNumber' ? 0 : 1));
    await expect(request('eth_getLogs', [{ fromBlock: number, toBlock: 'latest' }])).rejects.toMatchObject(
      behind,
    );
  });

  test('are those of the other branch after a reorganisation', async () => {
    const { nodes, ahead, request, reorganise } = setup();
    const { number } = await ahead(mined);
    reorganise();
    nodes.route([0]);
    expect(await request('eth_getLogs', [{ fromBlock: number, toBlock: 'latest' }])).toEqual([]);
  });

  test('logs of a branch that nodes have left are not passed on', async () => {
    const { nodes, ahead, request } = setup();
    const shown = await ahead(mined);
    const [parent] = nodes.chainOf(shown).slice(-2);
    nodes.tips[1] = nodes.mine(parent, { transactions: [90], logs: [9] });
    nodes.route([1, 0]);
    expect(topicsOf(await request('eth_getLogs', [{ fromBlock: shown.number, toBlock: 'latest' }]))).toEqual([
      5, 6,
    ]);
  });

  test('logs that were shown are not taken back, although no poll has brought the header', async () => {
    const { nodes, request } = setup();
    const block = nodes.mine(nodes.tips[0], mined);
    nodes.tips[0] = block;
    nodes.route([0]);
    const filter = { fromBlock: block.number, toBlock: 'latest' };
    const shown = await request('eth_getLogs', [filter]);
    nodes.route((method) => (method === 'eth_getLogs' && nodes.asked.length === 1 ? 1 : 0));
    expect(await request('eth_getLogs', [filter])).toEqual(shown);
  });

  test('logs of blocks whose bloom excludes them cost no question', async () => {
    const { nodes, ahead, request, methods } = setup();
    const { number } = await ahead(mined);
    nodes.route([0]);
    expect(
      await request('eth_getLogs', [{ fromBlock: number, toBlock: 'latest', topics: [word(1234)] }]),
    ).toEqual([]);
    expect(methods()).toEqual(['eth_getLogs']);
  });

  test('above the top may be empty, and so may those up to pending', async () => {
    const { nodes, ahead, request, methods } = setup();
    const { number } = await ahead(mined);
    nodes.route([1]);
    for (const filter of [
      { fromBlock: `0x${(Number(number) + 1).toString(16)}`, toBlock: 'latest' },
      { fromBlock: '0x1', toBlock: 'pending' },
    ])
      await request('eth_getLogs', [filter]);
    expect(methods()).toEqual(['eth_getLogs', 'eth_getLogs']);
  });

  test('logs of a filter that breaks the rules are for the node to refuse', async () => {
    const { nodes, ahead, request } = setup();
    await ahead(mined);
    nodes.route([1]);
    expect(await request('eth_getLogs', [{ fromBlock: '0x0', address: 'nonsense' }])).toEqual([]);
  });

  test('are checked by the caller’s check, also those from receipts', async () => {
    const { nodes, ahead, request } = setup();
    const { number } = await ahead(mined);
    nodes.intercept((method) => (method === 'eth_getLogs' ? [] : undefined));
    nodes.route([0]);
    const check = (logs: unknown) => {
      if ((logs as Log[]).length > 0) throw new Error('too many');
    };
    const filter = { fromBlock: number, toBlock: 'latest' };
    await expect(request('eth_getLogs', [filter], { check })).rejects.toThrow('too many');
    expect(topicsOf(await request('eth_getLogs', [filter]))).toEqual([5, 6]);
  });

  test('logs of the newest six blocks are checked while nodes differ, although no poll has brought the headers', async () => {
    const { nodes, ahead, request } = setup();
    await ahead();
    nodes.route([1, 0]);
    await request('eth_blockNumber', []);
    const block = nodes.mine(nodes.tips[0], mined);
    nodes.tips[0] = block;
    nodes.route([0]);
    await request('eth_blockNumber', []);
    nodes.route((method) =>
      method === 'eth_getLogs' && nodes.asked.at(-1)?.method !== 'eth_getLogs' ? 1 : 0,
    );
    expect(topicsOf(await request('eth_getLogs', [{ fromBlock: '0x1', toBlock: 'latest' }]))).toEqual([5, 6]);
  });
});

describe.each<[string, object]>([
  ['without a range', {}],
  ['from latest', { fromBlock: 'latest' }],
  ['from latest to latest', { fromBlock: 'latest', toBlock: 'latest' }],
  ['from latest to a number above', { fromBlock: 'latest', toBlock: '0xff' }],
  ['of an address', { address: address(7) }],
])('the logs of the newest block, %s,', (_name, filter) => {
  test('are those of a newer block alone, after one with logs was shown', async () => {
    const { nodes, ahead, request, methods } = setup();
    await ahead(mined);
    nodes.tips[0] = nodes.mine(nodes.tips[0], { transactions: [43], logs: [8] });
    expect(topicsOf(await request('eth_getLogs', [filter]))).toEqual([8]);
    expect(methods()).toEqual(['eth_getLogs']);
  });

  test('are none where the newer block has none', async () => {
    const { nodes, ahead, request, methods } = setup();
    await ahead(mined);
    nodes.tips[0] = nodes.mine(nodes.tips[0], { transactions: [43] });
    expect(await request('eth_getLogs', [filter])).toEqual([]);
    expect(methods()).toEqual(['eth_getLogs', 'eth_getBlockByNumber', 'eth_getLogs']);
  });

  test('are not those of an older block of a node that is behind', async () => {
    const { nodes, ahead, request } = setup();
    nodes.grow(1, { transactions: [40], logs: [1] });
    await ahead(mined);
    nodes.route([1, 0]);
    expect(topicsOf(await request('eth_getLogs', [filter]))).toEqual([5, 6]);
    await ahead();
    nodes.route([1, 0]);
    expect(await request('eth_getLogs', [filter])).toEqual([]);
  });

  test('logs of the newest block that a node has lost come from the receipts', async () => {
    const { nodes, ahead, request } = setup();
    await ahead(mined);
    nodes.intercept((method) => (method === 'eth_getLogs' ? [] : undefined));
    expect(topicsOf(await request('eth_getLogs', [filter]))).toEqual([5, 6]);
  });
});
