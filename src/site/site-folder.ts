import { cp, mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { manifestOf, writeRelease } from './app-files.js';
import { readConfiguration, type SiteConfiguration } from './configuration.js';
import { headerFile } from './header-files.js';
import { whyShared } from './shared-hosts.js';

/**
 * Reads the text of a `wallet.json` that is to be deployed.
 *
 * @throws ProviderRpcError -32602 for a configuration that is wrong; TypeError for a host that others share
 */
export function readDeployable(text: string): SiteConfiguration {
  const configuration = readConfiguration(text);
  const shared = whyShared(new URL(configuration.origin).hostname);
  if (shared !== undefined) throw new TypeError(`wallet.json: origin: ${shared}`);
  return configuration;
}

/**
 * Completes the built documents of a wallet's site with its `wallet.json`, the manifest of its app and the settings of web
 * servers, and lists the files of this release.
 *
 * @param configuration the text of `wallet.json`
 * @param root where the folder lies on the server. Default `/srv/wallet`
 * @throws as {@link readDeployable}
 */
export async function writeSettings(configuration: string, folder: string, root?: string): Promise<void> {
  const read = readDeployable(configuration);
  const files = {
    'wallet.json': configuration,
    'manifest.webmanifest': manifestOf(read),
    // Hosts that find none answer unknown paths with the home page, without its headers.
    '404.html': '<!doctype html><meta charset="utf-8"><title>Not found</title><p>There is nothing here.\n',
    _headers: headerFile('netlify', read),
    'nginx.conf': headerFile('nginx', read, root),
    Caddyfile: headerFile('caddy', read, root),
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  await writeRelease(folder, read);
}

/**
 * Makes the folder of a wallet's site from documents that are built: a server of static files can serve it as it is.
 *
 * @param documents the folder of the built documents
 * @param configuration the text of `wallet.json`
 * @param folder a new or empty folder, or one that this has made before
 * @param root where the folder lies on the server. Default `/srv/wallet`
 * @throws as {@link readDeployable}; TypeError for a folder with other files, which stay as they are
 */
export async function writeSite(
  documents: string,
  configuration: string,
  folder: string,
  root?: string,
): Promise<void> {
  readDeployable(configuration);
  const present = new Set(await readdir(folder).catch(() => []));
  const isSite = siteDocuments.every((name) => present.has(name));
  if (present.size > 0 && !isSite)
    throw new TypeError(`${folder} has other files in it: name a new or empty folder with --out`);
  if (!(await stat(join(documents, 'frame.html')).catch(() => null)))
    throw new TypeError(`${documents} is missing: run "npm run build" in a checkout of the source`);
  await makeFolder(folder);
  // Scripts of another version, which no document names any more.
  if (isSite) await rm(join(folder, 'assets'), { recursive: true, force: true });
  await cp(documents, folder, { recursive: true });
  await writeSettings(configuration, folder, root);
}

/** Makes a folder and those above it: in a file system that refuses new ones, `recursive` never ends. */
async function makeFolder(folder: string): Promise<void> {
  if ((await stat(folder).catch(() => null))?.isDirectory()) return;
  if (dirname(folder) !== folder) await makeFolder(dirname(folder));
  await mkdir(folder);
}

/** Files by which a folder is known as one of a wallet's site. */
const siteDocuments = ['index.html', 'frame.html', 'window.html', 'connect.html', 'wallet.json'];
