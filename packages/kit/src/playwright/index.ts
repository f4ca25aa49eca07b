/** `graft-kit/playwright`: the test kit for Playwright Test. Needs `@playwright/test`. */

import { test as base } from '@playwright/test';
import { initialBalance, startChain, type TestChain } from './chain.js';
import { installWallet, type TestWallet } from './install-wallet.js';

export { expect } from '@playwright/test';
export type { TestPermission } from '../testing/grant.js';
export { startChain, type TestChain } from './chain.js';
export { installWallet, type TestWallet, type WalletFunction } from './install-wallet.js';
export { pageScript } from './page-script.js';
export { addressesOf, type WalletOptions } from './settings.js';
export { openTape, type Tape } from './tape.js';

/** Fixtures that {@link test} adds to each test. */
export interface WalletFixtures {
  /** The wallet of all pages of the test's context, on the worker's chain. */
  readonly wallet: TestWallet;
  /** `use: { walletOptions: { … } }`: which wallet it is, and rules for its questions. */
  readonly walletOptions: installWallet.Options;
}

/** Fixtures that {@link test} adds to each worker. */
export interface ChainFixtures {
  /** A local chain for this worker, which is reset after each test. A wallet's accounts get 100 coins each. */
  readonly chain: TestChain;
  /** `use: { chainOptions: { … } }`: options of the local service. */
  readonly chainOptions: startChain.Options;
}

/** The chain that this worker has started. */
let started: TestChain | undefined;

/**
 * Playwright's `test` with a wallet and a chain. After each test the chain is reset.
 *
 * @example
 * import { expect, test } from 'graft-kit/playwright';
 *
 * test('pays', async ({ page, wallet }) => {
 *   await page.goto('http://127.0.0.1:3000');
 *   await page.click('text=Pay');
 *   await wallet.approve({ kind: 'connect' });
 *   await wallet.approve({ kind: 'transaction', value: 10n ** 16n });
 *   await expect(page.getByText('Paid')).toBeVisible();
 * });
 */
export const test = base.extend<WalletFixtures & { readonly resetChain: undefined }, ChainFixtures>({
  walletOptions: [{}, { option: true }],
  chainOptions: [{}, { option: true, scope: 'worker' }],
  chain: [
    async ({ chainOptions }, use) => {
      started = await startChain(chainOptions);
      await use(started);
      await started.close();
      started = undefined;
    },
    { scope: 'worker' },
  ],
  // It takes no fixture, so it starts no chain, and ends after the hooks and fixtures of the test.
  resetChain: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright wants a pattern here
    async ({}, use) => {
      await use(undefined);
      await started?.reset();
    },
    { auto: true, box: true },
  ],
  wallet: async ({ context, chain, walletOptions }, use) => {
    const wallet = await installWallet(context, { chain, ...walletOptions });
    for (const address of wallet.accounts) await chain.fund(address, initialBalance);
    await use(wallet);
  },
}) as ReturnType<typeof base.extend<WalletFixtures, ChainFixtures>>;
