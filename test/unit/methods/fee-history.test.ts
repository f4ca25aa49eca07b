import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Block } from '../../../src/index.js';
import { eth_maxPriorityFeePerGas } from '../../../src/methods/fee.js';
import { maxBlocks, readFeeHistory } from '../../../src/methods/fee-history.js';
import { createService } from '../../../src/service/client.js';
import { createNetworks, type Network } from '../../../src/service/networks.js';
import { clientOf, minimum } from '../../support/local-client.js';
import { openPage, type Page } from './page.js';

let page: Page;
let node: ReturnType<typeof clientOf>;
beforeAll(async () => {
  page = await openPage();
  node = clientOf(page.service);
  const { controls } = page.service;
  for (const [nonce, wei] of [minimum, minimum + 7n, minimum + 90n].entries()) {
    controls.setMinimumGasPrice(wei);
    await page.pay(nonce);
  }
  await controls.mine(40);
});
afterAll(() => page.stop());
afterEach(() => page.service.controls.clearFaults());

/** A service of its own, which remembers nothing. */
const fresh = () =>
  createService({ network: createNetworks([{ chainId: 31, url: page.service.url }])[0] as Network });
const history = (count: number, newest: 'latest' | 'earliest' | 'pending' | `0x${string}`, of = fresh()) =>
  readFeeHistory({ service: of, count, newest, percentiles: [] });
const blockAt = async (height: number): Promise<Block> =>
  node.call('eth_getBlockByNumber', `0x${height.toString(16)}`, false);
const head = async () => Number(await node.call('eth_blockNumber'));

/** What the answer must be, from the blocks as the service tells them now. */
async function expected(from: number, to: number) {
  const blocks = await Promise.all(Array.from({ length: to - from + 1 }, (_, i) => blockAt(from + i)));
  const next = (await blockAt(to + 1))?.minimumGasPrice ?? (await node.call('eth_gasPrice'));
  return {
    oldestBlock: `0x${from.toString(16)}`,
    baseFeePerGas: [...blocks.map(({ minimumGasPrice }) => minimumGasPrice), next],
    gasUsedRatio: blocks.map(({ gasUsed, gasLimit }) => Number(gasUsed) / Number(gasLimit)),
  };
}

describe('readFeeHistory', () => {
  test('the fee history of the newest blocks is that of the blocks themselves', async () => {
    const newest = await head();
    expect(await history(5, 'latest')).toEqual(await expected(newest - 4, newest));
  });

  test('newest as a number: the next block has the exact next price', async () => {
    const { baseFeePerGas, gasUsedRatio } = await history(4, '0x4');
    expect({ baseFeePerGas, gasUsedRatio, oldestBlock: '0x1' }).toEqual(await expected(1, 4));
    expect(new Set(baseFeePerGas).size).toBeGreaterThan(2);
    expect(gasUsedRatio).toContain(21_000 / 6_800_000);
  });

  test('newest as the head’s number: the next price is eth_gasPrice', async () => {
    const newest = await head();
    expect(await history(2, `0x${newest.toString(16)}`)).toEqual(await expected(newest - 1, newest));
  });

  test('newest: earliest is the first block alone', async () => {
    expect(await history(5, 'earliest')).toEqual(await expected(0, 0));
  });

  test('newest: pending is latest', async () => {
    expect(await history(3, 'pending')).toEqual(await history(3, 'latest'));
  });

  test('count: no more than there are, and no more than the cap', async () => {
    expect(await history(9, '0x3')).toEqual(await expected(0, 3));
    const newest = await head();
    expect(await history(1_000, 'latest')).toEqual(await expected(newest - maxBlocks + 1, newest));
  });

  test('no such newest block', async () => {
    await expect(history(1, '0xffffff')).rejects.toMatchObject({ code: -32001 });
  });

  test('one request for each block, and after a new block only for that', async () => {
    const service = fresh();
    await history(10, 'latest', service);
    expect(service.usage().sent).toEqual({ eth_getBlockByNumber: 10, eth_gasPrice: 1 });
    await page.service.controls.mine();
    await history(10, 'latest', service);
    expect(service.usage().sent).toEqual({ eth_getBlockByNumber: 11, eth_gasPrice: 2 });
  });

  test('the blocks of a chain that is replaced while it is read are of one chain', async () => {
    const { controls } = page.service;
    const service = fresh();
    let reads = 0;
    controls.setMinimumGasPrice(minimum + 500n);
    controls.intercept(async ({ calls }) => {
      if (calls[0]?.method === 'eth_getBlockByNumber' && ++reads === 3)
        await controls.reorg(6, { blocks: 3 });
      return undefined;
    });
    const { oldestBlock, baseFeePerGas } = await history(8, 'latest', service);
    const newest = Number(oldestBlock) + 7;
    expect(service.usage().sent.eth_getBlockByHash).toBeGreaterThan(0);
    // The old branch: every block below its head has the old price.
    expect(baseFeePerGas.slice(0, -1)).toEqual(Array(8).fill(`0x${(minimum + 90n).toString(16)}`));
    expect(newest).toBeGreaterThan(await head());
  });

  test.each([
    [
      'a block that is its own parent',
      (body: string) => body.replace(/("parentHash":")0x[0-9a-f]{64}/, '$1$HASH'),
    ],
    ['gas that is no QUANTITY', (body: string) => body.replace(/"gasUsed":"0x/, '"gasUsed":"-0x')],
    ['no number', (body: string) => body.replace(/"number":"0x[0-9a-f]+"/, '"number":null')],
  ])('the service tells of %s', async (_what, spoil) => {
    page.service.controls.intercept(async ({ calls: [call] }, answer) => {
      if (call?.method === 'eth_gasPrice') return undefined;
      const { body } = await answer();
      const hash = /"hash":"(0x[0-9a-f]{64})"/.exec(body)?.[1] ?? '';
      return { body: spoil(body).replace('$HASH', hash) };
    });
    await expect(history(3, 'latest')).rejects.toMatchObject({ code: -32603 });
  });

  test('once blocks have a base fee, the requests are forwarded, also for the tip', async () => {
    const { controls } = page.service;
    const service = fresh();
    const theirs = { oldestBlock: '0x1', baseFeePerGas: ['0x5', '0x6'], gasUsedRatio: [0.5] };
    controls.intercept(async ({ calls }, answer) => {
      const [call] = calls;
      const own = { eth_feeHistory: theirs, eth_maxPriorityFeePerGas: '0x9' }[call?.method ?? ''];
      if (own) return { body: JSON.stringify({ jsonrpc: '2.0', id: call?.id, result: own }) };
      const { body } = await answer();
      return { body: body.replace('"minimumGasPrice"', '"baseFeePerGas":"0x7","minimumGasPrice"') };
    });
    const tip = () =>
      eth_maxPriorityFeePerGas.handle({ reads: () => service } as never, [] as never, {
        method: 'eth_maxPriorityFeePerGas',
      });
    expect(await tip()).toBe('0x0');
    expect(await history(1, 'latest', service)).toEqual(theirs);
    expect(await tip()).toBe('0x9');
  });
});
