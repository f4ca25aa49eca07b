import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { chosenBrowsers } from './test/support/browsers/chosen.js';
import { summary } from './test/support/summary.js';

/**
 * What a test needs stands in the name of its file:
 *
 *     *.slow.test.ts     a unit test of three seconds and more: whole sends in real time, long random runs, a real EVM
 *     *.waits.test.ts    waits for deadlines, leases and blocks, ten seconds and more, and needs little of a processor
 *     *.servers.test.ts  starts Redis or nginx
 *     *.mocks.test.ts    puts another module in the place of one of ours: no other test may run in its process
 *     *.timed.test.ts    depends on the clock: repetitions of libraries, tabs held to a pace. It runs last, with two others
 *     *.clients.test.ts  runs where CLIENTS=all is set
 */
const named = (...suffixes: readonly string[]): string[] =>
  suffixes.map((suffix) => `{test,packages/*/test}/**/*.${suffix}.test.ts`);

/**
 * More workers than CI has processors, since most files wait, for browsers and for blocks. `npm run test:all` runs the files
 * that wait beside the others, and those that measure time at the end, their two projects in a process each.
 */
const most = { groupOrder: 0, maxWorkers: 5 };
const waiting = { groupOrder: 1, maxWorkers: 2 };
const last = { groupOrder: 2, maxWorkers: 2 };

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
    setupFiles: [
      'test/support/leave-nothing.ts',
      ...(options.isolate ? [] : ['test/support/load-diagnosis.ts']),
    ],
    maxWorkers,
    sequence: { groupOrder },
    expect: { poll: { timeout: 30_000, interval: 20 } },
    ...options,
  },
});

/** The limits are for what hangs, not for what a busy machine makes slow. */
const patient = { testTimeout: 60_000, hookTimeout: 60_000 };

/** What each client library gets, and what it costs at the service. */
const clientRuns = 'test/e2e/clients/*.timed.test.ts';

const projects = [
  project(most, {
    name: 'unit',
    include: ['{test/unit,packages/*/test}/**/*.test.ts'],
    exclude: named('slow', 'waits', 'servers', 'mocks'),
    pool: 'threads',
    ...patient,
  }),
  project(most, { name: 'path', include: ['test/path/*.test.ts'], ...patient }),
  project(most, {
    name: 'node',
    include: ['test/{e2e,live,perf,soak}/**/*.test.ts', '{test/unit,packages/*/test}/**/*.slow.test.ts'],
    exclude: ['test/e2e/{browser,browsers,examples}/**', ...named('waits', 'servers', 'mocks', 'timed')],
    ...patient,
  }),
  project(waiting, { name: 'waits', include: named('waits'), ...patient }),
  project(waiting, { name: 'servers', include: named('servers'), ...patient }),
  project(waiting, { name: 'mocks', include: named('mocks'), isolate: true, ...patient }),
  project(most, {
    name: 'browser',
    include: ['test/e2e/{browser,examples}/**/*.test.ts'],
    exclude: named('timed', ...(process.env.CLIENTS === 'all' ? [] : ['clients'])),
    ...patient,
    // The first ones wait for the package to be built.
    hookTimeout: 120_000,
  }),
  project(most, {
    name: 'browsers',
    include: chosenBrowsers(process.env).map((name) => `test/e2e/browsers/${name}.test.ts`),
    globalSetup: 'test/support/browsers/setup.ts',
    isolate: true,
    ...patient,
    hookTimeout: 120_000,
  }),
  project(most, {
    name: 'matrix',
    include: ['test/matrix/*.test.ts'],
    globalSetup: 'test/matrix/setup.ts',
    testTimeout: 300_000,
    hookTimeout: 600_000,
  }),
  project({ ...last, maxWorkers: 1 }, { name: 'timed', include: [clientRuns], isolate: true, ...patient }),
  project(last, { name: 'browser-timed', include: named('timed'), exclude: [clientRuns], ...patient }),
];

export default defineConfig({
  test: { reporters: ['default', summary()], projects },
});
