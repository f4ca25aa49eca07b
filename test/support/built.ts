import { existsSync } from 'node:fs';
import { copyFile, cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, createBuilder, type InlineConfig, type Plugin, type Rolldown } from 'vite';
import { digestOf, keep } from './kept.js';
import { projectRoot } from './packages.js';

/** The package as published, and a bundler for pages that use it. */
export interface Built {
  /** {@link bundleConsumer}, where `graft-wallet` is what we publish. */
  bundle(code: string, options?: Pick<bundleConsumer.Options, 'html' | 'preload'>): Promise<Bundle>;
  /** A file of `dist` of the wallet's package. */
  read(name: string): Promise<string>;
  /** The script tags and all that they may load. */
  scriptTag(): Promise<{ readonly name: string; readonly body: string }[]>;
  /** Writes these files into a folder; by default a new one, which `stop` removes. */
  writeScripts(folder?: string): Promise<string>;
  /** The URL of the module {@link Published}, for Node. Unlike the source it runs without the code that tsx adds. */
  readonly entry: string;
  stop(): Promise<void>;
}

export type Published = typeof import('../../src/index.js');

/** Files by name. */
export type Bundle = ReadonlyMap<string, BundledFile>;

export interface BundledFile {
  readonly name: string;
  readonly body: string | Uint8Array;
  /** For a JavaScript file: its modules and imports. */
  readonly chunk?: Rolldown.OutputChunk;
}

/** The builds of `vite.config.ts` that pages and their tests get, each with the folder of its package. */
const folders = {
  ...{ library: '.', bridge: '.', adapters: '.', proof: '.', scriptTag: '.', bridgeTag: '.' },
  ...{ local: 'packages/kit', testing: 'packages/kit', testPage: 'packages/kit', testingTag: 'packages/kit' },
  relay: 'packages/relay',
} as const;

type Output = keyof typeof folders;

/** Builds the package, or some of it, into a folder of its own, so that `dist` stays as `npm run build` left it. */
export async function buildPackage(
  outputs: readonly Output[] = ['library', 'bridge', 'adapters', 'proof', 'scriptTag', 'bridgeTag'],
): Promise<Built> {
  const root = await mkdtemp(join(projectRoot, 'node_modules', '.bench-'));
  const dist = join(root, 'dist');
  try {
    // As of package.json, by which a bundler leaves out files that a page does not need.
    await writeFile(join(root, 'package.json'), '{ "type": "module", "sideEffects": false }\n');
    const digest = await digestOf(sources);
    for (const name of outputs) {
      const kept = await keep(name, digest, (folder) => buildInto(folder, name));
      await cp(kept, root, { recursive: true });
    }
  } catch (error) {
    await rm(root, { recursive: true, force: true });
    throw error;
  }
  /** The paths of the scripts that pages name, and of what these load. */
  const scripts = async (): Promise<string[]> => {
    const kit = join(root, folders.testingTag, 'dist');
    const found = [dist, kit].filter(existsSync).map(async (folder) => {
      const names = (await readdir(folder)).filter((name) => /^(graft.*|kdf-worker)\.js$/.test(name));
      return names.map((name) => join(folder, name));
    });
    return (await Promise.all(found)).flat();
  };
  return {
    bundle: (code, options) => bundleConsumer({ root, code, plugins: [published(dist)], ...options }),
    read: (name) => readFile(join(dist, name), 'utf8'),
    async scriptTag() {
      return Promise.all(
        (await scripts()).map(async (path) => ({ name: basename(path), body: await readFile(path, 'utf8') })),
      );
    },
    async writeScripts(given) {
      const folder = given ?? (await mkdtemp(join(root, 'scripts-')));
      await Promise.all((await scripts()).map((path) => copyFile(path, join(folder, basename(path)))));
      return folder;
    },
    entry: pathToFileURL(join(dist, 'index.js')).href,
    stop: () => rm(root, { recursive: true, force: true }),
  };
}

/** Builds one output into a folder, as `dist` in the folder of its package. */
async function buildInto(folder: string, name: Output): Promise<void> {
  const builder = await createBuilder({
    configFile: join(projectRoot, 'vite.config.ts'),
    root: projectRoot,
    logLevel: 'error',
    environments: { [name]: { build: { outDir: join(folder, folders[name], 'dist') } } },
  });
  const environment = builder.environments[name];
  if (!environment) throw new Error(`vite.config.ts has no build named ${name}`);
  await builder.build(environment);
}

/** The inputs of a build, files and folders of the project. */
const sources = [
  'src',
  'packages',
  'examples/wallet-site',
  'test/support',
  'vite.config.ts',
  'package-lock.json',
];

/** The page of `test/perf/pages/{name}.ts`, whose `bench` becomes a global. */
export const pageCode = (name: string): string =>
  `import { bench } from '${projectRoot}test/perf/pages/${name}.ts'; Object.assign(globalThis, { bench });`;

/** Files of `dist`, by what a page imports. */
const entries: Readonly<Record<string, string>> = {
  'graft-wallet': 'index.js',
  'graft-wallet/bridge': 'bridge/client.js',
  'graft-wallet/host': 'bridge/host.js',
  'graft-wallet/viem': 'adapters/viem.js',
  'graft-wallet/wagmi': 'adapters/wagmi.js',
  'graft-wallet/rainbowkit': 'adapters/rainbowkit.js',
};

/** Resolves these imports, and those of files in `src`, to the published file. */
function published(dist: string): Plugin {
  const source = `${projectRoot}src/`;
  return {
    name: 'published',
    enforce: 'pre',
    resolveId(id, importer) {
      const entry = entries[id];
      if (entry) return { id: join(dist, entry), moduleSideEffects: false };
      const path = importer && id.startsWith('.') ? resolve(dirname(importer), id) : id;
      return path.startsWith(source) ? join(dist, path.slice(source.length)) : null;
    },
  };
}

export declare namespace bundleConsumer {
  interface Options {
    /** The folder from which packages are resolved. */
    readonly root: string;
    /** One module. */
    readonly code: string;
    /** A page, `index.html`, that runs it. */
    readonly html?: boolean;
    /** Whether the imports of a lazy chunk are preloaded, for which Vite adds a little code. Default true. */
    readonly preload?: boolean;
    readonly plugins?: readonly Plugin[];
  }
}

/** Bundles and minifies as a Vite project without settings does; lazy imports stay chunks of their own. */
export async function bundleConsumer(options: bundleConsumer.Options): Promise<Bundle> {
  const { root, code, html = false, preload = true, plugins = [] } = options;
  const sources = new Map([
    [join(root, 'consumer.js'), code],
    [join(root, 'index.html'), '<!doctype html><script type="module" src="./consumer.js"></script>'],
  ]);
  const written: Plugin = {
    name: 'written',
    enforce: 'pre',
    resolveId: (id) => [...sources.keys()].find((name) => name === id || name === join(root, id)) ?? null,
    load: (id) => sources.get(id) ?? null,
  };
  const config: InlineConfig = {
    configFile: false,
    root,
    publicDir: false,
    logLevel: 'error',
    plugins: [written, ...plugins],
    build: {
      write: false,
      assetsDir: '',
      modulePreload: preload && { polyfill: false },
      reportCompressedSize: false,
      rolldownOptions: { input: join(root, html ? 'index.html' : 'consumer.js'), logLevel: 'silent' },
    },
  };
  const { output } = (await build(config)) as Rolldown.RolldownOutput;
  return new Map(
    output.map((file) => [
      file.fileName,
      file.type === 'chunk'
        ? { name: file.fileName, body: file.code, chunk: file }
        : { name: file.fileName, body: file.source },
    ]),
  );
}
