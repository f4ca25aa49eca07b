import { rm } from 'node:fs/promises';
import type { EnvironmentOptions } from 'vite';
import { defineConfig } from 'vitest/config';
import { localService } from './demo/local-service-plugin.js';
import { ownExports } from './test/support/own-exports.js';
import { summary } from './test/support/summary.js';
import { workerSource } from './test/support/worker-source.js';

type Options = NonNullable<NonNullable<EnvironmentOptions['build']>['rolldownOptions']>;

/**
 * One build into `dist`. Each has the consumer `server`, for which Vite does not rewrite
 * `new URL('./kdf-worker.js', import.meta.url)`: our users' bundlers find the file by it.
 */
function buildOf(options: Options): EnvironmentOptions {
  return {
    consumer: 'server',
    resolve: { noExternal: true, conditions: ['browser', 'module', 'import', 'default'] },
    build: {
      outDir: 'dist',
      emptyOutDir: false,
      emitAssets: true,
      target: 'es2022',
      rolldownOptions: { platform: 'browser', ...options },
    },
  };
}

/** Modules for npm: our dependencies stay imports, and modules that are loaded lazily stay chunks of their own. */
const modules: Options = {
  external: (id) => /^[^./\0]/.test(id) && !id.startsWith('src/'),
  preserveEntrySignatures: 'strict',
  output: { entryFileNames: '[name].js', chunkFileNames: '[name].js', minifyInternalExports: false },
};

/**
 * Puts the shell and all that it imports into one file. Lazy chunks share some of these modules; without the group, a
 * page that awaits the wallet at its top level would load one file for each shared module.
 */
const shell = { name: 'shell', test: /\/src\/(wallet|announce)\.ts$/ };

const builds = {
  library: buildOf({
    ...modules,
    input: { index: 'src/index.ts', 'ui/index': 'src/ui/index.ts', testing: 'src/testing.ts' },
    output: { ...modules.output, codeSplitting: { groups: [shell] } },
  }),
  local: buildOf({
    ...modules,
    platform: 'node',
    input: { 'local/index': 'src/local/index.ts', 'local/cli': 'src/local/cli.ts' },
    output: { ...modules.output, chunkFileNames: 'local/[name].js' },
  }),
  // A classic script can read its own URL only while it starts. An `<img name=currentScript>` of the page shadows
  // `document.currentScript`, but not the getter of the prototype.
  scriptTag: buildOf({
    input: { graft: 'src/script-tag.ts' },
    transform: { define: { 'import.meta.url': 'scriptUrl' } },
    output: {
      format: 'iife',
      entryFileNames: '[name].js',
      codeSplitting: false,
      minify: true,
      intro: `const ownScript = Reflect.get(Document.prototype, 'currentScript', document);
        const scriptUrl = ownScript instanceof HTMLScriptElement ? ownScript.src : undefined;`,
    },
  }),
};

/** Unit tests that take three seconds and more: whole sends in real time, long random runs, replays on a real EVM. */
const longTests = [
  'test/unit/{accounts,accounts.kill-points,accounts.owner,payments,wallet,wallet.usage}.test.ts',
  'test/unit/keyring/{keyring,keystore-v3,owner,signer,vault/vault}.test.ts',
  'test/unit/local/{*replay*,cli.process,chain}.test.ts',
  'test/unit/methods/{add-chain,calls,transaction}.test.ts',
  'test/unit/service/{cache.viem,client,client.bad-replies,logs.refusals,logs.requests}.test.ts',
  'test/unit/service/{cache/negative-cache,rate-limit/limiter}.test.ts',
  'test/unit/service/logs/{range-plan,ranges}.test.ts',
  'test/unit/signatures/signatures.*.test.ts',
  'test/unit/subscriptions/{*ground-truth,subscriptions.local}.test.ts',
  'test/unit/transactions/{replacement,transactions,transactions.outcomes,transactions.typed}.test.ts',
  'test/unit/transactions/batches/send-calls.test.ts',
  'test/unit/ui/panel/{app,views/send}.test.ts',
];

/** Tests in a browser that measure by the clock, or hold several tabs to it: they run one after the other, last. */
const timedTests = [
  'test/e2e/browser/{dialog,leader,tabs}.test.ts',
  'test/e2e/browser/attacks/{frames,styles}.test.ts',
];

export default defineConfig({
  publicDir: false,
  plugins: [localService(), workerSource(), ownExports()],
  server: { host: '127.0.0.1' },
  environments: builds,
  builder: {
    async buildApp(builder) {
      await rm('dist', { recursive: true, force: true });
      for (const name of Object.keys(builds)) {
        const environment = builder.environments[name];
        if (environment) await builder.build(environment);
      }
    },
  },
  test: {
    reporters: ['default', summary()],
    projects: [
      {
        test: {
          name: 'unit',
          include: ['test/unit/**/*.test.ts'],
          exclude: longTests,
          testTimeout: 20_000,
          pool: 'threads',
          // Most of their time the tests wait for a service or a clock: one worker would leave a core idle.
          maxWorkers: 2,
        },
      },
      {
        test: {
          name: 'node',
          include: ['test/{e2e,live,perf,soak}/**/*.test.ts', ...longTests],
          exclude: ['test/e2e/browser/**'],
          testTimeout: 20_000,
          maxWorkers: 2,
        },
      },
      {
        test: {
          name: 'browser',
          include: ['test/e2e/browser/**/*.test.ts'],
          exclude: timedTests,
          testTimeout: 60_000,
          hookTimeout: 60_000,
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          name: 'browser-timed',
          include: timedTests,
          testTimeout: 60_000,
          hookTimeout: 60_000,
          fileParallelism: false,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
