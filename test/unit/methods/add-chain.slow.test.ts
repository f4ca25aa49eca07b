import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createLocalService, type LocalService } from '../../../packages/kit/src/local/index.js';
import type { Question, SwitchChainQuestion } from '../../../src/approvals/question.js';
import { createVolatileMemory } from '../../../src/index.js';
import { hastenKdfOfFile } from '../../support/hasty-kdf-of-file.js';
import { owners, plantedSession, values } from '../../support/keys.js';
import { openPage, type Page, withKeys } from '../../support/page.js';

hastenKdfOfFile();

/** What a person is told of a network that a page has added, in every question that follows. */

const origin = 'https://app.example';
const services = new Map<number, LocalService>();
let page: Page;

beforeAll(async () => {
  for (const chainId of [30, 31, 100]) services.set(chainId, await createLocalService({ chainId }));
  for (const service of services.values())
    await service.controls.faucet(owners[0]?.address.toLowerCase() as `0x${string}`, 10n ** 20n);
});
afterEach(() => page?.close());
afterAll(() => Promise.all([...services.values()].map((service) => service.close())));

const urlOf = (chainId: number) => services.get(chainId)?.url as string;
const hostOf = (chainId: number) => new URL(urlOf(chainId)).host;
const last = () => page.questions.at(-1) as Question;

async function add(chainId: number, rpcUrls = [urlOf(chainId)]): Promise<void> {
  await page.request('wallet_addEthereumChain', [
    {
      chainId: `0x${chainId.toString(16)}`,
      chainName: 'Garden',
      nativeCurrency: { name: 'Leaf', symbol: 'LEAF', decimals: 18 },
      rpcUrls,
    },
  ]);
}

const payment = { from: values.$A0, to: values.$A0, value: '0x1' };
const typed = {
  types: { Note: [{ name: 'text', type: 'string' }] },
  primaryType: 'Note',
  domain: { name: 'Notes' },
  message: { text: 'Hello' },
};
const asset = { type: 'ERC20', options: { address: values.$X, symbol: 'TKN', decimals: 18 } };
const questions: [string, unknown][] = [
  ['wallet_requestPermissions', [{ eth_accounts: {} }]],
  ['eth_sendTransaction', [payment]],
  ['eth_signTransaction', [payment]],
  ['personal_sign', ['0x68656c6c6f', values.$A0]],
  ['eth_signTypedData_v4', [values.$A0, typed]],
  ['wallet_watchAsset', asset],
];

describe.each([
  ['a chain that the wallet did not know', 100, 30],
  ['Rootstock, by an endpoint of the page', 30, 31],
  ['the test network, by an endpoint of the page', 31, 30],
])('%s', (_, added, configured) => {
  test('every question on an added network names the page and the host; none on a configured one does', async () => {
    page = await withKeys(
      openPage({ networks: [{ chainId: configured, url: urlOf(configured) }], session: 'none' }),
    );
    await add(added);
    const [known] = page.wallet.networks();
    expect(page.wallet.networks()).toMatchObject([
      { chainId: configured },
      { chainId: added, addedBy: origin },
    ]);
    expect(known).not.toHaveProperty('addedBy');

    const mark = { code: 'added-network', severity: 'caution', detail: `${origin}: ${hostOf(added)}` };
    for (const [method, params] of questions) {
      await page.request(method, params);
      expect(last().network, method).toMatchObject({
        chainId: added,
        addedBy: origin,
        source: hostOf(added),
      });
      expect(last().warnings, method).toContainEqual(mark);
    }
    await page.request('wallet_sendCalls', [
      {
        version: '2.0.0',
        chainId: `0x${added.toString(16)}`,
        atomicRequired: false,
        calls: [{ to: values.$A0 }, { to: values.$A0 }],
      },
    ]);
    expect(last()).toMatchObject({ kind: 'calls', network: { addedBy: origin } });
    expect(last().warnings).toContainEqual(mark);

    await page.request('wallet_switchEthereumChain', [{ chainId: `0x${configured.toString(16)}` }]);
    expect(last().warnings).toEqual([mark]);
    for (const [method, params] of questions) {
      await page.request(method, params);
      expect(last().network, method).not.toHaveProperty('addedBy');
      expect(
        last().warnings.map(({ code }) => code),
        method,
      ).not.toContain('added-network');
    }
    await page.request('wallet_switchEthereumChain', [{ chainId: `0x${added.toString(16)}` }]);
    expect((last() as SwitchChainQuestion).target.addedBy).toBe(origin);
    expect(last().warnings).toEqual([mark]);
  });
});

test('every host of an added network is named, before it is added and after', async () => {
  page = await withKeys(openPage({ networks: [{ chainId: 31, url: urlOf(31) }], session: 'none' }));
  const second = urlOf(100).replace('127.0.0.1', 'localhost');
  await add(100, [urlOf(100), second]);
  const hosts = `${hostOf(100)}, ${new URL(second).host}`;
  expect(last()).toMatchObject({ kind: 'add-chain', target: { source: hosts } });
  await page.request('personal_sign', ['0x68656c6c6f', values.$A0]);
  expect(last().network.source).toBe(hosts);
});

test('a site may add 32 networks and 256 KiB, at most 16 URLs each; another site has its own limit', async () => {
  const memory = createVolatileMemory();
  const currency = { name: 'Leaf', symbol: 'LEAF', decimals: 18 };
  const stored = Array.from({ length: 32 }, (_, i) => ({
    ...{ chainId: 1_000 + i, name: `Garden ${i}`, currency, urls: ['https://garden.example'] },
    addedBy: origin,
  }));
  memory.write(JSON.stringify({ ...JSON.parse(plantedSession(origin)), networks: stored }));
  const networks = [{ chainId: 31, url: urlOf(31) }];
  const add = (site: Page, rpcUrls = [urlOf(100)]) =>
    site.request('wallet_addEthereumChain', [
      { chainId: '0x64', chainName: 'Garden', nativeCurrency: currency, rpcUrls },
    ]);
  page = openPage({ networks, memory });
  const other = openPage({ networks, memory, origin: 'https://b.example' });
  await expect(add(page)).rejects.toMatchObject({ code: -32005, data: { reason: 'stored' } });
  expect(page.questions).toEqual([]);
  const urls = Array.from({ length: 17 }, (_, i) => `https://${i}.example`);
  await expect(add(other, urls)).rejects.toMatchObject({ code: -32005 });
  await expect(add(other, [`https://a.example/${'x'.repeat(2 ** 18)}`])).rejects.toMatchObject({
    code: -32005,
  });
  await add(other);
  expect(other.wallet.networks()).toHaveLength(34);
  other.close();
});

test('a name or a currency that may be taken for Rootstock’s is refused or a danger, and never stays silent', async () => {
  page = await withKeys(openPage({ networks: [{ chainId: 31, url: urlOf(31) }], session: 'none' }));
  const ask = (chainName: string, symbol: string) =>
    page.request('wallet_addEthereumChain', [
      {
        chainId: '0x64',
        chainName,
        nativeCurrency: { name: 'Leaf', symbol, decimals: 18 },
        rpcUrls: [urlOf(100)],
      },
    ]);
  for (const name of ['Rootstock Testnet.', 'Rootstоck Testnet', 'Rootstock \u2003Testnet'])
    await expect(ask(name, 'LEAF'), name).rejects.toMatchObject({ code: -32602 });
  await ask('Garden', 'tRВTC');
  expect(last().warnings).toContainEqual({ code: 'imitates-network', severity: 'danger', detail: 'tRBTC' });
});

test('a Rootstock network keeps its own name and currency, whatever the page calls them', async () => {
  page = await withKeys(openPage({ networks: [{ chainId: 31, url: urlOf(31) }], session: 'none' }));
  await page.request('wallet_addEthereumChain', [
    {
      chainId: '0x1e',
      chainName: 'Free Money',
      nativeCurrency: { name: 'Leaf', symbol: 'tRBTC', decimals: 18 },
      rpcUrls: [urlOf(30)],
    },
  ]);
  expect(last()).toMatchObject({ target: { chainId: 30, name: 'Rootstock Mainnet', symbol: 'RBTC' } });
});
