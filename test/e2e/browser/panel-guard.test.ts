import type { Browser, Frame, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { launchChromium } from '../../support/chromium.js';
import { openShadows } from '../../support/open-shadows.js';
import { type Served, servePage } from '../../support/serve.js';
import { inUi, scenePage } from '../../support/ui-scenes.js';
import { until } from '../../support/until.js';
import type { UiPage } from './ui-page.js';

/** The panel's buttons act only while a person sees them, as those of the dialog do. */

let served: Served;
let framing: Served;
let browser: Browser;
let page: Page;

beforeAll(async () => {
  [served, framing, browser] = await Promise.all([
    servePage({ html: scenePage }),
    servePage({ html: '<!doctype html><title>Prize</title><link rel="icon" href="data:,"><body>' }),
    launchChromium(),
  ]);
  page = await browser.newPage({ viewport: { width: 900, height: 800 }, reducedMotion: 'reduce' });
  await openShadows(page);
});

afterAll(async () => {
  await browser?.close();
  await Promise.all([served?.stop(), framing?.stop()]);
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

/** Puts the panel so low that pixels of the button, or of its row, are below the edge of the window. */
const lower = (part: 'button' | '.line', pixels: number) =>
  page.evaluate(
    ([part, pixels]) => {
      const host = document.querySelector('[data-graft=panel]');
      const button = host?.shadowRoot?.querySelector('[aria-label^="Use: "]') as Element;
      const { style } = document.body;
      Object.assign(style, { margin: '0', paddingTop: '1px', paddingBottom: '2000px' });
      const { bottom } = (button.closest(part) as Element).getBoundingClientRect();
      style.paddingTop = `${innerHeight - bottom + pixels + 1}px`;
    },
    [part, pixels] as const,
  );

describe('a panel in a window over the page', () => {
  test('takes no click in a frame, which the page around can mask unseen', async () => {
    // localhost and 127.0.0.1 are two sites.
    await page.goto(framing.url.replace('127.0.0.1', 'localhost'));
    await page.evaluate((address) => {
      document.body.innerHTML = `<iframe style="width: 700px; height: 700px" src="${address}"></iframe>`;
    }, served.url);
    const frame = page.frames()[1] as Frame;
    await frame.waitForFunction(() => 'ui' in window);
    await frame.evaluate(() => (window as unknown as { ui: UiPage }).ui.open('sites'));
    const disconnect = frame.getByRole('button', { name: /Disconnect/ }).first();
    await disconnect.waitFor();
    for (let count = 0; count < 3; count++) {
      await disconnect.click({ force: true });
      await page.waitForTimeout(600);
    }
    expect(await disconnect.getAttribute('aria-disabled')).toBe('true');
    expect(await frame.evaluate(() => (window as unknown as { ui: UiPage }).ui.calls)).not.toContain(
      'disconnect',
    );
  });

  test('takes one click for each row of a list, though the next row comes to its place', async () => {
    const first = page.getByRole('button', { name: /Disconnect/ }).first();
    const disconnected = async () => (await calls()).filter((name) => name === 'disconnect').length;
    await page.evaluate(() => {
      const presses: (string | null | undefined)[] = [];
      Object.assign(window, { presses });
      const note = (event: Event) => {
        const [pressed] = event.composedPath() as [Element];
        presses.push(pressed.closest('button')?.getAttribute('aria-disabled'));
      };
      addEventListener('pointerdown', note, true);
    });
    // On a busy machine the delay of the next row may be over at the second click: that says nothing.
    await until(async () => {
      await inUi(page, (ui) => {
        ui.reset();
        ui.open('sites');
      });
      await expect.poll(() => first.getAttribute('aria-disabled')).toBe('false');
      await first.dblclick({ delay: 20 });
      const presses = await page.evaluate(() =>
        (window as unknown as { presses: unknown[] }).presses.splice(0),
      );
      return presses.join() === 'false,true';
    });
    await page.waitForTimeout(50);
    expect(await disconnected()).toBe(1);
    await first.click();
    await expect.poll(disconnected).toBe(2);
  });

  test('takes no click that was made before the row was there, though the page handles it later', async () => {
    const before = await page.evaluate(() => performance.timeOrigin + performance.now());
    await inUi(page, (ui) => ui.open('sites'));
    const first = page.getByRole('button', { name: /Disconnect/ }).first();
    await expect.poll(() => first.getAttribute('aria-disabled')).toBe('false');
    const { x, y, width, height } = (await first.boundingBox()) as NonNullable<
      Awaited<ReturnType<typeof first.boundingBox>>
    >;
    const devtools = await page.context().newCDPSession(page);
    /** @param at milliseconds since 1970 */
    const click = async (at: number) => {
      for (const type of ['mousePressed', 'mouseReleased'] as const)
        await devtools.send('Input.dispatchMouseEvent', {
          ...{ type, x: x + width / 2, y: y + height / 2, button: 'left', clickCount: 1 },
          timestamp: at / 1_000,
        });
    };
    await click(before);
    expect(await first.getAttribute('aria-disabled')).toBe('true');
    expect(await calls()).not.toContain('disconnect');
    await expect.poll(() => first.getAttribute('aria-disabled')).toBe('false');
    await click(Date.now());
    await expect.poll(calls).toContain('disconnect');
  });

  test('has all accounts of a vault that is not proven before its button', async () => {
    const accounts = Array.from({ length: 60 }, (_, index) => `0x${String(index).padStart(40, '0')}`);
    const data = { reason: 'vault-unproven', accounts, known: [], passkeys: [], losesPassword: false };
    await inUi(
      page,
      (ui, given) => {
        ui.open('home', { vault: 'locked', passkeys: [] });
        ui.wallet.fail('unlock', -32002, given);
      },
      data,
    );
    await page.getByRole('button', { name: 'Unlock' }).first().click();
    await page.getByLabel('Wallet password').fill('several words are better');
    await page.getByRole('button', { name: 'Unlock', exact: true }).last().click();
    const mine = page.getByRole('button', { name: 'They’re mine' });
    await mine.waitFor();
    const isInView = () => mine.evaluate((element) => element.getBoundingClientRect().bottom <= innerHeight);
    expect(await isInView()).toBe(false);
    await page.keyboard.press('Enter');
    await mine.scrollIntoViewIfNeeded();
    expect(await isInView()).toBe(true);
    await expect.poll(() => mine.getAttribute('aria-disabled')).toBe('false');
  });

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
    [
      'masked by its border',
      () =>
        document
          .querySelector('main')
          ?.setAttribute('style', '-webkit-mask-box-image: linear-gradient(transparent, transparent)'),
    ],
    [
      'transparent in steps',
      () => {
        for (let count = 0; count < 10; count++) {
          const part = document.querySelector('#place') as HTMLElement;
          const around = document.createElement('div');
          around.style.opacity = '.95';
          part.replaceWith(around);
          around.append(part);
        }
      },
    ],
    [
      'covered but for the button',
      () => {
        const host = document.querySelector('[data-graft=panel]');
        const button = host?.shadowRoot?.querySelector('[aria-label^="Use: "]');
        const cover = document.createElement('div');
        const { left = 0 } = button?.getBoundingClientRect() ?? {};
        cover.style.cssText = `position: fixed; inset: 0 auto 0 0; width: ${left - 2}px; background: red`;
        document.body.append(cover);
      },
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

  test('is scrolled by a press on a part of its button, and takes the next one', async () => {
    await inUi(page, (ui) => ui.place('networks'));
    await expect.poll(isWaiting).toBe(false);
    await lower('button', 20);
    const isInView = () => use().evaluate((button) => button.getBoundingClientRect().bottom <= innerHeight);
    expect(await isInView()).toBe(false);
    await expect.poll(isWaiting).toBe(false);
    const box = await use().boundingBox();
    await page.mouse.click((box?.x ?? 0) + 15, (box?.y ?? 0) + 6);
    await expect.poll(isInView).toBe(true);
    expect(await calls()).not.toContain('switchChain');
    await expect.poll(isWaiting).toBe(false);
    await clickAt();
    await expect.poll(calls).toContain('switchChain');
  });

  test('takes one on a button that lacks a part of a pixel, as scrolling into view may leave it', async () => {
    await inUi(page, (ui) => ui.place('networks'));
    await expect.poll(isWaiting).toBe(false);
    await lower('.line', 0.4);
    await expect.poll(isWaiting).toBe(false);
    await clickAt();
    await expect.poll(calls).toContain('switchChain');
  });

  test('takes one that nothing is in the way of', async () => {
    await inUi(page, (ui) => ui.place('networks'));
    await use().click();
    await expect.poll(calls).toContain('switchChain');
  });
});
