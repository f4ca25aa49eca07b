import { type Hex, keccak256, parseTransaction, recoverTransactionAddress } from 'viem';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createLocalService, type LocalService } from '../../../../packages/kit/src/local/index.js';
import { values } from '../../../support/keys.js';
import { openPage, type Page, withKeys } from '../../../support/page.js';

/** EIP-155: signatures for one chain. Signed by the wallet, read back by viem. */

const services: LocalService[] = [];
let page: Page;
beforeAll(async () => {
  for (const chainId of [31, 30]) services.push(await createLocalService({ chainId }));
  const networks = services.map(({ chainId, url }) => ({ chainId, url }));
  page = await withKeys(openPage({ networks, session: 'none' }));
  for (const { controls } of services) await controls.faucet(values.$A0, 10n ** 18n);
});
afterAll(async () => {
  page.close();
  for (const service of services) await service.close();
});

const sign = async (fields: object = {}) =>
  (await page.request('eth_signTransaction', [
    { from: values.$A0, to: values.$X, value: '0x1', gas: '0x5208', gasPrice: '0x3b9aca00', ...fields },
  ])) as Hex;

test('EIP-155 (2) v is 97 or 98 on testnet, 95 or 96 on mainnet', async () => {
  expect([97n, 98n]).toContain(parseTransaction(await sign()).v);
  page.wallet.switchChain(30);
  expect([95n, 96n]).toContain(parseTransaction(await sign()).v);
  page.wallet.switchChain(31);
});

test('EIP-155 (4) s is low, and no number has leading zeros', async () => {
  const half = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n;
  for (let nonce = 0; nonce < 12; nonce++) {
    const raw = await sign({ nonce: `0x${nonce.toString(16)}`, value: `0x${nonce.toString(16)}` });
    const { r, s } = parseTransaction(raw) as { r: Hex; s: Hex };
    expect(BigInt(s)).toBeLessThanOrEqual(half);
    expect(BigInt(r)).toBeGreaterThan(0n);
    for (const item of itemsOf(raw)) expect(item).not.toMatch(/^00/);
  }
});

test('EIP-155 (5) the sender recovered from our bytes is the account that signed', async () => {
  const raw = await sign();
  const sender = await recoverTransactionAddress({ serializedTransaction: raw as never });
  expect(sender.toLowerCase()).toBe(values.$A0);
  expect(await page.request('eth_sendRawTransaction', [raw])).toBe(keccak256(raw));
});

/** The strings of a list of RLP, of which none is as long as 56 bytes. */
function itemsOf(raw: Hex): readonly string[] {
  const items: string[] = [];
  // The list is 56 to 255 bytes long: f8 and its length.
  let at = 6;
  while (at < raw.length) {
    const first = Number.parseInt(raw.slice(at, at + 2), 16);
    const length = first < 0x80 ? 0 : first - 0x80;
    items.push(first < 0x80 ? raw.slice(at, at + 2) : raw.slice(at + 2, at + 2 + length * 2));
    at += 2 + length * 2;
  }
  return items;
}
