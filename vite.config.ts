import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { defineConfig, type EnvironmentOptions } from 'vite';
import { addresses } from './demo/addresses-plugin.js';
import { localService } from './demo/local-service-plugin.js';
import { walletSite } from './demo/wallet-site-plugin.js';
import { classicGroup, classicScript } from './test/support/classic-script.js';
import { writeIntegrity } from './test/support/integrity.js';
import { namespaceImports } from './test/support/namespace-imports.js';
import { ownExports } from './test/support/own-exports.js';
import { eventEmitter, thirdParty } from './test/support/third-party.js';
import { workerSource } from './test/support/worker-source.js';

type Options = NonNullable<NonNullable<EnvironmentOptions['build']>['rolldownOptions']>;

/**
 * One build, by default into `dist`. Each has the consumer `server`, for which Vite does not rewrite
 * `new URL('./kdf-worker.js', import.meta.url)`: our users' bundlers find the file by it.
 */
function buildOf(options: Options, { sourcemap = false, outDir = 'dist' } = {}): EnvironmentOptions {
  return {
    consumer: 'server',
    resolve: { noExternal: true, conditions: ['browser', 'module', 'import', 'default'] },
    build: {
      outDir,
      emptyOutDir: false,
      emitAssets: true,
      target: 'es2022',
      sourcemap,
      rolldownOptions: { platform: 'browser', ...options },
    },
  };
}

/** Whether a module is one of a package that the manifest leaves to npm: a peer, or a dependency. */
function isInstalled(manifest: string): (id: string) => boolean {
  const { dependencies, peerDependencies } = JSON.parse(readFileSync(manifest, 'utf8')) as {
    dependencies?: Readonly<Record<string, string>>;
    peerDependencies?: Readonly<Record<string, string>>;
  };
  const names = Object.keys({ ...dependencies, ...peerDependencies });
  return (id) => names.some((name) => id === name || id.startsWith(`${name}/`));
}

/** Names of lazy chunks. Modules of packages may have names that begin with an underscore, such as `_u64`. */
const chunkNames =
  (prefix: string) =>
  ({ name }: { readonly name: string }): string =>
    `${prefix}${name.replace(/^_/, '')}.js`;

/** Modules of packages that stay chunks of their own, each after those that it imports. */
const packageModules = [
  '@noble/hashes/utils',
  '@noble/hashes/_u64',
  '@noble/hashes/_md',
  '@noble/hashes/sha2',
  '@noble/hashes/sha3',
  '@noble/hashes/hmac',
  '@noble/hashes/pbkdf2',
  '@noble/hashes/scrypt',
  '@noble/secp256k1',
  '@scure/bip39/wordlists/english',
  '@scure/bip39',
  'preact/dist',
  'preact/hooks',
  'uqr',
];

/**
 * Chunks such as `hashes-sha3`. Together with a module of ours, a page that uses that module would load them too. A group
 * takes what its modules import along, unless an earlier one has it.
 */
const packageGroups = packageModules.map((path, index) => ({
  name: path.replace(/^@\w+\/|\/(dist|wordlists)/g, '').replace(/\/_?/, '-'),
  test: new RegExp(`/node_modules/${path}[./]`),
  priority: packageModules.length - index,
}));

/**
 * Modules for npm: what npm installs stays an import, and modules that are loaded lazily stay chunks of their own. Packages
 * of the page are inside: where a page has another version of one, a bundler may give us that.
 */
const modules: Options = {
  preserveEntrySignatures: 'strict',
  output: {
    entryFileNames: '[name].js',
    chunkFileNames: chunkNames(''),
    minifyInternalExports: true,
    codeSplitting: { groups: packageGroups },
  },
};

/**
 * Builds of such modules into `dist` of the package in this folder. Their source maps have the sources inside, which the package
 * is without; the scripts, minified, have none, because the maps would double what is installed.
 */
const modulesOf = (folder = '.') => {
  const installed = isInstalled(`${folder}/package.json`);
  const external = (id: string) => installed(id) || isBuiltin(id) || id.startsWith('cloudflare:');
  return (options: Options): EnvironmentOptions =>
    buildOf(
      { ...modules, external, ...options, output: { ...modules.output, ...options.output } },
      { sourcemap: true, outDir: `${folder}/dist` },
    );
};

const wallet = modulesOf();
const kit = modulesOf('packages/kit');
const relay = modulesOf('packages/relay');

/** Scripts of the test kit, each with all that it needs. */
const kitScript = (options: Options): EnvironmentOptions =>
  buildOf(
    {
      ...options,
      output: {
        format: 'iife',
        entryFileNames: '[name].js',
        codeSplitting: false,
        minify: true,
        ...options.output,
      },
    },
    { outDir: 'packages/kit/dist' },
  );

/**
 * Puts the shell and all that it imports into one file. Lazy chunks share some of these modules; without the group, a
 * page that awaits the wallet at its top level would load one file for each shared module.
 */
const shell = { name: 'shell', test: /\/src\/(wallet\/wallet|provider\/announce)\.ts$/ };

/**
 * One file for what a page loads with each step: a read, the methods of signatures, of transactions, of subscriptions, and those that are rarely
 * asked, an unlock, a signature, a payment, typed data. A group takes what its modules import along, unless an earlier one has it. So what several steps, an entry, the dialog
 * or the panel share has a group of its own before them: else each would load the whole of a step.
 * `test/e2e/browser/loads.test.ts` holds what a page loads.
 */
const steps = [
  { name: 'address', test: /\/src\/rpc\/address\.ts$/ },
  { name: 'text', test: /\/src\/rpc\/(text|registrable-domain)\.ts$/ },
  { name: 'abi-signatures', test: /\/src\/rpc\/abi-(signatures|parameters)\.ts$/ },
  {
    name: 'common',
    test: /\/src\/(rpc\/(method-facts\/wallet-facts|core-errors|own-data)|async\/cancellation|approvals\/warning|session\/standing)\.ts$/,
  },
  // Verified reads and proofs need it without what signs.
  { name: 'rlp', test: /\/src\/rpc\/rlp\.ts$/ },
  { name: 'locks', test: /\/src\/(async\/mutex|storage\/in-time)\.ts$/ },
  {
    name: 'tokens',
    test: /\/src\/(rpc\/(token-(amount|calls)|known-contracts)|approvals\/(decode-call|describe\/token-call))\.ts$/,
  },
  { name: 'core', test: /\/src\/(wallet\/core|keyring\/web-crypto)\.ts$/ },
  { name: 'limiter', test: /\/src\/service\/rate-limit\/limiter\.ts$/ },
  { name: 'requester', test: /\/src\/methods\/requester\.ts$/ },
  { name: 'signs', test: /\/src\/methods\/sign\.ts$/ },
  { name: 'transacts', test: /\/src\/methods\/submit\.ts$/ },
  { name: 'follows', test: /\/src\/methods\/follows\.ts$/ },
  { name: 'further', test: /\/src\/methods\/further\.ts$/ },
  {
    name: 'unlock',
    test: /\/src\/(wallet\/(signing|owner-functions)|keyring\/vault\/access|approvals\/approvals)\.ts$/,
  },
  { name: 'sign', test: /\/src\/(keyring\/sign|signatures\/signatures)\.ts$/ },
  { name: 'recipient', test: /\/src\/transactions\/recipient\.ts$/ },
  {
    name: 'pay',
    test: /\/src\/(transactions\/(transactions|approve-and-sign|dispatch)|service\/chain-check|keyring\/sign-transaction)\.ts$/,
  },
  { name: 'token-label', test: /\/src\/approvals\/token-label\.ts$/ },
  { name: 'call-warnings', test: /\/src\/approvals\/(call-tokens|describe\/calls)\.ts$/ },
  { name: 'read-calls', test: /\/src\/approvals\/read-calls\.ts$/ },
  { name: 'permission-terms', test: /\/src\/rpc\/permission-terms\.ts$/ },
  // A page with a purse has it alone.
  { name: 'coverage', test: /\/src\/permissions\/coverage\.ts$/ },
  { name: 'permitting', test: /\/src\/(wallet\/permitting|permissions\/(grant|ledger))\.ts$/ },
  { name: 'interval', test: /\/src\/(chain\/interval|rpc\/remasc)\.ts$/ },
  { name: 'following', test: /\/src\/wallet\/following\.ts$/ },
  // What the views of a question share with those of the panel.
  { name: 'pieces', test: /\/src\/ui\/pieces\/(lists|site|text)\.tsx?$/ },
  {
    name: 'typed-data',
    test: /\/src\/(keyring\/typed-data\/typed-data|signatures\/describe-typed-data)\.ts$/,
  },
];

const builds = {
  library: wallet({
    input: {
      index: 'src/index.ts',
      'ui/index': 'src/ui/index.ts',
      'inspect/index': 'src/inspect/index.ts',
      'bridge/host': 'src/bridge/host.ts',
    },
    output: { codeSplitting: { groups: [shell, ...steps, ...packageGroups] } },
  }),
  // Apart from the library, so that a bundler finds nothing of the wallet behind it.
  bridge: wallet({
    input: { 'bridge/client': 'src/bridge/client.ts' },
    output: { chunkFileNames: chunkNames('bridge/') },
  }),
  // Apart as well: who imports one gets neither the wallet nor another library.
  adapters: wallet({
    input: Object.fromEntries(
      ['viem', 'wagmi', 'rainbowkit'].map((name) => [`adapters/${name}`, `src/adapters/${name}.ts`]),
    ),
    output: {
      chunkFileNames: chunkNames('adapters/'),
      // What two of them share, so that neither entry becomes a file that only passes on.
      codeSplitting: { groups: [{ name: 'icon', test: /\/src\/provider\/icon\.ts$/ }] },
    },
  }),
  // In Node: the local service, and the fixtures that put a wallet into pages.
  local: kit({
    platform: 'node',
    input: {
      'local/index': 'packages/kit/src/local/index.ts',
      'local/cli': 'packages/kit/src/local/cli.ts',
      'playwright/index': 'packages/kit/src/playwright/index.ts',
      'playwright/library': 'packages/kit/src/playwright/library.ts',
    },
    output: { chunkFileNames: chunkNames('local/') },
  }),
  // In pages and wherever else a test makes a wallet.
  testing: kit({
    input: { 'testing/index': 'packages/kit/src/testing/index.ts' },
    output: { chunkFileNames: chunkNames('testing/') },
  }),
  // The wallet that the test kit writes into pages: all of it in one script.
  testPage: kitScript({
    input: { 'testing/page': 'packages/kit/src/testing/page.ts' },
    transform: { define: { 'import.meta.url': 'undefined' } },
    output: { name: 'graftTestPage' },
  }),
  testingTag: kitScript({ input: { 'graft-testing': 'packages/kit/src/testing/script-tag.ts' } }),
  // Without Node in `index`: it also runs where there are only `Request` and `Response`.
  relay: relay({
    platform: 'node',
    input: {
      index: 'packages/relay/src/index.ts',
      node: 'packages/relay/src/node.ts',
      cli: 'packages/relay/src/cli.ts',
      worker: 'packages/relay/src/worker.ts',
    },
  }),
  // Apart from the library: a shop or a server verifies without a wallet.
  proof: wallet({
    input: { 'proof/index': 'src/proof/index.ts' },
    output: { chunkFileNames: chunkNames('proof/') },
  }),
  proofCommand: wallet({
    platform: 'node',
    input: { 'proof/cli': 'src/proof/cli.ts' },
    output: { codeSplitting: false },
  }),
  site: wallet({
    platform: 'node',
    input: { 'site/cli': 'src/site/cli.ts' },
    output: { chunkFileNames: chunkNames('site/') },
  }),
  // A page loads it on every visit, so all but the shell stays in files of its own.
  scriptTag: buildOf({
    input: { graft: 'src/script-tag/script-tag.ts' },
    output: {
      entryFileNames: '[name].js',
      chunkFileNames: chunkNames('graft-'),
      codeSplitting: {
        groups: [
          classicGroup(
            /\/src\/(wallet\/wallet|provider\/announce|script-tag\/script-(element|loader)|ui\/page)\.ts$/,
          ),
        ],
      },
      comments: { annotation: false },
      minify: true,
    },
  }),
  // A page loads it on every visit, so what few visits need stays in files of its own.
  bridgeTag: buildOf({
    input: { 'graft-bridge': 'src/script-tag/bridge-tag.ts' },
    output: {
      entryFileNames: '[name].js',
      chunkFileNames: 'graft-bridge-[name].js',
      codeSplitting: {
        groups: [classicGroup(/\/src\/(bridge\/client|script-tag\/script-(element|loader)|ui\/page)\.ts$/)],
      },
      comments: { annotation: false },
      minify: true,
    },
  }),
};

export default defineConfig({
  publicDir: false,
  plugins: [
    localService(),
    walletSite(),
    addresses(),
    // The wallet of the test kit has a cheap password and no worker, which the policy of a page under test could refuse.
    { ...workerSource(), applyToEnvironment: ({ name }) => name !== 'testPage' },
    ownExports(),
    namespaceImports(),
    eventEmitter(),
    // The builds that bundle every package that any file of theirs has.
    ...['scriptTag', 'testPage', 'relay'].map(thirdParty),
    classicScript('scriptTag', 'graft.js'),
    classicScript('bridgeTag', 'graft-bridge.js'),
  ],
  server: { host: '127.0.0.1' },
  // The same bytes in development and for users; a bundler cannot drop a part of a view.
  oxc: { jsx: { development: false, pure: false } },
  // Else the test kit's script, which has no chunks, holds each translation twice.
  json: { namedExports: false, stringify: false },
  environments: builds,
  builder: {
    async buildApp(builder) {
      for (const folder of ['.', 'packages/kit', 'packages/relay'])
        await rm(`${folder}/dist`, { recursive: true, force: true });
      for (const name of Object.keys(builds)) {
        const environment = builder.environments[name];
        if (environment) await builder.build(environment);
      }
      await writeIntegrity('dist');
    },
  },
});
