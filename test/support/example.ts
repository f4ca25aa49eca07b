import { cp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { build } from 'vite';
import type { Built } from './built.js';
import { openDialog } from './dialog-driver.js';
import { installBuilt } from './install-built.js';
import { projectRoot } from './packages.js';
import { type Served, serveFiles } from './serve.js';
import { until } from './until.js';

/**
 * Copies a folder of `examples` to where our packages are as published, with their `exports`, as far as they are built. Other
 * packages are those of this repository.
 *
 * @returns the copy's path, which is removed with `built`
 */
export async function copyExample(name: string, built: Built): Promise<string> {
  const root = fileURLToPath(new URL('..', built.entry));
  const folder = join(root, 'examples', name);
  await cp(join(projectRoot, 'examples', name), folder, { recursive: true });
  await installBuilt(root, join(folder, 'node_modules'));
  return folder;
}

/** Builds an example with Vite as its `npm run build` does, and serves the result. */
export async function serveExample(folder: string, env: Readonly<Record<string, string>>): Promise<Served> {
  const define = Object.entries(env).map(([name, value]) => [
    `import.meta.env.${name}`,
    JSON.stringify(value),
  ]);
  await build({ root: folder, logLevel: 'error', define: Object.fromEntries(define) });
  const html = await readFile(join(folder, 'dist/index.html'), 'utf8');
  return serveFiles(join(folder, 'dist'), { html });
}

const patience = { timeout: 30_000 };

/** Sets a wallet up in the dialog that is open, as a person does who has none, with a backup. */
export async function setUpWallet(page: Page, password: string): Promise<void> {
  const dialog = await openDialog(page, { kind: 'onboarding', ...patience });
  const isTitled = (title: string) =>
    until(async () => (await dialog.title()) === title, { failure: `"${title}" is not shown.`, ...patience });
  await dialog.click('Create a wallet');
  await dialog.fill('New password', password);
  await dialog.fill('Repeat the password', password);
  await dialog.click('Create the wallet');
  await isTitled('Write down these words');
  const words = await dialog.evaluate((shown) =>
    Array.from(shown.querySelectorAll('ol.phrase li'), ({ textContent }) => textContent ?? ''),
  );
  await dialog.click('I wrote them down');
  await isTitled('Check your backup');
  for (const [label, number] of (await dialog.text()).matchAll(/Word (\d+)/g))
    await dialog.fill(label, words[Number(number) - 1] as string);
  await dialog.click('Check');
}

/** Answers the question of this kind with one of its buttons, once it is open. */
export async function answerDialog(page: Page, kind: string, button: string): Promise<void> {
  const dialog = await openDialog(page, { kind, ...patience });
  await dialog.click(button);
  await dialog.closed();
}

/** Unlocks the wallet in the dialog that asks for it. */
export async function unlockWallet(page: Page, password: string): Promise<void> {
  const dialog = await openDialog(page, { kind: 'unlock', ...patience });
  await dialog.fill('Wallet password', password);
  await dialog.click('Unlock');
  await dialog.closed();
}
