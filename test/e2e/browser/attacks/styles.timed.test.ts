import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { launchChromium } from '../../../support/chromium.js';
import * as questions from '../../../support/questions.js';
import { type Served, servePage } from '../../../support/serve.js';
import { hostileStyles } from './hostile-styles.js';
import {
  answersOn,
  askOn,
  confirmable,
  hostilePage,
  keepPicture,
  openHostilePage,
  pictureOf,
} from './pages.js';

/** Style sheets of a hostile page against the dialog, in a real browser, by its picture. */

let served: Served;
let browser: Browser;
let page: Page;
let untouched: Buffer;

const approved = { approved: true };
const style = (css: string) => hostilePage({ head: `<style>${css}</style>` });
const open = (html: string) => openHostilePage(page, served.url, html);
const newPage = async () => {
  const opened = await browser.newPage({ viewport: { width: 900, height: 800 } });
  await opened.emulateMedia({ reducedMotion: 'reduce', colorScheme: 'light' });
  return opened;
};

beforeAll(async () => {
  [served, browser] = await Promise.all([servePage(), launchChromium()]);
  page = await newPage();
  await open(hostilePage());
  const dialog = await askOn(page, questions.payment);
  await confirmable(dialog);
  untouched = await pictureOf(page, dialog);
  await keepPicture('untouched', untouched);
  await page.close();
});

afterAll(async () => {
  await browser?.close();
  await served?.stop();
});

beforeEach(async () => {
  page = await newPage();
});

afterEach(() => page.close());

describe('changes by a style sheet of the page', () => {
  test.each(hostileStyles)('%s: no pixel of the dialog, and it can be confirmed', async (name, css) => {
    await open(style(css));
    const dialog = await askOn(page, questions.payment);
    await confirmable(dialog);
    const picture = await pictureOf(page, dialog);
    await keepPicture(name.replaceAll(/\W+/g, '-'), picture);
    expect(picture.equals(untouched)).toBe(true);
    await dialog.click('Send');
    await dialog.closed();
    expect(await answersOn(page)).toEqual([approved]);
  });
});

describe('a dialog that the page hides or covers', () => {
  const hidden: [string, string][] = [
    ['display: none on the body', 'body { display: none }'],
    ['display: none on the root', 'html { display: none }'],
    ['content-visibility on the body', 'body { content-visibility: hidden }'],
    ['content-visibility on the root', 'html { content-visibility: hidden }'],
  ];

  test.each(hidden)(
    '%s: the question stays open, and a click right after it is shown again is ignored',
    async (_, css) => {
      await open(hostilePage());
      const dialog = await askOn(page, questions.payment);
      const at = await dialog.evaluate((element) => {
        const { left, top } = (element.querySelector('.confirm') as HTMLElement).getBoundingClientRect();
        return { x: left + 20, y: top + 20 };
      });
      await page.evaluate((text) => {
        const sheet = Object.assign(document.createElement('style'), { id: 'hide', textContent: text });
        document.head.append(sheet);
      }, css);
      // Longer than the button waits.
      await page.waitForTimeout(900);
      await page.mouse.click(at.x, at.y);
      await page.keyboard.press('Enter');
      await page.evaluate(() => document.querySelector('#hide')?.remove());
      await page.mouse.click(at.x, at.y);
      expect(await dialog.isOpen()).toBe(true);
      expect(await answersOn(page)).toEqual([]);
      await dialog.click('Send');
      await dialog.closed();
      expect(await answersOn(page)).toEqual([approved]);
    },
  );

  test('cannot be confirmed while another modal dialog of the page covers it, and says why', async () => {
    await open(hostilePage());
    const dialog = await askOn(page, questions.payment);
    await confirmable(dialog);
    await page.evaluate(() => {
      const cover = document.createElement('dialog');
      cover.textContent = 'You have won';
      cover.style.cssText = 'inset: 0; height: 60%; margin: auto';
      document.body.append(cover);
      cover.showModal();
    });
    await expect.poll(async () => (await dialog.buttons())[1]?.enabled).toBe(false);
    await expect.poll(() => dialog.error()).toContain('is altering this window');
    await keepPicture('covered-by-the-page', await page.screenshot());
    await dialog.click('Send', { force: true });
    expect(await answersOn(page)).toEqual([]);
    await page.evaluate(() => document.querySelector('dialog')?.close());
    await dialog.click('Send');
    await dialog.closed();
    expect(await answersOn(page)).toEqual([approved]);
  });
});

describe('page elements named like members of document', () => {
  const named = [
    'body',
    'visibilityState',
    'createElement',
    'createElementNS',
    'elementFromPoint',
    'addEventListener',
  ];

  test.each(['img', 'form', 'embed', 'object'])(
    '<%s name=…>: the dialog is shown and confirmed',
    async (tag) => {
      await open(hostilePage());
      const html = named.map((name) => `<${tag} name="${name}" hidden></${tag}>`).join('');
      await page.evaluate((markup) => document.body.insertAdjacentHTML('beforeend', markup), html);
      const dialog = await askOn(page, questions.payment);
      await dialog.click('Send');
      await dialog.closed();
      expect(await answersOn(page)).toEqual([approved]);
    },
  );
});
