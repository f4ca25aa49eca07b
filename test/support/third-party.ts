import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import type { Plugin } from 'vite';

/** Packages whose code is in the published files, so that no bundler can give us another version that a page has. */
export const bundledPackages = [
  '@noble/hashes',
  '@noble/secp256k1',
  '@scure/bip39',
  'eventemitter3',
  'idb',
  'preact',
  'uqr',
] as const;

/** A package whose code is in a file of ours. */
interface Bundled {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  /** The text of its licence file. */
  readonly text: string;
}

/**
 * Writes the licences of the packages whose code is in our files, which demand it, beside them.
 *
 * @param environment a build that bundles every package that any of our files has
 */
export const thirdParty = (environment: string): Plugin => ({
  name: 'third-party',
  applyToEnvironment: ({ name }) => name === environment,
  generateBundle(_, files) {
    const modules = Object.values(files).flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []));
    const folders = new Set(modules.flatMap((id) => packageOf(id) ?? []));
    const texts = [...folders]
      .map(read)
      .sort((a, b) => (a.name < b.name ? -1 : 1))
      .map((each) => `${each.name} ${each.version} (${each.license})\n\n${each.text}`);
    const source = `${[introduction, ...texts].join(`\n\n${'-'.repeat(72)}\n\n`)}\n`;
    this.emitFile({ type: 'asset', fileName: 'THIRD-PARTY-LICENCES.txt', source });
  },
});

const introduction = 'The files beside this one contain code of these packages, each under its own licence.';

/** The folder of the package that a module belongs to; `null` for one of ours. */
function packageOf(id: string): string | null {
  if (!id.includes(`${sep}node_modules${sep}`)) return null;
  let folder = dirname(id.replace(/^\0/, ''));
  while (!existsSync(join(folder, 'package.json')) || !('version' in manifestOf(folder)))
    folder = dirname(folder);
  return folder;
}

const manifestOf = (folder: string) =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Omit<Bundled, 'text'>;

/** @throws Error for a package without a licence file, which we may not bundle */
function read(folder: string): Bundled {
  const { name, version, license } = manifestOf(folder);
  const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
  if (file === undefined) throw new Error(`${name} has no licence file: it cannot be bundled.`);
  return { name, version, license, text: readFileSync(join(folder, file), 'utf8').trim() };
}

/**
 * eventemitter3 as a module of its own. Its package has CommonJS behind a default import, which bundlers read in different
 * ways, and some not at all.
 */
export const eventEmitter = (): Plugin => ({
  name: 'event-emitter',
  enforce: 'pre',
  load(id) {
    if (!id.endsWith('/eventemitter3/index.mjs')) return null;
    const code = readFileSync(join(dirname(id), 'index.js'), 'utf8');
    const [exporting] =
      /if \('undefined' !== typeof module\) \{\s*module\.exports = EventEmitter;\s*\}/.exec(code) ?? [];
    if (exporting === undefined) this.error('eventemitter3 exports otherwise now: change third-party.ts.');
    return code.replace(exporting, 'export { EventEmitter };');
  },
});
