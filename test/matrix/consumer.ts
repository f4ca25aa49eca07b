import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { packages, projectRoot } from '../support/packages.js';
import { onceInRun } from './once.js';

/** A folder outside of the checkout with the tools of the matrix and the packed package, as a user installs them. */
export interface Consumer {
  readonly root: string;
  /** Of an installed package. */
  version(name: string): Promise<string>;
  /**
   * Makes a project of exactly these files, by their path in it. Returns its folder.
   *
   * @throws Error with the code `EEXIST` for a name that another test of the run has taken
   */
  project(name: string, files: Readonly<Record<string, string>>): Promise<string>;
  /** Runs a command of an installed package, or `node`. @throws Error with what it has printed */
  run(folder: string, command: string, ...args: readonly string[]): Promise<string>;
}

const here = import.meta.dirname;

/** The folders beside this file that name the packages to install. */
const tools = [
  'tools',
  'frameworks/angular',
  'frameworks/astro',
  'frameworks/nuxt',
  'kits/appkit',
  'kits/connectkit',
  'kits/react-wagmi',
] as const;

export type Tools = (typeof tools)[number];

/** Whether all of the matrix runs, as for pull requests (`npm run test:only matrix`). `npm run test:all` runs one of a kind. */
export const isWhole = process.env.MATRIX === 'all';

/** The folders whose packages this run needs. */
export const neededTools: readonly Tools[] = isWhole ? tools : ['tools', 'kits/connectkit'];

/** The paths of the archives by the names of our packages. */
export type Archives = Readonly<Record<string, string>>;

/**
 * Packs the packages of the checkout as they are published, once in a run.
 *
 * @param run the folder of the run
 */
export async function packCheckout(run: string): Promise<Archives> {
  await onceInRun(run, 'pack', async () => {
    const all = ['--workspaces', '--include-workspace-root'];
    const pack = ['pack', ...all, '--json', '--foreground-scripts=false', '--pack-destination', run];
    const packed = JSON.parse(await execute(projectRoot, 'npm', pack)) as {
      name: string;
      filename: string;
    }[];
    for (const { name, filename } of packed) await rename(join(run, filename), join(run, `${name}.tgz`));
  });
  return Object.fromEntries(packages.map(({ name }) => [name, join(run, `${name}.tgz`)]));
}

/** Unpacks an archive of {@link packCheckout} into a new folder, as npm does. */
export async function unpack(archive: string, place: string): Promise<void> {
  await mkdir(place);
  await execute(place, 'tar', ['-xzf', archive, '--strip-components=1']);
}

/** Installs these packages, once for each lockfile: they are kept for the next run. Returns their folder. */
export async function installTools(packages: Tools, run: string): Promise<string> {
  const source = join(here, packages);
  const lockfile = await readFile(join(source, 'package-lock.json'));
  const key = createHash('sha256').update(lockfile).digest('hex').slice(0, 12);
  const root = join(tmpdir(), `graft-matrix-${key}`);
  await onceInRun(run, packages.replace('/', '-'), async () => {
    if (existsSync(join(root, 'node_modules'))) return;
    await rm(root, { recursive: true, force: true });
    await rm(`${root}.new`, { recursive: true, force: true });
    await mkdir(`${root}.new`);
    for (const name of ['package.json', 'package-lock.json'])
      await copyFile(join(source, name), join(`${root}.new`, name));
    // Not `npm ci`: it refuses a lockfile that lacks the optional binaries of other platforms, which a mirror may not have.
    await execute(`${root}.new`, 'npm', ['install', '--no-save', '--no-audit', '--no-fund']);
    await rename(`${root}.new`, root);
  });
  return root;
}

/**
 * Installs the packed wallet and test kit beside these packages.
 *
 * @param run the folder of the run
 */
export async function installConsumer(run: string, packages: Tools = 'tools'): Promise<Consumer> {
  const [archives, root] = await Promise.all([packCheckout(run), installTools(packages, run)]);
  // Several test files may use the same packages at once.
  await onceInRun(run, `consumer-${packages.replace('/', '-')}`, async () => {
    await rm(join(root, 'projects'), { recursive: true, force: true });
    // npm does the same with a package whose dependencies are not used, but resolves all others again, for half a minute.
    for (const name of ['graft-wallet', 'graft-kit']) {
      const place = join(root, 'node_modules', name);
      await rm(place, { recursive: true, force: true });
      await unpack(archives[name] as string, place);
    }
  });

  return {
    root,
    async version(name) {
      const manifest = await readFile(join(root, 'node_modules', name, 'package.json'), 'utf8');
      return (JSON.parse(manifest) as { version: string }).version;
    },
    async project(name, files) {
      const folder = join(root, 'projects', name);
      await mkdir(join(folder, '..'), { recursive: true });
      await mkdir(folder);
      const all = { 'package.json': '{ "type": "module" }', ...files };
      for (const [path, text] of Object.entries(all)) {
        await mkdir(join(folder, path, '..'), { recursive: true });
        await writeFile(join(folder, path), text);
      }
      return folder;
    },
    run: (folder, command, ...args) =>
      execute(folder, command === 'node' ? process.execPath : join(root, 'node_modules/.bin', command), args),
  };
}

const noTelemetry = {
  ASTRO_TELEMETRY_DISABLED: '1',
  DO_NOT_TRACK: '1',
  NEXT_TELEMETRY_DISABLED: '1',
  NG_CLI_ANALYTICS: 'false',
};

/** Runs a program in a folder, without the settings of this process. @throws Error with what it has printed */
export async function execute(cwd: string, command: string, args: readonly string[]): Promise<string> {
  const { NODE_OPTIONS: _options, NODE_ENV: _mode, VITEST: _vitest, ...env } = process.env;
  try {
    const quiet = { ...env, npm_config_loglevel: 'error', ...noTelemetry };
    return (await promisify(execFile)(command, args, { cwd, env: quiet, maxBuffer: 2 ** 26 })).stdout;
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    throw new Error(`${command} ${args.join(' ')} fails:\n${stdout}${stderr}`);
  }
}
