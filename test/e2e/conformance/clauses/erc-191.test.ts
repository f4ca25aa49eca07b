import { afterAll, beforeAll, expect, test } from 'vitest';
import { owners, values } from '../../../support/keys.js';
import { openPage, type Page, withKeys } from '../../../support/page.js';

/** ERC-191: signed messages. Held against viem. No service is asked. */

let page: Page;
beforeAll(async () => {
  const networks = [{ chainId: 31, url: 'http://127.0.0.1:1/key' }];
  page = await withKeys(openPage({ networks, session: 'none' }));
});
afterAll(() => page.close());

const sign = (message: string) => page.request('personal_sign', [message, values.$A0]);
const expected = (message: string | { raw: `0x${string}` }) => owners[0]?.signMessage({ message });

test('ERC-191 (1) signed data begins with 0x19: a transaction’s bytes are signed as a message only', async () => {
  const bytes = '0xe9098504a817c800825208943535353535353535353535353535353535353535880de0b6b3a764000080';
  expect(await sign(bytes)).toBe(await expected({ raw: bytes }));
  expect(await page.request('eth_sign', [values.$A0, bytes])).toBe(await expected({ raw: bytes }));
});

test('ERC-191 (2) the length is in bytes for hexadecimal, text, emoji, odd digits and 32 bytes', async () => {
  expect(await sign('0x68656c6c6f')).toBe(await expected('hello'));
  expect(await sign('hello')).toBe(await expected('hello'));
  expect(await sign('Grün 🌱')).toBe(await expected('Grün 🌱'));
  expect(await sign('0x123')).toBe(await expected('0x123'));
  expect(await sign(values.$H32)).toBe(await expected({ raw: values.$H32 as `0x${string}` }));
  // There is nothing to read in an empty message: it is refused.
  for (const empty of ['', '0x'])
    expect(await page.refusal('personal_sign', [empty, values.$A0])).toMatchObject({ code: -32602 });
});

test('ERC-191 (4) the form for an intended validator is not supported', async () => {
  const names = ['eth_signData', 'eth_signWithValidator', 'wallet_signData'];
  for (const name of names)
    expect(await page.refusal(name, [values.$A0, values.$X, '0x68'])).toMatchObject({ code: -32601 });
});
