import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Address } from '../../../../src/rpc/schema.js';
import { startChain, type TestChain } from '../../src/playwright/chain.js';

let chain: TestChain;
beforeAll(async () => {
  chain = await startChain();
});
afterAll(() => chain?.close());

test('funding rejects what is no address, or no amount, and names it', async () => {
  const fund = (address: unknown, wei?: unknown) => chain.fund(address as Address, wei as bigint);
  const address = `0x${'1'.repeat(40)}`;
  const privateKey = `0x${'47'.repeat(32)}`;
  for (const [given, shown] of [
    ['0x12', '"0x12"'],
    [undefined, 'undefined'],
    [privateKey, 'a string of 68 characters'],
  ])
    await expect(fund(given)).rejects.toThrow(
      new Error(`fund: expected an address, 0x and 40 hexadecimal digits, but got ${shown}`),
    );
  for (const wei of [5, -1n, '5'])
    await expect(fund(address, wei)).rejects.toThrow(/^fund: expected wei as a bigint from 0, but got /);
  await fund(address.replace('0x1', '0x2'), 7n);
  expect(await chain.request('eth_getBalance', [address.replace('0x1', '0x2'), 'latest'])).toBe('0x7');
});

test('time and blocks refuse what is no whole number from 1, or no date', async () => {
  const head = await chain.request('eth_blockNumber');
  for (const count of [0, -5, 1.5, Number.NaN, '1' as unknown as number]) {
    const expected = `: expected a whole number from 1, but got ${count === ('1' as unknown) ? '"1"' : count}`;
    await expect(chain.mine(count)).rejects.toThrow(new RangeError(`mine${expected}`));
    await expect(chain.increaseTime(count)).rejects.toThrow(new RangeError(`increaseTime${expected}`));
  }
  for (const date of [new Date('garbage'), '2040-01-01' as unknown as Date])
    await expect(chain.setTime(date)).rejects.toThrow(new RangeError('setTime: expected a valid Date'));
  await expect(chain.setTime(new Date(0))).rejects.toThrow('setTime: expected a date after the newest block');
  expect(await chain.request('eth_blockNumber')).toBe(head);
});

test('an option that is not known is an error', async () => {
  await expect(startChain({ chainID: 31 } as object)).rejects.toThrow(
    /^chainOptions: there is no member "chainID"; its members are funded, port, chainId, /,
  );
});
