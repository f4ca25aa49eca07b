import { BrowserProvider } from 'ethers';
import { createPublicClient, custom } from 'viem';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Web3 } from 'web3';
import Web3V1 from 'web3-v1';
import { openPage, type Page } from './page.js';

let page: Page;
beforeAll(async () => {
  page = await openPage();
  await page.service.controls.mine(3);
});
afterAll(() => page.stop());

const price = () => page.request('eth_gasPrice');

describe('eth_maxPriorityFeePerGas', () => {
  test('the tip is zero, without a request', async () => {
    const asked = await page.askedDuring(async () =>
      expect(await page.request('eth_maxPriorityFeePerGas')).toBe('0x0'),
    );
    expect(asked).toEqual([]);
  });

  test('added to the next base fee it is eth_gasPrice', async () => {
    const { baseFeePerGas } = await page.request('eth_feeHistory', '0x1', 'latest', []);
    const tip = await page.request('eth_maxPriorityFeePerGas');
    expect(BigInt(baseFeePerGas.at(-1)) + BigInt(tip)).toBe(BigInt(await price()));
  });

  test('ethers, web3.js and viem go on with the one price', async () => {
    const { provider } = page.wallet;
    const ethers = new BrowserProvider(provider, undefined, { staticNetwork: true });
    expect(await ethers.getFeeData()).toMatchObject({
      gasPrice: BigInt(await price()),
      maxFeePerGas: null,
      maxPriorityFeePerGas: null,
    });
    ethers.destroy();
    expect(await new Web3(provider).eth.getMaxPriorityFeePerGas()).toBe(0n);
    const viem = createPublicClient({ transport: custom(provider) });
    expect(await viem.estimateMaxPriorityFeePerGas()).toBe(0n);
  });

  test('eth_maxPriorityFeePerGas refuses wrong params', async () => {
    await expect(page.request('eth_maxPriorityFeePerGas', 1)).rejects.toMatchObject({ code: -32602 });
  });
});

describe('eth_feeHistory, its params', () => {
  const count = (value: unknown) => page.request('eth_feeHistory', value, 'latest', []);

  test.each([['0x2'], ['0x02'], [2], ['2']])('a count of %j', async (value) => {
    expect((await count(value)).gasUsedRatio).toHaveLength(2);
  });

  test.each([[0], ['0x0'], ['0'], [-1], [1.5], ['two'], [null], [''], [true], [[]]])(
    'a count of %j',
    async (value) => {
      await expect(count(value)).rejects.toMatchObject({
        code: -32602,
        message: expect.stringContaining('params[0]'),
      });
    },
  );

  test.each([['safe'], ['finalized'], [`0x${'11'.repeat(32)}`], [5], [{}], [null]])(
    'a newest block %j',
    async (newest) => {
      await expect(page.request('eth_feeHistory', '0x1', newest, [])).rejects.toMatchObject({
        code: -32602,
        message: expect.stringContaining('params[1]'),
      });
    },
  );

  test.each([[undefined], [null], [[]]])('percentiles %j: no rewards', async (percentiles) => {
    const history = await page.request('eth_feeHistory', '0x1', 'latest', percentiles);
    expect(Object.keys(history).sort()).toEqual(['baseFeePerGas', 'gasUsedRatio', 'oldestBlock']);
  });

  test('percentiles: a tip of 0 at each, for each block', async () => {
    const { reward } = await page.request('eth_feeHistory', '0x2', 'latest', [0, 12.5, 100]);
    expect(reward).toEqual([
      ['0x0', '0x0', '0x0'],
      ['0x0', '0x0', '0x0'],
    ]);
  });

  test.each([[[-1]], [[101]], [[50, 25]], [[25, 25]], [['25']], [[null]], [25], [Array(101).fill(1)]])(
    'percentiles %j',
    async (percentiles) => {
      await expect(page.request('eth_feeHistory', '0x1', 'latest', percentiles)).rejects.toMatchObject({
        code: -32602,
        message: expect.stringContaining('params[2]'),
      });
    },
  );

  test('a refused request sends nothing to the service', async () => {
    const asked = await page.askedDuring(() => count(0).catch(() => {}));
    expect(asked).toEqual([]);
  });
});

describe('eth_feeHistory, as libraries call it', () => {
  test('viem, web3.js 4 and web3.js 1 read the same', async () => {
    const { provider } = page.wallet;
    const { baseFeePerGas, gasUsedRatio, oldestBlock } = await page.request(
      'eth_feeHistory',
      '0x2',
      'latest',
      [25, 75],
    );
    const fees = baseFeePerGas.map(BigInt);

    const viem = createPublicClient({ transport: custom(provider) });
    expect(await viem.getFeeHistory({ blockCount: 2, rewardPercentiles: [25, 75] })).toEqual({
      baseFeePerGas: fees,
      gasUsedRatio,
      oldestBlock: BigInt(oldestBlock),
      reward: [
        [0n, 0n],
        [0n, 0n],
      ],
    });
    expect(await new Web3(provider).eth.getFeeHistory(2, 'latest', [25, 75])).toMatchObject({
      baseFeePerGas: fees,
      oldestBlock: BigInt(oldestBlock),
    });
    const first = new (Web3V1 as unknown as typeof Web3V1.default)(provider);
    expect(await first.eth.getFeeHistory(2, 'latest', [25, 75])).toMatchObject({
      baseFeePerGas,
      oldestBlock,
    });
  });
});
