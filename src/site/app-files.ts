import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SiteConfiguration } from './configuration.js';
import { fileAt } from './header-files.js';
import { headersOf } from './headers.js';
import { hashOf, type ReleaseFile, unlistedPaths } from './release.js';

const icon = (size: number, purpose: 'any' | 'maskable') => ({
  src: `/icon-${purpose === 'any' ? '' : `${purpose}-`}${size}.png`,
  sizes: `${size}x${size}`,
  type: 'image/png',
  purpose,
});

/** The text of `manifest.webmanifest`, by which browsers install the wallet as an app. */
export const manifestOf = ({ name }: SiteConfiguration): string =>
  `${JSON.stringify(
    {
      id: '/',
      name,
      short_name: name,
      start_url: '/',
      scope: '/',
      display: 'standalone',
      // The panel's ground while the app starts, and the icon's.
      background_color: '#ffffff',
      theme_color: '#172b26',
      icons: [icon(192, 'any'), icon(512, 'any'), icon(512, 'maskable')],
    },
    null,
    2,
  )}\n`;

/**
 * Writes `release.json`: every file of the folder that browsers load from the site, with its hash and its policy. Call it after
 * all other files are written. The time makes each build a release, so that one whose headers alone differ reaches apps too.
 */
export async function writeRelease(folder: string, configuration: SiteConfiguration): Promise<void> {
  const entries = await readdir(folder, { recursive: true });
  const paths = entries.map((entry) => `/${entry.replaceAll('\\', '/')}`).sort();
  const files: ReleaseFile[] = [];
  for (const path of paths) {
    const file = fileAt(path);
    if (!file || unlistedPaths.includes(path)) continue;
    const policy = headersOf(file, configuration)['Content-Security-Policy'] as string;
    files.push({ path, sha256: await hashOf(await readFile(join(folder, path))), policy });
  }
  const built = new Date().toISOString();
  await writeFile(join(folder, 'release.json'), `${JSON.stringify({ built, files })}\n`);
}
