import { afterEach, expect, test } from 'vitest';
import { origin, values } from '../../../support/keys.js';
import { later, openPage, type Page } from '../../../support/page.js';
import { until } from '../../../support/until.js';

/** EIP-2255 and MIP-2: permissions. No service is asked for any of it. */

const eth_accounts = [{ eth_accounts: {} }];
const pages: Page[] = [];
const open = (session: 'accounts' | 'connected' = 'accounts', at: string = origin): Page => {
  const page = openPage({ networks: [{ chainId: 31, url: 'http://127.0.0.1:1/key' }], session, origin: at });
  pages.push(page);
  return page;
};
afterEach(() => {
  for (const page of pages.splice(0)) page.close();
});

test('EIP-2255 (1) wallet_getPermissions: empty at first, then the object that libraries read', async () => {
  const page = open();
  expect(await page.request('wallet_getPermissions')).toEqual([]);
  const before = Date.now();
  await page.request('eth_requestAccounts');
  const permissions = (await page.request('wallet_getPermissions')) as { date: number }[];
  expect(permissions).toEqual([
    {
      id: expect.stringMatching(/./),
      invoker: origin,
      parentCapability: 'eth_accounts',
      caveats: [{ type: 'restrictReturnedAccounts', value: [values.$A0] }],
      date: expect.any(Number),
    },
  ]);
  expect(permissions[0]?.date).toBeGreaterThanOrEqual(before);
  expect(permissions[0]?.date).toBeLessThanOrEqual(Date.now());
  expect(await page.refusal('wallet_getPermissions', [{}])).toMatchObject({ code: -32602 });
});

test('EIP-2255 (2) wallet_requestPermissions takes one request and answers with permissions', async () => {
  const page = open();
  const granted = await page.request('wallet_requestPermissions', eth_accounts);
  expect(granted).toEqual(await page.request('wallet_getPermissions'));
  expect(granted).toMatchObject([{ parentCapability: 'eth_accounts', date: expect.any(Number) }]);
  for (const params of [[], [{}], [null], ['eth_accounts'], [{ eth_accounts: {} }, { eth_accounts: {} }]])
    expect(await page.refusal('wallet_requestPermissions', params)).toMatchObject({ code: -32602 });
  expect(page.questions).toHaveLength(1);
});

test('EIP-2255 (3) methods that need an account fail until it is granted, for each site separately', async () => {
  const page = open();
  const other = open('connected', 'https://other.example');
  const restricted: [string, unknown[]][] = [
    ['eth_sendTransaction', [{ from: values.$A0, to: values.$X }]],
    ['eth_signTransaction', [{ from: values.$A0, to: values.$X }]],
    ['personal_sign', ['0x68', values.$A0]],
    ['eth_sign', [values.$A0, '0x68']],
    ['eth_signTypedData_v4', [values.$A0, '{}']],
  ];
  for (const [method, params] of restricted)
    expect(await page.refusal(method, params)).toMatchObject({ code: 4100 });
  expect(page.questions).toEqual([]);
  expect(await other.request('eth_accounts')).toEqual([values.$A0]);
});

test('EIP-2255 (4) a refusal is 4001 and keeps earlier permissions', async () => {
  const page = open('connected');
  page.decide(() => false);
  expect(await page.refusal('wallet_requestPermissions', eth_accounts)).toMatchObject({ code: 4001 });
  expect(await page.request('eth_accounts')).toEqual([values.$A0]);
});

test('EIP-2255 (5) wallet_revokePermissions (MIP-2) answers null and revokes everything', async () => {
  const page = open('connected');
  expect(await page.request('wallet_revokePermissions', eth_accounts)).toBeNull();
  expect(page.payloads('accountsChanged')).toEqual([[]]);
  expect(await page.request('wallet_getPermissions')).toEqual([]);
  expect(await page.request('eth_accounts')).toEqual([]);
  expect(await page.refusal('personal_sign', ['0x68', values.$A0])).toMatchObject({ code: 4100 });
  expect(await page.request('wallet_revokePermissions', eth_accounts)).toBeNull();
  expect(page.questions).toEqual([]);
});

test('EIP-2255 (6) an unknown permission is -32602, without a question', async () => {
  const page = open();
  for (const permission of [{ 'endowment:permitted-chains': {} }, { eth_accounts: {}, snap_dialog: {} }])
    expect(await page.refusal('wallet_requestPermissions', [permission])).toMatchObject({
      code: -32602,
      message: expect.stringContaining('unknown permission'),
    });
  expect(await page.refusal('wallet_revokePermissions', [{ foo: {} }])).toMatchObject({ code: -32602 });
  expect(page.questions).toEqual([]);
});

test('EIP-2255 (7) two simultaneous requests share one question and one grant', async () => {
  const page = open();
  const { given, answer } = later();
  page.decide(() => given);
  const both = [
    page.request('wallet_requestPermissions', eth_accounts),
    page.request('wallet_requestPermissions', eth_accounts),
  ];
  await until(() => page.questions.length > 0);
  answer(true);
  const [one, two] = await Promise.all(both);
  expect(two).toEqual(one);
  expect(page.questions).toHaveLength(1);
  expect(page.payloads('accountsChanged')).toHaveLength(1);
});

test('EIP-2255 (8) a second request shows the shared accounts, and the choice replaces them', async () => {
  const page = open('connected');
  page.decide(() => ({ approved: true, accounts: [values.$A1] }));
  const granted = await page.request('wallet_requestPermissions', eth_accounts);
  expect(page.questions).toMatchObject([
    { kind: 'connect', selected: [values.$A0], accounts: { length: 2 } },
  ]);
  // wagmi reads the accounts here and nowhere else.
  expect(granted).toMatchObject([{ caveats: [{ value: [values.$A1] }] }]);
  expect(await page.request('eth_accounts')).toEqual([values.$A1]);
});
