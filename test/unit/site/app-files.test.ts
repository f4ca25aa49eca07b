import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { manifestOf, writeRelease } from '../../../src/site/app-files.js';
import { readConfiguration } from '../../../src/site/configuration.js';
import { fileAt } from '../../../src/site/header-files.js';
import { headersOf, type SiteFile } from '../../../src/site/headers.js';
import { readSiteRelease } from '../../../src/site/release.js';
import { siteOptions } from '../../support/wallet-site.js';

const configuration = readConfiguration(JSON.stringify(siteOptions('https://wallet.example.com')));
const listed = [
  ...['/assets/a.js', '/assets/b.css', '/connect.html', '/frame.html', '/icon-192.png', '/index.html'],
  ...['/manifest.webmanifest', '/wallet.json', '/window.html'],
];
const unlisted = [
  '/404.html',
  '/Caddyfile',
  '/_headers',
  '/nginx.conf',
  '/sw.js',
  '/release.json',
  '/notes/a.js',
];

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'graft-app-files-'));
  for (const path of [...listed, ...unlisted]) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), Buffer.from([0xff, ...Buffer.from(path)]));
  }
});
afterEach(async () => {
  vi.useRealTimers();
  await rm(folder, { recursive: true, force: true });
});

const release = () => readFile(join(folder, 'release.json'), 'utf8');

test('release.json lists what browsers load, with hashes of the bytes and the policy of each file, and its worker reads it', async () => {
  await writeRelease(folder, configuration);
  const files = readSiteRelease(await release());
  expect(files).toEqual(
    listed.map((path) => ({
      path,
      sha256: createHash('sha256')
        .update(Buffer.from([0xff, ...Buffer.from(path)]))
        .digest('hex'),
      policy: headersOf(fileAt(path) as SiteFile, configuration)['Content-Security-Policy'],
    })),
  );
});

test('each build is another release, so that corrected headers reach those who have the app', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 0, 1) });
  await writeRelease(folder, configuration);
  const first = await release();
  await writeRelease(folder, configuration);
  expect(await release()).toBe(first);
  vi.setSystemTime(Date.UTC(2026, 0, 2));
  await writeRelease(folder, configuration);
  expect(await release()).not.toBe(first);
  expect(readSiteRelease(await release())).toEqual(readSiteRelease(first));
});

test('the manifest has the name of wallet.json, and icons that are files of the site', () => {
  const name = 'A "wallet" <b>';
  const manifest = JSON.parse(manifestOf({ ...configuration, name })) as {
    icons: { src: string; purpose: string }[];
  };
  expect(manifest).toMatchObject({ name, id: '/', start_url: '/', scope: '/', display: 'standalone' });
  expect(manifest.icons.map(({ src, purpose }) => [fileAt(src), purpose])).toEqual([
    ['icon', 'any'],
    ['icon', 'any'],
    ['icon', 'maskable'],
  ]);
});
