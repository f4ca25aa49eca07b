import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createLocalService, type LocalService } from '../../../../packages/kit/src/local/index.js';
import { lazy } from '../../../../src/async/lazy.js';
import { createVolatileMemory, ProviderRpcError, type SessionMemory } from '../../../../src/index.js';
import { owners, values } from '../../../support/keys.js';
import { accessOf, knownMethods } from '../../../support/known-methods.js';
import { openPage, type Page } from '../../../support/page.js';
import { until } from '../../../support/until.js';

/** EIP-1193: the provider. Clauses as they are numbered in docs/notes/clients.md#eip-1193. */

let testnet: LocalService;
let mainnet: LocalService;
let page: Page;
const pages: Page[] = [];
const networks = () => [
  { chainId: 31, url: testnet.url },
  { chainId: 30, url: mainnet.url },
];
const open = (options: Partial<openPage.Options> = {}): Page => {
  const opened = openPage({ networks: networks(), ...options });
  pages.push(opened);
  return opened;
};

beforeAll(async () => {
  [testnet, mainnet] = await Promise.all([
    createLocalService({ chainId: 31 }),
    createLocalService({ chainId: 30 }),
  ]);
  page = open();
});
afterAll(async () => {
  for (const each of pages) each.close();
  await Promise.all([testnet.close(), mainnet.close()]);
});

/** Two tabs of one browser: what one remembers, the other is told. */
function sharedMemory(): () => SessionMemory {
  const inner = createVolatileMemory();
  const tabs = new Set<() => void>();
  return () => {
    let own = () => {};
    return {
      read: inner.read,
      write(text) {
        inner.write(text);
        for (const tell of tabs) if (tell !== own) tell();
      },
      watch(changed) {
        own = changed;
        tabs.add(changed);
        return () => void tabs.delete(changed);
      },
    };
  };
}

test('EIP-1193 (1) request, on and removeListener exist', () => {
  const { request, on, removeListener } = page.provider;
  expect([request, on, removeListener].map((each) => typeof each)).toEqual([
    'function',
    'function',
    'function',
  ]);
});

test('EIP-1193 (2) a method takes its params as an array or an object', async () => {
  const asset = { type: 'ERC20', options: { address: values.$X, symbol: 'T', decimals: 18 } };
  expect(await page.request('wallet_watchAsset', asset)).toBe(true);
  expect(await page.request('wallet_watchAsset', [asset])).toBe(true);
  expect(await page.request('eth_getBalance', [values.$X, 'latest'])).toBe('0x0');
});

test('EIP-1193 (3) the promise settles with the result or an error', async () => {
  const settled = [page.request('eth_chainId'), page.request('no_such_method')];
  for (const each of settled) expect(each).toBeInstanceOf(Promise);
  expect((await Promise.allSettled(settled)).map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
});

test('EIP-1193 (4) it never resolves with a JSON-RPC envelope', async () => {
  const block = await page.request('eth_getBlockByNumber', ['latest', false]);
  expect(await page.request('eth_blockNumber')).toMatch(/^0x/);
  for (const key of ['jsonrpc', 'id', 'result']) expect(block).not.toHaveProperty(key);
});

test('EIP-1193 (5) rejections are Errors with an integer code and words for a person', async () => {
  page.decide(() => false);
  const refused = [
    await page.refusal('no_such_method'),
    await page.refusal('eth_decrypt', ['0x00', values.$A0]),
    await page.refusal('eth_getBalance', ['nobody']),
    await page.refusal('eth_call', [{ data: '0x60006000fd' }]),
    await page.refusal('wallet_requestPermissions', [{ eth_accounts: {} }]),
    await page.refusal('wallet_switchEthereumChain', [{ chainId: '0x3e7' }]),
    await page.refusal('personal_sign', ['0x68', values.$A1]),
    await page.refusal(''),
  ];
  page.decide(() => true);
  for (const error of refused) {
    expect(error).toBeInstanceOf(Error);
    expect(error).toBeInstanceOf(ProviderRpcError);
    expect(Number.isInteger(error.code)).toBe(true);
    expect(error.message).toMatch(/\w+ \w+/);
  }
  expect(refused.map(({ code }) => code)).toEqual([-32601, 4200, -32602, 3, 4001, 4902, 4100, -32600]);
});

test('EIP-1193 (6) it rejects when the service answers an error, and when anything else fails', async () => {
  expect(await page.refusal('eth_call', [{ data: '0x60006000fd' }])).toMatchObject({ code: 3 });
  const spoil = testnet.controls.garbleReplies('garbage', () => true);
  expect(Number.isInteger((await page.refusal('eth_gasPrice')).code)).toBe(true);
  spoil();
  const broken = open({ approver: () => Promise.reject(new Error('no dialog')), session: 'accounts' });
  expect(await broken.refusal('eth_requestAccounts')).toMatchObject({ code: -32002 });
});

test('EIP-1193 (7) disconnected is 4900, another chain than the active one 4901', async () => {
  const cut = testnet.controls.intercept(() => 'drop');
  vi.stubGlobal('navigator', { onLine: false });
  const offline = open();
  const refused = await offline.refusal('eth_blockNumber');
  vi.unstubAllGlobals();
  cut();
  expect(refused).toMatchObject({ code: 4900 });
  const elsewhere = [{ from: values.$A0, to: values.$X, chainId: '0x1e' }];
  expect(await page.refusal('eth_sendTransaction', elsewhere)).toMatchObject({ code: 4901 });
  offline.close();
  expect(await offline.refusal('eth_blockNumber')).toMatchObject({ code: 4900 });
});

test('EIP-1193 (8) a known method that is not supported is 4200, an unknown name -32601', async () => {
  const refused = knownMethods.filter((name) => accessOf(name) === 'refused');
  expect(refused.length).toBeGreaterThan(0);
  for (const name of refused)
    expect(await page.refusal(name, ['secret'])).toMatchObject({
      code: 4200,
      message: expect.stringContaining(`${name} does not exist / is not available`),
    });
  expect(await page.refusal('eth_noSuchMethod')).toMatchObject({ code: -32601 });
  const strict = open({ refuse: ['eth_sign'] });
  expect(await strict.refusal('eth_sign', [values.$A0, '0x68'])).toMatchObject({ code: 4200 });
});

test('EIP-1193 (9) the provider’s own codes take precedence over those of JSON-RPC and WebSocket', async () => {
  page.decide(() => false);
  expect(await page.refusal('wallet_switchEthereumChain', [{ chainId: '0x1e' }])).toMatchObject({
    code: 4001,
  });
  page.decide(() => true);
  expect(await page.refusal('personal_sign', ['0x68', values.$A1])).toMatchObject({ code: 4100 });
  expect(await page.refusal('wallet_switchEthereumChain', [{ chainId: '0x3e7' }])).toMatchObject({
    code: 4902,
  });
});

test('EIP-1193 (10) listeners work as in Node’s EventEmitter, and one that throws does not stop the others', async () => {
  const { provider, wallet } = open();
  const raised: (() => void)[] = [];
  const seen: string[] = [];
  const twice = () => seen.push('twice');
  const removed = () => seen.push('removed');
  expect(
    provider
      .on('chainChanged', () => {
        seen.push('thrower');
        throw new Error('mine');
      })
      .on('chainChanged', twice)
      .on('chainChanged', twice)
      .on('chainChanged', () => provider.removeListener('chainChanged', removed))
      .on('chainChanged', removed)
      .once('chainChanged', () => seen.push('once')),
  ).toBe(provider);
  vi.stubGlobal('queueMicrotask', (task: () => void) => raised.push(task));
  wallet.switchChain(30);
  expect(seen).toEqual(['thrower', 'twice', 'twice', 'removed', 'once']);
  expect(provider.removeListener('chainChanged', twice)).toBe(provider);
  seen.length = 0;
  wallet.switchChain(31);
  vi.unstubAllGlobals();
  expect(seen).toEqual(['thrower', 'twice']);
  // The page's own error handler hears of it.
  expect(raised).toHaveLength(2);
  expect(raised[0]).toThrow('mine');
});

test('EIP-1193 (11) a subscription’s result is a message of type eth_subscription', async () => {
  const id = await page.request('eth_subscribe', ['newHeads']);
  const before = testnet.requests.count('eth_getBlockByNumber');
  await until(() => testnet.requests.count('eth_getBlockByNumber') > before);
  await until(() => {
    void testnet.controls.mine();
    return page.payloads('message').length > 0;
  });
  expect(page.payloads('message')[0]).toEqual({
    type: 'eth_subscription',
    data: { subscription: id, result: expect.objectContaining({ number: expect.stringMatching(/^0x/) }) },
  });
  expect(await page.request('eth_unsubscribe', [id])).toBe(true);
});

/** A page whose service went away and came back, and whether it was connected after each step. */
const outage = lazy(async () => {
  const opened = open();
  const { provider, request } = opened;
  const connected: boolean[] = [];
  await request('eth_blockNumber');
  connected.push(provider.isConnected());
  const cut = testnet.controls.intercept(() => 'drop');
  await request('eth_gasPrice').catch(() => {});
  connected.push(provider.isConnected());
  cut();
  await request('eth_gasPrice');
  connected.push(provider.isConnected());
  return { connected, payloads: opened.payloads };
});

test('EIP-1193 (12) connect is emitted with the chain id at first and after each disconnect, once each', async () => {
  const { connected, payloads } = await outage();
  expect(connected).toEqual([true, false, true]);
  expect(payloads('connect')).toEqual([{ chainId: '0x1f' }, { chainId: '0x1f' }]);
});

test('EIP-1193 (13) disconnect carries an error with the code of a CloseEvent', async () => {
  const { payloads } = await outage();
  expect(payloads('disconnect')).toHaveLength(1);
  const [error] = payloads('disconnect');
  expect(error).toBeInstanceOf(ProviderRpcError);
  expect(error).toMatchObject({ code: 1013, message: expect.stringMatching(/\w+ \w+/) });
});

test('EIP-1193 (14) chainChanged is emitted when the answer of eth_chainId changes, and only then', async () => {
  const { request, payloads, wallet } = open();
  await request('wallet_switchEthereumChain', [{ chainId: '0x1f' }]);
  expect(payloads('chainChanged')).toEqual([]);
  await request('wallet_switchEthereumChain', [{ chainId: '0x1e' }]);
  expect(payloads('chainChanged')).toEqual(['0x1e']);
  wallet.switchChain(30);
  wallet.switchChain(31);
  expect(payloads('chainChanged')).toEqual(['0x1e', '0x1f']);
});

test('EIP-1193 (15) accountsChanged is emitted when the answer of eth_accounts changes, whatever changed it', async () => {
  const tab = sharedMemory();
  const one = open({ memory: tab(), session: 'accounts' });
  const two = open({ memory: tab() });
  const [a0, a1] = owners.map(({ address }) => address.toLowerCase());
  await one.request('eth_requestAccounts');
  await one.request('eth_requestAccounts');
  one.decide(() => ({ approved: true, accounts: [values.$A1, values.$A0] }));
  await one.request('wallet_requestPermissions', [{ eth_accounts: {} }]);
  // The other tab takes them back: both hear of it.
  await two.request('wallet_revokePermissions', [{ eth_accounts: {} }]);
  await two.request('wallet_revokePermissions', [{ eth_accounts: {} }]);
  const expected = [[a0], [a1, a0], []];
  expect(one.payloads('accountsChanged')).toEqual(expected);
  expect(two.payloads('accountsChanged')).toEqual(expected);
  expect(await one.request('eth_accounts')).toEqual([]);
});

test('EIP-1193 (16) requests within a listener are answered with the new state', async () => {
  const { provider, request } = open({ session: 'accounts' });
  const answered: Promise<unknown>[] = [];
  provider.on('accountsChanged', () => answered.push(request('eth_accounts')));
  provider.on('chainChanged', () => answered.push(request('eth_chainId'), request('net_version')));
  await request('eth_requestAccounts');
  await request('wallet_switchEthereumChain', [{ chainId: '0x1e' }]);
  expect(await Promise.all(answered)).toEqual([[values.$A0], '0x1e', '30']);
});

test('EIP-1193 (17) a page without permission sees no account', async () => {
  const { request, provider, wallet } = open({ session: 'accounts' });
  expect(wallet.state().accounts).toHaveLength(2);
  expect(await request('eth_accounts')).toEqual([]);
  expect(provider.selectedAddress).toBeNull();
  expect(await request('wallet_getPermissions')).toEqual([]);
});

test('EIP-1193 (18) further keys in the arguments are tolerated', async () => {
  const payload = { jsonrpc: '2.0', id: 'b7c0', method: 'eth_chainId', params: [] };
  expect(await page.provider.request(payload)).toBe('0x1f');
  const more = { ...payload, method: 'eth_blockNumber', chainId: 'eip155:1' };
  expect(await page.provider.request(more)).toMatch(/^0x/);
});
