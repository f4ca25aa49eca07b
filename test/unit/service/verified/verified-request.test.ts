import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Interception, Lie, LocalNode, LocalService } from '../../../../packages/kit/src/local/index.js';
import type { Block, Hex } from '../../../../src/rpc/schema.js';
import type { NetworkOptions } from '../../../../src/service/networks.js';
import { type clientOf, sign } from '../../../support/local-client.js';
import { rejection } from '../support.js';
import { clientsTelling, difficulty, hostOf, startChain, type Told, usageOf, verdictOf } from './support.js';

/** One endpoint lies and the other does not; both are nodes of one chain. */

let honest: LocalService;
let liar: LocalNode;
let truth: ReturnType<typeof clientOf>;
let hash: Hex;
let number: Hex;
let told: Told[];

beforeAll(async () => {
  const chain = await startChain();
  ({ honest, truth } = chain);
  hash = await chain.emit(1);
  await truth.call('eth_sendRawTransaction', await sign({ nonce: 2 }));
  await honest.controls.mine(3);
  ({ blockNumber: number } = await truth.call('eth_getTransactionReceipt', hash));
});
afterAll(() => honest?.close());

beforeEach(async () => {
  told = [];
  liar = await honest.addNode();
});
afterEach(() => liar.close());

const serviceOf = clientsTelling((each) => told.push(each));

/** The read that each lie changes. */
const reads: { readonly [lie in Lie]?: () => [method: string, ...params: unknown[]] } = {
  'false-receipt': () => ['eth_getTransactionReceipt', hash],
  'swapped-receipt': () => ['eth_getTransactionReceipt', hash],
  'missing-log': () => ['eth_getTransactionReceipt', hash],
  'forged-header': () => ['eth_getBlockByNumber', 'latest', false],
  'cheap-fork': () => ['eth_getBlockByNumber', 'latest', true],
  'wrong-height': () => ['eth_getBlockByNumber', number, false],
};

describe.each(Object.entries(reads))('the lie %s', (lie, read) => {
  test('is not passed on where another endpoint tells the truth, and the liar is not asked again', async () => {
    liar.controls.lie(lie as Lie);
    const [method, ...params] = read();
    const service = serviceOf([liar.url, honest.url]);
    expect(await service.request(method, params)).toEqual(await truth.call(method, ...params));
    // A liar about receipts is known by its block.
    await service.request('eth_getBlockByNumber', ['latest', false]);
    expect(usageOf(service)).toMatchObject({ quarantined: [hostOf(liar)] });
    expect(told[0]).toMatchObject({ host: hostOf(liar), why: expect.stringMatching(/\.$/) });
    const asked = liar.requests.length;
    await service.request(method, params);
    await service.request('eth_chainId', []);
    expect(liar.requests.length).toBe(asked);
  });
});

test('a node that is behind, and has no logs of a block that it lacks, is not called a liar', async () => {
  await liar.controls.setLag(1);
  await honest.controls.mine();
  liar.controls.intercept(
    async ({ calls: [call] }): Promise<Interception | undefined> =>
      call?.method === 'eth_getLogs'
        ? { status: 200, body: JSON.stringify({ jsonrpc: '2.0', id: call.id, result: [] }) }
        : undefined,
  );
  const { blockHash } = await truth.call('eth_getTransactionReceipt', hash);
  const service = serviceOf([liar.url, honest.url]);
  expect(await service.request('eth_getLogs', [{ blockHash }])).toHaveLength(1);
  expect(told).toEqual([]);
});

describe('an endpoint that is alone', () => {
  test('has its false receipts refused, and is asked further', async () => {
    liar.controls.lie('false-receipt');
    const service = serviceOf([liar.url]);
    const refused = {
      code: -32603,
      data: { reason: 'contradicted', why: 'The receipt is not that in the block.' },
    };
    for (let time = 0; time < 2; time++)
      expect(await rejection(service.request('eth_getTransactionReceipt', [hash]))).toMatchObject(refused);
    liar.controls.clearFaults();
    expect(await service.request('eth_getTransactionReceipt', [hash])).toEqual(
      await truth.call('eth_getTransactionReceipt', hash),
    );
    expect(usageOf(service)).toMatchObject({ contradicted: 2, quarantined: [] });
  });

  test('has its blocks passed on, since their form may be that of a fork to come, and they are called contradicted', async () => {
    liar.controls.lie('forged-header');
    const service = serviceOf([liar.url]);
    const block = (await service.request('eth_getBlockByNumber', ['latest', false])) as Block;
    expect(block.stateRoot).toBe(block.parentHash);
    expect(await verdictOf(service, block.hash as Hex, 0)).toEqual({
      ...{ verdict: 'contradicted', confirmations: 0 },
      why: 'The hash of the block is not that of its fields.',
    });
    expect(usageOf(service)).toMatchObject({
      proven: 0,
      quarantined: [],
      last: expect.stringContaining('hash'),
    });
  });

  test('is believed as before where it lacks the method that shows receipts, which stay claimed', async () => {
    liar.controls.intercept(async ({ calls: [call] }) =>
      call?.method === 'rsk_getTransactionReceiptNodesByHash'
        ? {
            status: 200,
            body: JSON.stringify({
              jsonrpc: '2.0',
              id: call.id,
              error: { code: -32601, message: 'method not found' },
            }),
          }
        : undefined,
    );
    const service = serviceOf([liar.url]);
    await service.request('eth_getTransactionReceipt', [hash]);
    expect(usageOf(service).contradicted).toBe(0);
  });
});

describe('honest endpoints', () => {
  test('are not contradicted while one is behind and the chain is reorganised', async () => {
    const other = await honest.addNode({ lag: 2 });
    const service = serviceOf([other.url, honest.url, liar.url]);
    for (let round = 0; round < 6; round++) {
      await honest.controls.mine();
      if (round % 2 === 1) await honest.controls.reorg(2);
      const block = (await service.request('eth_getBlockByNumber', ['latest', true])) as Block;
      await service.request('eth_getBlockByHash', [block.parentHash, false]);
      await service.request('eth_getTransactionReceipt', [hash]);
      await service.request('eth_getLogs', [{ fromBlock: '0x0', toBlock: 'latest' }]);
      await service.request('eth_getLogs', [{ fromBlock: number, toBlock: number }]);
    }
    expect(usageOf(service)).toMatchObject({ contradicted: 0, quarantined: [] });
    expect(told).toEqual([]);
    await other.close();
  });

  test('are not contradicted where all blocks have one unknown form', async () => {
    for (const { controls } of [honest, liar]) controls.lie('forged-header');
    const service = serviceOf([liar.url, honest.url]);
    await service.request('eth_getBlockByNumber', ['latest', false]);
    await service.request('eth_getTransactionReceipt', [hash]);
    honest.controls.clearFaults();
    expect(usageOf(service)).toMatchObject({ proven: 0, contradicted: 0, quarantined: [] });
    expect(told).toEqual([]);
  });

  test('are called proven from the floor on, and claimed below it or without one', async () => {
    const verdicts = async (options: Partial<NetworkOptions>) => {
      const service = serviceOf([honest.url, liar.url], options);
      await service.request('eth_getBlockByNumber', ['latest', false]);
      const { verdict, why } = (await verdictOf(service, hash, 0)) ?? {};
      return [verdict, why];
    };
    expect(await verdicts({})).toEqual(['proven', undefined]);
    expect(await verdicts({ floor: difficulty + 1n })).toEqual([
      'claimed',
      expect.stringContaining('below 41'),
    ]);
    const currency = { name: 'Coin', symbol: 'C', decimals: 18 };
    const unknown = { chainId: 34, name: 'Another', currency, floor: undefined };
    expect(await verdicts(unknown)).toEqual(['claimed', expect.stringContaining('without a floor')]);
  });

  test('are reached past one that hangs, and the service counts as reachable meanwhile', async () => {
    liar.controls.lie('forged-header');
    const hanging = await honest.addNode();
    hanging.controls.intercept(async (): Promise<Interception> => 'hang');
    const service = serviceOf([liar.url, hanging.url, honest.url], {}, { deadline: 4_000 });
    const reachable: boolean[] = [];
    service.watch((is) => reachable.push(is));
    const read = ['eth_getBlockByNumber', ['latest', false]] as const;
    expect(await service.request(...read)).toEqual(await truth.call('eth_getBlockByNumber', 'latest', false));
    expect(usageOf(service).quarantined).toEqual([hostOf(liar)]);
    expect(reachable).toEqual([]);
    await hanging.close();
  });
});

test('a fork of little work is claimed', async () => {
  liar.controls.lie('cheap-fork');
  const service = serviceOf([liar.url]);
  await service.request('eth_getBlockByNumber', ['latest', false]);
  expect(usageOf(service)).toMatchObject({ proven: 0, claimed: 1, contradicted: 0 });
});

test('a transaction is proven with the blocks that are on top of it', async () => {
  await honest.controls.mine(4);
  const service = serviceOf([honest.url]);
  expect(await verdictOf(service, hash, 3)).toEqual({ verdict: 'proven', confirmations: 3 });
  expect(await verdictOf(service, `0x${'12'.repeat(32)}`, 0)).toMatchObject({ verdict: 'claimed' });
});

test('a block that has left the chain is claimed', async () => {
  const service = serviceOf([honest.url]);
  const read = async (place: string) =>
    (await service.request('eth_getBlockByNumber', [place, false])) as Block & { hash: Hex };
  const old = await read('latest');
  await honest.controls.reorg(1);
  const next = await read(old.number as string);
  const verdicts = async () =>
    Promise.all([old, next].map(async ({ hash }) => (await verdictOf(service, hash, 0))?.verdict));
  expect(await verdictOf(service, next.hash, 1)).toEqual({ verdict: 'proven', confirmations: 1 });
  expect(await verdicts()).toEqual(['claimed', 'proven']);
  expect(told).toEqual([]);
});

test('a page that has slept goes on, though it knows no parent of the newest block', async () => {
  const service = serviceOf([honest.url]);
  await service.request('eth_getBlockByNumber', ['latest', false]);
  await honest.controls.mine(300);
  const { hash } = (await service.request('eth_getBlockByNumber', ['latest', false])) as Block;
  expect(await verdictOf(service, hash as Hex, 0)).toEqual({ verdict: 'proven', confirmations: 0 });
});

test('nothing is verified, and no part of it loads, without the option', async () => {
  liar.controls.lie('forged-header');
  const service = serviceOf([liar.url], { verify: undefined, floor: undefined });
  await service.request('eth_getBlockByNumber', ['latest', false]);
  expect(service.verification).toBe(undefined);
  expect(told).toEqual([]);
});

test('a block costs no request, a receipt two at most, and a repeated receipt none', async () => {
  const service = serviceOf([honest.url]);
  await service.request('eth_getBlockByNumber', ['latest', false]);
  expect(service.usage().sent).toEqual({ eth_getBlockByNumber: 1 });
  for (let time = 0; time < 3; time++) await service.request('eth_getTransactionReceipt', [hash]);
  expect(service.usage().sent).toEqual({
    eth_getBlockByNumber: 1,
    eth_getTransactionReceipt: 3,
    eth_getBlockByHash: 1,
    rsk_getTransactionReceiptNodesByHash: 1,
  });
});
