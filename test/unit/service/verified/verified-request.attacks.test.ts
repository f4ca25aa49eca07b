import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  createLocalService,
  type Interception,
  type LocalNode,
  type LocalService,
} from '../../../../packages/kit/src/local/index.js';
import type { Block, Hex, Log, Receipt, Transaction } from '../../../../src/rpc/schema.js';
import { alice, clientOf, word } from '../../../support/local-client.js';
import { rejection } from '../support.js';
import { clientsTelling, startChain, type Told, usageOf, verdictOf } from './support.js';

/** Replies of one node are altered one by one, and honest nodes fail in the ways that nodes do. */

let honest: LocalService;
let other: LocalNode;
let truth: ReturnType<typeof clientOf>;
/** Two calls of one block, with a log each; and the block. */
let calls: readonly [Hex, Hex];
let block: Hex;
let number: Hex;
let told: Told[];

beforeAll(async () => {
  const chain = await startChain();
  ({ honest, truth } = chain);
  calls = [await chain.emit(1), await chain.emit(2)];
  await honest.controls.mine(3);
  ({ blockHash: block, blockNumber: number } = await truth.call('eth_getTransactionReceipt', calls[0]));
});
afterAll(() => honest?.close());

beforeEach(async () => {
  told = [];
  other = await honest.addNode();
});
afterEach(async () => {
  honest.controls.clearFaults();
  await other.close();
});

const serviceOf = clientsTelling((each) => told.push(each));

type Alter = (method: string, result: never, params: readonly unknown[]) => unknown;

/** Alters the results of a node; `undefined` leaves one as it is. The node has `eth_getBlockReceipts` too. */
function alter(node: Pick<LocalNode | LocalService, 'controls'>, change: Alter = () => undefined): void {
  node.controls.intercept(async ({ calls: [call] }, process): Promise<Interception> => {
    const reply = await process();
    if (!call) return reply;
    const { result, error, ...rest } = JSON.parse(reply.body);
    const isOfAll = call.method === 'eth_getBlockReceipts';
    const honestly = isOfAll
      ? await Promise.all(calls.map((hash) => truth.call('eth_getTransactionReceipt', hash)))
      : result;
    if ((honestly ?? null) === null) return reply;
    const changed = await change(call.method, honestly as never, (call.params ?? []) as readonly unknown[]);
    return {
      status: 200,
      body: JSON.stringify({ ...rest, result: changed === undefined ? honestly : changed }),
    };
  });
}

const flip = (receipt: Receipt) => ({ ...receipt, status: receipt.status === '0x1' ? '0x0' : '0x1' });
const forReceipts =
  (change: (receipt: Receipt) => unknown, more: Alter = () => undefined): Alter =>
  (method, result, params) =>
    method === 'eth_getTransactionReceipt' ? change(result) : more(method, result, params);
const ofLogs = (change: (log: Log) => unknown) => (receipt: Receipt) => ({
  ...receipt,
  logs: receipt.logs.map(change),
});
const forBlocks =
  (change: (block: Block) => unknown): Alter =>
  (method, result) =>
    /^eth_getBlockBy/.test(method) ? change(result) : undefined;
const forLogs =
  (change: (logs: readonly Log[]) => unknown, more: Alter = () => undefined): Alter =>
  (method, result, params) =>
    method === 'eth_getLogs' ? change(result) : more(method, result, params);
const forAll =
  (change: (receipts: readonly Receipt[]) => unknown): Alter =>
  (method, result) =>
    method === 'eth_getBlockReceipts' ? change(result) : undefined;
const forged = (each: Block) => ({ ...each, stateRoot: each.parentHash });
const swap = <T>([one, two, ...rest]: readonly T[]) => [two, one, ...rest];

const receiptOf = (): [string, unknown[]] => ['eth_getTransactionReceipt', [calls[0]]];
const blockOf = (): [string, unknown[]] => ['eth_getBlockByNumber', [number, false]];
const wholeBlock = (): [string, unknown[]] => ['eth_getBlockByNumber', [number, true]];
const logsOf = (): [string, unknown[]] => ['eth_getLogs', [{ blockHash: block }]];
const allOf = (): [string, unknown[]] => ['eth_getBlockReceipts', [block]];

const altered: readonly [name: string, read: () => [string, unknown[]], change: Alter][] = [
  ['a status', receiptOf, forReceipts(flip)],
  ['a status, of an unknown type', receiptOf, forReceipts((each) => ({ ...flip(each), type: '0x7' }))],
  ['a status in another form', receiptOf, forReceipts((each) => ({ ...each, status: '0x00' }))],
  ['a status as a number', receiptOf, forReceipts((each) => ({ ...each, status: 0 }))],
  ['no status', receiptOf, forReceipts(({ status: _, ...each }) => each)],
  [
    'a block that does not exist',
    receiptOf,
    forReceipts((each) => ({ ...flip(each), blockHash: `0x${'12'.repeat(32)}` })),
  ],
  ['no nodes', receiptOf, forReceipts(flip, (method) => (method.startsWith('rsk_') ? null : undefined))],
  ['empty nodes', receiptOf, forReceipts(flip, (method) => (method.startsWith('rsk_') ? [] : undefined))],
  ['wrong nodes', receiptOf, forReceipts(flip, (method) => (method.startsWith('rsk_') ? ['0x'] : undefined))],
  [
    'no body',
    receiptOf,
    forReceipts(flip, (method, _, [, whole]) => (/BlockBy/.test(method) && whole ? null : undefined)),
  ],
  ['a recipient', receiptOf, forReceipts((each) => ({ ...each, to: alice.address }))],
  ['a price', receiptOf, forReceipts((each) => ({ ...each, effectiveGasPrice: '0x1' }))],
  ['gas used', receiptOf, forReceipts((each) => ({ ...each, gasUsed: '0x5208' }))],
  ['gas used so far', receiptOf, forReceipts((each) => ({ ...each, cumulativeGasUsed: '0x5208' }))],
  ['an index', receiptOf, forReceipts((each) => ({ ...each, transactionIndex: '0x1' }))],
  ['a height', receiptOf, forReceipts((each) => ({ ...each, blockNumber: '0x1' }))],
  ['a log’s data', receiptOf, forReceipts(ofLogs((log) => ({ ...log, data: `0x${word(99)}` })))],
  ['a removed log', receiptOf, forReceipts(ofLogs((log) => ({ ...log, removed: true })))],
  ['a log’s transaction', receiptOf, forReceipts(ofLogs((log) => ({ ...log, transactionHash: calls[1] })))],
  ['no logs', receiptOf, forReceipts((each) => ({ ...each, logs: [] }))],
  ['a state root', blockOf, forBlocks(forged)],
  ['a state root, with a field more', blockOf, forBlocks((each) => ({ ...forged(each), foo: '0x1' }))],
  ['a state root, without uncles', blockOf, forBlocks((each) => ({ ...forged(each), uncles: null }))],
  ['a state root, with odd edges', blockOf, forBlocks((each) => ({ ...forged(each), rskPteEdges: ['a'] }))],
  [
    'a state root, without a coinbase',
    blockOf,
    forBlocks(
      ({
        bitcoinMergedMiningCoinbaseTransaction: _,
        ...each
      }: Block & { bitcoinMergedMiningCoinbaseTransaction?: unknown }) => ({
        ...each,
        stateRoot: each.parentHash,
      }),
    ),
  ],
  [
    'a value',
    wholeBlock,
    forBlocks((each) => ({
      ...each,
      transactions: each.transactions.map((one) => ({ ...(one as Transaction), value: '0x5' })),
    })),
  ],
  [
    'a value, of an unknown type',
    wholeBlock,
    forBlocks((each) => ({
      ...each,
      transactions: each.transactions.map((one) => ({ ...(one as Transaction), value: '0x5', type: '0x7' })),
    })),
  ],
  [
    'a transaction’s height',
    wholeBlock,
    forBlocks((each) => ({
      ...each,
      transactions: each.transactions.map((one) => ({ ...(one as Transaction), blockNumber: '0x1' })),
    })),
  ],
  ['logs’ data', logsOf, forLogs((logs) => logs.map((log) => ({ ...log, data: `0x${word(99)}` })))],
  [
    'logs of no transaction',
    logsOf,
    forLogs((logs) => logs.map((log) => ({ ...log, transactionHash: null, data: '0x' }))),
  ],
  [
    'logs, and no receipts',
    logsOf,
    forLogs(
      (logs) => logs.map((log) => ({ ...log, data: '0x' })),
      (method) => (/Receipt$/.test(method) ? null : undefined),
    ),
  ],
  [
    'logs of another block',
    logsOf,
    forLogs((logs) => logs.map((log) => ({ ...log, blockHash: `0x${'12'.repeat(32)}`, data: '0x' }))),
  ],
  [
    'a log more',
    logsOf,
    forLogs((logs) => [...logs, { ...logs[0], transactionHash: `0x${'12'.repeat(32)}`, logIndex: '0x9' }]),
  ],
  ['logs twice', logsOf, forLogs((logs) => [...logs, ...logs])],
  ['logs in another order', logsOf, forLogs((logs) => [...logs].reverse())],
  ['removed logs', logsOf, forLogs((logs) => logs.map((log) => ({ ...log, removed: true })))],
  ['logs of another height', logsOf, forLogs((logs) => logs.map((log) => ({ ...log, blockNumber: '0x1' })))],
  ['no logs of a block', logsOf, forLogs(() => [])],
  [
    'no logs, and no block',
    logsOf,
    forLogs(
      () => [],
      (method) => (/BlockBy/.test(method) ? null : undefined),
    ),
  ],
  ['receipts in another order', allOf, forAll((all) => swap(all))],
  [
    'receipts with swapped hashes',
    allOf,
    forAll((all) => all.map((each, at) => ({ ...each, transactionHash: calls[1 - at] }))),
  ],
  ['no receipts', allOf, forAll(() => [])],
  ['receipts with a false status', allOf, forAll((all) => all.map(flip))],
];

describe.each(altered)('a node that alters %s', (_, read, change) => {
  test('is not believed where another one tells the truth', async () => {
    alter(other, change);
    const [method, params] = read();
    alter(honest);
    const expected = await truth.call(method, ...params);
    const service = serviceOf([other.url, honest.url]);
    expect(await service.request(method, params)).toEqual(expected);
    expect(told.map(({ host }) => host)).not.toContain(new URL(honest.url).host);
  });

  test('alone is refused, or not called proven', async () => {
    alter(other, change);
    const service = serviceOf([other.url]);
    await service.request(...read()).catch((error) => {
      expect(error).toMatchObject({ code: -32603, data: { reason: 'contradicted' } });
    });
    expect(usageOf(service).proven).toBe(0);
  });
});

describe('receipts that are read at once', () => {
  test('are all held against the block, which is read once', async () => {
    const service = serviceOf([honest.url]);
    const all = [...calls, ...calls, ...calls];
    await Promise.all(all.map((hash) => service.request('eth_getTransactionReceipt', [hash])));
    const { sent } = service.usage();
    expect([sent.eth_getBlockByHash, sent.rsk_getTransactionReceiptNodesByHash]).toEqual([1, 2]);
    expect(usageOf(service)).toMatchObject({ claimed: 0, contradicted: 0 });
  });

  test('are all refused where they are false', async () => {
    alter(other, forReceipts(flip));
    const service = serviceOf([other.url]);
    const errors = await Promise.all(
      calls.map((hash) => rejection(service.request('eth_getTransactionReceipt', [hash]))),
    );
    for (const error of errors)
      expect(error).toMatchObject({ code: -32603, data: { reason: 'contradicted' } });
  });
});

describe.each<[string, Interception]>([
  ['HTTP 403', { status: 403, body: 'no' }],
  ['HTTP 404', { status: 404, body: 'no' }],
  ['HTTP 500', { status: 500, body: 'no' }],
  ['HTTP 429 and a long wait', { status: 429, headers: { 'retry-after': '600' }, body: 'no' }],
  [
    'a spent quota',
    {
      status: 200,
      body: '{"jsonrpc":"2.0","id":1,"error":{"code":-32005,"message":"daily request count exceeded"}}',
    },
  ],
  ['a lost connection', 'drop'],
])('an honest node that answers the methods of proofs with %s', (_, reply) => {
  test('has its receipts claimed, at the cost of one request, and nothing else suffers', async () => {
    other.controls.intercept(async ({ calls: [call] }) =>
      call?.method.startsWith('rsk_') ? reply : undefined,
    );
    const service = serviceOf([other.url]);
    const reachable: boolean[] = [];
    service.watch((is) => reachable.push(is));
    for (const hash of [...calls, ...calls])
      expect(await service.request('eth_getTransactionReceipt', [hash])).toEqual(
        await truth.call('eth_getTransactionReceipt', hash),
      );
    expect(await service.request('eth_chainId', [])).toBe('0x21');
    expect(usageOf(service)).toMatchObject({ proven: 0, claimed: 4, contradicted: 0 });
    expect(other.requests.count('rsk_getTransactionReceiptNodesByHash')).toBe(1);
    expect(reachable).toEqual([]);
    expect(told).toEqual([]);
  });
});

describe('honest nodes', () => {
  test('are not called liars where the chain changes between two reads', async () => {
    const head: Hex = await truth.call('eth_blockNumber');
    await honest.controls.mine();
    other.controls.intercept(async ({ calls: [call] }, process) => {
      if (call?.method !== 'eth_getLogs') return undefined;
      const reply = await process();
      await honest.controls.reorg(2);
      return reply;
    });
    const service = serviceOf([other.url, honest.url]);
    await service.request('eth_getLogs', [{ fromBlock: head, toBlock: head }]);
    expect(told).toEqual([]);
    expect(usageOf(service).quarantined).toEqual([]);
  });

  test('are not called liars by one that is behind a fork of an unknown form', async () => {
    const late = await honest.addNode({ lag: 2 });
    const change = forBlocks(forged);
    for (const node of [honest, late]) alter(node, change);
    const { number: head } = (await truth.call('eth_getBlockByNumber', 'latest', false)) as Block;
    const service = serviceOf([honest.url, late.url]);
    const shown = (await service.request('eth_getBlockByNumber', [head, false])) as Block | null;
    expect(shown?.number).toBe(head);
    expect(told).toEqual([]);
    await late.close();
  });

  test('are used again after a fault', async () => {
    const read = ['eth_getBlockByNumber', [number, false]] as const;
    alter(other, forBlocks(forged));
    const undo = honest.controls.intercept(async (): Promise<Interception> => ({ status: 403, body: 'no' }));
    const service = serviceOf([other.url, honest.url], {}, { coolDown: 1 });
    await service.request(...read);
    other.controls.clearFaults();
    await service.request(...read);
    undo();
    other.controls.intercept(async (): Promise<Interception> => ({ status: 403, body: 'no' }));
    await service.request(...read);
    expect(usageOf(service).quarantined).toEqual([]);
  });

  test('are asked beside one that shows little work, also after they have failed for a moment', async () => {
    other.controls.lie('cheap-fork');
    const undo = honest.controls.intercept(async (): Promise<Interception> => ({ status: 403, body: 'no' }));
    const service = serviceOf([other.url, honest.url], {}, { coolDown: 1 });
    await service.request('eth_getBlockByNumber', ['latest', false]);
    undo();
    const next = (await service.request('eth_getBlockByNumber', ['latest', true])) as Block;
    expect(next).toEqual(await truth.call('eth_getBlockByNumber', 'latest', true));
  });
});

describe('a verdict', () => {
  test('counts the blocks on the present chain alone', async () => {
    const { hash } = (await truth.call('eth_getBlockByNumber', 'latest', false)) as { hash: Hex };
    await honest.controls.mine(4);
    const service = serviceOf([honest.url]);
    expect(await verdictOf(service, hash, 3)).toEqual({ verdict: 'proven', confirmations: 3 });
    const { hash: orphan } = (await truth.call('eth_getBlockByNumber', 'latest', false)) as { hash: Hex };
    await honest.controls.reorg(2);
    expect(await verdictOf(service, orphan, 3)).toMatchObject({ verdict: 'claimed', confirmations: 0 });
    expect(await verdictOf(service, hash, 3)).toEqual({ verdict: 'proven', confirmations: 3 });
    await honest.controls.reorg(6);
    expect(await verdictOf(service, hash, 3)).toMatchObject({ verdict: 'claimed', confirmations: 0 });
    await honest.controls.mine(160);
    expect(await verdictOf(service, calls[0], 3)).toEqual({ verdict: 'proven', confirmations: 3 });
  });

  test('is claimed where two endpoints show blocks of one height with equal work', async () => {
    await using local = await createLocalService({ mining: 'manual', difficulty: 1n });
    await local.controls.mine(3);
    const forked = await local.addNode();
    forked.controls.lie('cheap-fork');
    const service = serviceOf([forked.url, local.url], { floor: 1n });
    const read = async (elsewhere: boolean) =>
      (await service.request('eth_getBlockByNumber', ['latest', false], { elsewhere })) as { hash: Hex };
    const [one, two] = [await read(false), await read(true)];
    expect(one.hash).not.toBe(two.hash);
    for (const { hash } of [one, two])
      expect(await verdictOf(service, hash, 0)).toMatchObject({ verdict: 'claimed', confirmations: 0 });
    expect(told).toEqual([]);
  });

  test('is never proven without a floor', async () => {
    const options = { chainId: 34, name: 'Another', currency: { name: 'Coin', symbol: 'C', decimals: 18 } };
    alter(honest);
    const service = serviceOf([honest.url], { ...options, floor: undefined });
    for (const read of [receiptOf(), wholeBlock(), logsOf(), allOf()]) await service.request(...read);
    expect(usageOf(service)).toMatchObject({ proven: 0, contradicted: 0 });
    expect(honest.requests.count('eth_getTransactionReceipt')).toBeGreaterThan(0);
  });
});

test('a pushed block must have the work that a read one has', async () => {
  const service = serviceOf([honest.url]);
  const shown = (await service.request('eth_getBlockByNumber', ['latest', false])) as Block;
  const verification = service.verification?.peek();
  expect(verification?.holds(shown)).toBe(true);
  other.controls.lie('cheap-fork');
  const low = await clientOf(other).call('eth_getBlockByNumber', 'latest', false);
  expect(verification?.holds(low)).toBe(false);
  expect(verification?.holds({})).toBe(false);
});

test('fields that are longer than a miner’s are not hashed', async () => {
  alter(
    other,
    forBlocks((each) => ({ ...each, extraData: `0x${'00'.repeat(1_000_000)}` })),
  );
  const service = serviceOf([other.url]);
  const { hash } = (await service.request('eth_getBlockByNumber', ['latest', false])) as { hash: Hex };
  expect(await verdictOf(service, hash, 0)).toMatchObject({
    verdict: 'claimed',
    why: 'The field extraData is longer than it can be.',
  });
});
