import { afterAll, describe, expect, test } from 'vitest';
import { Web3 } from 'web3';
import Web3V1 from 'web3-v1';
import { createVolatileMemory, createWallet } from '../../../src/index.js';
import { answer, answerBatch, isBatch } from '../../../src/provider/router.js';
import { ProviderRpcError } from '../../../src/rpc/errors.js';

const complete = { jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] };
const echo = async (payload: unknown) => (payload as { method: string }).method;
const refuse = async () => {
  throw new ProviderRpcError(4001, 'no', { a: 1 });
};
const trap = {
  get id(): number {
    throw new Error('mine');
  },
};
const revoked = () => {
  const { proxy, revoke } = Proxy.revocable([], {});
  revoke();
  return proxy;
};

describe('isBatch', () => {
  test.each([[[complete]], [[complete, { ...complete, id: 'b', params: undefined }]]])('%j', (args) =>
    expect(isBatch(args)).toBe(true),
  );

  test.each([
    [[]],
    [complete],
    [[{ method: 'eth_chainId' }]],
    [['eth_chainId']],
    [[complete, null]],
    [[complete, [complete]]],
    [[{ ...complete, id: null }]],
    [[{ ...complete, id: undefined }]],
    [[{ ...complete, jsonrpc: '1.0' }]],
    [[{ ...complete, method: 5 }]],
    [null],
    [undefined],
    ['[]'],
  ])('%j is not a batch', (args) => expect(isBatch(args)).toBe(false));

  test('an unreadable array is not a batch', () => {
    expect(isBatch([trap])).toBe(false);
    expect(isBatch(revoked())).toBe(false);
  });
});

describe('answer', () => {
  test('a response has the id and the result of its request', async () => {
    expect(await answer(complete, echo)).toEqual({ id: 1, jsonrpc: '2.0', result: 'eth_chainId' });
  });

  test('a rejection becomes an error response', async () => {
    const error = { code: 4001, message: 'no', data: { a: 1 } };
    expect(await answer(complete, refuse)).toEqual({ id: 1, jsonrpc: '2.0', error });
  });

  test.each([[{ method: 'x' }], [{ id: {}, method: 'x' }], [null], [trap]])(
    '%# has no id that could be given back',
    async (payload) => expect((await answer(payload, async () => 1)).id).toBeNull(),
  );
});

describe('answerBatch', () => {
  test('responses of a batch are in the order of its payloads', async () => {
    const payloads = [complete, { ...complete, id: 'b', method: 'eth_accounts' }];
    expect(await answerBatch(payloads, echo)).toEqual([
      { id: 1, jsonrpc: '2.0', result: 'eth_chainId' },
      { id: 'b', jsonrpc: '2.0', result: 'eth_accounts' },
    ]);
  });

  test('a failed payload does not affect the others', async () => {
    let asked = 0;
    const [first, second] = await answerBatch([complete, complete], () =>
      ++asked === 1 ? refuse() : echo(complete),
    );
    expect(first).toMatchObject({ error: { code: 4001 } });
    expect(second).toMatchObject({ result: 'eth_chainId' });
  });

  test('the array is the caller’s, to sort as web3.js 1 does', async () => {
    expect(Object.isFrozen(await answerBatch([complete], echo))).toBe(false);
  });

  test('refuses an empty batch and one with too many payloads', async () => {
    await expect(answerBatch([], echo)).rejects.toMatchObject({ code: -32600 });
    await expect(answerBatch(Array(1_001).fill(complete), echo)).rejects.toMatchObject({ code: -32005 });
    expect(await answerBatch(Array(1_000).fill(complete), echo)).toHaveLength(1_000);
  });
});

describe('as libraries send them', () => {
  const wallet = createWallet({
    networks: [{ chainId: 31, url: 'https://rpc.example/none' }],
    memory: createVolatileMemory(),
  });
  afterAll(() => wallet.destroy());

  test('web3.js 4', async () => {
    const batch = new new Web3(wallet.provider).BatchRequest();
    const chainId = batch.add({ method: 'eth_chainId', params: [] });
    const unknown = batch.add({ method: 'eth_createAccessList', params: [{}] });
    const refusal = unknown.catch((error: unknown) => error);
    expect(await batch.execute({ timeout: 10_000 })).toHaveLength(2);
    expect(await chainId).toBe('0x1f');
    expect(await refusal).toMatchObject({ code: -32601 });
  });

  test('web3.js 1', async () => {
    const web3 = new (Web3V1 as unknown as typeof Web3V1.default)(wallet.provider);
    const batch = new web3.BatchRequest();
    const added = (method: { request(answered: (...said: unknown[]) => void): unknown }) =>
      new Promise((resolve) => {
        batch.add(method.request((error, result) => resolve(error ?? result)) as never);
      });
    const chainId = added(web3.eth.getChainId as never);
    const accounts = added(web3.eth.getAccounts as never);
    const fees = added(web3.eth.getWork as never);
    batch.execute();
    expect(await chainId).toBe(31);
    expect(await accounts).toEqual([]);
    expect(await fees).toMatchObject({ message: expect.stringContaining('eth_getWork') });
  });
});
