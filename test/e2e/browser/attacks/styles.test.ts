import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { launchChromium } from '../../../support/chromium.js';
import { lyingFont } from '../../../support/font.js';
import * as questions from '../../../support/questions.js';
import { type Served, servePage } from '../../../support/serve.js';
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

/** Every name that a person's system could know fonts by, quoted and not; the last six are CSS's own. */
const families = [
  ...['SF Mono', 'Cascadia Mono', 'Roboto Mono', 'Menlo', 'Consolas', 'DejaVu Sans Mono', 'Segoe UI'],
  ...['Roboto', 'Helvetica Neue', 'Arial', 'Open Sans', 'DejaVu Sans', '-apple-system', 'BlinkMacSystemFont'],
  ...['ui-monospace', 'ui-sans-serif', 'system-ui', 'sans-serif', 'monospace', 'math'],
];
const font = `src: url(data:font/ttf;base64,${lyingFont().toString('base64')})`;
const faces = families.flatMap((name) => [
  `@font-face { font-family: "${name}"; ${font} }`,
  ...(/ /.test(name) ? [] : [`@font-face { font-family: ${name}; ${font} }`]),
]);

const names = [
  'ground',
  'sunken',
  'line',
  'ink',
  'soft',
  'strong',
  'on-strong',
  'focus',
  'danger',
  'caution',
];
const registered = [...names, 'mono', 'danger-ground', 'caution-ground'].flatMap((name) =>
  ['color', 'length', '*'].map((type) => {
    const initial = { color: 'transparent', length: '0px', '*': 'x' }[type];
    return `@property --${name} { syntax: "${type === '*' ? type : `<${type}>`}"; inherits: false; initial-value: ${initial} }`;
  }),
);

describe('what a style sheet of the page changes', () => {
  test.each<[string, string]>([
    ['fonts by every usual name, with other digits', `${faces.join('')} h1 { font-family: "SF Mono" }`],
    ['custom properties registered for all trees', registered.join('')],
    ['the zoom of the root', 'html { zoom: .1 }'],
    ['the zoom of the body, to the other side', 'body { zoom: 3 }'],
    ['both zooms', 'html { zoom: .5 } body { zoom: .2 }'],
    ['opacity', 'html, body { opacity: .01 }'],
    ['a filter', 'html { filter: opacity(.01) } body { filter: invert(1) blur(9px) }'],
    ['a transform', 'html { transform: scale(.1) } body { transform: translate(-999px) rotate(90deg) }'],
    ['visibility', 'html, body { visibility: hidden }'],
    ['clipping and masking', 'html { clip-path: circle(0) } body { mask: linear-gradient(#0000, #0000) }'],
    ['blending', 'html { mix-blend-mode: difference; isolation: isolate }'],
    ['containment', 'html { container-type: size } body { contain: strict; content-visibility: auto }'],
    ['perspective', 'html, body { will-change: transform; perspective: 9px; transform-style: preserve-3d }'],
    ['the font size of the root', ':root { font-size: 1px; -webkit-text-size-adjust: 900% }'],
    [
      'the backdrop and dialogs',
      '::backdrop { display: none } dialog { all: unset !important; display: none !important }',
    ],
    [
      'the host element',
      '[data-graft], [data-graft] * { all: unset !important; display: none !important; opacity: 0 !important }',
    ],
    [
      'everything',
      '*, ::before, ::after { opacity: .01 !important; font-size: 1px !important; scale: .1 !important; inset: auto !important }',
    ],
    ['all properties', '* { all: unset !important }'],
    [
      'layers and scopes',
      '@layer a { * { opacity: 0 !important } } @scope (html) { div { opacity: 0 !important } }',
    ],
    [
      'animations by our own names',
      '@keyframes arrive { to { opacity: 0 } } @keyframes appear { to { opacity: 0 } } [data-graft] { animation: arrive 1s infinite !important }',
    ],
    [
      'transitions',
      '[data-graft] { transition: all 9s !important; opacity: 0 } @starting-style { [data-graft] { opacity: 0 } }',
    ],
    [
      'writing',
      'html { writing-mode: vertical-rl } * { direction: rtl !important; unicode-bidi: bidi-override !important }',
    ],
    [
      'text',
      'html { -webkit-text-security: disc; -webkit-text-fill-color: #0000; letter-spacing: 9px; line-height: 0; text-indent: -99px; text-transform: uppercase; quotes: none }',
    ],
    ['colour schemes', 'html { color-scheme: dark; forced-color-adjust: none; accent-color: red }'],
    [
      'interaction',
      'html { pointer-events: none; user-select: none; interactivity: inert; overflow: hidden }',
    ],
    ['display: contents', 'html, body { display: contents }'],
  ])('%s: no pixel of the dialog, and it can be confirmed', async (name, css) => {
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
    await expect.poll(() => dialog.error()).toContain('changes how this window is shown');
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
