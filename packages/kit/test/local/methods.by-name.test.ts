import { keccak256 } from 'viem';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  alice,
  clientOf,
  creationOf,
  nobody,
  revertingWith,
  sign,
  word,
} from '../../../../test/support/local-client.js';
import { createLocalService, type LocalService } from '../../src/local/index.js';

/** Methods that the seed lists by name only, in the node's shapes (docs/notes/node.md#methods-listed-by-name-only). */
let service: LocalService;
let call: ReturnType<typeof clientOf>['call'];
let refusal: ReturnType<typeof clientOf>['refusal'];
let made: {
  transfer: string;
  creation: string;
  reverted: string;
  block: { hash: string; parentHash: string; receiptsRoot: string };
};
const from = alice.address.toLowerCase();
const missing = `0x${word(5)}`;

beforeAll(async () => {
  service = await createLocalService({ mining: 'manual' });
  ({ call, refusal } = clientOf(service));
  await service.controls.faucet(alice.address, 10n ** 18n);
  const creations = { to: null, gas: 100_000n, value: 0n };
  const transfer = await call('eth_sendRawTransaction', await sign());
  const creation = await call(
    'eth_sendRawTransaction',
    await sign({ nonce: 1, ...creations, data: creationOf('00') }),
  );
  const reverted = await call(
    'eth_sendRawTransaction',
    await sign({ nonce: 2, ...creations, data: revertingWith('') }),
  );
  await service.controls.mine();
  made = { transfer, creation, reverted, block: await call('eth_getBlockByNumber', '0x1') };
});
afterAll(() => service?.close());

test('debug_traceTransaction has the shape of either tracer', async () => {
  const calls = await call('debug_traceTransaction', made.transfer, { tracer: 'callTracer' });
  expect(calls).toMatchObject({
    type: 'CALL',
    from,
    to: nobody,
    value: '0x1',
    gasUsed: '0x5208',
  });
  const failed = await call('debug_traceTransaction', made.reverted, { tracer: 'callTracer' });
  expect(failed).toMatchObject({ type: 'CREATE', error: expect.any(String) });
  const steps = await call('debug_traceTransaction', made.creation);
  expect(steps).toMatchObject({ reverted: false, error: '', result: '00', structLogs: expect.any(Array) });
  expect(await call('debug_traceTransaction', missing)).toBe(null);
  expect((await refusal('debug_traceTransaction', made.transfer, { tracer: 'other' })).code).toBe(-32603);
  expect((await refusal('debug_traceTransaction', made.transfer, null)).code).toBe(-32603);
  const plain = await call('debug_traceTransaction', made.transfer);
  expect(await call('debug_traceTransaction', made.transfer, 'callTracer')).toEqual(plain);
});

test('debug_traceBlockByHash traces each transaction of the block', async () => {
  const traces = await call('debug_traceBlockByHash', made.block.hash, { tracer: 'callTracer' });
  expect(
    traces.map((each: { txHash: string; result: { type: string } }) => [each.txHash, each.result.type]),
  ).toEqual([
    [made.transfer, 'CALL'],
    [made.creation, 'CREATE'],
    [made.reverted, 'CREATE'],
  ]);
  expect(await call('debug_traceBlockByHash', missing)).toBe(null);
  expect(await call('debug_wireProtocolQueueSize')).toBe('0x0');
});

test('trace_transaction has the shape of the node', async () => {
  expect(await call('trace_transaction', made.transfer)).toEqual([
    {
      action: { callType: 'call', from, to: nobody, value: '0x1', gas: expect.any(String), input: '0x' },
      result: { gasUsed: '0x5208', output: '0x' },
      type: 'call',
      subtraces: 0,
      traceAddress: [],
      blockHash: made.block.hash,
      blockNumber: 1,
      transactionHash: made.transfer,
      transactionPosition: 0,
    },
  ]);
  const [failed] = await call('trace_transaction', made.reverted);
  expect([failed.result, failed.error]).toEqual([null, 'Reverted']);
  expect(await call('trace_transaction', missing)).toBe(null);
});

test('trace_block and trace_filter return the traces of all transactions', async () => {
  const all = await call('trace_block', '0x1');
  expect(all.map(({ type }: { type: string }) => type)).toEqual(['call', 'create', 'create']);
  expect(await call('trace_block', made.block.hash)).toEqual(all);
  expect(await call('trace_block', 'latest')).toEqual(all);
  expect(await call('trace_block', missing)).toBe(null);
  expect(await call('trace_filter', {})).toEqual(all);
  expect(await call('trace_filter', { toAddress: [nobody] })).toEqual(all.slice(0, 1));
  expect(await call('trace_filter', { fromAddress: [nobody] })).toEqual([]);
  expect(await call('trace_filter', { after: 1, count: 1 })).toEqual(all.slice(1, 2));
  expect(await call('trace_filter', { toAddress: nobody })).toEqual(all.slice(0, 1));
  expect((await refusal('trace_filter', { count: '0x1' })).code).toBe(-32700);
  expect(await call('trace_get', made.creation, ['0x0'])).toEqual(all[0]);
  expect(await call('trace_get', made.creation, ['0x77'])).toBe(null);
  expect(await call('trace_get', missing, ['0x0'])).toBe(null);
  expect((await refusal('trace_get', made.creation, [])).message).toBe("'positions' cannot be null or empty");
  expect(await call('trace_filter', { toBlock: '0x0' })).toEqual([]);
  const message = 'Count value too big. Maximum 10000 traces allowed.';
  expect(await refusal('trace_filter', { count: 10_001 })).toEqual({ status: 400, code: -32602, message });
});

test('rsk_ methods return raw receipts and headers', async () => {
  const receipt = await call('rsk_getRawTransactionReceiptByHash', made.transfer);
  expect(receipt).toMatch(/^0xf9[0-9a-f]+$/);
  const nodes = await call('rsk_getTransactionReceiptNodesByHash', made.block.hash, made.transfer);
  expect(keccak256(nodes.at(-1))).toBe(made.block.receiptsRoot);
  expect(nodes[0]).toContain(keccak256(receipt).slice(2));
  expect(await call('rsk_getTransactionReceiptNodesByHash', missing, made.transfer)).toBe(null);
  expect(await call('rsk_getRawTransactionReceiptByHash', missing)).toBe(null);
  const header = await call('rsk_getRawBlockHeaderByHash', made.block.hash);
  expect(header).toMatch(/^0xf90[0-9a-f]+$/);
  expect(header).toContain(made.block.parentHash.slice(2));
  expect(keccak256(header)).toBe(made.block.hash);
  expect(await call('rsk_getRawBlockHeaderByNumber', '0x1')).toBe(header);
  expect(await call('rsk_getRawBlockHeaderByNumber', 'latest')).toBe(header);
  expect(await call('rsk_getRawBlockHeaderByHash', missing)).toBe(null);
  expect(await call('rsk_protocolVersion')).toBe('0x3e');
});

test('bridge, hashrate and mining methods have the shape of the node', async () => {
  expect(await call('eth_bridgeState')).toEqual({
    rskTxsWaitingForSignatures: [],
    btcBlockchainBestChainHeight: 0,
  });
  expect(await call('eth_netHashrate')).toBe(0);
  expect(await call('mnr_getWork')).toEqual({
    blockHashForMergedMining: expect.stringMatching(/^0x[0-9a-f]{64}$/),
    target: expect.stringMatching(/^0x[0-9a-f]{64}$/),
    feesPaidToMiner: '0',
    notify: false,
    parentBlockHash: made.block.hash,
  });
  for (const [method, count] of [
    ['mnr_submitBitcoinBlock', 1],
    ['mnr_submitBitcoinBlockTransactions', 4],
    ['mnr_submitBitcoinBlockPartialMerkle', 5],
  ] as const)
    expect((await refusal(method, ...Array(count).fill('0x00'))).code, method).toBe(-33000);
});

test('peer methods keep a list of banned addresses', async () => {
  expect(await call('sco_peerList')).toEqual([]);
  expect(await call('sco_banAddress', '192.168.0.1')).toBe(null);
  expect(await call('sco_banAddress', '10.0.0.0/8')).toBe(null);
  expect(await call('sco_bannedAddresses')).toEqual(['192.168.0.1', '10.0.0.0/8']);
  expect(await call('sco_unbanAddress', '192.168.0.1')).toBe(null);
  expect(await call('sco_bannedAddresses')).toEqual(['10.0.0.0/8']);
  const message = 'invalid banned address nowhere';
  expect(await refusal('sco_banAddress', 'nowhere')).toEqual({ status: 400, code: -32602, message });
  const summary = Object.values(await call('sco_reputationSummary'));
  expect(summary.every((count) => typeof count === 'number')).toBe(true);
});

test('methods of the node that the seed does not list exist', async () => {
  expect(await call('rpc_modules')).toMatchObject({ eth: '1.0', net: '1.0', web3: '1.0' });
  expect(await call('eth_getBlocksByNumber', '0x1')).toEqual([
    { hash: made.block.hash, totalDifficulty: expect.stringMatching(/^0x/), inMainChain: true },
  ]);
  expect(await call('eth_getBlocksByNumber', '99')).toEqual([]);
});
