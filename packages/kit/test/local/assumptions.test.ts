import { afterAll, beforeAll, expect, test } from 'vitest';
import { rulesOf } from '../../../../src/proof/rules.js';
import { alice, clientOf, emitter, nobody, post, sign, word } from '../../../../test/support/local-client.js';
import { assumptions, createLocalService, type LocalService } from '../../src/local/index.js';

/** Checks every assumption against the service. The table and this file list the same ids. */
let service: LocalService;
let client: ReturnType<typeof clientOf>;
let contract: string;
let nonce = 0;
const missing = `0x${word(5)}`;
const question = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] });

const emit = async () => {
  const data = `0x${word(1)}${word(2)}` as const;
  const raw = await sign({ nonce: nonce++, to: contract as `0x${string}`, data, gas: 60_000n, value: 0n });
  return client.call('eth_sendRawTransaction', raw);
};
const latest = () => client.call('eth_getBlockByNumber', 'latest', false);

beforeAll(async () => {
  service = await createLocalService({ switches: { logLimit: { blocks: 2, logs: 1, rule: 'either' } } });
  client = clientOf(service);
  await service.controls.faucet(alice.address, 10n ** 18n);
  const raw = await sign({ nonce: nonce++, to: null, data: emitter, gas: 100_000n, value: 0n });
  const creation = await client.call('eth_sendRawTransaction', raw);
  contract = (await client.call('eth_getTransactionReceipt', creation)).contractAddress;
});
afterAll(() => service?.close());

const proofs: Record<string, () => Promise<void>> = {
  key: async () => {
    const { status, json } = await post(service.baseUrl, question);
    expect([status, json.id, json.error.message]).toEqual([401, null, 'Must be authenticated!']);
    expect((await post(`${service.baseUrl}/x`, question)).json.error.message).toBe('Invalid access key');
  },
  path: async () => {
    const { status, text } = await post(`${service.url}/x`, question);
    expect([status, text]).toEqual([404, '']);
  },
  quota: async () => {
    service.controls.setQuota(1);
    const { status, json, headers } = await post(service.url, `[${question},${question}]`);
    service.controls.setQuota(null);
    expect([status, json.error.code]).toEqual([429, 429]);
    expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(86_400);
  },
  cors: async () => {
    const { headers } = await post(service.url, question, { origin: 'https://any.example' });
    expect(headers.get('access-control-allow-origin')).toBe('*');
  },
  connection: async () => {
    const { headers } = await post(service.url, question, { 'accept-encoding': 'gzip' });
    expect([headers.get('connection'), headers.get('content-encoding')]).toEqual(['keep-alive', null]);
  },
  texts: async () => {
    const { message } = await client.refusal('eth_getBalance', '0x1', 'latest');
    expect(message).toBe('Invalid address: null, empty or invalid hex value.');
  },
  'pending-refused': async () => {
    expect((await client.refusal('eth_getBlockByNumber', 'pending', false)).code).toBe(-32201);
  },
  'unknown-block': async () => {
    expect(await client.call('eth_getBalance', nobody, '0xffff')).toBe(null);
    expect(await client.call('eth_getUncleCountByBlockHash', missing)).toBe(null);
    expect(await client.call('eth_estimateGas', { to: nobody }, '0xffff')).toBe(null);
  },
  'block-nonce': async () => {
    expect(await latest()).not.toHaveProperty('nonce');
  },
  'lookup-id': async () => {
    const { blockHash } = await client.call('eth_getTransactionByHash', await emit());
    const found = await client.call('eth_getTransactionByBlockHashAndIndex', blockHash, '0x0');
    expect(found._id).toMatch(/^[0-9a-f]{24}$/);
  },
  'failed-call': async () => {
    expect(await client.call('eth_call', { data: '0xfe' }, 'latest')).toBe('0x');
  },
  'log-limit': async () => {
    await emit();
    await emit();
    expect((await client.refusal('eth_getLogs', { fromBlock: '0x0' })).code).toBe(-32012);
  },
  'log-range': async () => {
    expect(await client.call('eth_getLogs', { fromBlock: '0x2', toBlock: '0x1' })).toEqual([]);
    expect(await client.call('eth_getLogs', { fromBlock: '0xffff' })).toEqual([]);
  },
  'first-poll': async () => {
    await emit();
    const id = await client.call('eth_newFilter', {});
    expect(await client.call('eth_getFilterChanges', id)).toEqual([]);
  },
  'filter-block-hash': async () => {
    const id = await client.call('eth_newFilter', { blockHash: missing });
    await emit();
    expect(await client.call('eth_getFilterChanges', id)).toHaveLength(1);
  },
  'filter-expiry': async () => {
    let now = 0;
    await using own = await createLocalService({ now: () => now });
    const { call, refusal } = clientOf(own);
    const id = await call('eth_newBlockFilter');
    now = 299_999;
    await call('eth_getFilterLogs', id);
    now += 299_999;
    await call('eth_getFilterChanges', id);
    now += 300_000;
    expect((await refusal('eth_getFilterChanges', id)).code).toBe(-32000);
  },
  orphans: async () => {
    await emit();
    const { hash } = await latest();
    await service.controls.reorg(1);
    expect((await client.call('eth_getBlockByHash', hash, false)).hash).toBe(hash);
    expect(await client.call('eth_getLogs', { blockHash: hash })).toHaveLength(1);
    expect(await client.call('eth_getBalance', nobody, hash)).toBe(null);
  },
  'reorg-pool': async () => {
    const hash = await emit();
    service.controls.setMinimumGasPrice(10n ** 12n);
    await service.controls.mine();
    await service.controls.reorg(2, { transactions: 'pending', blocks: 1 });
    expect((await client.call('eth_getTransactionByHash', hash)).blockHash).toBe(null);
    await service.controls.mine();
    expect((await client.call('eth_getTransactionReceipt', hash)).status).toBe('0x1');
    service.controls.setMinimumGasPrice(59_240_000n);
    await service.controls.mine();
  },
  mining: async () => {
    const block = await latest();
    const again = await latest();
    expect(again).toEqual(block);
    const other = await client.call('eth_getBlockByNumber', '0x1', false);
    expect(other.hashForMergedMining).not.toBe(block.hashForMergedMining);
    expect(other.difficulty).toBe(block.difficulty);
  },
  'block-hashes': async () => {
    const { number, parentHash } = await latest();
    // PUSH of the parent's number, BLOCKHASH, and a return of the word after a zero: returned code must not begin with 0xef.
    const data = `0x61${(Number(number) - 1).toString(16).padStart(4, '0')}406020526021601ff3`;
    const inside = (await client.call('eth_call', { data }, 'latest')).replace('0x00', '0x');
    expect(inside).toMatch(/^0x[0-9a-f]{64}$/);
    expect(BigInt(inside)).toBeGreaterThan(0n);
    expect(inside).not.toBe(parentHash);
    expect(await client.call('eth_getBlockByHash', inside, false)).toBe(null);
  },
  genesis: async () => {
    await using mainnet = await createLocalService({ chainId: 30 });
    const { hash } = await clientOf(mainnet).call('eth_getBlockByNumber', '0x0', false);
    expect(hash).not.toBe(rulesOf(30).genesis);
  },
  remasc: async () => {
    await using own = await createLocalService({ dialect: 'node' });
    await own.controls.mine();
    const block = await clientOf(own).call('eth_getBlockByNumber', 'latest', false);
    expect([block.transactions.length, block.gasUsed]).toEqual([1, '0x0']);
    expect((await latest()).transactions.length).toBe(0);
  },
  evm: async () => {
    expect(await client.call('eth_call', { data: '0x4860005260206000f3' }, 'latest')).toBe(`0x${word(0)}`);
  },
  unlisted: async () => {
    expect(await client.call('eth_getWork')).toHaveLength(3);
  },
  traces: async () => {
    const hash = await emit();
    const [trace] = await client.call('trace_transaction', hash);
    expect(trace.action).not.toHaveProperty('init');
    expect((await client.call('debug_traceTransaction', hash)).structLogs).toEqual([]);
    const raw = await sign({ nonce: nonce++, to: null, data: '0xfe', gas: 100_000n, value: 0n });
    const [failed] = await client.call('trace_transaction', await client.call('eth_sendRawTransaction', raw));
    expect(failed.error).toMatch(/invalid opcode/i);
  },
  precompiles: async () => {
    const call = (end: string, data: string) =>
      client.call('eth_call', { to: `0x${'0'.repeat(32)}${end}`, data }, 'latest');
    expect(await call('01000006', '0x14c89c01')).toBe(`0x${word(0)}`);
    expect(await call('01000011', '0xe8ce2274')).toBe(`0x${word(1)}`);
    for (const end of ['01000006', '01000008', '01000009', '01000010'])
      expect(await call(end, '0x12345678')).toBe('0x');
  },
  'expected-fees': async () => {
    await using own = await createLocalService({ dialect: 'node', mining: 'manual' });
    const { call } = clientOf(own);
    await own.controls.faucet(alice.address, 10n ** 18n);
    await call('eth_sendRawTransaction', await sign({ gasPrice: 60_000_000n }));
    await call('eth_sendRawTransaction', await sign({ nonce: 1, gasPrice: 70_000_000n }));
    const { gasUsed, paidFees } = await call('eth_getBlockByNumber', 'pending', false);
    expect([BigInt(gasUsed), BigInt(paidFees)]).toEqual([42_000n, 21_000n * 130_000_000n]);
  },
  network: async () => {
    await using own = await createLocalService({ mining: 'manual' });
    const node = await own.addNode();
    await own.controls.faucet(alice.address, 10n ** 18n);
    await clientOf(node).call('eth_sendRawTransaction', await sign({ value: 5n }));
    expect(await clientOf(node).call('eth_getBalance', nobody, 'pending')).toBe('0x0');
    expect(await clientOf(own).call('eth_getBalance', nobody, 'pending')).toBe('0x5');
  },
  bridge: async () => {
    expect((await client.refusal('mnr_submitBitcoinBlock', '0x00')).code).toBe(-33000);
  },
  faucet: async () => {
    const body = JSON.stringify({ address: nobody, amount: '0x7' });
    expect((await post(`${service.baseUrl}/_local/faucet`, body)).status).toBe(200);
    expect((await latest()).transactions).toEqual([]);
  },
};

test('every assumption has exactly one check', () => {
  expect(Object.keys(proofs)).toEqual(assumptions.map(({ id }) => id));
  for (const { what, why } of assumptions) expect(what.length * why.length).toBeGreaterThan(0);
});

test.each(assumptions)('$id: $what', async ({ id }) => {
  await proofs[id]?.();
});
