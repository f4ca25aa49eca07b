import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { chosenBrowsers } from './test/support/browsers/chosen.js';
import { summary } from './test/support/summary.js';

/** Unit tests that take three seconds and more: whole sends in real time, long random runs, replays on a real EVM. */
const longTests = [
  'test/unit/wallet/{accounts,accounts.kill-points,accounts.owner,payments,wallet,wallet.usage}.test.ts',
  'test/unit/adapters/{viem,wagmi}.test.ts',
  'test/unit/keyring/{keyring,keystore-v3,owner,signer,vault/vault}.test.ts',
  'test/unit/local/{*replay*,cli.process,chain}.test.ts',
  'test/unit/methods/{add-chain,calls,transaction}.test.ts',
  'test/unit/service/{cache.viem,client,client.bad-replies,logs.refusals,logs.requests}.test.ts',
  'test/unit/service/rate-limit/limiter.test.ts',
  'test/unit/service/logs/{range-plan,ranges}.test.ts',
  'test/unit/signatures/signatures.*.test.ts',
  'test/unit/subscriptions/{*ground-truth,subscriptions.local}.test.ts',
  'test/unit/transactions/{replacement,transactions,transactions.typed}.test.ts',
  'test/unit/transactions/batches/send-calls.test.ts',
  'test/unit/ui/panel/{app,views/send}.test.ts',
];

/** Files that put another module in the place of one of ours: no other test may run in their process. */
const mockingTests = ['test/unit/wallet/wallet.recovery.test.ts', 'test/unit/project/requests.test.ts'];

/** Files that wait for deadlines, leases and blocks, ten seconds and more, and need little of a processor. */
const waitingTests = [
  'test/e2e/clients/matrix.*.test.ts',
  'test/e2e/conformance/bad-inputs.test.ts',
  'test/e2e/relay/{attacks,failures,redis,redis-cost,redis-outage,sends,slow-clients,wallet,worker,worker-sleep}.test.ts',
  'test/live/run.test.ts',
  'test/perf/session.test.ts',
  'test/unit/relay/{cli.process,engines/redis}.test.ts',
  'test/unit/transactions/transactions.outcomes.test.ts',
];

/** Tests in a browser that measure by the clock, or hold several tabs to it: they run last, without the costly ones. */
const timedTests = [
  'test/e2e/browser/{dialog,leader,push,tabs}.test.ts',
  'test/e2e/browser/attacks/{frames,styles}.test.ts',
];

/** MetaMask's test dapp over the bridge, which `npm run test:clients` runs too. */
const bridgedTests =
  process.env.CLIENTS === 'all' ? [] : ['test/e2e/browser/test-dapp.{frame,window}.test.ts'];

/** One worker more than CI has processors, since many files wait. The files that measure time run last, with one less. */
const most = { groupOrder: 0, maxWorkers: 3 };
const last = { groupOrder: 1, maxWorkers: 2 };

/**
 * A worker keeps what it has loaded for the next file of its project, unless that says otherwise: to load the wallet, Vite
 * and Playwright anew for each file took a third of all time.
 */
const project = (
  { groupOrder, maxWorkers }: typeof most,
  options: NonNullable<TestProjectInlineConfiguration['test']>,
): TestProjectInlineConfiguration => ({
  test: {
    isolate: false,
    maxWorkers,
    sequence: { groupOrder },
    expect: { poll: { timeout: 30_000, interval: 20 } },
    ...options,
  },
});

/** The limits are for what hangs, not for what a busy machine makes slow. */
const projects = [
  project(most, {
    name: 'unit',
    include: ['test/unit/**/*.test.ts'],
    exclude: [...longTests, ...mockingTests, ...waitingTests],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: 'threads',
  }),
  project(most, {
    name: 'node',
    include: ['test/{e2e,live,perf,soak}/**/*.test.ts', ...longTests],
    exclude: ['test/e2e/{browser,browsers,examples}/**', ...waitingTests],
    testTimeout: 60_000,
    hookTimeout: 60_000,
  }),
  project(most, {
    name: 'isolated',
    include: [...mockingTests, ...waitingTests],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    isolate: true,
  }),
  project(most, {
    name: 'browser',
    include: ['test/e2e/{browser,examples}/**/*.test.ts'],
    exclude: [...timedTests, ...bridgedTests],
    testTimeout: 60_000,
    hookTimeout: 60_000,
  }),
  project(most, {
    name: 'browsers',
    include: chosenBrowsers(process.env).map((name) => `test/e2e/browsers/${name}.test.ts`),
    globalSetup: 'test/support/browsers/setup.ts',
    testTimeout: 60_000,
    hookTimeout: 120_000,
    isolate: true,
  }),
  project(most, {
    name: 'matrix',
    include: ['test/matrix/*.test.ts'],
    globalSetup: 'test/matrix/setup.ts',
    testTimeout: 300_000,
    hookTimeout: 600_000,
  }),
  project(last, {
    name: 'browser-timed',
    include: timedTests,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  }),
];

/** About how many seconds a file of these projects keeps a processor busy. */
const secondsOf: Readonly<Record<string, number>> = {
  browser: 15,
  browsers: 90,
  matrix: 40,
  node: 3,
  unit: 0.5,
};

/** Spreads the isolated files over the time of the others, so that neither all workers wait at once nor all calculate. */
class Spread extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isolated = sorted.filter(({ project }) => project.name === 'isolated');
    const order: TestSpecification[] = [];
    let time = 0;
    const others = sorted.filter((file) => !isolated.includes(file));
    const total = others.reduce((sum, { project }) => sum + (secondsOf[project.name] ?? 0), 0);
    const each = total / isolated.length;
    let placed = 0;
    for (const file of others) {
      while (placed < isolated.length && placed * each <= time) order.push(isolated[placed++]!);
      order.push(file);
      time += secondsOf[file.project.name] ?? 0;
    }
    return [...order, ...isolated.slice(placed)];
  }
}

export default defineConfig({
  test: { reporters: ['default', summary()], sequence: { sequencer: Spread }, projects },
});
