import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import type { Plugin } from 'vite';
import { type Built, bundleConsumer } from '../support/built.js';
import { installBuilt } from '../support/install-built.js';
import { packageEntries, packages } from '../support/packages.js';
import { brotliSize } from './brotli.js';
import { atMost, kilobytes, type Row } from './row.js';
import { bridgePage, shellPage } from './weight.js';

/** Bytes of the minified files after brotli. */
interface Loaded {
  /** Before the page's first line runs. */
  readonly first: number;
  /** With all that it may load later. */
  readonly all: number;
}

/** What a page loads, once bundled by Vite and once by esbuild. */
export interface ByBundler {
  readonly vite: Loaded;
  readonly esbuild: Loaded;
}

/** What a page does with an entry, where it is not all that the entry exports. */
const pages: Readonly<Record<string, string>> = {
  'graft-wallet': shellPage,
  'graft-wallet/bridge': bridgePage,
};

/** kB of the first load that the design aims at. */
const aims: Readonly<Record<string, number>> = {
  'graft-wallet': 4,
  'graft-wallet/bridge': 6,
  'graft.js': 8,
};

/** The entries that a page may load, by what it imports. Those that only Node resolves are left out. */
export const entryPages: ReadonlyMap<string, string> = new Map(
  packageEntries
    .filter(({ inPages }) => inPages)
    .map(({ specifier }) => {
      const all = `import * as entry from '${specifier}'; globalThis.entry = entry;`;
      return [specifier, pages[specifier] ?? all];
    }),
);

/**
 * Weighs pages of one module each, bundled by Vite and by esbuild. Peers and dependencies stay imports.
 *
 * @param code of the module
 */
export async function weighPages(
  built: Built,
  codes: Iterable<string>,
): Promise<ReadonlyMap<string, ByBundler>> {
  const root = await installInto(dirname(dirname(fileURLToPath(built.entry))));
  const peers = packages.flatMap(({ manifest }) =>
    Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies }),
  );
  const weighed = new Map<string, ByBundler>();
  for (const code of codes)
    weighed.set(code, {
      vite: await withVite(root, code, peers),
      esbuild: await withEsbuild(root, code, peers),
    });
  return weighed;
}

/** The builds that have all of {@link entryPages}. */
export const entryBuilds = [
  'library',
  'bridge',
  'adapters',
  'proof',
  'scriptTag',
  'bridgeTag',
  'testing',
  'relay',
] as const;

/** Rows with the first load of each entry of our packages, and of the script tags. */
export async function measureEntries(built: Built): Promise<Row[]> {
  const weighed = await weighPages(built, entryPages.values());
  const rows = [...entryPages].map(([name, code]): Row => {
    const { vite, esbuild } = weighed.get(code) as ByBundler;
    const largest = Math.max(vite.first, esbuild.first);
    return { ...rowOf(name, name, largest), ours: `Vite ${write(vite)}, esbuild ${write(esbuild)}` };
  });
  for (const script of ['graft.js', 'graft-bridge.js']) {
    const first = brotliSize(await built.read(script));
    rows.push({ ...rowOf(`dist/${script}`, script, first), ours: kilobytes(first) });
  }
  return rows;
}

const rowOf = (name: string, entry: string, first: number): Pick<Row, 'what' | 'aim'> => {
  const aim = aims[entry];
  return {
    what: `Weight: ${name}, first load${entry.endsWith('.js') ? '' : ' (all)'}`,
    ...(aim !== undefined && { aim: atMost(first, aim * 1000, `first ≤ ${aim} kB`) }),
  };
};

const write = ({ first, all }: Loaded): string => `${kilobytes(first)} (${kilobytes(all)})`;

/** Installs the built packages, so that bundlers resolve them by their package.json. */
async function installInto(root: string): Promise<string> {
  // Apart from the build, whose own manifest says that its files have no side effects.
  const page = join(root, 'page');
  await installBuilt(root, join(page, 'node_modules'));
  // With another name: by its own name, esbuild would resolve the package to the `dist` of the checkout.
  await writeFile(join(page, 'package.json'), JSON.stringify({ name: 'page', type: 'module' }));
  return page;
}

async function withVite(root: string, code: string, peers: readonly string[]): Promise<Loaded> {
  const external: Plugin = {
    name: 'external-peers',
    enforce: 'pre',
    resolveId: (id) => (peers.some((peer) => id === peer || id.startsWith(`${peer}/`)) ? false : null),
  };
  const bundle = await bundleConsumer({ root, code, preload: false, plugins: [external] });
  const chunks = [...bundle.values()].flatMap(({ chunk }) => chunk ?? []);
  return add(
    chunks.map((chunk) => ({ ...chunk, size: () => brotliSize(chunk.code) })),
    chunks.find(({ isEntry }) => isEntry)?.fileName,
  );
}

async function withEsbuild(root: string, code: string, peers: readonly string[]): Promise<Loaded> {
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    // Otherwise paths have the folder's random name, on which the hashes in the files' names depend, and by them the weight.
    preserveSymlinks: true,
    stdin: { contents: code, resolveDir: root },
    outdir: 'out',
    bundle: true,
    minify: true,
    splitting: true,
    format: 'esm',
    target: 'es2022',
    write: false,
    metafile: true,
    external: [...peers],
    logLevel: 'error',
  });
  const outputs = Object.entries(metafile.outputs).map(([path, { imports, entryPoint }]) => ({
    fileName: path,
    imports: imports.filter(({ kind }) => kind === 'import-statement').map((each) => each.path),
    isEntry: entryPoint === '<stdin>',
    size: () => brotliSize(outputFiles.find((file) => file.path === join(root, path))?.contents ?? ''),
  }));
  return add(outputs, outputs.find(({ isEntry }) => isEntry)?.fileName);
}

interface Output {
  readonly fileName: string;
  /** The files that it imports statically. */
  readonly imports: readonly string[];
  /** Bytes after brotli. */
  size(): number;
}

function add(outputs: readonly Output[], entry: string | undefined): Loaded {
  const found = (name: string | undefined) => outputs.find(({ fileName }) => fileName === name);
  if (!found(entry)) throw new Error('The bundle has no entry.');
  const first = new Set([entry]);
  for (const name of first) for (const next of found(name)?.imports ?? []) first.add(next);
  const sum = (some: readonly Output[]) => some.reduce((total, { size }) => total + size(), 0);
  return {
    first: sum(outputs.filter(({ fileName }) => first.has(fileName))),
    get all() {
      return sum(outputs);
    },
  };
}
