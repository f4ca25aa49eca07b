import { createPublicClient, custom } from 'viem';
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { Block, Receipt } from '../../../src/index.js';
import { openWallet } from '../../support/open-wallet.js';
import { openPage, type Page } from './page.js';

describe.each(['seed', 'node'] as const)('eth_getBlockReceipts in the dialect %s', (dialect) => {
  let page: Page;
  let full: Block;
  let empty: Block;
  beforeAll(async () => {
    page = await openPage({ dialect });
    const { controls } = page.service;
    controls.setMining('manual');
    for (let nonce = 0; nonce < 12; nonce++) await page.pay(nonce);
    await controls.mine();
    full = await page.request('eth_getBlockByNumber', 'latest', false);
    await controls.mine();
    empty = await page.request('eth_getBlockByNumber', 'latest', false);
  });
  afterAll(() => page.stop());
  afterEach(() => page.service.controls.clearFaults());

  const receipts = (block: unknown): Promise<readonly Receipt[] | null> =>
    page.request('eth_getBlockReceipts', block);
  const single = () =>
    Promise.all(full.transactions.map((hash) => page.request('eth_getTransactionReceipt', hash)));

  test('a block’s receipts are those of its transactions, one by one', async () => {
    const all = await receipts(full.number);
    expect(all).toEqual(await single());
    expect(all?.length).toBe(dialect === 'node' ? 13 : 12);
  });

  test('block: by hash and by a map', async () => {
    const all = await single();
    expect(await receipts(full.hash)).toEqual(all);
    expect(await receipts({ blockHash: full.hash })).toEqual(all);
    expect(await receipts({ blockHash: full.hash, requireCanonical: true })).toEqual(all);
    expect(await receipts({ blockNumber: full.number })).toEqual(all);
  });

  test('block: a tag', async () => {
    expect((await receipts('latest'))?.length).toBe(empty.transactions.length);
    expect((await receipts('earliest'))?.every(({ blockNumber }) => blockNumber === '0x0')).toBe(true);
  });

  test('pending has no receipts, and sends no request', async () => {
    const asked = await page.askedDuring(async () => expect(await receipts('pending')).toBeNull());
    expect(asked).toEqual([]);
  });

  test('null for a block that is not known', async () => {
    expect(await receipts('0xffffff')).toBeNull();
    expect(await receipts(`0x${'ab'.repeat(32)}`)).toBeNull();
  });

  test('one request for the block, and one for each transaction', async () => {
    const asked = await page.askedDuring(() => receipts(full.number));
    expect(asked[0]).toBe('eth_getBlockByNumber');
    expect(asked.slice(1)).toEqual(full.transactions.map(() => 'eth_getTransactionReceipt'));
  });

  test('viem reads them', async () => {
    const viem = createPublicClient({ transport: custom(page.wallet.provider) });
    const all = await viem.getBlockReceipts({ blockNumber: BigInt(full.number as string) });
    expect(all.map(({ transactionHash }) => transactionHash)).toEqual(full.transactions);
    await expect(viem.getBlockReceipts({ blockNumber: 0xffffffn })).rejects.toThrow(/could not be found/);
  });

  test('where the last transaction, REMASC’s, has no receipt, it is left out', async () => {
    if (dialect === 'seed') return expect(full.transactions).toHaveLength(12);
    const last = full.transactions.at(-1);
    page.service.controls.intercept(async ({ calls: [call] }) =>
      call?.method === 'eth_getTransactionReceipt' && (call.params as unknown[])[0] === last
        ? { body: JSON.stringify({ jsonrpc: '2.0', id: call.id, result: null }) }
        : undefined,
    );
    // A wallet that was not shown this receipt.
    const wallet = openWallet({
      networks: [{ chainId: 31, url: page.service.url }],
      approver: () => page.approver,
    });
    onTestFinished(() => wallet.destroy());
    const read = await wallet.provider.request({
      method: 'eth_getBlockReceipts',
      params: [full.hash as `0x${string}`],
    });
    expect(read).toEqual((await single()).slice(0, 12));
  });

  test('a block that left the chain is -32001 by its hash, after a second read', async () => {
    const { controls } = page.service;
    await controls.reorg(2, { transactions: 'mined' });
    const asked = await page.askedDuring(() =>
      expect(receipts(full.hash)).rejects.toMatchObject({ code: -32001 }),
    );
    expect(asked.filter((method) => method === 'eth_getBlockByHash')).toHaveLength(2);
  });

  test('a reorg while it is read returns the receipts of the new block', async () => {
    const { controls } = page.service;
    let reads = 0;
    controls.intercept(async ({ calls: [call] }) => {
      if (call?.method === 'eth_getTransactionReceipt' && ++reads === 3)
        await controls.reorg(3, { transactions: 'mined' });
      return undefined;
    });
    const all = await receipts(full.number);
    const standing: Block = await page.request('eth_getBlockByNumber', full.number, false);
    expect(standing.hash).not.toBe(full.hash);
    expect(all?.map(({ transactionHash }) => transactionHash)).toEqual(standing.transactions);
    expect(all?.every(({ blockHash }) => blockHash === standing.hash)).toBe(true);
  });

  test.each([[[5]], [[null]], [['0x12']], [[{}]], ['none']])(
    'the service tells of a block with the transactions %j',
    async (transactions) => {
      page.service.controls.intercept(async ({ calls: [call] }, answer) => {
        if (call?.method !== 'eth_getBlockByHash') return undefined;
        const reply = JSON.parse((await answer()).body);
        return { body: JSON.stringify({ ...reply, result: { ...reply.result, transactions } }) };
      });
      const { hash } = await page.request('eth_getBlockByNumber', 'latest', false);
      await expect(receipts(hash)).rejects.toMatchObject({ code: -32603 });
    },
  );

  test.each([['safe'], ['finalized'], [5], [{}], [undefined]])('%j is no block', async (block) => {
    await expect(receipts(block)).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining('params[0]'),
    });
  });
});
