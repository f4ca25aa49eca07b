// @vitest-environment happy-dom
import { afterEach, expect, test } from 'vitest';
import { values } from '../../../support/keys.js';
import { later, openPage, type Page } from '../../../support/page.js';
import { until } from '../../../support/until.js';

/** EIP-1102: asking for accounts. No service is asked for any of it. */

const pages: Page[] = [];
const open = (options: Partial<openPage.Options> = {}): Page => {
  const page = openPage({
    networks: [{ chainId: 31, url: 'http://127.0.0.1:1/key' }],
    session: 'accounts',
    ...options,
  });
  pages.push(page);
  return page;
};
afterEach(() => {
  for (const page of pages.splice(0)) page.close();
});

test('EIP-1102 (1) eth_requestAccounts is a method of the provider', async () => {
  expect(await open().provider.request({ method: 'eth_requestAccounts' })).toEqual([values.$A0]);
});

test('EIP-1102 (2) it resolves with at least one account, or rejects', async () => {
  const page = open();
  page.decide(() => ({ approved: true, accounts: [values.$A1, values.$A0] }));
  expect(await page.request('eth_requestAccounts')).toEqual([values.$A1, values.$A0]);
  expect(await page.request('eth_requestAccounts')).toEqual([values.$A1, values.$A0]);
  expect(page.questions).toHaveLength(1);
});

test('EIP-1102 (3) it rejects with 4100 without an account, and with 4001 when refused', async () => {
  expect(await open({ session: 'none' }).refusal('eth_requestAccounts')).toMatchObject({
    code: 4100,
    message: expect.stringContaining('no account yet'),
  });
  const page = open();
  page.decide(() => false);
  expect(await page.refusal('eth_requestAccounts')).toMatchObject({
    code: 4001,
    message: expect.stringMatching(/user rejected/i),
  });
});

test('EIP-1102 (4) it never resolves with an empty list', async () => {
  const page = open();
  page.decide(() => ({ approved: true, accounts: [] }));
  expect(await page.refusal('eth_requestAccounts')).toMatchObject({ code: 4001 });
  page.decide(() => true);
  // A listener that takes back at once what was given.
  page.provider.on('accountsChanged', ([first]: readonly string[]) => {
    if (first !== undefined) page.wallet.disconnect();
  });
  expect(await page.refusal('eth_requestAccounts')).toMatchObject({ code: 4100 });
});

test('EIP-1102 (5), broken on purpose: window.ethereum only for a page that asks for it', () => {
  const holder = window as unknown as { ethereum?: unknown };
  const { wallet, provider } = open();
  const silent = wallet.announce();
  expect(holder.ethereum).toBeUndefined();
  silent();
  const undo = wallet.announce({ window: true });
  expect(holder.ethereum).toBe(provider);
  undo();
  expect(holder.ethereum).toBeUndefined();
});

test('EIP-1102 (6) enable() resolves and rejects as eth_requestAccounts does', async () => {
  const page = open();
  page.decide(() => false);
  await expect(page.provider.enable()).rejects.toMatchObject({ code: 4001 });
  page.decide(() => true);
  expect(await page.provider.enable()).toEqual([values.$A0]);
});

test('EIP-1102 (7) simultaneous requests share one dialog and one answer', async () => {
  const page = open();
  const { given, answer } = later();
  page.decide(() => given);
  const asked = [
    page.request('eth_requestAccounts'),
    page.provider.enable(),
    page.provider.send('eth_requestAccounts'),
    new Promise((resolve) =>
      page.provider.sendAsync({ id: 1, method: 'eth_requestAccounts' }, (_error, response) =>
        resolve(response?.result),
      ),
    ),
    page.request('wallet_requestPermissions', [{ eth_accounts: {} }]),
  ];
  await until(() => page.questions.length > 0);
  answer(true);
  const [permissions, ...accounts] = (await Promise.all(asked)).reverse();
  expect(accounts).toEqual(Array(4).fill([values.$A0]));
  expect(permissions).toMatchObject([{ caveats: [{ value: [values.$A0] }] }]);
  expect(page.questions).toHaveLength(1);
  expect(page.payloads('accountsChanged')).toEqual([[values.$A0]]);
});

test('EIP-1102 (8) before a permission eth_accounts is an empty list and no error', async () => {
  expect(await open().request('eth_accounts')).toEqual([]);
  expect(await open({ session: 'none' }).request('eth_accounts')).toEqual([]);
});
