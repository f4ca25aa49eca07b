import type { EIP1193Provider as OnboardProvider } from '@web3-onboard/core';
import { type BrowserProvider, type Eip1193Provider, ethers } from 'ethers';
import { ethers as ethers5, type providers } from 'ethers-v5';
import type { EIP6963ProviderDetail } from 'mipd';
import { createWalletClient, custom, type EIP1193Provider } from 'viem';
import { afterAll, expect, test } from 'vitest';
import { type SupportedProviders, Web3 } from 'web3';
import type Web3V1 from 'web3-v1';
import { createVolatileMemory, createWallet, type Provider } from '../../../src/index.js';

/**
 * The provider as each library types one: what stands here compiles without a cast, or `npx tsc` fails. The
 * libraries are given the real thing, so that what they check when they start is checked too.
 */
const wallet = createWallet({
  networks: [{ chainId: 31, url: 'https://rpc.example/none' }],
  memory: createVolatileMemory(),
});
const provider: Provider = wallet.provider;

afterAll(() => wallet.destroy());

test('viem takes the provider', async () => {
  const theirs: EIP1193Provider = provider;
  const client = createWalletClient({ transport: custom(theirs) });
  expect(await client.getChainId()).toBe(31);
  expect(await createWalletClient({ transport: custom(provider) }).getAddresses()).toEqual([]);
});

test('wagmi and others that find providers by EIP-6963 (mipd) take it', async () => {
  const detail: EIP6963ProviderDetail = {
    info: { uuid: crypto.randomUUID(), name: 'Graft', icon: 'data:image/svg+xml,', rdns: 'io.example' },
    provider,
  };
  expect(await detail.provider.request({ method: 'eth_accounts' })).toEqual([]);
});

test('ethers 6 takes the provider', async () => {
  const theirs: Eip1193Provider = provider;
  const browser: BrowserProvider = new ethers.BrowserProvider(theirs, undefined, { staticNetwork: true });
  expect(await browser.send('eth_chainId', [])).toBe('0x1f');
  browser.destroy();
});

test('ethers 5 takes the provider', async () => {
  const theirs: providers.ExternalProvider = provider;
  expect(await new ethers5.providers.Web3Provider(theirs, 'any').send('eth_chainId', [])).toBe('0x1f');
});

test('web3.js 4 takes the provider', async () => {
  const theirs: SupportedProviders = provider;
  expect(await new Web3(theirs).eth.getChainId()).toBe(31n);
});

test('web3.js 1 takes the provider', () => {
  const theirs: Exclude<ConstructorParameters<typeof Web3V1.default>[0], string | null> = provider;
  expect(theirs).toBe(provider);
});

test('web3-onboard takes the provider', async () => {
  const theirs: OnboardProvider = provider;
  expect(await theirs.request({ method: 'eth_chainId' })).toBe('0x1f');
});

test('the events of EIP-1193 have the types of their payloads', () => {
  provider
    .on('chainChanged', (chainId) => chainId satisfies `0x${string}`)
    .on('accountsChanged', (accounts) => accounts satisfies `0x${string}`[])
    .on('connect', ({ chainId }) => chainId satisfies `0x${string}`)
    .on('disconnect', ({ code }) => code satisfies number)
    .on('message', ({ type }) => type satisfies string)
    .on('networkChanged', (...of) => of.length);
  expect(provider.listenerCount('chainChanged')).toBe(1);
  provider.removeAllListeners();
});

test('no global is declared: the page may type `window.ethereum` itself', () => {
  // @ts-expect-error: this package says nothing of it
  expect(globalThis.ethereum).toBeUndefined();
});
