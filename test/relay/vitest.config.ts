import { join } from 'node:path';
import { defineConfig, type Plugin } from 'vitest/config';

const root = join(import.meta.dirname, '../..');
const local = join(root, 'packages/kit/src/local/index.ts');
const relayed = join(root, 'test/relay/relayed-service.ts');

/** Each local service that a test starts has a relay in front, whose URL is the service's. */
const throughRelay = (): Plugin => ({
  name: 'through-relay',
  enforce: 'pre',
  async resolveId(source, importer) {
    if (!importer || importer === relayed || !/local\/index\.js$/.test(source)) return null;
    const found = await this.resolve(source, importer, { skipSelf: true });
    return found?.id === local ? relayed : null;
  },
});

/** `npm run test:only relay`: the suites of the service's dialect, of the clauses and of the client libraries, through a relay. */
export default defineConfig({
  root,
  plugins: [throughRelay()],
  test: {
    include: [
      'test/e2e/conformance/**/*.test.ts',
      'test/e2e/dialect/*.test.ts',
      'test/e2e/clients/*.test.ts',
      'test/unit/wallet/{wallet,payments}.slow.test.ts',
      'test/unit/transactions/transactions.slow.test.ts',
      'test/unit/subscriptions/subscriptions.local.slow.test.ts',
    ],
    testTimeout: 60_000,
    maxWorkers: 2,
  },
});
