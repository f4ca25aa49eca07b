/** `graft-kit/playwright/library`: the test kit for Playwright as a library, without its test runner. */

export type { TestPermission } from '../testing/grant.js';
export { startChain, type TestChain } from './chain.js';
export { installWallet, type TestWallet, type WalletFunction } from './install-wallet.js';
export { pageScript } from './page-script.js';
export { addressesOf, type WalletOptions } from './settings.js';
export { openTape, type Tape } from './tape.js';
