import { PNG } from 'pngjs';
import { recoverMessageAddress } from 'viem';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createLocalService, type LocalService } from '../../../packages/kit/src/local/index.js';
import type { BrowserName, Place, Tab, TestBrowser } from '../../support/browsers/browser.js';
import { launchBrowser } from '../../support/browsers/launch.js';
import { type Person, personAt, type Question } from '../../support/browsers/person.js';
import { clientOf } from '../../support/local-client.js';
import { openShadowsPath, openShadowsScript } from '../../support/open-shadows.js';
import { type Served, servePage } from '../../support/serve.js';
import { until } from '../../support/until.js';
import { hostileStyles } from '../browser/attacks/hostile-styles.js';
import type { Outcome, WalletPage } from '../browser/attacks/wallet-page.js';

const password = 'a password for attacks';
const friend = '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed';
const coin = 10n ** 18n;
const hello = '0x68656c6c6f';
const refused = { code: 4001, message: expect.any(String) };
/** Milliseconds for which Enter is still ignored when the approving button can be clicked. */
const enterWaitsOn = 500;
/** Milliseconds for which nothing can be confirmed, less the time from its drawing until the page is told of it. */
const leastDelay = 550;
const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));
const patience = { interval: 50, timeout: 30_000 };

const html = `<!doctype html><html lang="en"><meta charset="utf-8"><title>An app</title><link rel="icon" href="data:,">
  <script src="${openShadowsPath}"></script>
  <script type="module" src="/test/e2e/browser/attacks/wallet-page.ts"></script>
  <body><h1>An app</h1><button id="open">Open</button></body></html>`;

/**
 * What the dialog and the panel owe to the browser: focus, keys, layout, which clicks are a person's, and what a page can do
 * to an element on top of it. One wallet asks in one window, over a service with a real EVM.
 */
export function describeDialog(name: BrowserName): void {
  describe(`the dialog in ${name}`, () => {
    let service: LocalService;
    let served: Served;
    let browser: TestBrowser;
    let tab: Tab;
    let person: Person;
    let account: `0x${string}`;

    const addressOf = (look: object = {}) =>
      `${served.url}/?${new URLSearchParams({ service: service.url, look: JSON.stringify(look) })}`;

    beforeAll(async () => {
      service = await createLocalService({ chainId: 33, mining: 'auto' });
      [served, browser] = await Promise.all([
        servePage({
          html,
          csp: `default-src 'self'; img-src data:; font-src data:; connect-src ${service.url}; worker-src blob:; require-trusted-types-for 'script'`,
          scripts: { [openShadowsPath]: `${openShadowsScript}(${reportViolations})();` },
        }),
        launchBrowser(name, { looks: true }),
      ]);
      tab = await browser.open(addressOf());
      person = personAt(tab);
      account = await furnish(tab);
      await service.controls.faucet(account, coin);
    });

    afterAll(async () => {
      await browser?.close();
      await Promise.all([served?.stop(), service?.close()]);
    });

    /** Makes a request, whose outcome {@link ended} reads. Resolves with its question. */
    async function ask(kind: string, method: string, ...params: readonly unknown[]): Promise<Question> {
      await begin(tab, method, ...params);
      return person.question(kind);
    }
    const askToSign = () => ask('message', 'personal_sign', hello, account);

    /** How the newest request has ended. */
    const ended = (place: Place = tab) =>
      until(() => place.evaluate(() => (window as { outcome?: Outcome }).outcome ?? null), {
        ...patience,
        failure: 'The request has no outcome.',
      });
    const isOpen = () => tab.evaluate(readDialog).then((dialog) => dialog !== null);
    const expectSigned = async () => {
      const { result: signature } = (await ended()) as { result: `0x${string}` };
      expect((await recoverMessageAddress({ message: 'hello', signature })).toLowerCase()).toBe(account);
    };
    /** Waits until the approving button can be pressed, or cannot. */
    const confirmable = (isConfirmable = true) =>
      until(async () => (await tab.evaluate(readDialog))?.isConfirmable === isConfirmable, {
        ...patience,
        failure: isConfirmable ? 'The dialog cannot be confirmed.' : 'The dialog can be confirmed.',
      });
    /** Milliseconds between the last call of `measureDelay` and when the dialog could be confirmed. */
    const waited = () => tab.evaluate(() => (window as { waited?: number }).waited);
    const confirmButton = async () => (await tab.evaluate(readDialog))?.confirm as Point;

    test('a payment shows who asks, who is paid and what it costs, and is mined as it was shown', async () => {
      const payment = { from: account, to: friend, value: '0x3782dace9d90000' };
      const question = await ask('transaction', 'eth_sendTransaction', payment);
      const text = await question.answer('Send');
      for (const fact of [new URL(served.url).host, '0.25 tRBTC', 'Maximum fee', 'Account 1'])
        expect(text).toContain(fact);
      expect(text.toLowerCase()).toContain(friend);
      const { result: hash } = (await ended()) as { result: string };
      const receipt = () => clientOf(service).call('eth_getTransactionReceipt', hash);
      expect(await until(receipt, patience)).toMatchObject({ status: '0x1', from: account, to: friend });
      expect(await clientOf(service).call('eth_getBalance', friend, 'latest')).toBe(payment.value);
    });

    test('it stands still for 0.6 s before it can be confirmed, and again when its layout changes', async () => {
      await tab.evaluate(measureDelay);
      await askToSign();
      await confirmable();
      expect(await waited()).toBeGreaterThan(leastDelay);

      const at = await confirmButton();
      await tab.evaluate(disturbEachPress);
      await tab.clickAt(at.x, at.y);
      expect(await tab.evaluate(() => (window as { pressed?: number }).pressed)).toBe(1);
      expect(await isOpen()).toBe(true);
      await tab.evaluate(() => document.dispatchEvent(new Event('undisturb')));
      await confirmable();
      await tab.clickAt(at.x, at.y);
      await expectSigned();
    });

    test('no event that a script makes confirms it', async () => {
      const question = await askToSign();
      await confirmable();
      await tab.evaluate(pressByScript);
      expect(await isOpen()).toBe(true);
      await question.answer('Sign');
      await expectSigned();
    });

    test('a page that hides or covers it keeps it from being confirmed', async () => {
      const question = await askToSign();
      for (const [trick, css] of tricks) {
        await confirmable();
        const at = await confirmButton();
        await tab.evaluate(playTrick, css);
        await confirmable(false);
        await tab.clickAt(at.x, at.y);
        await until(
          async () => /is altering this window/.test((await tab.evaluate(readDialog))?.error ?? ''),
          {
            ...patience,
            failure: `${trick}: the dialog does not say why it waits.`,
          },
        );
        expect([trick, await isOpen()]).toEqual([trick, true]);
        await tab.evaluate(measureDelay);
        await confirmable();
        expect(await waited()).toBeGreaterThan(leastDelay);
      }
      await question.answer('Sign');
      await expectSigned();
    });

    test('while a style sheet of the page changes a pixel of it, it cannot be confirmed', async () => {
      const question = await askToSign();
      await confirmable();
      // The button is drawn as it is a frame or more after it can be pressed.
      let untouched = (await pictureOf(tab)) as Buffer;
      const isDrawn = async () => {
        const before = untouched;
        await tab.evaluate(twoFrames);
        untouched = (await pictureOf(tab)) as Buffer;
        return isAlike(before, untouched);
      };
      await until(isDrawn, patience);
      expect(new Set(untouched).size).toBeGreaterThan(20);
      const isAsBefore = async () => isAlike(await pictureOf(tab), untouched);
      const isConfirmable = async () => (await tab.evaluate(readDialog))?.isConfirmable === true;
      const changed: string[] = [];
      for (const [name, css] of hostileStyles) {
        await tab.evaluate(adopt, css);
        // It undoes by itself what reaches it, or waits.
        const isSafe = async () => (await isAsBefore()) || !(await isConfirmable());
        await until(isSafe, { ...patience, interval: 50 }).catch(() => changed.push(name));
        await tab.evaluate(adopt, '');
        const isRestored = async () => (await isConfirmable()) && (await isAsBefore());
        await until(isRestored, { ...patience, interval: 50, failure: `${name} stays.` });
      }
      expect(changed).toEqual([]);
      await question.answer('Sign');
      await expectSigned();
    });

    test('Escape refuses and returns the focus; a click beside it does nothing', async () => {
      await tab.evaluate(() => document.getElementById('open')?.focus());
      await askToSign();
      await tab.clickAt(5, 5);
      expect(await isOpen()).toBe(true);
      await tab.type('Escape');
      expect(await ended()).toEqual(refused);
      expect(await tab.evaluate(() => document.activeElement?.id)).toBe('open');
      expect(await isOpen()).toBe(false);
    });

    test('a page that takes it out, moves it or replaces its body gets an error, which no person has given', async () => {
      const removals: readonly (() => void)[] = [
        () => document.querySelector('[data-graft]')?.remove(),
        () => document.querySelector('h1')?.append(document.querySelector('[data-graft]') as Element),
        () =>
          document
            .querySelector('[data-graft]')
            ?.replaceWith(document.querySelector('[data-graft]') as Element),
        () => {
          const { body } = document;
          document.body = document.createElement('body');
          document.body = body;
        },
      ];
      for (const remove of removals) {
        await askToSign();
        await tab.evaluate(remove);
        expect(await ended()).toEqual({
          code: -32002,
          message: expect.stringContaining('removed the dialog'),
        });
        expect(await tab.evaluate(() => document.querySelectorAll('[data-graft]').length)).toBe(0);
      }
    });

    test('Tab visits each of its controls and none of the page, and Enter confirms', async () => {
      await tab.evaluate(() => document.getElementById('open')?.focus());
      await askToSign();
      await confirmable();
      expect(await tab.evaluate(readFocus)).toBe('Sign a message');
      const visited: (string | null)[] = [];
      for (let count = 0; count < 8; count++) {
        await tab.type('Tab');
        visited.push(await tab.evaluate(readFocus));
      }
      expect(visited.filter((each) => each === 'Reject' || each === 'Sign')).not.toEqual([]);
      expect(visited).not.toContain('Open');
      await until(async () => {
        if ((await tab.evaluate(readFocus)) === 'Sign') return true;
        await tab.type('Tab');
        return false;
      });
      // The focus may have been in the browser's own bars: the delay has started again then.
      await confirmable();
      // Enter waits longer than a click: a second in all.
      await pause(enterWaitsOn);
      await tab.type('Enter');
      await expectSigned();
    });

    test('a page that takes all keys and clicks by listeners added later takes none from the dialog', async () => {
      await tab.evaluate(() => {
        const stop = new AbortController();
        const seen: string[] = [];
        const take = (event: Event): void => {
          seen.push((event as KeyboardEvent).key);
          event.preventDefault();
          event.stopImmediatePropagation();
        };
        for (const type of [
          'keydown',
          'keypress',
          'beforeinput',
          'pointerdown',
          'mousedown',
          'touchstart',
          'click',
        ])
          for (const target of [window, document, document.documentElement])
            target.addEventListener(type, take, { capture: true, passive: false, signal: stop.signal });
        Object.assign(window, { seen, giveBack: () => stop.abort() });
        (window as never as { page: WalletPage }).page.wallet.lock();
      });
      const question = await askToSign();
      await question.fill('Wallet password', password);
      await question.click('Sign');
      await expectSigned();
      await askToSign();
      await tab.type('Escape');
      expect(await ended()).toEqual(refused);
      const seen = await tab.evaluate(() => {
        const page = window as never as { seen: (string | undefined)[]; giveBack(): void };
        page.giveBack();
        return page.seen;
      });
      expect(seen).toContain('');
      expect(seen.filter((key) => key)).toEqual([]);
    });

    test('a locked wallet is opened by its password only', async () => {
      await tab.evaluate(() => (window as never as { page: WalletPage }).page.wallet.lock());
      const question = await askToSign();
      await question.fill('Wallet password', 'hunter2');
      await question.click('Sign');
      await question.see('The password is wrong.');
      expect(await tab.evaluate(readFocus)).toBe('Wallet password');
      await question.fill('Wallet password', password);
      await confirmable();
      await pause(enterWaitsOn);
      await tab.type('Enter');
      await expectSigned();
    });

    test('the panel sends a payment, which the dialog asks about', async () => {
      await tab.evaluate(() => void (window as never as { page: WalletPage }).page.wallet.open());
      const before = BigInt(await clientOf(service).call('eth_getBalance', friend, 'latest'));
      const panel = await person.question('panel');
      await panel.click('Send');
      await panel.fill('To', friend);
      await panel.fill('Amount', '0.125');
      await panel.click('Review and send');
      const question = await person.question('transaction');
      expect(await question.answer('Send')).toContain('0.125 tRBTC');
      const after = () => clientOf(service).call('eth_getBalance', friend, 'latest').then(BigInt);
      await until(async () => (await after()) - before === coin / 8n, patience);
    });

    test('nothing that it shows is forbidden by a strict policy', async () => {
      expect(await tab.evaluate(() => (window as { violations?: string[] }).violations)).toEqual([]);
    });

    test('in a language that is written from right to left the buttons change sides', async () => {
      const words = { language: 'he', direction: 'rtl', reject: 'דחייה', sign: 'חתימה' };
      await tab.goto(addressOf({ words }));
      account = await furnish(tab);
      const question = await askToSign();
      await confirmable();
      const { confirm, reject } = (await tab.evaluate(readDialog)) as { confirm: Point; reject: Point };
      expect(confirm.x).toBeLessThan(reject.x);
      await question.answer('חתימה');
      await expectSigned();
    });

    test('where no passkey can be made none is offered: a wallet is made with a password, and connected', async () => {
      // Firefox has passkeys, but none for an address in digits; this WebKit has none at all.
      await tab.goto(addressOf());
      await until(() => tab.evaluate(() => 'page' in window), patience);
      const setup = await ask('onboarding', 'eth_requestAccounts');
      await setup.click('Create a wallet');
      await setup.see('Choose a password');
      expect(await setup.read()).not.toMatch(/passkey/i);
      await setup.fill('New password', password);
      await setup.fill('Repeat the password', password);
      await setup.click('Create the wallet');
      await setup.click('Later');
      await (await person.question('connect')).answer('Connect');
      expect(await ended()).toEqual({ result: [expect.stringMatching(/^0x[\da-f]{40}$/)] });
      const added = await tab.evaluate(() =>
        (window as never as { page: WalletPage }).page.wallet
          .addPasskey('This device')
          .catch(({ code, message }) => ({ code, message })),
      );
      expect(added).toEqual({ code: 4200, message: expect.stringContaining('Use a password.') });
    });

    test.each([
      ['of its own origin', '127.0.0.1'],
      ['of another site', 'localhost'],
    ])('in a page %s it shows nothing that could be clicked, and says what to do', async (_, host) => {
      await tab.goto(`${served.url.replace('127.0.0.1', host)}/none`);
      await tab.evaluate((address) => {
        document.body.innerHTML = `<iframe src="${address}" width="700" height="600" style="opacity: .001"></iframe>`;
      }, addressOf());
      const frame = await until(() => tab.frame('service='), patience);
      const framed = await furnish(frame);
      await begin(frame, 'personal_sign', hello, framed);
      for (const y of [100, 300, 500]) await tab.clickAt(350, y);
      expect(await ended(frame)).toEqual({
        code: 4200,
        message: expect.stringContaining('Open the page in a tab of its own.'),
      });
      expect(await frame.evaluate(() => document.querySelectorAll('[data-graft]').length)).toBe(0);
    });
  });
}

interface Point {
  readonly x: number;
  readonly y: number;
}

/** What a page does to the dialog, by a style sheet; `null`: by a modal dialog of its own. */
const tricks: readonly (readonly [string, string | null])[] = [
  ['another modal dialog', null],
  ['display: none on the body', 'body { display: none }'],
  ['display: none on the root', 'html { display: none }'],
  ['content-visibility on the body', 'body { content-visibility: hidden }'],
];

/** Runs in the page. */
const furnish = (place: Place) =>
  until(() => place.evaluate(() => 'page' in window), patience).then(() =>
    place.evaluate(() => (window as never as { page: WalletPage }).page.furnish()),
  ) as Promise<`0x${string}`>;

const begin = (place: Place, method: string, ...params: readonly unknown[]) =>
  place.evaluate(
    (name, given) => {
      Object.assign(window, { outcome: undefined });
      void (window as never as { page: WalletPage }).page
        .outcome(name, given)
        .then((outcome) => Object.assign(window, { outcome }));
    },
    method,
    params,
  );

/** Runs in the page, before its scripts. */
function reportViolations(): void {
  const violations: string[] = [];
  addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
    violations.push(`${violatedDirective} ${blockedURI}`),
  );
  Object.assign(window, { violations });
}

/** Runs in the page: the dialog that is open; `null` without one. */
function readDialog() {
  const dialog = Array.from(document.querySelectorAll('[data-graft]'), ({ shadowRoot }) =>
    shadowRoot?.querySelector('dialog'),
  ).find((each) => each?.open);
  const confirm = dialog?.querySelector('.confirm');
  if (!dialog || !confirm) return null;
  const centre = (element: Element) => {
    const { left, top, width, height } = element.getBoundingClientRect();
    return { x: left + width / 2, y: top + height / 2 };
  };
  const reject = dialog.querySelector('.actions button:not(.confirm)');
  return {
    isConfirmable: confirm.getAttribute('aria-disabled') !== 'true',
    confirm: centre(confirm),
    reject: reject && centre(reject),
    error: dialog.querySelector('#error')?.textContent ?? '',
  };
}

/** The pixels of the dialog that is open, but for its round corners; `null` if not all of it is in view. */
async function pictureOf(tab: Tab): Promise<Buffer | null> {
  const { left, top, width, height } = await tab.evaluate(() => {
    const dialog = document.querySelector('[data-graft]')?.shadowRoot?.querySelector('dialog');
    const { left, top, width, height } = (dialog as HTMLDialogElement).getBoundingClientRect();
    const corner = 8;
    return {
      left: Math.round(left) + corner,
      top: Math.round(top) + corner,
      width: Math.round(width) - 2 * corner,
      height: Math.round(height) - 2 * corner,
    };
  });
  const whole = PNG.sync.read(await tab.picture());
  const isInView = left >= 0 && top >= 0 && left + width <= whole.width && top + height <= whole.height;
  if (!isInView || width <= 0 || height <= 0) return null;
  const part = new PNG({ width, height });
  PNG.bitblt(whole, part, left, top, width, height);
  return part.data;
}

/** Whether hardly a pixel differs by much, as edges of letters and corners do from one drawing to the next. */
function isAlike(one: Buffer | null, other: Buffer): boolean {
  if (one?.length !== other.length) return false;
  let different = 0;
  for (const [i, value] of one.entries()) if (Math.abs(value - (other[i] as number)) > 64) different++;
  return different < 24;
}

/** Runs in the page: resolves when what was changed before is drawn. */
function twoFrames(): Promise<void> {
  return new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve())));
}

/** Runs in the page. */
function adopt(css: string): void {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  document.adoptedStyleSheets = [sheet];
}

/** Runs in the page: the name of the focused element. */
function readFocus(): string | null {
  let focused = document.activeElement;
  while (focused?.shadowRoot?.activeElement) focused = focused.shadowRoot.activeElement;
  const label = focused instanceof HTMLInputElement ? focused.labels?.[0] : focused;
  return focused === document.body ? null : (label?.textContent ?? null);
}

/**
 * Runs in the page: ends what {@link playTrick} has begun, and measures how long the dialog cannot be confirmed: from now on
 * if it is open, else from when it opens.
 */
function measureDelay(): void {
  document.adoptedStyleSheets = [];
  document.getElementById('cover')?.remove();
  Object.assign(window, { waited: undefined });
  const measure = () => {
    const root = document.querySelector('[data-graft]')?.shadowRoot;
    if (!root) return;
    opening.disconnect();
    const start = performance.now();
    const waiting = new MutationObserver(() => {
      if (root.querySelector('.confirm')?.getAttribute('aria-disabled') !== 'false') return;
      waiting.disconnect();
      Object.assign(window, { waited: performance.now() - start });
    });
    waiting.observe(root, { subtree: true, childList: true, attributes: true });
  };
  const opening = new MutationObserver(measure);
  opening.observe(document.body, { childList: true });
  measure();
}

/** Runs in the page. Dispatches a `resize` event before each press of the mouse, and counts the presses in `window.pressed`. */
function disturbEachPress(): void {
  const ended = new AbortController();
  let pressed = 0;
  const disturb = () => {
    Object.assign(window, { pressed: ++pressed });
    window.dispatchEvent(new Event('resize'));
  };
  window.addEventListener('pointerdown', disturb, { capture: true, signal: ended.signal });
  document.addEventListener('undisturb', () => ended.abort(), { once: true });
}

/** Runs in the page. */
function pressByScript(): void {
  const button = document.querySelector('[data-graft]')?.shadowRoot?.querySelector('.confirm');
  if (!(button instanceof HTMLButtonElement)) throw new Error('There is no dialog.');
  const options = { bubbles: true, composed: true, isPrimary: true };
  button.focus();
  button.dispatchEvent(new PointerEvent('pointerdown', options));
  button.dispatchEvent(new MouseEvent('mousedown', options));
  button.dispatchEvent(new MouseEvent('click', options));
  button.dispatchEvent(new KeyboardEvent('keydown', { ...options, key: 'Enter' }));
  button.click();
}

/** Runs in the page, until {@link measureDelay} ends it. */
function playTrick(css: string | null): void {
  if (css !== null) {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(css);
    document.adoptedStyleSheets = [sheet];
    return;
  }
  const cover = document.createElement('dialog');
  cover.id = 'cover';
  cover.textContent = 'You have won';
  cover.style.cssText = 'inset: 0; height: 60%; margin: auto';
  document.body.append(cover);
  cover.showModal();
}
