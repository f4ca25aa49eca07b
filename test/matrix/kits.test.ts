import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { recoverMessageAddress } from 'viem';
import { expect, inject, test } from 'vitest';
import { createLocalService } from '../../packages/kit/src/local/index.js';
import { launchChromium } from '../support/chromium.js';
import { answerDialog, setUpWallet } from '../support/example.js';
import { projectRoot } from '../support/packages.js';
import { serveFiles } from '../support/serve.js';
import { expectRows } from './compatibility.js';
import { installConsumer, isWhole } from './consumer.js';

const kits = [
  ['AppKit', 'appkit', '@reown/appkit', 'Connect'],
  ['ConnectKit', 'connectkit', 'connectkit', 'Connect Wallet'],
  // `test/e2e/examples` has the example with wagmi 2.
  ['React', 'react-wagmi', 'wagmi', null],
] as const;

/** Kits connect a page to wallets. The example of each is built with the packed package, as its package.json says. */
test.each(kits.filter(([title]) => isWhole || title === 'ConnectKit'))(
  '%s: its example connects and signs',
  async (title, name, kit, list) => {
    const [consumer, testnet, browser] = await Promise.all([
      installConsumer(inject('runFolder'), `kits/${name}`),
      createLocalService({ chainId: 31 }),
      launchChromium(),
    ]);
    const example = join(projectRoot, 'examples', name);
    const entries = await readdir(example, { recursive: true, withFileTypes: true });
    const paths = entries.filter((entry) => entry.isFile()).map((file) => join(file.parentPath, file.name));
    const files = await Promise.all(
      paths.map(async (path) => [relative(example, path), await readFile(path, 'utf8')]),
    );
    const folder = await consumer.project(name, {
      ...Object.fromEntries(files),
      '.env.local': `VITE_SERVICE_URL=${testnet.url}`,
    });
    if ('tsconfig.json' in Object.fromEntries(files)) await consumer.run(folder, 'tsc');
    await consumer.run(folder, 'vite', 'build');
    const dist = join(folder, 'dist');
    const served = await serveFiles(dist, { html: await readFile(join(dist, 'index.html'), 'utf8') });
    try {
      const page = await browser.newPage();
      const errors: string[] = [];
      page.on('pageerror', (error) => errors.push(error.message));
      await page.goto(served.url);
      if (list !== null) await page.getByRole('button', { name: list, exact: true }).click();
      await page.getByRole('button', { name: /Graft/ }).click();
      await setUpWallet(page, 'a password for the kits');
      await answerDialog(page, 'connect', 'Connect');
      await page.getByRole('button', { name: 'Sign', exact: true }).click();
      await answerDialog(page, 'message', 'Sign');
      const signature = (await page.getByText(/^0x[\da-f]{130}$/).textContent()) as `0x${string}`;
      const signer = await recoverMessageAddress({ message: `Hello from ${title}`, signature });
      expect(await page.locator('#account').textContent()).toBe(signer);
      expect(errors).toEqual([]);
    } finally {
      await browser.close();
      await served.stop();
      await testnet.close();
    }
    const [what, about] =
      list === null ? [`${title} with ${kit}`, 'connects'] : [title, 'connects from its list'];
    await expectRows(new Map([[what, `| ${what} | ${await consumer.version(kit)} | ${about}, signs |  |`]]));
  },
);
