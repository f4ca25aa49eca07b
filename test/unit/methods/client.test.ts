import { keccak256, stringToHex } from 'viem';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Web3 } from 'web3';
import { openPage, type Page } from './page.js';

let page: Page;
beforeAll(async () => {
  page = await openPage();
});
afterAll(() => page.stop());

test.each(['0x', '0x00', '0xdeadBEEF', stringToHex('a longer text, over thirty-two bytes of it')] as const)(
  'web3_sha3 of %s is computed in the page, without a request',
  async (bytes) => {
    const asked = await page.askedDuring(async () =>
      expect(await page.request('web3_sha3', bytes)).toBe(keccak256(bytes)),
    );
    expect(asked).toEqual([]);
  },
);

test.each([['0x0'], ['0xgg'], ['hello'], [5], [null], [undefined]])('web3_sha3 of %j', async (value) => {
  await expect(page.request('web3_sha3', value)).rejects.toMatchObject({
    code: -32602,
    message: expect.stringContaining('params[0]'),
  });
});

test('web3_clientVersion is the service’s reply', async () => {
  expect(await page.request('web3_clientVersion')).toContain('RskJ');
  expect(await page.request('eth_protocolVersion')).toBe('0x3e');
  expect(await page.request('eth_coinbase')).toBe(`0x${'0'.repeat(40)}`);
  expect(await page.request('net_peerCount')).toBe('0x2');
  expect(await new Web3(page.wallet.provider).eth.getNodeInfo()).toContain('RskJ');
});
