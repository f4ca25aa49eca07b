import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { launchChromium } from '../../support/chromium.js';
import { type DialogDriver, openDialog } from '../../support/dialog-driver.js';
import { openShadows } from '../../support/open-shadows.js';
import * as questions from '../../support/questions.js';
import { type Served, servePage } from '../../support/serve.js';
import { inUi, scenePage } from '../../support/ui-scenes.js';
import { until } from '../../support/until.js';
import type { UiPage } from './ui-page.js';

/** What input a page takes for itself by listeners that it adds after the wallet's script, and what the wallet gets nevertheless. */

let served: Served;
let browser: Browser;
let page: Page;
let problems: string[];

beforeAll(async () => {
  [served, browser] = await Promise.all([servePage({ html: scenePage }), launchChromium()]);
  page = await browser.newPage({
    viewport: { width: 360, height: 640 },
    hasTouch: true,
    reducedMotion: 'reduce',
  });
  await openShadows(page);
  page.on('pageerror', (error) => problems.push(String(error)));
});

afterAll(async () => {
  await browser?.close();
  await served?.stop();
});

beforeEach(async () => {
  problems = [];
  await page.goto(served.url);
  await page.waitForFunction(() => 'ui' in window);
  await page.evaluate(takeAllInput);
});

/** As games, modal libraries and focus traps do, at every place that an event passes before it reaches an element. */
function takeAllInput(): void {
  const types = [
    ...[
      'keydown',
      'keyup',
      'keypress',
      'beforeinput',
      'input',
      'paste',
      'copy',
      'cut',
      'wheel',
      'contextmenu',
    ],
    ...['pointerdown', 'pointerup', 'mousedown', 'mouseup', 'click', 'touchstart', 'touchmove', 'touchend'],
    ...['focusin', 'focusout', 'focus', 'blur', 'compositionupdate', 'dragover', 'drop'],
  ];
  const seen: string[] = [];
  Object.assign(window, { seen });
  document.body.insertAdjacentHTML('beforeend', '<input id="own">');
  const take = (event: Event): void => {
    const { key, code, data, keyCode } = event as KeyboardEvent & InputEvent;
    const { clipboardData, dataTransfer } = event as ClipboardEvent & DragEvent;
    const given = (clipboardData ?? dataTransfer)?.getData('text');
    seen.push([event.type, key, code, data, keyCode, given].join(' ').trim());
    if (event.type === 'pointerdown' && event.isTrusted)
      document.body.setPointerCapture((event as PointerEvent).pointerId);
    if (event.type.startsWith('focus') && !document.querySelector('[data-graft=panel]'))
      document.querySelector<HTMLElement>('#own')?.focus();
    event.preventDefault();
    event.returnValue = false;
    event.stopPropagation();
    event.cancelBubble = true;
    event.stopImmediatePropagation();
  };
  for (const type of types)
    for (const target of [window, document, document.documentElement, document.body])
      target.addEventListener(type, take, { capture: true, passive: false });
}

const seen = () => page.evaluate(() => (window as unknown as { seen: string[] }).seen.join('\n'));
const outcome = () =>
  page.evaluate(() => {
    const { answers, failures } = (window as unknown as { ui: UiPage }).ui;
    return { answers, failures };
  });
async function ask(question: object): Promise<DialogDriver> {
  const { kind } = question as { kind: string };
  await inUi(
    page,
    (ui, asked) => {
      ui.wallet.change({ passkeys: [] });
      ui.ask(asked as never);
    },
    question,
  );
  return openDialog(page, { kind });
}
const locked = { ...questions.payment, locked: true };
const password = 'several Words are better 42';
const typedIn = (sheet: DialogDriver) => sheet.evaluate((dialog) => dialog.querySelector('input')?.value);

describe('a page that takes all input', () => {
  test('takes no letter and no caret key of a password, and sees none of them', async () => {
    const sheet = await ask(locked);
    await sheet.evaluate((dialog) => dialog.querySelector('input')?.focus());
    await page.keyboard.type(password);
    expect(await typedIn(sheet)).toBe(password);
    await page.keyboard.press('Home');
    await page.keyboard.press('Delete');
    expect(await typedIn(sheet)).toBe(password.slice(1));
    expect(await seen()).toMatch(/keydown/);
    expect(await seen()).not.toMatch(/[A-Z]|[1-9]|several/);
    await page.keyboard.press('Escape');
    await sheet.closed();
    expect(await outcome()).toEqual({ answers: [{ approved: false }], failures: [] });
    expect(problems).toEqual([]);
  });

  test('sees nothing that is pasted, dropped or composed', async () => {
    const sheet = await ask(locked);
    const read = await sheet.evaluate((dialog) => {
      const field = dialog.querySelector('input') as HTMLInputElement;
      const clipboardData = new DataTransfer();
      clipboardData.setData('text', 'several words');
      const options = { bubbles: true, composed: true, cancelable: true };
      const pasted = new ClipboardEvent('paste', { ...options, clipboardData });
      field.dispatchEvent(pasted);
      for (const type of ['dragover', 'drop'])
        field.dispatchEvent(new DragEvent(type, { ...options, dataTransfer: clipboardData }));
      field.dispatchEvent(new CompositionEvent('compositionupdate', { ...options, data: 'several' }));
      return [pasted.clipboardData?.getData('text'), pasted.defaultPrevented];
    });
    // The field itself gets it.
    expect(read).toEqual(['several words', false]);
    expect((await seen()).split('\n')).toEqual(
      expect.arrayContaining(['paste', 'dragover', 'drop', 'compositionupdate']),
    );
    expect(await seen()).not.toContain('several');
    await page.keyboard.press('Escape');
    await sheet.closed();
  });

  test('takes no click, no Tab and no Enter from the buttons, which still act on trusted presses alone', async () => {
    const sheet = await ask(questions.switchChain);
    const confirm = 'Switch';
    await sheet.evaluate((dialog) => {
      const button = dialog.querySelector('.confirm') as HTMLElement;
      for (const type of ['pointerdown', 'mousedown', 'mouseup', 'click'])
        button.dispatchEvent(new MouseEvent(type, { bubbles: true, composed: true, cancelable: true }));
    });
    expect(await sheet.isOpen()).toBe(true);
    await sheet.evaluate((dialog) => dialog.querySelector<HTMLElement>('h2')?.focus());
    await page.keyboard.press('Tab');
    expect(await sheet.focused()).toBe('Reject');
    await sheet.click(confirm);
    await sheet.closed();
    const again = await ask(questions.switchChain);
    await again.evaluate((dialog) => dialog.querySelector<HTMLElement>('.actions button')?.focus());
    await page.keyboard.press('Enter');
    await again.closed();
    expect(await outcome()).toEqual({ answers: [{ approved: true }, { approved: false }], failures: [] });
  });

  test('takes no touch that scrolls', async () => {
    const sheet = await ask({ ...questions.greeting, text: 'one line\n'.repeat(200) });
    const area = await sheet.evaluate((dialog) => {
      const rooms = [...dialog.querySelectorAll('*')].map(
        (each) => [each, each.scrollHeight - each.clientHeight] as const,
      );
      const [widest] = rooms.sort(([, one], [, other]) => other - one)[0] as [Element, number];
      const box = widest.getBoundingClientRect();
      return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
    });
    const scrolled = () =>
      sheet.evaluate((dialog) =>
        [dialog, ...dialog.querySelectorAll('*')].reduce((sum, each) => sum + each.scrollTop, 0),
      );
    const before = await scrolled();
    const session = await page.context().newCDPSession(page);
    const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', moved = 0) => {
      const touchPoints = type === 'touchEnd' ? [] : [{ x: area.x, y: area.y - moved }];
      return session.send('Input.dispatchTouchEvent', { type, touchPoints });
    };
    // A touch before the dialog is painted meets nothing that scrolls.
    await page.evaluate(
      () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
    );
    await touch('touchStart');
    for (let moved = 20; moved <= 160; moved += 20) await touch('touchMove', moved);
    await touch('touchEnd');
    await expect.poll(scrolled).toBeGreaterThan(before + 50);
    // A wheel that turns while the touch still scrolls may only end that.
    let half = -1;
    const isStill = async () => {
      const last = half;
      half = await scrolled();
      return half === last;
    };
    await until(isStill, { interval: 200 });
    await page.mouse.move(area.x, area.y);
    await page.mouse.wheel(0, 120);
    await expect.poll(scrolled).toBeGreaterThan(half + 50);
    await page.keyboard.press('Escape');
    await sheet.closed();
  });

  test('keeps the events of its own elements, and those of the panel in the page are the panel’s', async () => {
    await page.locator('#own').click({ force: true });
    await page.locator('#own').focus();
    await page.keyboard.type('abc');
    expect(await page.locator('#own').inputValue()).toBe('');
    expect(await seen()).toContain('keydown a KeyA  65');
    await inUi(page, (ui) => ui.place('send'));
    const panel = page.locator('[data-graft=panel]');
    await expect
      .poll(() => panel.evaluate((host) => host.getBoundingClientRect().height))
      .toBeGreaterThan(200);
    await page.evaluate(() => (window as unknown as { seen: string[] }).seen.splice(0));
    await panel.locator('input').first().click();
    await page.keyboard.type('0x12');
    expect(await panel.locator('input').first().inputValue()).toBe('0x12');
    expect(await seen()).not.toMatch(/Digit|x/);
  });
});

describe('a page that changes under a question', () => {
  test('puts another body in place: the question goes over to it, and waits again', async () => {
    const sheet = await ask(questions.switchChain);
    await page.evaluate(() => {
      const next = document.createElement('body');
      next.innerHTML = '<h1>Another page</h1>';
      document.body.replaceWith(next);
    });
    await expect.poll(() => sheet.isOpen()).toBe(true);
    expect(await sheet.evaluate((dialog) => dialog.matches(':modal'))).toBe(true);
    await sheet.click('Switch');
    await sheet.closed();
    expect(await outcome()).toEqual({ answers: [{ approved: true }], failures: [] });
  });

  test('removes the question, or replaces the body without end: that is no refusal', async () => {
    let sheet = await ask(questions.switchChain);
    await page.evaluate(() => document.querySelector('[data-graft]')?.remove());
    await sheet.closed();
    await expect.poll(outcome).toEqual({ answers: [], failures: [-32002] });
    sheet = await ask(questions.switchChain);
    await page.evaluate(() => {
      new MutationObserver(() => {
        if (document.querySelector('[data-graft]')) document.body.replaceWith(document.createElement('body'));
      }).observe(document, { childList: true, subtree: true });
      document.body.append('x');
    });
    await sheet.closed();
    await expect.poll(outcome).toEqual({ answers: [], failures: [-32002, -32002] });
  });

  test('a browser that cannot show the question, or a page without a body, is no refusal', async () => {
    await page.evaluate(() => {
      HTMLDialogElement.prototype.showModal = () => {
        throw new DOMException('no', 'InvalidStateError');
      };
    });
    await inUi(page, (ui, asked) => ui.ask(asked as never), questions.switchChain);
    await expect.poll(outcome).toEqual({ answers: [], failures: [-32002] });
    expect(await page.locator('[data-graft]').count()).toBe(0);
    await page.evaluate(() => document.body.remove());
    await inUi(page, (ui, asked) => ui.ask(asked as never), questions.switchChain);
    await expect.poll(outcome).toEqual({ answers: [], failures: [-32002, -32002] });
  });

  test('gives the pointer back that it has locked, also where it locks it again', async () => {
    await page.evaluate(() => {
      document.body.insertAdjacentHTML('afterbegin', '<canvas id="game" width="100" height="100"></canvas>');
      const game = document.querySelector('#game') as HTMLElement;
      Object.assign(window, { lock: () => game.requestPointerLock() });
    });
    await page.evaluate('lock()');
    await expect.poll(() => page.evaluate(() => document.pointerLockElement?.id)).toBe('game');
    const sheet = await ask(questions.switchChain);
    await expect.poll(() => page.evaluate(() => document.pointerLockElement)).toBeNull();
    await page.evaluate('Promise.resolve(lock()).catch(() => {})');
    await expect.poll(() => page.evaluate(() => document.pointerLockElement)).toBeNull();
    await sheet.click('Switch');
    await sheet.closed();
    expect((await outcome()).answers).toEqual([{ approved: true }]);
  });
});
