import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { launchChromium } from '../../support/chromium.js';
import { openShadows } from '../../support/open-shadows.js';
import { type Served, servePage } from '../../support/serve.js';
import { inUi, scenePage } from '../../support/ui-scenes.js';
import type { UiPage } from './ui-page.js';

/** The panel's buttons act only while a person sees them, as those of the dialog do. */

let served: Served;
let browser: Browser;
let page: Page;

beforeAll(async () => {
  [served, browser] = await Promise.all([servePage({ html: scenePage }), launchChromium()]);
  page = await browser.newPage({ viewport: { width: 900, height: 800 }, reducedMotion: 'reduce' });
  await openShadows(page);
});

afterAll(async () => {
  await browser?.close();
  await served?.stop();
});

beforeEach(async () => {
  await page.goto(served.url);
  await page.waitForFunction(() => 'ui' in window);
});

const calls = () => page.evaluate(() => (window as unknown as { ui: UiPage }).ui.calls);
const use = () => page.getByRole('button', { name: 'Use: Rootstock Mainnet' });
const isWaiting = async () => (await use().getAttribute('aria-disabled')) === 'true';
/** Clicks where the button is, whatever else is there. */
const clickAt = async () => {
  const box = await use().boundingBox();
  await page.mouse.click((box?.x ?? 0) + 15, (box?.y ?? 0) + 15);
};

describe('a panel in a window over the page', () => {
  test('takes no click until a dialog over it has closed and the delay has passed again', async () => {
    await inUi(page, (ui) => ui.open('networks'));
    await expect.poll(isWaiting).toBe(false);
    await page.evaluate(() => {
      const dialog = document.createElement('dialog');
      dialog.id = 'cover';
      document.body.append(dialog);
      dialog.showModal();
    });
    await expect.poll(isWaiting).toBe(true);
    await page.evaluate(() => document.getElementById('cover')?.remove());
    await use().click();
    await expect.poll(calls).toContain('switchChain');
  });
});

describe('a panel that stays on the page', () => {
  const tricks: [string, () => void][] = [
    ['transparent', () => document.querySelector('main')?.setAttribute('style', 'opacity: .1')],
    [
      'masked',
      () =>
        document.querySelector('main')?.setAttribute('style', 'mask: linear-gradient(#000 50%, transparent)'),
    ],
    ['clipped', () => document.querySelector('main')?.setAttribute('style', 'clip-path: circle(2000px)')],
    ['blended', () => document.querySelector('main')?.setAttribute('style', 'mix-blend-mode: difference')],
    [
      'covered',
      () => {
        const cover = document.createElement('div');
        cover.style.cssText = 'position: fixed; inset: 0; background: red';
        document.body.append(cover);
      },
    ],
  ];

  test.each(tricks)('takes no click while it is %s', async (_, trick) => {
    await inUi(page, (ui) => ui.place('networks'));
    await expect.poll(isWaiting).toBe(false);
    await page.evaluate(`(${trick})()`);
    await clickAt();
    await page.waitForTimeout(50);
    expect(await calls()).not.toContain('switchChain');
  });

  test('takes one that nothing is in the way of', async () => {
    await inUi(page, (ui) => ui.place('networks'));
    await use().click();
    await expect.poll(calls).toContain('switchChain');
  });
});
