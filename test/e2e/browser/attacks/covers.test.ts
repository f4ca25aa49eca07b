import type { Browser, Frame, Page } from 'playwright-core';
import { PNG } from 'pngjs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launchChromium } from '../../../support/chromium.js';
import { openDialog } from '../../../support/dialog-driver.js';
import * as questions from '../../../support/questions.js';
import { type Served, serveFiles, servePage } from '../../../support/serve.js';
import { until } from '../../../support/until.js';
import type { DialogPage } from '../dialog-page.js';
import { type Cover, covers } from './covers.js';

/**
 * What a person sees of a dialog in a frame that its page covers, by picture, and whether the dialog can then be confirmed.
 * IntersectionObserver v2 does not see all of it, which is why questions are asked in a window of their own
 * (docs/notes/security.md, "Covered dialogs").
 */

const page = `<!doctype html><title>Win a prize</title>
  <style>body { margin: 0; background: #cde } iframe { display: block; width: 700px; height: 700px; border: 0 } #outer { width: 700px }</style>
  <style id="style"></style>
  <svg width="0" height="0" style="position: absolute">
    <mask id="mask"><rect y="420" width="700" height="280" fill="#fff"/></mask>
    <clipPath id="clip"><path d="M0 0H700V700H0ZM160 160H540V420H160Z" clip-rule="evenodd"/></clipPath>
    <filter id="flood"><feFlood flood-color="red" flood-opacity=".6"/><feComposite in2="SourceGraphic"/></filter>
  </svg>
  <div id="outer"><div id="inner"><iframe></iframe></div></div><div id="place"></div>`;

const wallet = `<!doctype html><html lang="en"><title>A wallet</title><link rel="icon" href="data:,">
  <script src="/count.js"></script><script type="module" src="/test/e2e/browser/dialog-page.ts"></script><body><h1>A wallet</h1></body></html>`;

/** In the frame: counts the measurements of visibility in `measured`, and lets the pauses of the dialog pass faster. */
const count = `window.measured = 0;
  const { IntersectionObserver: Native, setInterval: every, setTimeout: after } = window;
  window.IntersectionObserver = class extends Native {
    constructor(told, options) {
      super((...given) => { if (options?.trackVisibility) window.measured++; told(...given); }, options);
    }
  };
  window.setInterval = (run, ms) => every(run, ms / 4);
  window.setTimeout = (run, ms) => after(run, ms === 600 ? 60 : ms);`;

let served: Served;
let framing: Served;
let browser: Browser;
let shown: Page;
let frame: Frame;
let untouched: PNG;
let clip: { x: number; y: number; width: number; height: number };

beforeAll(async () => {
  [served, framing, browser] = await Promise.all([
    servePage({ html: wallet, scripts: { '/count.js': count } }),
    serveFiles('test', { html: page }),
    launchChromium(),
  ]);
  shown = await browser.newPage({ viewport: { width: 700, height: 700 }, reducedMotion: 'reduce' });
  await shown.goto(framing.url.replace('127.0.0.1', 'localhost'));
  await shown.evaluate((url) => document.querySelector('iframe')?.setAttribute('src', url), served.url);
  frame = await until(async () => shown.frames()[1], { interval: 20 });
  await frame.waitForFunction(() => 'ask' in window);
  await frame.evaluate(
    (asked) => (window as unknown as DialogPage).ask(asked, { theme: 'light' }),
    questions.connect,
  );
  const dialog = await openDialog(frame);
  clip = await dialog.evaluate((element) => {
    const { left, top, width, height } = element.getBoundingClientRect();
    return { x: left + 8, y: top + 8, width: width - 16, height: height - 16 };
  });
  isConfirmable = () =>
    dialog.evaluate((element) => ({
      measured: (window as unknown as { measured: number }).measured,
      isConfirmable: element.querySelector('.confirm')?.getAttribute('aria-disabled') === 'false',
    }));
  await play({});
  expect((await outcome()).isConfirmable).toBe(true);
  untouched = await picture();
});

afterAll(async () => {
  await browser?.close();
  await Promise.all([served?.stop(), framing?.stop()]);
});

let isConfirmable: () => Promise<{ measured: number; isConfirmable: boolean }>;

const picture = async () => PNG.sync.read(await shown.screenshot({ clip, caret: 'hide' }));

/** How many of a thousand pixels differ from those of the dialog as it is. */
function difference(now: PNG): number {
  let different = 0;
  for (let at = 0; at < now.data.length; at += 4)
    if (
      [0, 1, 2].some(
        (channel) => Math.abs((now.data[at + channel] ?? 0) - (untouched.data[at + channel] ?? 0)) > 24,
      )
    )
      different++;
  return Math.round((different / (now.data.length / 4)) * 1000);
}

/** Takes away the cover before, and puts this one. */
async function play({ css = '', html = '', run }: Cover): Promise<void> {
  await shown.evaluate(
    async ([rules, markup, script]) => {
      (document.activeViewTransition as ViewTransition | null | undefined)?.skipTransition();
      const [style, place] = ['style', 'place'].map((id) => document.getElementById(id) as HTMLElement);
      (style as HTMLElement).textContent = rules;
      (place as HTMLElement).innerHTML = markup;
      document.getElementById('inner')?.scrollTo(0, 0);
      // biome-ignore lint/security/noGlobalEval: the functions of this test
      if (script !== '') await eval(`(${script})`)();
      document.querySelector('iframe')?.focus();
    },
    [css, html, run ? String(run) : ''] as const,
  );
}

/**
 * Whether the dialog can be confirmed, after the third measurement that began with the present cover. A frame that is not
 * drawn is not measured: then it cannot be.
 */
async function outcome(): Promise<{ isConfirmable: boolean }> {
  const { measured } = await isConfirmable();
  return until(
    async () => {
      const now = await isConfirmable();
      return now.isConfirmable === false && now.measured < measured + 4
        ? null
        : now.measured < measured + 2
          ? null
          : { isConfirmable: now.isConfirmable };
    },
    { interval: 25, timeout: 1_500 },
  ).catch(async () => ({ isConfirmable: (await isConfirmable()).isConfirmable }));
}

describe('a frame that its page covers', () => {
  test('is confirmed only if it looks as it should, but for these covers, which no browser API shows', async () => {
    const table: Record<string, { differs: number; isConfirmable: boolean }> = {};
    for (const [name, cover] of covers) {
      await play(cover);
      const { isConfirmable: confirmable } = await outcome();
      table[name] = { differs: difference(await picture()), isConfirmable: confirmable };
    }
    await play({});
    expect(await outcome()).toEqual({ isConfirmable: true });
    expect(covers.size).toBeGreaterThanOrEqual(60);
    const names = (which: (row: { differs: number; isConfirmable: boolean }) => boolean) =>
      Object.entries(table).flatMap(([name, row]) => (which(row) ? [name] : []));
    // What changes nothing that a person sees is no cover.
    expect(names(({ differs }) => differs <= 5)).toMatchInlineSnapshot(`
      [
        "mask: small and repeated",
        "clip: a rounded rectangle",
        "clip: round corners of the frame",
        "clip: round corners of its parent",
        "scroll bar: as wide as the page",
      ]
    `);
    expect(names(({ differs, isConfirmable }) => differs > 5 && isConfirmable)).toMatchInlineSnapshot(`
      [
        "mask: none of the frame",
        "mask: alpha .02",
        "mask: the lower part",
        "mask: a spot",
        "mask: stripes",
        "mask: a cone",
        "mask: two layers that exclude each other",
        "mask: by luminance",
        "mask: an SVG mask",
        "mask: -webkit-mask-box-image",
        "mask: an image",
        "mask: on its parent",
        "mask: on an ancestor",
        "mask: on the body",
        "mask: on the root",
        "mask: paused in an animation",
        "clip: a polygon",
        "clip: a polygon with a hole",
        "clip: a path with a hole",
        "clip: an SVG clip path",
        "clip: a polygon with a hole on its parent",
        "clip: a polygon with a hole on the body",
      ]
    `);
  }, 120_000);
});
