import { readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { build } from 'vite';
import { readConfiguration } from '../../src/site/configuration.js';
import { headerFile } from '../../src/site/header-files.js';
import { whyShared } from '../../src/site/shared-hosts.js';

const here = fileURLToPath(new URL('.', import.meta.url));

/**
 * Builds the wallet's site: a folder that a server of static files can serve as it is, with the headers that it must send.
 *
 * @param configuration the text of `wallet.json`
 * @throws ProviderRpcError -32602 for a configuration that is wrong
 */
export async function buildWalletSite(configuration: string, folder: string): Promise<void> {
  const read = readConfiguration(configuration);
  const shared = whyShared(new URL(read.origin).hostname);
  if (shared !== undefined) throw new TypeError(`wallet.json: origin: ${shared}`);
  await build({
    configFile: join(here, 'vite.config.ts'),
    logLevel: 'error',
    build: { outDir: folder },
  });
  const files = {
    'wallet.json': configuration,
    // Hosts that find none answer unknown paths with the home page, without its headers.
    '404.html': '<!doctype html><meta charset="utf-8"><title>Not found</title><p>There is nothing here.\n',
    _headers: headerFile('netlify', read),
    'nginx.conf': headerFile('nginx', read),
    Caddyfile: headerFile('caddy', read),
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { out: { type: 'string', default: 'dist-wallet' } },
  });
  const path = positionals[0] ?? join(here, 'wallet.json');
  const folder = resolve(values.out);
  await buildWalletSite(await readFile(path, 'utf8'), folder);
  console.log(`The wallet’s site is in ${folder}. Configuration: ${path}`);
}
