import { readFileSync } from 'node:fs';
import type { AxeResults } from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { loadWords } from '../../../src/ui/words/all-words.js';
import type { Words } from '../../../src/ui/words/words.js';
import { launchChromium } from '../../support/chromium.js';
import { openShadows } from '../../support/open-shadows.js';
import { longerTexts, pseudo } from '../../support/pseudo.js';
import { type Served, servePage } from '../../support/serve.js';
import { inUi, scenePage, scenesOf } from '../../support/ui-scenes.js';
import type { UiPage } from './ui-page.js';

/**
 * Every view of the dialog and the panel, and the line of results: axe finds nothing, nothing is wider than a small screen, everything that is
 * pressed is large enough, and the focus is always somewhere.
 */

const csp = "default-src 'self'; style-src 'self'; require-trusted-types-for 'script'";
const axe = readFileSync('node_modules/axe-core/axe.min.js', 'utf8');

let served: Served;
let browser: Browser;
let page: Page;
const problems: string[] = [];

beforeAll(async () => {
  served = await servePage({ html: scenePage, csp });
  browser = await launchChromium();
  page = await browser.newPage({ reducedMotion: 'reduce' });
  page.setDefaultTimeout(30_000);
  page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
  page.on('pageerror', (error) => problems.push(String(error)));
  await openShadows(page);
  await load();
});
afterAll(async () => {
  await browser?.close();
  await served?.stop();
});
beforeEach(() => page.emulateMedia({ colorScheme: 'light' }));
afterEach(async ({ task }) => {
  expect(problems.splice(0).filter((problem) => !problem.includes('404'))).toEqual([]);
  if (task.result?.state === 'fail') await load();
});

const load = async () => {
  // A passkey is offered on a host with a name only.
  await page.goto(served.url.replace('127.0.0.1', 'localhost'));
  await page.waitForFunction(() => 'ui' in window);
  await page.evaluate(axe);
};
const close = async () => {
  const line = page.locator('.result');
  if ((await line.count()) > 0) return line.locator('.close').click();
  await page.keyboard.press('Escape');
  await page.locator('dialog').waitFor({ state: 'detached' });
};

const names = (['dialogs', 'panels', 'results'] as const).flatMap((kind) =>
  Object.keys(scenesOf(null as never)[kind]).map((name) => [kind, name] as const),
);

/** What axe finds by its rules, or by one of them: one line for each element. */
async function violations(rule?: string): Promise<readonly string[]> {
  const options = rule ? { runOnly: [rule] } : { rules: { region: { enabled: false } } };
  const results = (await page.evaluate(
    `axe.run(document, ${JSON.stringify({ resultTypes: ['violations'], ...options })})`,
  )) as AxeResults;
  return results.violations.flatMap(({ id, nodes }) =>
    nodes.map(
      ({ html: element, failureSummary }) => `${id}: ${element.slice(0, 120)} ${failureSummary ?? ''}`,
    ),
  );
}

/** Elements that are wider than the screen or than what they are in. */
const overflowing = () =>
  page.evaluate(() => {
    const root = document.querySelector('[data-graft]')?.shadowRoot as ShadowRoot;
    const wide = Array.from(root.querySelectorAll<HTMLElement>('*')).filter((part) => {
      const style = getComputedStyle(part);
      if (part.clientWidth === 0 || style.display === 'inline' || part.closest('.unseen, svg')) return false;
      const { left, right } = part.getBoundingClientRect();
      return (
        left < -1 ||
        right > innerWidth + 1 ||
        (part.scrollWidth > part.clientWidth + 1 && style.overflowX === 'visible')
      );
    });
    return wide.map((part) => part.outerHTML.slice(0, 100));
  });

/** Controls that are smaller than a finger. A tick box counts with its label. */
const small = () =>
  page.evaluate(() => {
    const root = document.querySelector('[data-graft]')?.shadowRoot as ShadowRoot;
    const controls = root.querySelectorAll<HTMLElement>('button, a, select, summary, input, textarea');
    return Array.from(controls)
      .map((control) => (control as HTMLInputElement).closest<HTMLElement>('label.choice') ?? control)
      .filter((control) => control.getClientRects().length > 0)
      .filter((control) => {
        const { width, height } = control.getBoundingClientRect();
        return height < 43.5 || width < 43.5;
      })
      .map(
        (control) =>
          `${Math.round(control.getBoundingClientRect().height)} ${control.outerHTML.slice(0, 100)}`,
      );
  });

const focused = () =>
  page.evaluate(() => {
    const host = document.activeElement;
    return host?.shadowRoot?.activeElement?.localName ?? host?.localName ?? 'nothing';
  });

/** Whether the main action can be seen without scrolling. */
const actionInView = () =>
  page.evaluate(() => {
    const root = document.querySelector('[data-graft]')?.shadowRoot as ShadowRoot;
    const action = root.querySelector('.foot .confirm');
    if (!action) return true;
    const { top, bottom } = action.getBoundingClientRect();
    return top >= 0 && bottom <= innerHeight;
  });

/** The colours that the dialog, the panel or the line has. */
const scheme = () =>
  page.evaluate(() => {
    const root = document.querySelector('[data-graft]')?.shadowRoot as ShadowRoot;
    return getComputedStyle(root.querySelector('dialog, .panel, .result') as Element).colorScheme;
  });

describe('in English, light and dark', () => {
  test.each(names)('%s, %s', async (kind, name) => {
    await page.setViewportSize({ width: 900, height: 900 });
    await scenesOf(page)[kind][name]?.({ theme: 'auto' });
    expect(await violations()).toEqual([]);
    // Only the line takes no focus.
    expect((await focused()) === 'body').toBe(kind === 'results');
    // Between the themes only colours differ.
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await scheme()).toBe('dark');
    expect(await violations('color-contrast')).toEqual([]);
    // Also what a page of 640 px is at 200 %.
    await page.setViewportSize({ width: 320, height: 640 });
    expect(await overflowing()).toEqual([]);
    expect(await small()).toEqual([]);
    expect(await actionInView()).toBe(true);
    await close();
  });

  test.each([
    ['dark', 'light'],
    ['light', 'dark'],
  ] as const)('a page that chooses %s gets it where the system is %s', async (theme, colorScheme) => {
    await page.emulateMedia({ colorScheme });
    for (const kind of ['dialogs', 'panels', 'results'] as const) {
      const [scene] = Object.values(scenesOf(page)[kind]);
      await scene?.({ theme });
      expect(await scheme(), kind).toBe(theme);
      await close();
    }
  });
});

/** A text that overflows in Spanish or in Portuguese does so in the longer of the two. */
const longer = longerTexts(await loadWords('es'), await loadWords('pt'));

describe.each<[string, UiPage.Options, Words]>([
  ['the longer of the Spanish and the Portuguese texts', { language: 'es', words: longer }, longer],
  ['a language from right to left', { pseudo: true }, pseudo],
])('in %s, on 320 pixels', (_, options, words) => {
  test.each(names)('%s, %s', async (kind, name) => {
    await page.setViewportSize({ width: 320, height: 640 });
    await scenesOf(page, words)[kind][name]?.(options);
    expect(await overflowing()).toEqual([]);
    expect(await small()).toEqual([]);
    await close();
  });
});

describe('a panel that stays on the page', () => {
  beforeEach(async () => {
    await page.evaluate(() => localStorage.clear());
    await page.setViewportSize({ width: 900, height: 900 });
    await load();
  });

  test('takes no focus when it appears, and is as clean as the other', async () => {
    await inUi(page, (ui) => ui.place('home', {}));
    await page.getByText('PUNK').waitFor();
    expect(await focused()).toBe('body');
    expect(await violations()).toEqual([]);
    await page.setViewportSize({ width: 320, height: 640 });
    expect(await overflowing()).toEqual([]);
    await page.getByRole('button', { name: 'Accounts' }).click();
    await expect.poll(focused).toBe('h2');
  });

  test('is used by the keyboard alone', async () => {
    await inUi(page, (ui) => ui.place('home', {}));
    await page.getByText('PUNK').waitFor();
    const visited: string[] = [];
    for (let i = 0; i < 40; i++) {
      await page.keyboard.press('Tab');
      const name = await page.evaluate(() => {
        const active = document.activeElement?.shadowRoot?.activeElement;
        return active && (active.getAttribute('aria-label') ?? active.textContent);
      });
      if (name) visited.push(name);
    }
    for (const name of [
      'Back up now',
      'Copy address',
      'Lock',
      'Send',
      'Receive',
      'Home',
      'Activity',
      'Settings',
    ])
      expect(visited).toContain(name);
    await page.getByRole('button', { name: 'Receive' }).focus();
    await page.keyboard.press('Enter');
    await page.locator('.qr').waitFor();
    expect(await focused()).toBe('h2');
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Enter');
    await page.getByText('PUNK').waitFor();
    expect(await focused()).toBe('h2');
  });

  test('follows the theme and the language that the person chooses, after a reload too', async () => {
    await inUi(page, (ui) => ui.place('settings', {}));
    await page.getByLabel('Colours').selectOption('dark');
    await page.getByLabel('Language').selectOption('es');
    await page.getByText('Apariencia').or(page.getByText('Aspecto')).first().waitFor();
    const ground = () => page.locator('.panel').evaluate((panel) => getComputedStyle(panel).backgroundColor);
    expect(await ground()).toBe('rgb(22, 24, 28)');
    await page.reload();
    await page.waitForFunction(() => 'ui' in window);
    await inUi(page, (ui) => ui.place('settings', {}));
    await page.getByText('Idioma').waitFor();
    expect(await ground()).toBe('rgb(22, 24, 28)');
  });
});
