import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { launchChromium } from '../../../support/chromium.js';
import { openDialog } from '../../../support/dialog-driver.js';
import { openShadows } from '../../../support/open-shadows.js';
import * as questions from '../../../support/questions.js';
import { sentFor } from '../../../support/sent-transactions.js';
import { type Served, servePage } from '../../../support/serve.js';
import type { UiPage } from '../ui-page.js';
import { names } from './pollution-tables.js';

/** A hole in the page adds properties to `Object.prototype`: the dialog and the panel look and act as without them. */

const html = `<!doctype html><html lang="en"><meta charset="utf-8"><title>An app</title><link rel="icon" href="data:,">
  <script type="module" src="/test/e2e/browser/ui-page.ts"></script><body>`;

/** Attributes and properties of elements, and what a rendering library reads. */
const ofElements =
  'accessKey attributes autocapitalize autofocus checked children class className contentEditable dangerouslySetInnerHTML defaultChecked defaultValue dir disabled draggable for form hidden href htmlFor id inert innerHTML is key lang maxLength name nonce onclick oninput open placeholder popover readOnly ref role selected spellcheck src style tabIndex tabindex target textContent title translate type value __html'.split(
    ' ',
  );
const tried = [...new Set([...ofElements, ...names])];

let served: Served;
let browser: Browser;
let page: Page;

beforeAll(async () => {
  [served, browser] = await Promise.all([servePage({ html }), launchChromium()]);
});
afterAll(async () => {
  await browser?.close();
  await served?.stop();
});
beforeEach(async () => {
  page = await browser.newPage({ viewport: { width: 900, height: 900 }, reducedMotion: 'reduce' });
  await openShadows(page);
  await page.goto(served.url);
  await page.waitForFunction(() => 'ui' in window);
});
afterEach(() => page.close());

/**
 * Runs in the page, since the driver does not work on a polluted one: pollutes, shows something, and takes its markup once
 * it is at rest, without what differs from one time to another.
 */
const script = (show: string, value: string | null) => `(async () => {
  const names = ${JSON.stringify(tried.filter((name) => name !== 'value' && name !== 'writable'))};
  if (${value !== null})
    for (const name of names)
      Object.defineProperty(Object.prototype, name, {
        __proto__: null, value: ${JSON.stringify(value)}, writable: true, enumerable: true, configurable: true,
      });
  try {
    ${show};
    const markup = () => document.querySelector('[data-graft]')?.shadowRoot.querySelector('dialog, .result')?.innerHTML
      .replace(/ (?:aria-disabled|data-waiting|style)="[^"]*"/g, '');
    let [last, since] = [undefined, 0];
    while (since < 5) {
      await new Promise((resolve) => setTimeout(resolve, 100));
      const now = markup();
      since = now !== undefined && now === last && !now.includes('Loading') ? since + 1 : 0;
      last = now;
    }
    return last;
  } finally {
    for (const name of names) delete Object.prototype[name];
  }
})()`;

async function shown(show: string, value: string | null): Promise<unknown> {
  const markup = await page.evaluate(script(show, value));
  if (value === null) {
    await page.keyboard.press('Escape');
    await page.locator('dialog').waitFor({ state: 'detached' });
  }
  return markup;
}

describe.each(['polluted', '<b>x</b>'])('with the value %s', (value) => {
  test.each(['payment', 'unlimitedApproval', 'connect', 'connectAndSignIn', 'typedData', 'unlock'])(
    'the question %s has the same markup, and can be answered',
    async (name) => {
      const ask = `ui.ask(${JSON.stringify(questions.examples[name])})`;
      const untouched = await shown(ask, null);
      expect(untouched).toContain('class="confirm"');
      expect(await shown(ask, value)).toBe(untouched);
      if (name === 'unlock') return;
      const dialog = await openDialog(page, {});
      await dialog.evaluate((element) => {
        for (const area of element.querySelectorAll('.dangers, .body')) area.scrollTo(0, area.scrollHeight);
        element.querySelector<HTMLElement>('.confirm')?.focus();
      });
      const ready = async () => (await dialog.buttons()).every(({ enabled }) => enabled);
      await expect.poll(ready).toBe(true);
      // For a second after it was shown, keys press nothing.
      await page.waitForTimeout(1_000);
      await page.keyboard.press('Space');
      await dialog.closed();
      expect(await page.evaluate(() => (window as unknown as { ui: UiPage }).ui.answers[1]?.approved)).toBe(
        true,
      );
    },
  );

  test.each(['home', 'send', 'settings'])('the view %s of the panel has the same markup', async (view) => {
    const open = `ui.open(${JSON.stringify(view)})`;
    const untouched = await shown(open, null);
    expect(untouched).toContain('class="view"');
    expect(await shown(open, value)).toBe(untouched);
  });

  test.each([{}, { createdAt: 1 }, { state: 'reverted' as const }])(
    'the line of results has the same markup: %j',
    async (more) => {
      const sent = sentFor(questions.payment, more);
      const follow = `ui.follow(${JSON.stringify(questions.payment)}, [${JSON.stringify(sent)}])`;
      const untouched = await page.evaluate(script(follow, null));
      expect(untouched).toContain('role="status"');
      await page.locator('.result .close').click();
      expect(await page.evaluate(script(follow, value))).toBe(untouched);
    },
  );
});
