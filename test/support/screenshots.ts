import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { launchChromium } from './chromium.js';
import { startDemo } from './demo.js';
import { openDialog } from './dialog-driver.js';

/** Takes the pictures of the README from the running demo. */
const folder = process.env.SCREENSHOTS ?? fileURLToPath(new URL('../../demo/screenshots', import.meta.url));
const colorScheme = process.env.SCHEME === 'dark' ? 'dark' : 'light';
const password = 'only for a picture';

async function approve(page: Page, kind: string, button: string): Promise<void> {
  const dialog = await openDialog(page, { kind });
  await dialog.click(button);
  await dialog.closed();
}

const done = (page: Page, id: string) => page.locator(`#${id}[data-state=good]`).waitFor();

/** Brings the demo to the state in the pictures: connected, with a payment and a token. */
async function arrive(page: Page): Promise<void> {
  await page.fill('#new-password', password);
  await page.fill('#repeat-password', password);
  await page.click('#start-submit');
  await page.click('#phrase-done');
  await page.click('#confirm-skip');
  await page.click('#faucet');
  await page.locator('#step-coins[data-done]').waitFor();
  await page.click('.wallet-choice');
  await approve(page, 'connect', 'Connect');
  await page.click('#pay');
  await approve(page, 'transaction', 'Send');
  await done(page, 'pay-result');
  await page.click('#deploy');
  await approve(page, 'transaction', 'Confirm');
  await done(page, 'token-result');
  for (const amount of ['120', '12.5', '40']) {
    await page.fill('#token-amount', amount);
    await page.click('#transfer');
    await approve(page, 'transaction', 'Send');
    await page.locator('#transfers li', { hasText: `${amount} LEAF` }).waitFor();
    await done(page, 'token-result');
  }
  await page.click('#sign-message');
  await approve(page, 'message', 'Sign');
  await done(page, 'message-result');
  await page.click('#sign-typed');
  await approve(page, 'typed-data', 'Sign');
  await done(page, 'typed-result');
  await page.locator('#blocks li >> nth=4').waitFor();
}

/** Fonts of the packaged browser, so that every machine takes the same pictures. */
async function chooseFonts(): Promise<void> {
  const packaged = fileURLToPath(
    new URL('../../node_modules/@sparticuz/chromium/unpacked/fonts', import.meta.url),
  );
  const prefer = (family: string, font: string) =>
    `<alias binding="same"><family>${family}</family><prefer><family>${font}</family></prefer></alias>`;
  const file = join(await mkdtemp(join(tmpdir(), 'graft-fonts-')), 'fonts.conf');
  await writeFile(
    file,
    `<fontconfig><dir>${packaged}</dir><dir>/usr/share/fonts</dir>${prefer('system-ui', 'Open Sans')}${prefer('sans-serif', 'Open Sans')}${prefer('monospace', 'DejaVu Sans Mono')}</fontconfig>`,
  );
  process.env.FONTCONFIG_FILE = file;
}

/** Removes focus and hover, and waits for animations to end. */
async function settle(page: Page): Promise<void> {
  await page.mouse.move(0, 0);
  await page.evaluate(async () => {
    (document.activeElement as HTMLElement | null)?.blur();
    scrollTo(0, 0);
    await Promise.allSettled(document.getAnimations().map(({ finished }) => finished));
  });
}

await chooseFonts();
const demo = await startDemo({ port: 5173 });
try {
  const browser = await launchChromium();
  try {
    await mkdir(folder, { recursive: true });
    const viewport = { width: 1280, height: 860 };
    const context = await browser.newContext({ viewport, colorScheme, deviceScaleFactor: 1.25 });
    const page = await context.newPage();
    await page.goto(demo.url);
    await arrive(page);
    await settle(page);
    await page.screenshot({ path: join(folder, 'demo.png'), fullPage: true });

    await page.setViewportSize({ width: 1160, height: 800 });
    await page.fill('#token-amount', '25');
    await page.click('#transfer');
    const dialog = await openDialog(page, { kind: 'transaction' });
    await page.evaluate(() => scrollTo(0, 0));
    while (!(await dialog.buttons()).every(({ enabled }) => enabled)) await page.mouse.move(0, 0);
    await page.screenshot({ path: join(folder, 'dialog.png') });
  } finally {
    await browser.close();
  }
} finally {
  await demo.stop();
}
