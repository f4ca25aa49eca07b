import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { build } from 'vite';
import { readDeployable, writeSettings } from '../../src/site/site-folder.js';

const here = fileURLToPath(new URL('.', import.meta.url));

/**
 * Builds the wallet's site from its source: a folder that a server of static files can serve as it is. `graft-host build`
 * makes the same from documents that the package has built.
 *
 * @param configuration the text of `wallet.json`
 * @throws ProviderRpcError -32602 for a configuration that is wrong
 */
export async function buildWalletSite(configuration: string, folder: string): Promise<void> {
  readDeployable(configuration);
  await build({
    configFile: join(here, 'vite.config.ts'),
    logLevel: 'error',
    build: { outDir: folder },
  });
  await writeSettings(configuration, folder);
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
