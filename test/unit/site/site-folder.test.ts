import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readConfiguration } from '../../../src/site/configuration.js';
import { headerFile } from '../../../src/site/header-files.js';
import { writeSite } from '../../../src/site/site-folder.js';
import { siteOptions } from '../../support/wallet-site.js';

let place: string;
/** The built documents, as the package has them. */
let documents: string;
/** The folder to write. */
let folder: string;

const configuration = JSON.stringify(siteOptions('https://wallet.example.com'));
const names = ['connect.html', 'frame.html', 'index.html', 'window.html'];

beforeEach(async () => {
  place = await mkdtemp(join(tmpdir(), 'graft-site-folder-'));
  documents = join(place, 'documents');
  folder = join(place, 'site');
  await mkdir(join(documents, 'assets'), { recursive: true });
  for (const name of [...names, 'assets/new.js']) await writeFile(join(documents, name), `this is ${name}`);
});
afterEach(() => rm(place, { recursive: true, force: true }));

const write = (text = configuration, root?: string) => writeSite(documents, text, folder, root);
const read = (name: string) => readFile(join(folder, name), 'utf8');

test('a new folder holds the documents, their scripts, the configuration and the settings of servers', async () => {
  await write();
  expect((await readdir(folder)).sort()).toEqual(
    [
      ...[...names, '404.html', 'Caddyfile', '_headers', 'assets', 'manifest.webmanifest', 'nginx.conf'],
      ...['release.json', 'wallet.json'],
    ].sort(),
  );
  expect(await read('frame.html')).toBe('this is frame.html');
  expect(await read('assets/new.js')).toBe('this is assets/new.js');
  expect(await read('wallet.json')).toBe(configuration);
  expect(await read('nginx.conf')).toBe(headerFile('nginx', readConfiguration(configuration)));
});

test('the settings of servers name the folder on the server', async () => {
  await write(configuration, '/var/www/wallet');
  for (const name of ['nginx.conf', 'Caddyfile']) expect(await read(name)).toContain('"/var/www/wallet"');
});

test('a site that is there is replaced, without the scripts of its last version', async () => {
  await write();
  await writeFile(join(folder, 'assets/old.js'), 'a script of the last version');
  const changed = JSON.stringify(siteOptions('https://wallet.example.com', { name: 'Another name' }));
  await write(changed);
  expect(await readdir(join(folder, 'assets'))).toEqual(['new.js']);
  expect(await read('release.json')).not.toContain('old.js');
  expect(await read('wallet.json')).toBe(changed);
});

test.each(['wallet.json', 'index.html', 'assets/logo.png'])(
  'a folder with %s of somebody else is refused, and stays as it is',
  async (name) => {
    await mkdir(join(folder, 'assets'), { recursive: true });
    await writeFile(join(folder, name), 'mine');
    const before = await readdir(folder, { recursive: true });
    await expect(write()).rejects.toThrow(/has other files in it: name a new or empty folder/);
    expect(await readdir(folder, { recursive: true })).toEqual(before);
    expect(await read(name)).toBe('mine');
  },
);

test('folders above the site are made', async () => {
  await writeSite(documents, configuration, join(folder, 'a/b/c'));
  expect(await readdir(join(folder, 'a/b/c'))).toContain('wallet.json');
});

test.each(['/proc/graft/site', '/dev/null/site'])('%s, which cannot be made, is an error', async (where) => {
  await expect(writeSite(documents, configuration, where)).rejects.toThrow(/^E[A-Z]+: /);
});

test.each([
  [
    'a configuration that is wrong',
    '{ "origin": "https://wallet.example.com" }',
    /wallet\.json: name is missing/,
  ],
  ['a host that others share', JSON.stringify(siteOptions('https://me.github.io')), /wallet\.json: origin: /],
])('%s is refused before anything is written', async (_, text, message) => {
  await expect(write(text)).rejects.toThrow(message);
  expect(await readdir(place)).toEqual(['documents']);
});

test('documents that are not built are named as what is missing', async () => {
  await rm(documents, { recursive: true });
  await expect(write()).rejects.toThrow(/is missing: run "npm run build"/);
  expect(await readdir(place)).toEqual([]);
});
