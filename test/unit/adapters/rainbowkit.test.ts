// @vitest-environment happy-dom
import type { WalletList } from '@rainbow-me/rainbowkit';
import { createConfig } from '@wagmi/core';
import { afterEach, expect, test } from 'vitest';
import { graftWallet } from '../../../src/adapters/rainbowkit.js';
import { graftTransport, rootstockTestnet } from '../../../src/adapters/viem.js';
import { openPage, type Page } from '../../support/page.js';

/** RainbowKit itself runs in `test/e2e/browser/adapters.test.ts`. */

let page: Page;
afterEach(() => page?.close());

const configOf = (connectors: Parameters<typeof createConfig>[0]['connectors']) =>
  createConfig({
    ...(connectors && { connectors }),
    chains: [rootstockTestnet],
    transports: { [rootstockTestnet.id]: graftTransport(page.wallet) },
  });

test('a list of RainbowKit’s wallets takes it without a cast, and its details stay on the connector', async () => {
  page = openPage({ session: 'none', networks: [{ chainId: 31, url: 'https://node.example/key' }] });
  const list: WalletList = [{ groupName: 'Here', wallets: [graftWallet({ wallet: page.wallet })] }];
  const wallet = list[0]?.wallets[0]?.({ projectId: '', appName: 'A page' });
  expect(wallet).toMatchObject({
    id: 'graft',
    name: 'Graft',
    installed: true,
    rdns: 'io.github.graft-wallet',
  });
  expect(wallet?.iconUrl).toMatch(/^data:image\/svg\+xml,/);
  const rkDetails = { groupName: 'Here' };
  const { connectors } = configOf([graftWallet({ wallet: page.wallet })().createConnector({ rkDetails })]);
  expect(connectors).toMatchObject([{ id: 'graft', type: 'graft', rkDetails }]);
  expect(await connectors[0]?.getProvider()).toBe(page.provider);
});

test('name, icon, id and rdns are the page’s own where it gives them', () => {
  page = openPage({ session: 'none', networks: [{ chainId: 31, url: 'https://node.example/key' }] });
  const own = { id: 'orchard', name: 'Orchard', icon: 'data:image/svg+xml,x', rdns: 'example.orchard' };
  const wallet = graftWallet({ wallet: page.wallet, ...own })();
  expect(wallet).toMatchObject({
    id: 'orchard',
    name: 'Orchard',
    rdns: 'example.orchard',
    iconUrl: own.icon,
  });
  expect(configOf([wallet.createConnector({})]).connectors).toMatchObject([own]);
});
