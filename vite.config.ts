import { rm } from 'node:fs/promises';
import type { EnvironmentOptions } from 'vite';
import { defineConfig } from 'vitest/config';
import { localService } from './demo/local-service-plugin.js';
import { summary } from './test/support/summary.js';
import { workerSource } from './test/support/worker-source.js';

type Options = NonNullable<NonNullable<EnvironmentOptions['build']>['rolldownOptions']>;

/**
 * One build into `dist`. All are of the consumer `server`: for it Vite leaves alone
 * `new URL('./kdf-worker.js', import.meta.url)`, by which the bundlers of our users find the file.
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

/** Modules for who installs us: our dependencies stay imports, what is loaded lazily stays a chunk of its own. */
const modules: Options = {
  external: (id) => /^[^./\0]/.test(id) && !id.startsWith('src/'),
  preserveEntrySignatures: 'strict',
  output: { entryFileNames: '[name].js', chunkFileNames: '[name].js', minifyInternalExports: false },
};

/**
 * What a page needs to begin, with all that it imports, is one file. Lazy chunks share some of it, and of a page that
 * awaits the wallet at its top level a bundler would make a file to load of each module they share.
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
  // A classic script knows its own address only while it starts. `<img name=currentScript>` of the page stands in front
  // of `document.currentScript`, never in front of its getter.
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

export default defineConfig({
  publicDir: false,
  plugins: [localService(), workerSource()],
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
          include: ['test/**/*.test.ts'],
          exclude: ['**/node_modules/**', 'test/e2e/browser/**'],
          testTimeout: 20_000,
          // Most of their time the tests wait for a service or a clock: one worker would leave a core idle.
          maxWorkers: 2,
        },
      },
      {
        test: {
          name: 'browser',
          include: ['test/e2e/browser/**/*.test.ts'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
          fileParallelism: false,
          // After the others: a page in a browser is measured by the clock, and two cores are soon busy.
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
