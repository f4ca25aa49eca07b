import type { Browser, Frame, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createLocalService, type LocalService } from '../../../../packages/kit/src/local/index.js';
import { launchChromium } from '../../../support/chromium.js';
import { openDialog } from '../../../support/dialog-driver.js';
import * as questions from '../../../support/questions.js';
import { type Served, serveFiles, servePage } from '../../../support/serve.js';
import {
  answersOn,
  askOn,
  confirmable,
  failuresOn,
  hostilePage,
  keepPicture,
  openHostilePage,
} from './pages.js';
import type { WalletPage } from './wallet-page.js';

/** Pages that put the wallet's page into a frame, and pages that move the dialog about. */

let service: LocalService;
let served: Served;
let framing: Served;
let browser: Browser;
let page: Page;

beforeAll(async () => {
  [service, served, framing, browser] = await Promise.all([
    createLocalService(),
    servePage({
      html: '<!doctype html><title>A wallet</title><link rel="icon" href="data:,"><body><h1>A dapp</h1><script type="module" src="/test/e2e/browser/attacks/wallet-page.ts"></script>',
    }),
    serveFiles('test', { html: '<!doctype html><title>Win a prize</title><body>' }),
    launchChromium(),
  ]);
});

afterAll(async () => {
  await browser?.close();
  await Promise.all([served?.stop(), framing?.stop(), service?.close()]);
});

beforeEach(async () => {
  page = await browser.newPage({ viewport: { width: 900, height: 800 } });
  page.setDefaultTimeout(30_000);
});

afterEach(() => page.close());

/** As Firefox and Safari are: without IntersectionObserver v2. */
const withoutVisibility = () => page.addInitScript('delete IntersectionObserverEntry.prototype.isVisible');

/** Frames the wallet's page, by the same site or by another one (localhost and 127.0.0.1 are two), with a style. */
async function frame(style: string, from: 'same origin' | 'other site', mayAsk = false): Promise<Frame> {
  const address =
    from === 'other site' ? framing.url.replace('127.0.0.1', 'localhost') : `${served.url}/none`;
  const query = { service: service.url, ...(mayAsk && { within: new URL(address).origin }) };
  await page.goto(address);
  await page.evaluate(
    ([address, css]) => {
      document.body.innerHTML = `<style>iframe { width: 700px; height: 700px; border: 0; ${css} }</style>
        <h1>Click here</h1><iframe src="${address}"></iframe>`;
    },
    [`${served.url}/?${new URLSearchParams(query)}`, style] as const,
  );
  const framed = page.frames()[1] as Frame;
  await framed.waitForFunction(() => 'page' in window);
  return framed;
}

const inside = (framed: Frame) => ({
  furnish: () => framed.evaluate(() => (window as unknown as { page: WalletPage }).page.furnish()),
  outcome: (method: string, params: readonly unknown[] = []) =>
    framed.evaluate(
      ([name, given]) => (window as unknown as { page: WalletPage }).page.outcome(name, given),
      [method, params] as const,
    ),
});

const refused = {
  code: 4200,
  message: expect.stringContaining('Open the page in a tab of its own'),
};

describe('a page in a frame', () => {
  test.each([
    ['same origin', true],
    ['same origin', false],
    ['other site', true],
    ['other site', false],
  ] as const)(
    'a frame of a page of the %s, in a browser with IntersectionObserver v2: %s: no click approves anything, and reads are answered',
    async (from, isSupported) => {
      if (!isSupported) await withoutVisibility();
      const framed = await frame('opacity: .001', from);
      const { furnish, outcome } = inside(framed);
      const account = await furnish();
      await service.controls.faucet(account as `0x${string}`, 10n ** 18n);
      const transaction = { from: account, to: account, value: '0x1' };
      const asked: [string, readonly unknown[]][] = [
        ['eth_sendTransaction', [transaction]],
        ['eth_signTransaction', [transaction]],
        ['personal_sign', ['0x68656c6c6f', account]],
        ['wallet_requestPermissions', [{ eth_accounts: {} }]],
      ];
      for (const [method, params] of asked) {
        const ending = outcome(method, params);
        // A person lured into clicking everywhere, for longer than the dialog waits.
        for (let y = 100; y < 700; y += 60) {
          await page.mouse.click(450, y);
          await page.waitForTimeout(80);
        }
        expect(await ending, method).toEqual(refused);
      }
      expect(await framed.evaluate(() => document.querySelectorAll('[data-graft]').length)).toBe(0);
      await keepPicture(`framed-by-${from.replace(' ', '-')}`, await page.screenshot());
      expect(await outcome('eth_accounts')).toEqual({ result: [account] });
      expect(await outcome('eth_blockNumber')).toEqual({ result: expect.stringMatching(/^0x/) });
    },
  );

  test('a page that is not in a frame shows its questions as usual', async () => {
    await withoutVisibility();
    await page.goto(`${served.url}/?${new URLSearchParams({ service: service.url })}`);
    await page.waitForFunction(() => 'page' in window);
    const { furnish, outcome } = inside(page.mainFrame());
    const ending = outcome('personal_sign', ['0x68656c6c6f', await furnish()]);
    const dialog = await openDialog(page, { kind: 'message' });
    await dialog.click('Sign');
    expect(await ending).toEqual({ result: expect.stringMatching(/^0x[\da-f]{130}$/) });
  });
});

describe('a frame of a page that the operator has named', () => {
  test.each([
    ['nearly transparent', 'opacity: .01'],
    ['shrunk', 'transform: scale(.2)'],
    ['blurred', 'filter: blur(9px)'],
    ['cut to the button', 'clip-path: inset(560px 100px 60px 350px)'],
    ['scrolled out but for the button', 'position: absolute; top: -420px'],
  ])('%s: the dialog opens and cannot be confirmed', async (name, style) => {
    const framed = await frame(style, 'other site', true);
    const { furnish, outcome } = inside(framed);
    const ending = outcome('personal_sign', ['0x68656c6c6f', await furnish()]);
    const dialog = await openDialog(framed, { kind: 'message' });
    await page.waitForTimeout(1500);
    expect((await dialog.buttons())[1]?.enabled).toBe(false);
    await keepPicture(`frame-${name.replaceAll(' ', '-')}`, await page.screenshot());
    await dialog.click('Sign', { force: true });
    expect(await dialog.isOpen()).toBe(true);
    await page.addStyleTag({
      content: 'iframe { all: unset !important; width: 700px !important; height: 700px !important }',
    });
    // A click that gives the frame its focus does nothing else: the button waits anew.
    await dialog.click('Sign');
    await page.waitForTimeout(500);
    if (await dialog.isOpen()) await dialog.click('Sign');
    expect(await ending).toEqual({ result: expect.stringMatching(/^0x[\da-f]{130}$/) });
  });
});

describe('a page that moves the dialog', () => {
  const moves: [string, (host: Element) => void][] = [
    ['takes it out and puts it back at once', (host) => host.replaceWith(host)],
    ['puts it somewhere else', (host) => document.querySelector('h1')?.append(host)],
    [
      'puts it into a shadow tree',
      (host) => document.querySelector('h1')?.attachShadow({ mode: 'open' }).append(host),
    ],
    [
      'moves it without taking it out',
      (host) =>
        (document.querySelector('h1') as Element & { moveBefore(node: Node, child: null): void }).moveBefore(
          host,
          null,
        ),
    ],
    ['moves its own body', () => document.documentElement.append(document.body)],
  ];

  test.each(moves)('%s: the question fails, which no person has refused', async (_, move) => {
    await openHostilePage(page, served.url, hostilePage());
    const dialog = await askOn(page, questions.payment);
    await confirmable(dialog);
    await page.evaluate(`(${move})(document.querySelector('[data-graft]'))`);
    await dialog.closed();
    expect(await failuresOn(page)).toEqual([-32002]);
    expect(await answersOn(page)).toEqual([]);
    expect(await page.locator('[data-graft]').count()).toBe(0);
  });
});
