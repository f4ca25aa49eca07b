import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { alice, clientOf, nobody, sign, word } from '../../../../test/support/local-client.js';
import { createLocalService, type LocalService } from '../../src/local/index.js';

/** Where the node differs from the seed (docs/notes/node.md#where-the-node-differs-from-the-description). */
let service: LocalService;
let call: ReturnType<typeof clientOf>['call'];
let refusal: ReturnType<typeof clientOf>['refusal'];
let hash: string;
beforeAll(async () => {
  service = await createLocalService({ dialect: 'node', mining: 'manual' });
  ({ call, refusal } = clientOf(service));
  await service.controls.faucet(alice.address, 10n ** 18n);
  hash = await call('eth_sendRawTransaction', await sign());
  await service.controls.mine();
});
afterAll(() => service?.close());

const notFound = { status: 200, code: -32601, message: 'method not found' };
const wrongCount = { status: 400, code: -32602, message: 'method parameters invalid' };

test('the number of params is exact', async () => {
  expect(await refusal('eth_getTransactionCount', nobody)).toEqual(wrongCount);
  expect(await refusal('eth_getBlockByNumber', 'latest')).toEqual(wrongCount);
  expect(await refusal('eth_getBlockByHash', `0x${word(1)}`)).toEqual(wrongCount);
  expect(await call('eth_getBalance', nobody)).toBe('0x1');
  expect(await refusal('eth_getBalance', nobody, 'latest', 1)).toEqual(wrongCount);
});

test('methods that the node lacks and modules that are off are not found', async () => {
  for (const [method, ...params] of [
    ['eth_getProof'],
    ['eth_getWork'],
    ['eth_submitWork', '0x1', '0x1', '0x1'],
    ['eth_submitHashrate', '0x1', '0x1'],
  ] as [string, ...string[]][])
    expect(await refusal(method, ...params), method).toEqual(notFound);
  expect(await refusal('eth_submitWork')).toEqual(wrongCount);
  const off = (method: string) => ({
    status: 200,
    code: -32601,
    message: `the method ${method} does not exist/is not available`,
  });
  expect(await refusal('debug_traceTransaction', hash)).toEqual(off('debug_traceTransaction'));
  expect(await refusal('trace_block', 'latest')).toEqual(off('trace_block'));
  expect(await refusal('sco_peerList')).toEqual(off('sco_peerList'));
  expect(await refusal('mnr_getWork')).toEqual(off('mnr_getWork'));
  expect(await refusal('trace_block')).toEqual(wrongCount);
});

test('every block ends with the REMASC transaction', async () => {
  const block = await call('eth_getBlockByNumber', '0x1', true);
  expect(block.transactions).toHaveLength(2);
  const remasc = block.transactions[1];
  expect(remasc).toMatchObject({
    to: '0x0000000000000000000000000000000001000008',
    from: `0x${'0'.repeat(40)}`,
    gas: '0x0',
    gasPrice: '0x0',
    v: '0x0',
    r: '0x0',
    s: '0x0',
    transactionIndex: '0x1',
    blockHash: block.hash,
  });
  expect(await call('eth_getTransactionByHash', remasc.hash)).toEqual(remasc);
  expect(await call('eth_getTransactionByBlockNumberAndIndex', '0x1', '0x1')).toEqual(remasc);
  expect(await call('eth_getTransactionReceipt', remasc.hash)).toMatchObject({
    transactionHash: remasc.hash,
    status: '0x1',
    gasUsed: '0x0',
    cumulativeGasUsed: block.gasUsed,
    blockHash: block.hash,
  });
  expect(await call('eth_getBlockTransactionCountByNumber', '0x1')).toBe('0x2');
  expect((await call('eth_getBlockByNumber', '0x0', false)).transactions).toEqual([]);
});

test('blocks have the fields of the node', async () => {
  const block = await call('eth_getBlockByNumber', 'latest', false);
  expect(block).toMatchObject({ mixHash: `0x${'0'.repeat(64)}`, rskPteEdges: [], baseEvent: null });
  expect(block.nonce).toBe('0x0000000000000000');
  expect(block).not.toHaveProperty('baseFeePerGas');
});

test('an unknown block is an error, except in lookups of blocks, transactions, receipts and code', async () => {
  const missing = `0x${word(5)}`;
  const unknown = (what: string) => ({ status: 400, code: -32600, message: `Block ${what} not found` });
  expect(await refusal('eth_getBalance', nobody, '0xff')).toEqual(unknown('0xff'));
  expect(await refusal('eth_getTransactionCount', nobody, missing)).toEqual(unknown(missing));
  expect(await refusal('eth_getBlockTransactionCountByNumber', '0xff')).toEqual(unknown('0xff'));
  expect(await refusal('eth_getUncleCountByBlockHash', missing)).toEqual(
    unknown(`with hash ${missing.slice(2)}`),
  );
  for (const [method, ...params] of [
    ['eth_getBlockByNumber', '0xff', false],
    ['eth_getBlockByHash', missing, false],
    ['eth_getBlockTransactionCountByHash', missing],
    ['eth_getTransactionByHash', missing],
    ['eth_getTransactionReceipt', missing],
    ['eth_getTransactionByBlockHashAndIndex', missing, '0x0'],
    ['eth_getTransactionByBlockNumberAndIndex', '0xff', '0x0'],
    ['eth_getCode', nobody, '0xff'],
    ['eth_getCode', nobody, (await call('eth_getBlockByNumber', 'latest', false)).hash],
  ] as [string, ...unknown[]][])
    expect(await call(method, ...params), method).toBe(null);
});

describe('pending', () => {
  test('all five methods accept it', async () => {
    const waiting = await call('eth_sendRawTransaction', await sign({ nonce: 1 }));
    const block = await call('eth_getBlockByNumber', 'pending', false);
    expect(block).toMatchObject({
      number: null,
      hash: null,
      logsBloom: null,
      miner: null,
      totalDifficulty: '0x0',
    });
    expect(block.transactions).toEqual([waiting, expect.stringMatching(/^0x/)]);
    const found = await call('eth_getTransactionByBlockNumberAndIndex', 'pending', '0x0');
    expect(found).toMatchObject({ hash: waiting, blockNumber: '0x2', transactionIndex: '0x0' });
    expect(await call('eth_getTransactionByBlockNumberAndIndex', 'pending', '0x1')).toBe(null);
    expect(await call('eth_getCode', nobody, 'pending')).toBe('0x');
    expect(await call('eth_getUncleCountByBlockNumber', 'pending')).toBe('0x0');
    expect(await call('eth_getUncleByBlockNumberAndIndex', 'pending', '0x0')).toBe(null);
    expect(await call('eth_pendingTransactions')).toEqual([]);
  });

  test('the seed rejects it in these methods only', async () => {
    await using seed = await createLocalService();
    const { call: ask, refusal: refused } = clientOf(seed);
    const message = "The method don't support 'pending' as a parameter yet";
    for (const [method, ...params] of [
      ['eth_getUncleCountByBlockNumber', 'pending'],
      ['eth_getCode', nobody, 'pending'],
      ['eth_getBlockByNumber', 'pending', false],
      ['eth_getTransactionByBlockNumberAndIndex', 'pending', '0x0'],
      ['eth_getUncleByBlockNumberAndIndex', 'pending', '0x0'],
    ] as [string, ...unknown[]][])
      expect(await refused(method, ...params), method).toEqual({ status: 200, code: -32201, message });
    expect(await ask('eth_getBalance', nobody, 'pending')).toBe('0x0');
    expect(await ask('eth_getTransactionCount', nobody, 'pending')).toBe('0x0');
    expect(await ask('eth_getStorageAt', nobody, '0x0', 'pending')).toBe(`0x${word(0)}`);
    expect(await ask('eth_call', { to: nobody }, 'pending')).toBe('0x');
    expect(await ask('eth_estimateGas', { to: nobody }, 'pending')).toBe('0x5208');
    expect(await ask('eth_getBlockTransactionCountByNumber', 'pending')).toBe('0x0');
  });
});

test('blockNonce, lookupId, receiptRoot and unknownBlock can be switched alone', async () => {
  await using service = await createLocalService({
    dialect: 'node',
    switches: { blockNonce: 'absent', lookupId: true, receiptRoot: true, unknownBlock: 'null' },
  });
  const { call: ask } = clientOf(service);
  await service.controls.faucet(alice.address, 10n ** 18n);
  const sent = await ask('eth_sendRawTransaction', await sign());
  const { hash: block, stateRoot } = await ask('eth_getBlockByNumber', 'latest', false);
  expect(await ask('eth_getBlockByNumber', 'latest', false)).not.toHaveProperty('nonce');
  const found = await ask('eth_getTransactionByBlockHashAndIndex', block, '0x0');
  expect(found._id).toMatch(/^[0-9a-f]{24}$/);
  expect(await ask('eth_getTransactionByHash', sent)).not.toHaveProperty('_id');
  const receipt = await ask('eth_getTransactionReceipt', sent);
  expect(receipt.root).toBe(stateRoot);
  expect(receipt).not.toHaveProperty('status');
  expect(await ask('eth_getBalance', nobody, '0xff')).toBe(null);
});
