import { parseTransaction } from 'viem';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { createLocalService, type LocalService } from '../../../../packages/kit/src/local/index.js';
import { values } from '../../../support/keys.js';
import { later, openPage, type Page, withKeys } from '../../../support/page.js';
import { until } from '../../../support/until.js';

/** EIP-3085: adding a chain. */

let known: LocalService;
let added: LocalService;
const pages: Page[] = [];
const open = (): Page => {
  const page = openPage({ networks: [{ chainId: 31, url: known.url }] });
  pages.push(page);
  return page;
};

beforeAll(async () => {
  [known, added] = await Promise.all([
    createLocalService({ chainId: 31 }),
    createLocalService({ chainId: 1337 }),
  ]);
});
afterEach(() => {
  for (const page of pages.splice(0)) page.close();
});
afterAll(() => Promise.all([known.close(), added.close()]));

const chain = (changes: Record<string, unknown> = {}) => ({
  chainId: '0x539',
  chainName: 'Garden',
  nativeCurrency: { name: 'Leaf', symbol: 'LEAF', decimals: 18 },
  rpcUrls: [added.url],
  ...changes,
});

const garden = {
  chainId: 1337,
  name: 'Garden',
  currency: { name: 'Leaf', symbol: 'LEAF', decimals: 18 },
};

/** Each of these is refused before anybody is asked, and the error names the field. */
async function refusesAll(changes: readonly Record<string, unknown>[], field: string): Promise<void> {
  const page = open();
  for (const change of changes)
    expect(
      await page.refusal('wallet_addEthereumChain', [chain(change)]),
      JSON.stringify(change),
    ).toMatchObject({
      code: -32602,
      message: expect.stringContaining(field),
    });
  expect(page.questions).toEqual([]);
  expect(page.wallet.networks()).toHaveLength(1);
}

test('EIP-3085 (1) an invalid chain id is refused', () =>
  refusesAll(
    [undefined, 1337, '1337', '0x', '0x0', '0x0539', '0xzz', '0x20000000000000'].map((chainId) => ({
      chainId,
    })),
    'chainId',
  ));

test('EIP-3085 (2) missing rpcUrls, and one that is no URL, are refused', () =>
  refusesAll(
    [undefined, null, [], 'https://rpc.example', ['nonsense'], [added.url, 'nonsense'], [5]].map(
      (rpcUrls) => ({
        rpcUrls,
      }),
    ),
    'rpcUrls',
  ));

test('EIP-3085 (3) an rpcUrl that serves another chain is refused, at any position', () =>
  refusesAll(
    [[known.url], [known.url, added.url], [added.url, known.url]].map((rpcUrls) => ({ rpcUrls })),
    'chainId',
  ));

test('EIP-3085 (4) a native currency that is incomplete or has not 18 decimals is refused', () =>
  refusesAll(
    [
      null,
      { symbol: 'LEAF', decimals: 18 },
      { name: 'Leaf', decimals: 18 },
      { name: 'Leaf', symbol: 'LEAF' },
      { name: 'Leaf', symbol: 'LEAF', decimals: -1 },
      { name: 'Leaf', symbol: 'LEAF', decimals: 8 },
    ].map((nativeCurrency) => ({ nativeCurrency })),
    'nativeCurrency',
  ));

test('EIP-3085 (5) block explorers that are no URLs are refused', () =>
  refusesAll(
    [['nonsense'], 'https://explorer.example', ['javascript:alert(1)']].map((blockExplorerUrls) => ({
      blockExplorerUrls,
    })),
    'blockExplorerUrls',
  ));

test('a WebSocket beside an endpoint, and an empty explorer, are left out', async () => {
  for (const change of [
    { rpcUrls: ['wss://socket.example/', added.url] },
    { rpcUrls: [added.url, 'ws://socket.example/', 'WSS://socket.example/'] },
    { blockExplorerUrls: [''] },
    { blockExplorerUrls: [null] },
    { blockExplorerUrls: [] },
  ]) {
    const page = open();
    expect(await page.request('wallet_addEthereumChain', [chain(change)]), JSON.stringify(change)).toBeNull();
    expect(page.wallet.network()).toMatchObject({ chainId: 1337, urls: [added.url] });
    expect(page.wallet.network()).not.toHaveProperty('explorer');
  }
  await refusesAll([{ rpcUrls: ['wss://socket.example/'] }], 'rpcUrls');
  const page = open();
  await page.request('wallet_addEthereumChain', [
    chain({ blockExplorerUrls: ['', 'https://explorer.example/'] }),
  ]);
  expect(page.wallet.network().explorer).toBe('https://explorer.example');
});

test('an endpoint is asked for its chain id alone, before the question', async () => {
  const page = open();
  page.decide(() => false);
  const before = added.requests.length;
  expect(await page.refusal('wallet_addEthereumChain', [chain()])).toMatchObject({ code: 4001 });
  expect(added.requests.slice(before).map(({ method }) => method)).toEqual(['eth_chainId']);
});

test('EIP-3085 (6), broken on purpose: icons must be https URLs, and are neither fetched nor shown', async () => {
  await refusesAll(
    [['nonsense'], ['data:image/svg+xml,<svg onload=alert(1)>']].map((iconUrls) => ({ iconUrls })),
    'iconUrls',
  );
  const page = open();
  const iconUrls = ['https://nobody.invalid/icon.html'];
  expect(await page.request('wallet_addEthereumChain', [chain({ iconUrls })])).toBeNull();
  expect(JSON.stringify(page.questions)).not.toContain('nobody.invalid');
});

test('EIP-3085 (7), broken on purpose: http is for this machine, every other scheme than https refused', async () => {
  await refusesAll(
    ['http://rpc.example', 'file:///etc/passwd', 'ws://rpc.example', 'http://localhost.example/'].map(
      (url) => ({
        rpcUrls: [url],
      }),
    ),
    'rpcUrls',
  );
  expect(new URL(added.url)).toMatchObject({ protocol: 'http:', hostname: '127.0.0.1' });
  expect(await open().request('wallet_addEthereumChain', [chain()])).toBeNull();
});

test('EIP-3085 (8) success is null', async () => {
  const page = open();
  expect(await page.request('wallet_addEthereumChain', [chain({ blockExplorerUrls: null })])).toBeNull();
  expect(page.wallet.networks().map(({ chainId }) => chainId)).toEqual([31, 1337]);
});

test('EIP-3085 (9), broken on purpose: one question adds the chain and makes it active', async () => {
  const page = open();
  await page.request('wallet_addEthereumChain', [chain()]);
  expect(page.questions).toMatchObject([
    {
      kind: 'add-chain',
      network: { chainId: 31 },
      target: { chainId: 1337, name: 'Garden', symbol: 'LEAF' },
    },
  ]);
  // wagmi asks for the chain id now, and gives up where it is not the new one.
  expect(await page.request('eth_chainId')).toBe('0x539');
  expect(page.payloads('chainChanged')).toEqual(['0x539']);
  expect(await page.request('eth_getBalance', [values.$X])).toBe('0x0');
});

test('EIP-3085 (10) adding a known chain again asks whether to switch to it, and keeps its endpoint', async () => {
  const page = open();
  await page.request('wallet_addEthereumChain', [chain()]);
  const again = chain({ chainId: '0x1f', rpcUrls: ['https://evil.example/'] });
  page.decide(() => false);
  expect(await page.refusal('wallet_addEthereumChain', [again])).toMatchObject({ code: 4001 });
  expect(await page.request('eth_chainId')).toBe('0x539');
  page.decide(() => true);
  expect(await page.request('wallet_addEthereumChain', [again])).toBeNull();
  expect(page.questions.slice(1)).toMatchObject(
    Array(2).fill({ kind: 'switch-chain', network: { chainId: 1337 }, target: { chainId: 31 } }),
  );
  expect(page.wallet.network().urls).toEqual([known.url]);
  expect(page.payloads('chainChanged')).toEqual(['0x539', '0x1f']);
  // The active chain needs no question.
  expect(await page.request('wallet_addEthereumChain', [again])).toBeNull();
  expect(page.questions).toHaveLength(3);
});

test('every way to know a chain leads to the same question', async () => {
  const page = open();
  await page.wallet.addNetwork({ ...garden, url: added.url });
  const { given, answer } = later();
  page.decide(() => given);
  const both = [
    page.request('wallet_addEthereumChain', [chain({ chainName: 'Orchard' })]),
    page.request('wallet_switchEthereumChain', [{ chainId: '0x539' }]),
  ];
  await until(() => page.questions.length > 0);
  answer(true);
  expect(await Promise.all(both)).toEqual([null, null]);
  expect(page.questions).toMatchObject([{ kind: 'switch-chain', target: { name: 'Garden' } }]);
  expect(page.payloads('chainChanged')).toEqual(['0x539']);
});

test('a chain that another request adds meanwhile becomes active for both', async () => {
  const page = open();
  const { given, answer } = later();
  page.decide(() => given);
  const first = page.request('wallet_addEthereumChain', [chain()]);
  await until(() => page.questions.length > 0);
  await page.wallet.addNetwork({ ...garden, url: added.url });
  answer(true);
  expect(await first).toBeNull();
  expect(page.wallet.network()).toMatchObject({ chainId: 1337, name: 'Garden' });
});

test('EIP-3085 (11) simultaneous requests add a chain once', async () => {
  const page = open();
  const other = chain({ chainName: 'Orchard' });
  const { given, answer } = later();
  page.decide(() => given);
  const all = [chain(), chain(), other].map((each) => page.request('wallet_addEthereumChain', [each]));
  await until(() => page.questions.length > 0);
  // Time for the slower looks at the endpoints to end too.
  await new Promise((resolve) => setTimeout(resolve, 100));
  answer(true);
  expect(await Promise.all(all)).toEqual([null, null, null]);
  expect(await page.request('wallet_addEthereumChain', [chain()])).toBeNull();
  expect(page.wallet.networks().filter(({ chainId }) => chainId === 1337)).toHaveLength(1);
  expect(page.questions).toHaveLength(1);
  expect(page.payloads('chainChanged')).toEqual(['0x539']);
});

test('EIP-3085 (12) an invalid or known name, and an unknown field, are refused and not ignored', async () => {
  await refusesAll(
    [{ chainName: '' }, { chainName: 'a'.repeat(41) }, { chainName: 'a\u202eb' }],
    'chainName',
  );
  await refusesAll([{ chainName: 'Rootstock Mainnet' }], 'chainName');
  await refusesAll([{ rpcurl: [] }], 'rpcurl');
});

test('EIP-3085 (13) transactions are signed for the chain id that was approved', async () => {
  const page = await withKeys(open());
  await page.request('wallet_addEthereumChain', [chain()]);
  await added.controls.faucet(values.$A0);
  const transaction = {
    from: values.$A0,
    to: values.$X,
    gas: '0x5208',
    gasPrice: '0x3b9aca00',
    nonce: '0x0',
  };
  const sign = async () =>
    parseTransaction((await page.request('eth_signTransaction', [transaction])) as `0x${string}`).chainId;
  expect(await sign()).toBe(1337);
  // From now on the endpoint says that it serves another chain.
  const lie = added.controls.intercept(({ calls }) =>
    calls[0]?.method === 'eth_chainId'
      ? { body: JSON.stringify({ jsonrpc: '2.0', id: calls[0].id, result: '0x1' }) }
      : undefined,
  );
  expect(await page.request('eth_chainId')).toBe('0x539');
  expect(await sign()).toBe(1337);
  lie();
  expect(await page.refusal('eth_signTransaction', [{ ...transaction, chainId: '0x1' }])).toMatchObject({
    code: 4901,
  });
});
