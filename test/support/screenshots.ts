import { copyFile, mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { loadWords } from '../../src/ui/words/all-words.js';
import type { UiPage } from '../e2e/browser/ui-page.js';
import { launchChromium } from './chromium.js';
import { startDemo } from './demo.js';
import { type DialogDriver, openDialog } from './dialog-driver.js';
import { openShadows } from './open-shadows.js';
import { servePage } from './serve.js';
import { scenePage, scenesOf } from './ui-scenes.js';
import { until } from './until.js';

/** Takes the pictures of the README, and one of every view of the dialog and the panel in each of these looks. */
const pictures = fileURLToPath(new URL('../../demo/screenshots', import.meta.url));
const views = fileURLToPath(new URL('../../.cache/screenshots', import.meta.url));
const large = { width: 900, height: 860 };
const looks: Record<string, UiPage.Options & { viewport: { width: number; height: number } }> = {
  light: { theme: 'light', viewport: large },
  dark: { theme: 'dark', viewport: large },
  small: { theme: 'light', viewport: { width: 390, height: 760 } },
  spanish: { theme: 'light', language: 'es', viewport: large },
};
/** Those of the README, beside the demo's: by look and scene. */
const chosen: Record<string, string> = {
  'small contactPayment': 'dialog-small.png',
  'dark activity, with what came in': 'panel-dark.png',
};
const password = 'only for a picture';

async function takeViews(browser: Browser): Promise<void> {
  const served = await servePage({ html: scenePage });
  for (const [look, { viewport, ...options }] of Object.entries(looks)) {
    const folder = join(views, look);
    await mkdir(folder, { recursive: true });
    const page = await newPage(browser, { viewport });
    await openShadows(page);
    // A passkey is offered on a host with a name only.
    await page.goto(served.url.replace('127.0.0.1', 'localhost'));
    await page.waitForFunction(() => 'ui' in window);
    const { dialogs, panels, results } = scenesOf(page, await loadWords(options.language ?? 'en'));
    for (const [name, scene] of Object.entries({ ...dialogs, ...panels, ...results })) {
      await scene(options);
      await settle(page);
      const path = join(folder, `${name.replace(/[^a-z]+/gi, '-')}.png`);
      const picture = chosen[`${look} ${name}`];
      if (picture !== undefined)
        await page.locator('.confirm[aria-disabled=true]').waitFor({ state: 'detached' });
      await page.screenshot({ path });
      if (picture !== undefined) await copyFile(path, join(pictures, picture));
      if (name in results) await page.locator('.result .close').click();
      await page.keyboard.press('Escape');
      await page.locator('dialog').waitFor({ state: 'detached' });
    }
    await page.close();
  }
  await served.stop();
}

const newPage = (browser: Browser, options: BrowserContextOptions): Promise<Page> =>
  browser.newPage({ ...options, deviceScaleFactor: 1.25, reducedMotion: 'reduce' });

async function approve(page: Page, kind: string, button: string): Promise<void> {
  const dialog = await openDialog(page, { kind });
  await dialog.click(button);
  await dialog.closed();
}

const done = (page: Page, id: string) => page.locator(`#${id}[data-state=good]`).waitFor();

/** Brings the demo to the state in the pictures: connected, with a payment and a token. */
async function arrive(page: Page): Promise<void> {
  const panel = page.locator('#panel .panel');
  const press = (name: string) => panel.getByRole('button', { name, exact: true }).first().click();
  await press('Create a wallet');
  await panel.getByLabel('New password').fill(password);
  await panel.getByLabel('Repeat the password').fill(password);
  await press('Create the wallet');
  await press('Later');
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

async function takeDemo(browser: Browser): Promise<void> {
  const demo = await startDemo({ port: 5173 });
  try {
    const page = await newPage(browser, { viewport: { width: 1280, height: 860 } });
    await openShadows(page);
    await page.goto(demo.url);
    await arrive(page);
    await settle(page);
    await page.screenshot({ path: join(pictures, 'demo.png'), fullPage: true });

    await page.setViewportSize({ width: 1160, height: 940 });
    await page.fill('#token-amount', '25');
    await page.click('#transfer');
    const dialog = await openDialog(page, { kind: 'transaction' });
    await page.evaluate(() => scrollTo(0, 0));
    await readToTheEnd(dialog);
    await page.screenshot({ path: join(pictures, 'dialog.png') });
  } finally {
    await demo.stop();
  }
}

/** Scrolls to the end and back, as who reads all does, until everything can be pressed. */
async function readToTheEnd(dialog: DialogDriver): Promise<void> {
  const scrollTo = (place: 'start' | 'end') =>
    dialog.evaluate((element, end) => {
      for (const part of element.querySelectorAll('*'))
        part.scrollTop = end === 'end' ? part.scrollHeight : 0;
    }, place);
  await scrollTo('end');
  await until(async () => (await dialog.buttons()).every(({ enabled }) => enabled));
  await scrollTo('start');
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

// Otherwise the first build makes it `production`, and the demo leaves out what only `npm start` shows.
process.env.NODE_ENV = 'development';
await chooseFonts();
await mkdir(pictures, { recursive: true });
const browser = await launchChromium();
try {
  await takeDemo(browser);
  await takeViews(browser);
} finally {
  await browser.close();
}
