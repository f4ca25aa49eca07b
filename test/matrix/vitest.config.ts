import { defineConfig } from 'vitest/config';
import { summary } from '../support/summary.js';

/**
 * `npm run test:matrix`: what takes too long for `npm test`. It installs nine bundlers and runtimes, and runs all client
 * libraries over the bridge and all of MetaMask's test dapp, in the page and over the bridge.
 */
export default defineConfig({
  test: {
    include: [
      'test/matrix/*.test.ts',
      'test/e2e/browser/clients.test.ts',
      'test/e2e/browser/test-dapp.{page,frame,window}.test.ts',
    ],
    reporters: ['default', summary()],
    testTimeout: 600_000,
    hookTimeout: 600_000,
    fileParallelism: false,
  },
});
