import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { recoverMessageAddress } from 'viem';
import { expect, inject, test } from 'vitest';
import { createLocalService } from '../../src/local/index.js';
import { projectRoot } from '../support/built.js';
import { launchChromium } from '../support/chromium.js';
import { answerDialog, setUpWallet } from '../support/example.js';
import { serveFiles } from '../support/serve.js';
import { expectRows } from './compatibility.js';
import { installConsumer } from './consumer.js';

/** Kits that connect a page to wallets: the example of each, with the packed package, built as its package.json says. */
test.each([
  ['AppKit', 'appkit', '@reown/appkit', 'Connect'],
  ['ConnectKit', 'connectkit', 'connectkit', 'Connect Wallet'],
] as const)('%s: its example connects from its list, and signs', async (title, name, kit, button) => {
  const [kits, testnet, browser] = await Promise.all([
    installConsumer(inject('runFolder'), `kits/${name}`),
    createLocalService({ chainId: 31 }),
    launchChromium(),
  ]);
  const example = join(projectRoot, 'examples', name);
  const files = await Promise.all(
    (await readdir(example)).map(async (file) => [file, await readFile(join(example, file), 'utf8')]),
  );
  const folder = await kits.project(name, {
    ...Object.fromEntries(files),
    '.env.local': `VITE_SERVICE_URL=${testnet.url}`,
  });
  await kits.run(folder, 'vite', 'build');
  const dist = join(folder, 'dist');
  const served = await serveFiles(dist, { html: await readFile(join(dist, 'index.html'), 'utf8') });
  try {
    const page = await browser.newPage();
    const errors: string[] = [];
    page.on('pageerror', (error) => errors.push(error.message));
    await page.goto(served.url);
    await page.getByRole('button', { name: button, exact: true }).click();
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
  const row = `| ${title} | ${await kits.version(kit)} | connects from its list, signs |  |`;
  await expectRows(new Map([[title, row]]));
});
