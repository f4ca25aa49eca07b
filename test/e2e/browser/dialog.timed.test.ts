import type { Browser, Frame, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { DecodedCall } from '../../../src/approvals/decode-call.js';
import type { Question } from '../../../src/approvals/question.js';
import { checksumAddress } from '../../../src/rpc/address.js';
import type { dialog } from '../../../src/ui/index.js';
import { launchChromium } from '../../support/chromium.js';
import { openDialog } from '../../support/dialog-driver.js';
import { english } from '../../support/english.js';
import * as questions from '../../support/questions.js';
import { type Served, servePage } from '../../support/serve.js';
import { until } from '../../support/until.js';
import type { DialogPage } from './dialog-page.js';

const csp = "default-src 'self'; style-src 'self'; require-trusted-types-for 'script'";
const html = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <title>An app</title>
    <link rel="icon" href="/favicon.ico">
    <script type="module" src="/test/e2e/browser/dialog-page.ts"></script>
  </head>
  <body><h1>An app</h1><button id="open">Open</button></body>
</html>`;

let served: Served;
let browser: Browser;
let page: Page;
let problems: string[];

beforeAll(async () => {
  served = await servePage({ html, csp });
  browser = await launchChromium();
});

afterAll(async () => {
  await browser?.close();
  await served?.stop();
});

beforeEach(async () => {
  page = await browser.newPage({ viewport: { width: 900, height: 800 } });
  problems = [];
  page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
  page.on('pageerror', (error) => problems.push(String(error)));
  await page.goto(served.url);
  await page.waitForFunction(() => 'ask' in window);
});

afterEach(async () => {
  const blocked = problems.filter((problem) => !problem.includes('404'));
  await page.close();
  // Every test is one of the strict policy too: what it forbids is reported as an error.
  expect(blocked).toEqual([]);
});

async function ask(question: Question, options: dialog.Options = {}, where: Page | Frame = page) {
  await where.evaluate(([asked, given]) => (window as unknown as DialogPage).ask(asked, given), [
    question,
    options,
  ] as const);
  return openDialog(where, { kind: question.kind });
}

const state = (where: Page | Frame = page) =>
  where.evaluate(() => {
    const { answers, unlocks, heard } = window as unknown as DialogPage;
    return { answers, unlocks, heard };
  });
/** From here the page's time goes on only by `page.clock.runFor`. */
async function stopClock() {
  await page.clock.install();
  await page.clock.pauseAt(Date.now() + 60_000);
}

const answers = async () => (await state()).answers;
const approved = { approved: true };
const refused = { approved: false };
const locked = { ...questions.payment, locked: true };

describe('dialog', () => {
  test('shows the question, answers it and leaves the page', async () => {
    const shown = await ask(questions.payment);
    expect(await shown.text()).toContain('0.25');
    await shown.click('Send');
    await shown.closed();
    expect(await answers()).toEqual([approved]);
    expect(await page.locator('[data-graft]').count()).toBe(0);
  });

  test('runs under a Content Security Policy that is in force', async () => {
    await page.evaluate(() => document.body.setAttribute('style', 'color: red'));
    await expect.poll(() => problems.length).toBe(1);
    expect(problems.pop()).toContain('Content Security Policy');
  });

  test.each(Object.entries(questions.examples))(
    '%s fits the screen, in both colour schemes and on a phone',
    async (_, question) => {
      // Without motion it stands where it stays.
      await page.emulateMedia({ reducedMotion: 'reduce' });
      for (const theme of ['light', 'dark'] as const) {
        await page.setViewportSize(
          theme === 'dark' ? { width: 390, height: 700 } : { width: 900, height: 800 },
        );
        const shown = await ask(question, { theme });
        const [box, wide] = await shown.evaluate((element) => {
          const { left, right, bottom, top } = element.getBoundingClientRect();
          const parts = Array.from(element.querySelectorAll('*')).filter(
            ({ clientWidth }) => clientWidth > 0,
          );
          const tooWide = parts.filter(
            (part) =>
              part.scrollWidth > part.clientWidth + 1 &&
              getComputedStyle(part).overflowX === 'visible' &&
              getComputedStyle(part).display !== 'inline',
          );
          return [
            left >= 0 && right <= innerWidth && top >= 0 && bottom <= innerHeight,
            tooWide.map(({ outerHTML }) => outerHTML.slice(0, 80)),
          ];
        });
        expect(wide.filter((part) => !part.includes('unseen'))).toEqual([]);
        expect(box).toBe(true);
        await shown.press('Escape');
        await shown.closed();
      }
      expect(await answers()).toEqual([refused, refused]);
    },
  );

  test('has this accessibility tree', async () => {
    const shown = await ask({
      ...locked,
      warnings: [{ code: 'simulation-reverts', severity: 'danger', detail: 'paused' }],
    });
    expect(await shown.tree()).toMatchInlineSnapshot(`
      "dialog "Send tRBTC" – app.sovryn.example Rootstock Testnet 0.25 tRBTC [modal]
        text "app.sovryn.exampleRootstock Testnet"
        list "Warnings"
          listitem
            alert
              text "This will fail"
              paragraph
                text "The contract refused a trial run. You’d lose the fee."
              paragraph
                text "paused"
        heading "Send tRBTC" [focused]
        paragraph
          text "0.25 tRBTC"
        DescriptionList
          term "From"
          definition
            text "Main account0x27B1…1C26"
          term "To"
          definition
            text "0x5aAeb6053F3e94c9b9A09F33669435E7EF1BEaEd"
        DescriptionList
          term "Network"
          definition
            text "Rootstock Testnet"
          term "Maximum fee"
          definition
            text "0.00000137 tRBTC"
          term "Maximum total"
          definition
            text "0.25000137 tRBTC"
        group
          DisclosureTriangle "Details"
        button "Scroll to the end to continue"
        text "Wallet passwordYour wallet is locked. Confirming unlocks it too."
        textbox "Wallet password"
        status
        button "Reject"
        button "Send" [disabled]"
    `);
  });
});

describe('keyboard', () => {
  test('Tab visits every control, and Space confirms', async () => {
    const shown = await ask({ ...questions.payment, transaction: { ...questions.payment.transaction } });
    expect(await shown.focused()).toBe('Send tRBTC');
    const visited: string[] = [];
    for (let i = 0; i < 3; i++) {
      await shown.press('Tab');
      visited.push(await shown.focused());
    }
    expect(visited).toEqual(['Details', 'Reject', 'Send']);
    await expect.poll(async () => (await shown.buttons())[1]?.enabled).toBe(true);
    // Like Enter it waits for a second.
    await page.waitForTimeout(500);
    await shown.press('Space');
    await shown.closed();
    expect(await answers()).toEqual([approved]);
  });

  test('Tab never reaches the page', async () => {
    const shown = await ask(questions.payment);
    for (let i = 0; i < 12; i++) {
      await shown.press('Tab');
      expect(await page.evaluate(() => document.activeElement?.id)).not.toBe('open');
    }
  });

  test('Escape refuses and returns the focus', async () => {
    await page.locator('#open').focus();
    const shown = await ask(questions.payment);
    await shown.press('Escape');
    await shown.closed();
    expect(await answers()).toEqual([refused]);
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('open');
  });

  test('Enter is ignored in the first second', async () => {
    await stopClock();
    const shown = await ask(questions.payment);
    await shown.press('Enter');
    for (const _ of ['Details', 'Reject', 'Send']) await shown.press('Tab');
    expect(await shown.focused()).toBe('Send');
    await page.clock.runFor(999);
    await shown.press('Enter');
    expect(await shown.isOpen()).toBe(true);
    // A key that came too early starts the second again.
    await page.clock.runFor(1000);
    await shown.press('Enter');
    await shown.closed();
    expect(await answers()).toEqual([approved]);
  });

  test('a key held down since before the dialog is ignored', async () => {
    await stopClock();
    await page.locator('#open').focus();
    await page.keyboard.down('Enter');
    const shown = await ask(questions.payment);
    for (const _ of ['Details', 'Reject', 'Send']) await shown.press('Tab');
    await page.clock.runFor(1100);
    // A second down without an up is what a held key sends.
    await page.keyboard.down('Enter');
    expect(await shown.isOpen()).toBe(true);
    await page.keyboard.up('Enter');
    await shown.press('Enter');
    await shown.closed();
  });

  test('events inside do not bubble into the page', async () => {
    const shown = await ask(locked);
    await shown.fill('Wallet password', 'x');
    await shown.click('Details');
    expect((await state()).heard).toEqual([]);
  });
});

describe('confirming', () => {
  test('scripted events are ignored', async () => {
    const shown = await ask(questions.payment);
    await expect.poll(async () => (await shown.buttons())[1]?.enabled).toBe(true);
    await shown.evaluate((dialog) => {
      const button = dialog.querySelectorAll('button')[1] as HTMLButtonElement;
      const options = { bubbles: true, composed: true, isPrimary: true };
      button.dispatchEvent(new PointerEvent('pointerdown', options));
      button.dispatchEvent(new MouseEvent('mousedown', options));
      button.dispatchEvent(new MouseEvent('click', options));
      button.dispatchEvent(new KeyboardEvent('keydown', { ...options, key: 'Enter' }));
      button.click();
    });
    expect(await shown.isOpen()).toBe(true);
    expect(await answers()).toEqual([]);
  });

  test('a scripted click after a real press elsewhere is ignored', async () => {
    const shown = await ask(questions.payment);
    await expect.poll(async () => (await shown.buttons())[1]?.enabled).toBe(true);
    await shown.click('Details');
    await shown.evaluate((dialog) => dialog.querySelectorAll('button')[1]?.click());
    expect(await shown.isOpen()).toBe(true);
  });

  test('clicks in the first moments are ignored, and start the delay again', async () => {
    await stopClock();
    const shown = await ask(questions.payment);
    for (let count = 0; count < 4; count++) {
      await page.clock.runFor(599);
      await shown.click('Send', { force: true });
      expect(await shown.isOpen()).toBe(true);
    }
    await page.clock.runFor(600);
    await shown.click('Send');
    await shown.closed();
    expect(await answers()).toEqual([approved]);
  });

  test('a press that began too early is ignored', async () => {
    await stopClock();
    const shown = await ask(questions.payment);
    const at = await shown.evaluate((dialog) => {
      const { left, top } = (dialog.querySelector('.confirm') as HTMLElement).getBoundingClientRect();
      return { x: left + 20, y: top + 20 };
    });
    await page.mouse.move(at.x, at.y);
    await page.mouse.down();
    await page.clock.runFor(700);
    await page.mouse.up();
    expect(await shown.isOpen()).toBe(true);
  });

  test('a danger delays it by two seconds', async () => {
    await stopClock();
    const shown = await ask(questions.unlimitedApproval);
    // The dialog arrives by the browser's clock, and the button counts as moved until it has.
    await page.waitForTimeout(400);
    await page.clock.runFor(1999);
    expect((await shown.buttons()).at(-1)?.enabled).toBe(false);
    await page.clock.runFor(1);
    await shown.click('Confirm');
    await shown.closed();
    expect(await answers()).toEqual([approved]);
  });

  test('it is delayed again when the layout changes', async () => {
    await stopClock();
    const shown = await ask(questions.payment);
    await page.clock.runFor(600);
    expect((await shown.buttons())[1]?.enabled).toBe(true);
    await page.setViewportSize({ width: 700, height: 800 });
    await expect.poll(async () => (await shown.buttons())[1]?.enabled).toBe(false);
    await page.clock.runFor(600);
    expect((await shown.buttons())[1]?.enabled).toBe(true);
  });
});

describe('locked', () => {
  test('the password in the dialog unlocks and confirms', async () => {
    const shown = await ask(locked);
    await shown.fill('Wallet password', 'correct horse');
    await shown.click('Send');
    await shown.closed();
    expect(await state()).toMatchObject({ answers: [approved], unlocks: ['correct horse'] });
  });

  test('a wrong password is reported and can be corrected', async () => {
    const shown = await ask(locked);
    await shown.fill('Wallet password', 'hunter2');
    await shown.click('Send');
    await expect.poll(() => shown.error()).toBe('The password is wrong.');
    expect(await shown.focused()).toBe('Wallet password');
    expect(await shown.tree()).toContain('alert\n    text "The password is wrong."');
    await page.keyboard.type('correct horse');
    await page.waitForTimeout(1100);
    await shown.press('Enter');
    await shown.closed();
    expect(await state()).toMatchObject({ answers: [approved], unlocks: ['hunter2', 'correct horse'] });
  });

  test('an empty password is not tried', async () => {
    const shown = await ask(locked);
    await shown.click('Send');
    await expect.poll(() => shown.error()).not.toBe('');
    expect(await state()).toMatchObject({ answers: [], unlocks: [] });
  });

  test('a refusal while it unlocks is a refusal', async () => {
    const shown = await ask(locked);
    await shown.fill('Wallet password', 'held');
    await shown.click('Send');
    await expect.poll(async () => (await state()).unlocks).toEqual(['held']);
    expect(await shown.buttons()).toEqual([
      { name: 'Reject', enabled: true },
      { name: 'Send', enabled: false },
    ]);
    await shown.press('Escape');
    await shown.closed();
    await page.evaluate(() => document.dispatchEvent(new Event('release')));
    expect(await answers()).toEqual([refused]);
  });

  test('the question to unlock has its focus in the password field', async () => {
    const shown = await ask(questions.unlock);
    expect(await shown.focused()).toBe('Wallet password');
    await page.keyboard.type('correct horse');
    await shown.click('Unlock');
    await shown.closed();
    expect(await answers()).toEqual([approved]);
  });
});

describe('text from outside', () => {
  test('is shown as text, with invisible characters made visible', async () => {
    const shown = await ask({
      ...questions.tokenTransfer,
      account: { ...questions.account, label: '<b>Main</b>\u202e' },
      call: {
        ...(questions.tokenTransfer.call as DecodedCall),
        token: { address: questions.token, symbol: 'R\u200bIF', decimals: 0 },
      },
      warnings: [{ code: 'simulation-reverts', severity: 'danger', detail: 'no\u2066\u0000<img src=x>' }],
    });
    const text = await shown.text();
    for (const visible of ['<b>Main</b>\\u{202e}', 'R\\u{200b}IF', 'no\\u{2066}\\u{0}<img src=x>'])
      expect(text).toContain(visible);
  });

  test('can be in another language, from right to left', async () => {
    const words = {
      language: 'he',
      direction: 'rtl',
      sendTitle: 'שליחת {symbol}',
      reject: 'דחייה',
      send: 'שליחה',
    } as const;
    const shown = await ask(questions.payment, { words });
    expect(await shown.title()).toBe('שליחת tRBTC');
    const [reject, send] = await shown.evaluate((dialog) =>
      Array.from(dialog.querySelectorAll('button'), (button) => button.getBoundingClientRect().left),
    );
    expect(send).toBeLessThan(reject as number);
    await shown.click('שליחה');
    await shown.closed();
    expect(await answers()).toEqual([approved]);
  });
});

describe('connect', () => {
  test('shares the ticked accounts, at least one', async () => {
    const shown = await ask(questions.connect);
    await shown.click('Main account');
    await expect.poll(async () => (await shown.buttons())[1]?.enabled).toBe(false);
    await shown.click('Savings');
    await shown.click('Connect');
    await shown.closed();
    expect(await answers()).toEqual([{ approved: true, accounts: [questions.savings.address] }]);
  });
});

describe('the end', () => {
  test('does not come from a file field whose picker was left without a choice, which `cancel` tells too', async () => {
    const shown = await ask(questions.payment);
    await shown.evaluate((dialog) =>
      dialog.querySelector('.body')?.dispatchEvent(new Event('cancel', { bubbles: true })),
    );
    expect(await shown.isOpen()).toBe(true);
    await shown.press('Escape');
    await shown.closed();
    expect(await answers()).toEqual([refused]);
  });

  test('without enough coins it shows the address to receive at, and is still there afterwards', async () => {
    const shown = await ask({ ...questions.payment, locked: true, shortfall: '0x1' });
    const before = await shown.text();
    await shown.click('Receive');
    const seen = (element: HTMLDialogElement) => ({
      codes: element.querySelectorAll('.qr').length,
      address: element.querySelector('.body .address')?.textContent,
      links: Array.from(element.querySelectorAll('a'), ({ href }) => href),
    });
    await until(async () => (await shown.evaluate(seen)).codes === 1, { failure: 'There is no QR code.' });
    expect(await shown.evaluate(seen)).toEqual({
      codes: 1,
      address: checksumAddress(questions.account.address, 31),
      links: ['https://faucet.rootstock.io/'],
    });
    expect(await answers()).toEqual([]);
    await shown.click('Back');
    expect(await shown.text()).toBe(before);
    expect(await answers()).toEqual([]);
    await shown.click('Close');
    await shown.closed();
    expect(await answers()).toEqual([refused]);
  });

  test('an address that does not load is an error in the dialog, which stays', async () => {
    await page.route('**/receive-step*', (route) => route.abort());
    const shown = await ask({ ...questions.payment, shortfall: '0x1' });
    await shown.click('Receive');
    await until(async () => (await shown.error()) !== '', { failure: 'No error was shown.' });
    expect(await shown.error()).toBe(english.notLoaded);
    problems = problems.filter((problem) => !problem.includes('net::ERR_FAILED'));
    await shown.click('Close');
    await shown.closed();
    expect(await answers()).toEqual([refused]);
  });

  test('aborting refuses', async () => {
    const shown = await ask(questions.payment);
    await page.evaluate(() => (window as unknown as DialogPage).abort());
    await shown.closed();
    expect(await answers()).toEqual([refused]);
    expect(await page.evaluate(() => document.querySelectorAll('[data-graft]').length)).toBe(0);
  });

  test.each<[string, () => Promise<unknown>]>([
    ['taking it off the page', () => page.evaluate(() => document.querySelector('[data-graft]')?.remove())],
    ['emptying the page', () => page.evaluate(() => document.body.replaceChildren())],
  ])('%s is not reported as a refusal by the person', async (_, end) => {
    const shown = await ask(questions.payment);
    await end();
    await shown.closed();
    const failures = () => page.evaluate(() => (window as unknown as DialogPage).failures);
    await expect.poll(failures).toEqual([-32002]);
    expect(await answers()).toEqual([]);
    expect(await page.evaluate(() => document.querySelectorAll('[data-graft]').length)).toBe(0);
  });

  test('a page that hides the host and blocks its body does not hide the dialog', async () => {
    await page.evaluate(() => {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(
        'div { display: none !important; opacity: 0 !important } body { pointer-events: none }',
      );
      document.adoptedStyleSheets = [sheet];
      const own = document.createElement('dialog');
      document.body.append(own);
      own.showModal();
    });
    const shown = await ask(questions.payment);
    await shown.click('Send');
    await shown.closed();
    expect(await answers()).toEqual([approved]);
  });
});

describe('framed', () => {
  test('an element of another origin over the wallet prevents confirming', async () => {
    // localhost and 127.0.0.1 are two sites of the same server.
    const wallet = await servePage({ html, csp: '' });
    const host = await servePage({
      html: `<!doctype html><title>Host</title><body><iframe src="${wallet.url}" width="700" height="700"></iframe>`,
    });
    try {
      await page.goto(host.url.replace('127.0.0.1', 'localhost'));
      const frame = page.frames()[1] as Frame;
      await frame.waitForFunction(() => 'ask' in window);
      const shown = await ask(questions.payment, {}, frame);
      await expect.poll(async () => (await shown.buttons())[1]?.enabled).toBe(true);
      await page.evaluate(() => {
        const cover = document.createElement('div');
        Object.assign(cover.style, {
          position: 'fixed',
          inset: '0',
          pointerEvents: 'none',
          background: 'red',
          opacity: '0.5',
        });
        document.body.append(cover);
      });
      await expect.poll(() => shown.error()).toContain('is covering');
      await shown.click('Send', { force: true });
      expect((await state(frame)).answers).toEqual([]);
      await page.evaluate(() => document.querySelector('div')?.remove());
      await shown.click('Send');
      await shown.closed();
      expect((await state(frame)).answers).toEqual([approved]);
    } finally {
      await host.stop();
      await wallet.stop();
    }
  });
});
