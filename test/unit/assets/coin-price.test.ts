import { expect, test } from 'vitest';
import { checkedPrice, readCoinPrice } from '../../../src/assets/coin-price.js';
import { createCoinPrices } from '../../../src/assets/coin-prices.js';
import { errorCode, ProviderRpcError } from '../../../src/rpc/errors.js';
import type { Service } from '../../../src/service/service.js';
import { fc } from '../../support/property.js';

const word = (value: bigint | number) => BigInt(value).toString(16).padStart(64, '0');
const reply = (...words: (bigint | number)[]) => `0x${words.map(word).join('')}`;
const dollar = 10n ** 18n;
const reverted = new ProviderRpcError(errorCode.executionReverted, 'execution reverted');
const failed = new ProviderRpcError(errorCode.disconnected, 'no endpoint answers');

/** A service whose oracle answers by selector; its head is block 1,000. */
function serviceWith(answers: Record<string, string | Error>, chainId = 30, height = '0x3e8') {
  const calls: string[] = [];
  const service = {
    network: { chainId },
    async request(method: string, [call]: readonly { to: string; data: string }[]) {
      calls.push(`${method} ${call?.to ?? ''} ${call?.data ?? ''}`.trim());
      const answer = method === 'eth_blockNumber' ? height : answers[call?.data as string];
      if (answer instanceof Error) throw answer;
      return answer ?? '0x';
    },
  } as unknown as Service;
  return { service, calls };
}
const [priceInfo, peek] = ['0x330227bf', '0x59e02dd7'];
const read = (answers: Record<string, string | Error>, chainId?: number) =>
  readCoinPrice(serviceWith(answers, chainId).service);

test('an oracle’s price has its age in blocks, by one call', async () => {
  const { service, calls } = serviceWith({ [priceInfo]: reply(98_765n * dollar, 1, 990) });
  expect(await readCoinPrice(service)).toEqual({ usd: `${98_765n * dollar}`, age: 10 });
  expect(calls).toEqual([
    'eth_blockNumber',
    'eth_call 0xe2927a0620b82a66d67f678fc9b826b0e01b1bfd 0x330227bf',
  ]);
});

test('a node behind the oracle’s block gives the age zero', async () => {
  expect(await read({ [priceInfo]: reply(dollar, 1, 1_003) })).toEqual({ usd: `${dollar}`, age: 0 });
});

test('an older oracle answers without an age', async () => {
  expect(await read({ [priceInfo]: reverted, [peek]: reply(5n * dollar, 1) }, 31)).toEqual({
    usd: `${5n * dollar}`,
  });
});

test.each<[string, Record<string, string | Error>, number?]>([
  ['on a chain without an oracle', { [priceInfo]: reply(dollar, 1, 999) }, 33],
  ['without code at the address', {}],
  ['for a price that is not valid', { [priceInfo]: reply(dollar, 0, 999) }],
  ['for another word in place of a boolean', { [priceInfo]: reply(dollar, 2, 999) }],
  ['for the price zero', { [priceInfo]: reply(0, 1, 999) }],
  ['for a price beyond reason', { [priceInfo]: reply(2n ** 200n, 1, 999) }],
  ['for a reply of two words', { [priceInfo]: reply(dollar, 1) }],
  ['for a reply of four words', { [priceInfo]: reply(dollar, 1, 999, 0) }],
  ['where both functions revert', { [priceInfo]: reverted, [peek]: reverted }],
  ['where the older one is not valid', { [priceInfo]: reverted, [peek]: reply(dollar, 0) }],
  ['where the older one answers nothing', { [priceInfo]: reverted, [peek]: '0x' }],
])('nothing is known %s', async (_name, answers, chainId) => {
  expect(await read(answers, chainId)).toBeNull();
});

test('a price that is older than a day is not shown', async () => {
  const at = (height: number) =>
    readCoinPrice(serviceWith({ [priceInfo]: reply(dollar, 1, 1) }, 30, `0x${height.toString(16)}`).service);
  expect(await at(2_881)).toEqual({ usd: `${dollar}`, age: 2_880 });
  expect(await at(2_882)).toBeNull();
});

test('a service that does not answer is an error, and is asked again', async () => {
  const { service, calls } = serviceWith({ [priceInfo]: failed });
  const prices = createCoinPrices({ source: undefined, serviceOf: () => service, now: () => 0 });
  await expect(prices.of(30)).rejects.toBe(failed);
  await expect(prices.of(30)).rejects.toBe(failed);
  expect(calls.filter((each) => each.startsWith('eth_call'))).toHaveLength(2);
});

test('any bytes are a price only where they are three words, of which the second is one', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }), { maxLength: 5 }),
      fc.array(fc.constantFrom(0n, 1n, 2n, 999n, 1_000n, dollar, 10n ** 26n, 10n ** 26n + 1n), {
        maxLength: 5,
      }),
      async (random, chosen) => {
        for (const words of [random, chosen]) {
          const found = await read({ [priceInfo]: reply(...words), [peek]: reply(dollar, 1) });
          const [price, isValid, block] = words;
          const isPrice =
            words.length === 3 && isValid === 1n && (price ?? 0n) > 0n && (price ?? 0n) <= 10n ** 26n;
          const age = block === undefined || block > 1_000n ? 0 : Number(1_000n - block);
          expect(found).toEqual(isPrice ? { usd: `${price}`, age } : null);
        }
      },
    ),
  );
});

test.each<[unknown, unknown]>([
  [
    { usd: '1', age: 3 },
    { usd: '1', age: 3 },
  ],
  [{ usd: '1' }, { usd: '1' }],
  [{ usd: '1', age: -1 }, { usd: '1' }],
  [{ usd: '1', age: 0.5 }, { usd: '1' }],
  [{ usd: 1 }, null],
  [{ usd: '0' }, null],
  [{ usd: '-1' }, null],
  [{ usd: '1e3' }, null],
  [{ usd: '9'.repeat(41) }, null],
  [null, null],
  [undefined, null],
  ['1', null],
])('another source that says %j', async (answer, price) => {
  expect(checkedPrice(answer)).toEqual(price);
  const prices = createCoinPrices({
    source: async () => answer as never,
    serviceOf: () => undefined as never,
    now: () => 0,
  });
  expect(await prices.of(31)).toEqual(price);
});

test('a price is read again after five minutes, for each chain', async () => {
  let now = 0;
  const asked: number[] = [];
  const prices = createCoinPrices({
    async source(chainId) {
      asked.push(chainId);
      return { usd: '7' };
    },
    serviceOf: () => undefined as never,
    now: () => now,
  });
  await Promise.all([prices.of(30), prices.of(30), prices.of(31)]);
  now = 299_999;
  await prices.of(30);
  expect(asked).toEqual([30, 31]);
  now = 300_000;
  await prices.of(30);
  expect(asked).toEqual([30, 31, 30]);
});

test('no source, no price', async () => {
  const prices = createCoinPrices({ source: null, serviceOf: () => undefined as never, now: () => 0 });
  expect(await prices.of(30)).toBeNull();
});
