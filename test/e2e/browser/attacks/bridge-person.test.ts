import type { Frame, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type DialogDriver, openDialog } from '../../../support/dialog-driver.js';
import { until } from '../../../support/until.js';
import { createCatch, type Secret, secretText, secretWords } from '../../attack/secrets.js';
import {
  type BridgeAppPage,
  type BridgeWalletPage,
  inside,
  openSite,
  planted,
  type Site,
  trustedHost,
  walletFrame,
} from './bridge-site.js';
import { confirmable } from './pages.js';

/**
 * A dapp that tries to get an answer that the person has not given: with the frame, and with the window of the wallet.
 * The numbers are those of docs/notes/security.md#attacks-on-the-bridge.
 */

let site: Site;
let accounts: readonly [`0x${string}`, `0x${string}`];

beforeAll(async () => {
  site = await openSite();
  accounts = await site.plant();
});
afterEach(() => site.clear());
afterAll(() => site?.close());

const secrets = (): readonly Secret[] => [
  secretText('password', planted.password),
  secretWords('mnemonic', planted.phrase),
  secretText('API key', planted.apiKey),
  secretText('site', planted.otherSite),
  secretText('label', planted.label),
  secretText('account of another site', accounts[1]),
  secretText('path', "m/44'/37310'"),
];

interface Embedded {
  readonly page: Page;
  readonly frame: Frame;
  /** Asks through the newest line. Resolves at once with what resolves with the answer. */
  ask(method: string, params?: unknown): Promise<() => Promise<unknown>>;
  /** Resolves with the first message of this type. */
  got(type: string): Promise<{ readonly [member: string]: unknown }>;
}

/** An attacker's page with the wallet's frame at its left upper corner, and a line to it. */
async function embedded(
  attributes: Record<string, string> = {},
  { host = 'app.site', shows = true, script = '', more = {} as object } = {},
): Promise<Embedded> {
  const page = await site.hostile(host, script);
  await page.setViewportSize({ width: 900, height: 800 });
  await inside(
    page,
    async ({ embed, open }, given) => {
      const frame = await embed(given.src, { id: 'wallet', ...given.attributes });
      const line = open(frame.contentWindow as Window, given.more);
      line.shows = given.shows;
      await line.got('welcome');
    },
    { src: `${site.wallet}/frame.html`, attributes, shows, more },
  );
  return {
    page,
    frame: await walletFrame(page),
    async ask(method, params = []) {
      const at = await inside(
        page,
        ({ lines, answers }, given) =>
          answers.push(lines.at(-1)?.ask(given.method, given.params) as Promise<unknown>) - 1,
        { method, params },
      );
      return () => inside(page, ({ answers }, index) => answers[index], at);
    },
    got: (type) => inside(page, async ({ lines }, name) => (await lines.at(-1)?.got(name)) as never, type),
  };
}

/** How many questions a document draws. */
const drawn = (place: Page | Frame) =>
  place.evaluate(() => document.querySelectorAll('[data-graft]:not([data-graft=bridge])').length);

/** Asks for accounts anew, for which no password is needed. */
const permissions = ['wallet_requestPermissions', [{ eth_accounts: {} }]] as const;

const confirmOf = async (dialog: DialogDriver) => (await dialog.buttons())[1];

/** Styles the wallet's frame. */
/** Resolves when the page is drawn so: until then clicks go to what is where it was. */
const style = (page: Page, css: string) =>
  page.evaluate((text) => {
    document.getElementById('wallet')?.setAttribute('style', text);
    return new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  }, css);

/** Runs an expression as a page's own code does: what Playwright evaluates counts as a click. */
async function run<T>(page: Page, expression: string): Promise<T> {
  const devtools = await page.context().newCDPSession(page);
  const settings = { expression, awaitPromise: true, returnByValue: true };
  const { result } = await devtools.send('Runtime.evaluate', settings);
  await devtools.detach();
  return result.value;
}

/** For the frame of a dapp that the wallet's operator has named, in which questions are asked. */
const trusted = { host: trustedHost };

describe('the frame of a dapp that may be asked in it', () => {
  test('takes no click while anything is over it, whatever the dapp does to hide it (attacks 28, 32)', async () => {
    const { page, frame, ask } = await embedded({}, trusted);
    // A script that forges what its own page measures does not reach the frame.
    await page.evaluate(() =>
      Object.defineProperty(IntersectionObserverEntry.prototype, 'isVisible', { get: () => true }),
    );
    const answer = await ask(...permissions);
    const dialog = await openDialog(frame, { kind: 'connect' });
    const element = (css: string, tag = 'div') =>
      `(() => { const it = document.createElement('${tag}'); it.id = 'cover'; it.textContent = 'Win a prize'; it.style.cssText = '${css}'; document.body.append(it); return it; })()`;
    const covers: Record<string, string> = {
      'a cover that lets clicks through': element(
        'position:fixed;inset:0;background:#fff;pointer-events:none',
      ),
      'a cover that cannot be seen': element('position:fixed;inset:0;background:#fff;opacity:.01'),
      'a modal dialog': `${element('width:800px;height:700px;pointer-events:none', 'dialog')}.showModal()`,
      'an element in full screen': `${element('')}.requestFullscreen()`,
      'an opacity of 1 %': `wallet.style.opacity = '.01'`,
      'a scale of 5 %': `wallet.style.transform = 'scale(.05)'`,
      'a blur': `wallet.style.filter = 'blur(9px)'`,
      'a hole for the button': `wallet.style.clipPath = 'inset(560px 100px 60px 350px)'`,
      'a blend with the page': `wallet.style.mixBlendMode = 'difference'`,
    };
    for (const [name, cover] of Object.entries(covers)) {
      await confirmable(dialog);
      await page.evaluate(`${cover}; 0`);
      await until(async () => (await confirmOf(dialog))?.enabled === false, {
        failure: `${name} is not seen`,
      });
      await dialog.click('Connect', { force: true });
      expect([name, await dialog.isOpen()]).toEqual([name, true]);
      await page.evaluate(async () => {
        if (document.fullscreenElement) await document.exitFullscreen();
        document.getElementById('cover')?.remove();
        document.getElementById('wallet')?.removeAttribute('style');
      });
    }
    await dialog.click('Connect');
    expect(await answer()).toEqual([expect.objectContaining({ parentCapability: 'eth_accounts' })]);
  });

  test('takes no click that was meant for something else (attack 29)', async () => {
    const { page, frame, ask } = await embedded({}, trusted);
    const answer = await ask(...permissions);
    const dialog = await openDialog(frame, { kind: 'connect' });
    await confirmable(dialog);
    const box = await dialog.evaluate((shown) => {
      const { left, top, width, height } = (
        shown.querySelector('.confirm') as Element
      ).getBoundingClientRect();
      return { x: left + width / 2, y: top + height / 2 };
    });

    // A button of the dapp, in whose place the frame comes under the cursor as it is pressed.
    await style(page, 'position:absolute;left:0;top:2000px');
    await page.mouse.move(box.x, box.y);
    await page.mouse.click(box.x, box.y, { clickCount: 1 });
    await style(page, 'position:absolute;left:0;top:0');
    await page.mouse.click(box.x, box.y, { clickCount: 2 });
    expect(await dialog.isOpen()).toBe(true);

    // It is there and can be pressed, and moves a little under the mouse before it is.
    await until(async () => (await confirmOf(dialog))?.enabled);
    await page.mouse.move(box.x, box.y - 1);
    await confirmable(dialog);
    await style(page, 'position:absolute;left:0;top:12px');
    await page.mouse.click(box.x, box.y - 1);
    expect(await dialog.isOpen()).toBe(true);
    await page.evaluate(() => {
      const wallet = document.getElementById('wallet') as Element;
      (document.body as never as { moveBefore(node: Node, before: null): void }).moveBefore(wallet, null);
      wallet.setAttribute('style', 'position:absolute;left:0;top:0');
    });
    await page.mouse.click(box.x, box.y);
    expect(await dialog.isOpen()).toBe(true);

    // Pressed elsewhere, and let go over the button.
    await confirmable(dialog);
    await page.mouse.move(850, 700);
    await page.mouse.down();
    await page.mouse.move(box.x, box.y, { steps: 3 });
    await page.mouse.up();
    expect(await dialog.isOpen()).toBe(true);

    // Enter and the space bar, held down since before.
    await page.mouse.move(850, 700);
    await page.keyboard.press('Tab');
    for (const key of ['Enter', ' ']) for (let i = 0; i < 20; i++) await page.keyboard.down(key);
    expect(await dialog.isOpen()).toBe(true);
    for (const key of ['Enter', ' ']) await page.keyboard.up(key);
    await dialog.click('Reject');
    expect(await answer()).toMatchObject({ error: { code: 4001 } });
  });

  test.each([
    ['is 100 by 100', { style: 'width:100px;height:100px' }],
    ['has no box', { style: 'display:none' }],
    ['is zoomed out', { style: 'zoom:.3;width:1500px;height:1500px' }],
  ])('a frame that %s asks in a window (attacks 30, 31)', async (_, attributes) => {
    const { frame, ask, got } = await embedded(attributes, trusted);
    await ask(...permissions);
    expect(await got('need-window')).toMatchObject({ token: expect.any(String) });
    expect(await drawn(frame)).toBe(0);
  });

  test('moves to a window where the dapp says that it is shown, and it is not (attacks 30, 31, 60)', async () => {
    const page = await site.hostile(trustedHost);
    await page.setViewportSize({ width: 900, height: 800 });
    const cases = [
      { what: 'invisible', style: 'visibility:hidden' },
      { what: 'out of view', style: 'position:fixed;left:-5000px;top:0' },
      { what: 'in a container that scrolls', style: 'margin-top:400px' },
      { what: 'silent', style: 'position:fixed;left:0;top:0' },
    ];
    const tokens = await inside(
      page,
      async ({ embed, open }, { src, given }) =>
        Promise.all(
          given.map(async ({ what, style }) => {
            const frame = await embed(src, { style });
            if (what.includes('scrolls')) {
              const around = document.createElement('div');
              around.style.cssText = 'width:700px;height:500px;overflow:scroll';
              document.body.append(around);
              (around as never as { moveBefore(node: Node, before: null): void }).moveBefore(frame, null);
            }
            const line = open(frame.contentWindow as Window);
            line.shows = what !== 'silent';
            void line.ask('wallet_requestPermissions', [{ eth_accounts: {} }]);
            return [what, typeof (await line.got('need-window')).token];
          }),
        ),
      { src: `${site.wallet}/frame.html`, given: cases },
    );
    expect(tokens).toEqual(cases.map(({ what }) => [what, 'string']));
  });

  test('a frame that a page on a fine screen draws at 40 % moves to a window with the mouse (attack 57)', async () => {
    // As with two pixels of the screen for one: the number alone would pass.
    const script = `if (window !== top) Object.defineProperty(window, 'devicePixelRatio', { get: () => 0.8 })`;
    const { page, frame, ask, got } = await embedded({}, { script, ...trusted });
    await style(page, 'zoom:.4;width:1500px;height:1500px');
    await ask(...permissions);
    const dialog = await openDialog(frame, { kind: 'connect' });
    await page.mouse.move(100, 100);
    await page.mouse.move(130, 140);
    await dialog.closed();
    expect(await got('need-window')).toMatchObject({ token: expect.any(String) });
  });

  test('asks in a window where nothing tells what is over it (attack 32)', async () => {
    const script = `if (window !== top) delete IntersectionObserverEntry.prototype.isVisible`;
    const { frame, ask, got } = await embedded({}, { script, ...trusted });
    await ask(...permissions);
    expect(await got('welcome')).toMatchObject({ methods: expect.arrayContaining(['personal_sign']) });
    expect(await got('need-window')).toMatchObject({ token: expect.any(String) });
    expect(await drawn(frame)).toBe(0);
  });

  test('asks for no password: a locked question goes to a window, and the next ones come back (attack 34)', async () => {
    const { page, frame, ask, got } = await embedded({}, trusted);
    const first = await ask('personal_sign', ['0x68656c6c6f', accounts[0]]);
    const token = String((await got('need-window')).token);
    expect(await drawn(frame)).toBe(0);
    const popup = await popUp(page, `window.html#${token}`);
    const locked = await openDialog(popup, { kind: 'message' });
    await locked.fill('Wallet password', planted.password);
    await locked.click('Sign');
    expect(await first()).toMatch(/^0x[\da-f]{130}$/);
    await until(() => popup.isClosed());

    const second = await ask('personal_sign', ['0x01', accounts[0]]);
    const dialog = await openDialog(frame, { kind: 'message' });
    expect(await dialog.text()).not.toContain('Wallet password');
    await dialog.click('Sign');
    expect(await second()).toMatch(/^0x[\da-f]{130}$/);
  });
});

/** A window of the wallet that a page opens within a click, as `window.popup`. */
async function popUp(page: Page, path: string, features = 'popup,width=440,height=720'): Promise<Page> {
  const opened = site.context.waitForEvent('page');
  await page.evaluate(
    (given) => void Object.assign(window, { popup: open(given.url, given.name, given.features) }),
    { url: `${site.wallet}/${path}`, name: `wallet ${path}`, features },
  );
  const popup = await opened;
  popup.setDefaultTimeout(30_000);
  await popup.waitForFunction(() => 'page' in window);
  return popup;
}

/** A page of the wallet that listens to what the others send each other. */
async function eavesdrop() {
  const page = await site.visit(site.wallet);
  await page.evaluate(() => {
    const heard: unknown[] = [];
    const listenTo = (name: string) => {
      new BroadcastChannel(name).onmessage = ({ data }) => heard.push(data);
    };
    Object.assign(window, { heard, listenTo });
    for (const name of ['graft:asking', 'graft:wallet.keyring', 'graft:wallet:tabs']) listenTo(name);
    addEventListener('storage', ({ key, newValue }) => heard.push({ key, newValue }));
  });
  return {
    /** Listens to the channel of a window too. */
    window: (token: string) =>
      page.evaluate(
        (name) => (window as never as { listenTo(name: string): void }).listenTo(name),
        `graft:bridge:${token}`,
      ),
    /** All that was sent, as one text. */
    text: () => page.evaluate(() => JSON.stringify((window as never as { heard: unknown[] }).heard)),
  };
}

const roleOf = (page: Page | Frame) =>
  page.evaluate(() => (window as never as { page: BridgeWalletPage }).page.host.role);

/** A question that the frame has handed to a window: an attacker's page, and the token of the slot. */
async function handedOver(method: string = permissions[0], params: unknown = permissions[1]) {
  const given = await embedded({ style: 'display:none' });
  const answer = await given.ask(method, params);
  const token = String((await given.got('need-window')).token);
  return { ...given, answer, token };
}

describe('claims of a dapp about itself', () => {
  test.each([
    ['another site', planted.otherSite],
    ['something that reads the other way round', '\u202emoc.knab'],
    ['a page of text', 'Trust me. '.repeat(1_000)],
  ])('is neither shown nor kept: %s (attacks 20, 56)', async (_, name) => {
    const { page, frame, ask } = await embedded(
      {},
      { more: { app: { name, icon: 'x'.repeat(2_000_000), origin: name } }, ...trusted },
    );
    await ask(...permissions);
    const dialog = await openDialog(frame, { kind: 'connect' });
    const text = await dialog.text();
    expect(text).toContain(new URL(page.url()).origin);
    expect(text).not.toContain(name.slice(0, 8));
    const kept = await frame.evaluate(() =>
      JSON.stringify([
        (window as never as { page: BridgeWalletPage }).page.host.client(),
        { ...localStorage },
      ]),
    );
    expect(kept).toContain(new URL(page.url()).origin);
    expect(kept).not.toContain('x'.repeat(100));
    expect(kept).not.toContain('\u202e');
  });
});

describe('the storage of a frame', () => {
  test.each([
    ['of another site’s page', 'app.other', {}],
    ['that the dapp wants without credentials', 'app.site', { credentialless: '' }],
    ['that the dapp has sandboxed', 'app.site', { sandbox: 'allow-scripts' }],
  ])(
    '%s is never taken for the wallet’s, so no setup of a second wallet is shown (attacks 48, 58, 59)',
    async (_, host, attributes) => {
      // A sibling host may set cookies that the wallet reads.
      const sibling = await site.hostile('evil.site');
      await sibling.evaluate(() => {
        const rest = 'Domain=site.localhost; SameSite=None; Secure; Path=/';
        for (const cookie of ['a=__Host-graft=1', '__Host-graft=1', 'b=1; c=1']) {
          // biome-ignore lint/suspicious/noDocumentCookie: a host that plants cookies
          document.cookie = `${cookie}; ${rest}`;
        }
      });
      const { page, frame, ask, got } = await embedded(attributes as Record<string, string>, { host });
      const answer = await ask('eth_requestAccounts');
      expect(await got('welcome')).toMatchObject({ features: ['partitioned'], session: { accounts: [] } });
      // The frame shows no more than a button that opens the wallet.
      await got('surface');
      const kinds = until(
        async () => {
          const found = await frame.evaluate(() =>
            Array.from(document.querySelectorAll('[data-graft]'), (each) => each.getAttribute('data-graft')),
          );
          return found.length > 0 && found;
        },
        { interval: 50 },
      );
      expect(await kinds).toEqual(['continue']);
      expect(
        await frame.evaluate(() => (window as never as { page: BridgeWalletPage }).page.host.vaultState()),
      ).toBe('unavailable');
      await inside(page, ({ lines }) => lines[0]?.post({ t: 'hidden', surface: 1 }));
      expect(await answer()).toMatchObject({ error: { code: -32002 } });
    },
  );
});

describe('the window', () => {
  test('cannot be closed, led away, named, read or written to by the dapp that has opened it (attacks 37, 41, 42)', async () => {
    const overheard = await eavesdrop();
    const { page, answer, token } = await handedOver('personal_sign', ['0x68656c6c6f', accounts[0]]);
    await overheard.window(token);
    const popup = await popUp(page, `window.html#${token}`);
    const dialog = await openDialog(popup, { kind: 'message' });
    expect(
      await page.evaluate(
        (evil) => {
          const { popup } = window as never as { popup: Window };
          const tried = (act: () => unknown) => {
            try {
              return String(act());
            } catch (error) {
              return (error as Error).name;
            }
          };
          popup.postMessage({ graft: 'bridge', t: 'open', v: [1], nonce: 'ab'.repeat(16) }, '*', [
            new MessageChannel().port2,
          ]);
          popup.postMessage({ t: 'answer', json: '"0x"' }, '*');
          const open = window.open as (url: string, name: string) => Window;
          return [
            tried(() => popup.closed),
            tried(() => popup.close()),
            tried(() => popup.focus()),
            tried(() => {
              popup.location.href = evil;
            }),
            tried(() => popup.location.replace(evil)),
            tried(() => popup.document),
            tried(() => popup.frames[0]),
            // Of a name that it has had, another window.
            tried(() => open('', popup.name || 'wallet') === popup),
          ];
        },
        `${site.origin('evil.other')}/hostile`,
      ),
    ).toEqual([
      'true',
      'undefined',
      'undefined',
      'undefined',
      'undefined',
      ...Array(3).fill(expect.anything()),
    ]);
    expect(await popup.evaluate(() => [opener, name, (window as never as { sent: number }).sent])).toEqual([
      null,
      '',
      0,
    ]);
    expect(popup.url()).toBe(`${site.wallet}/window.html#${token}`);
    await dialog.fill('Wallet password', planted.password);
    await dialog.click('Sign');
    expect(await answer()).toMatch(/^0x[\da-f]{130}$/);
    const said = await overheard.text();
    expect(said).toContain(`"t":"answer"`);
    const caught = createCatch();
    caught.put('the channels of the wallet', said);
    expect(caught.find(secrets())).toEqual([]);
  });

  test('with a token that is guessed or was used gets nothing (attack 38)', async () => {
    const overheard = await eavesdrop();
    const { page, answer, token } = await handedOver();
    const first = await popUp(page, `window.html#${token}`);
    await (await openDialog(first, { kind: 'connect' })).click('Reject');
    expect(await answer()).toMatchObject({ error: { code: 4001 } });
    await until(() => first.isClosed());
    const guessed = 'ab'.repeat(16);
    const other = 'cd'.repeat(16);
    for (const each of [token, guessed, other]) await overheard.window(each);
    const windows = [await popUp(page, `window.html#${token}`), await popUp(page, `window.html#${guessed}`)];
    const evil = await site.hostile('evil.other');
    windows.push(await popUp(evil, `window.html#${other}`));
    // Each has asked twice.
    await until(async () => (await overheard.text()).split('"t":"hello"').length > 2 * 3);
    expect(await overheard.text()).not.toContain('"t":"offer"');
    for (const each of windows)
      expect(await each.evaluate(() => document.querySelector('[data-graft]'))).toBeNull();
    for (const hash of ['', 'x', 'AB'.repeat(16), `${guessed}0`, 'connect', 'frame'])
      expect([hash, await roleOf(await site.visit(`${site.wallet}/window.html#${hash}`))]).toEqual([
        hash,
        'page',
      ]);
  });

  test.each(['personal_sign', 'eth_requestAccounts'])(
    'a window that its opener could lead away never has a field for a password: %s (attack 37)',
    async (method) => {
      const host = method === 'personal_sign' ? 'app.other' : 'b.other';
      const page = await site.hostile(host);
      const wallet = await site.visit(site.wallet);
      await wallet.evaluate(
        (state) => {
          const stored = JSON.parse(localStorage['graft:wallet:session']);
          const permissions = { ...stored.permissions, ...state };
          localStorage['graft:wallet:session'] = JSON.stringify({ ...stored, permissions });
        },
        { [site.origin('app.other')]: { accounts: [accounts[0]], date: 1 } },
      );
      await wallet.close();
      const popup = await popUp(page, 'connect.html#connect');
      await popup.evaluate(() => {
        const fields: string[] = [];
        const { attachShadow } = Element.prototype;
        Element.prototype.attachShadow = function (init) {
          const root = attachShadow.call(this, init);
          new MutationObserver(() => {
            if (root.querySelector('input[type=password]')) fields.push('password');
          }).observe(root, { childList: true, subtree: true });
          return root;
        };
        Object.assign(window, { fields });
      });
      const fields = () => popup.evaluate(() => (window as never as { fields: string[] }).fields);
      const answer = await inside(
        page,
        async ({ open, answers }, given) => {
          const line = open((window as never as { popup: Window }).popup);
          await line.got('welcome');
          return answers.push(line.ask(given[0] as string, given.slice(1))) - 1;
        },
        method === 'personal_sign' ? [method, '0x68656c6c6f', accounts[0]] : [method],
      );
      const outcome = () => inside(page, ({ answers }, index) => answers[index], answer);
      if (method === 'personal_sign') {
        // A wallet without a passkey asks nothing there.
        const ended = outcome();
        expect(await fields().catch(() => [])).toEqual([]);
        expect(await ended).toMatchObject({
          error: { code: -32002, json: expect.stringContaining('no-window') },
        });
      } else {
        const dialog = await openDialog(popup, { kind: 'connect' });
        await dialog.click('Connect');
        expect(await outcome()).toEqual([accounts[0]]);
        expect(await fields().catch(() => [])).toEqual([]);
      }
    },
  );

  test('a window that a dapp has opened itself counts refusals as the frame does (attack 64)', async () => {
    const page = await site.hostile();
    const popup = await popUp(page, 'connect.html#connect');
    await inside(page, ({ open }) =>
      open((window as never as { popup: Window }).popup)
        .got('welcome')
        .then(() => {}),
    );
    const ask = () =>
      inside(
        page,
        ({ lines, answers }, given) =>
          answers.push(lines[0]?.ask(given[0], given[1]) as Promise<unknown>) - 1,
        permissions,
      );
    const answer = (at: number) => inside(page, ({ answers }, index) => answers[index], at);
    for (let i = 0; i < 3; i++) {
      const at = await ask();
      await (await openDialog(popup, { kind: 'connect' })).click('Reject');
      expect(await answer(at)).toMatchObject({ error: { code: 4001 } });
    }
    expect(await answer(await ask())).toMatchObject({
      error: { code: -32005, json: expect.stringContaining('refused-often') },
    });
  });

  test('a window of a dapp that another page holds serves it no more than its frame does (attack 12)', async () => {
    const outer = await site.hostile('evil.other');
    await inside(outer, ({ embed }, src) => embed(src).then(() => {}), `${site.origin('app.site')}/hostile`);
    const inner = await until(() => outer.frames().find((frame) => frame.url().includes('app.site')));
    const opened = site.context.waitForEvent('page');
    await inner.evaluate(
      (url) => void Object.assign(window, { popup: open(url, '_blank', 'popup') }),
      `${site.wallet}/connect.html#connect`,
    );
    await (await opened).waitForFunction(() => 'page' in window);
    expect(
      await inside(inner, ({ open }) => open((window as never as { popup: Window }).popup).got('closing')),
    ).toMatchObject({ reason: 'bridge-origin' });
  });

  test('is one of two that name the same slot: the lock lets one answer (attack 39)', async () => {
    const { page, answer, token } = await handedOver();
    const windows = await Promise.all([0, 1].map(() => site.context.newPage()));
    const gone = Promise.race(windows.map((each) => each.waitForEvent('close').then(() => each)));
    await Promise.all(
      windows.map((each) => each.goto(`${site.wallet}/window.html#${token}`).catch(() => {})),
    );
    // A page that no script has opened cannot close itself: the one without the lock says nothing more.
    void gone.catch(() => {});
    const shown = await Promise.any(windows.map((each) => openDialog(each, { kind: 'connect' })));
    const dialogs = await Promise.all(
      windows.map((each) =>
        each.evaluate(() => document.querySelectorAll('[data-graft]').length).catch(() => 0),
      ),
    );
    expect(dialogs.sort()).toEqual([0, 1]);
    await shown.click('Connect');
    expect(await answer()).toEqual([expect.objectContaining({ parentCapability: 'eth_accounts' })]);
    expect(
      await inside(page, ({ lines }) => lines[0]?.received.filter(({ t }) => t === 'response').length),
    ).toBe(1);
  });

  test.each(['crashes', 'is closed', 'is led away'])(
    'a window that %s has refused, within a second (attack 40)',
    async (what) => {
      const { answer, token } = await handedOver();
      // In a process of its own.
      const popup = await site.visit(`${site.wallet}/window.html#${token}`);
      await openDialog(popup, { kind: 'connect' });
      const ended = answer();
      const began = Date.now();
      if (what === 'is closed') await popup.close();
      else if (what === 'is led away') await popup.goto('about:blank');
      else {
        const devtools = await site.context.newCDPSession(popup);
        void devtools.send('Page.crash').catch(() => {});
      }
      expect(await ended).toMatchObject({ error: { code: 4001 } });
      expect(Date.now() - began).toBeLessThan(1_000);
    },
  );

  test('a window that could not be opened is no refusal (attack 35)', async () => {
    const { page, answer, token } = await handedOver();
    await inside(
      page,
      ({ lines }, slot) => lines[0]?.post({ t: 'window', token: slot, opened: false }),
      token,
    );
    expect(await answer()).toMatchObject({
      error: { code: -32002, json: expect.stringContaining('popup-blocked') },
    });
    // Of somebody else's slot, or of none.
    await inside(page, ({ lines }) => {
      for (const token of [undefined, null, 1, {}, 'ab'.repeat(16)])
        lines[0]?.post({ t: 'window', token, opened: true });
    });
    await inside(page, ({ lines }) => lines[0]?.settled());
  });

  test('waits for a click where the dapp has none, behind a button that approves nothing (attack 35)', async () => {
    const page = await site.visit(`${site.origin('app.site')}/`);
    await walletFrame(page);
    // Uses up what counts as a click.
    await page.evaluate(() => open('about:blank')?.close());
    const asking = run<object>(
      page,
      `page.bridge.provider.request({ method: 'wallet_requestPermissions', params: [{ eth_accounts: {} }] }).catch(({ code, data }) => ({ code, data }))`,
    );
    await until(() => run(page, `document.querySelector('[data-graft=continue]') !== null`), {
      interval: 50,
    });
    await page.keyboard.press('Escape');
    expect(await asking).toEqual({ code: -32002, data: { reason: 'popup-blocked' } });
  });

  test.each(['/coop', '/coop-popups', '/coep'])(
    'answers a dapp that is cut off from it by the headers of %s (attack 36)',
    async (path) => {
      const page = await site.visit(site.origin('app.site') + path);
      await walletFrame(page);
      const opened = site.context.waitForEvent('page');
      const asking = page.evaluate(() =>
        (window as never as { page: BridgeAppPage }).page.bridge.provider.request({
          method: 'wallet_requestPermissions',
          params: [{ eth_accounts: {} }],
        }),
      );
      const popup = await opened;
      await popup.waitForFunction(() => 'page' in window);
      const dialog = await openDialog(popup, { kind: 'connect' });
      await dialog.click('Connect');
      expect(await asking).toMatchObject([{ parentCapability: 'eth_accounts' }]);
    },
  );

  test('grows before it asks if the dapp has made it small (attack 55)', async () => {
    const { page, answer, token } = await handedOver();
    const popup = await popUp(page, `window.html#${token}`, 'popup,width=200,height=120,left=9000,top=9000');
    const dialog = await openDialog(popup, { kind: 'connect' });
    await popup.waitForFunction(() => innerWidth >= 360 && innerHeight >= 480);
    await dialog.click('Connect');
    expect(await answer()).toEqual([expect.anything()]);
  });

  test('decides for a slot only where its opener cannot reach it (attack 54)', async () => {
    const { page, token } = await handedOver();
    const overheard = await eavesdrop();
    await overheard.window(token);
    for (const path of [
      `connect.html#${token}`,
      `frame.html#${token}`,
      'frame.html#connect',
      'frame.html',
      'window.html#connect',
      'window.html#frame',
    ])
      expect([path, await roleOf(await popUp(page, path))]).toEqual([path, 'page']);
    // In frames, which only a server without the headers allows.
    for (const path of [`window.html#${token}`, 'connect.html#connect']) {
      await inside(page, ({ embed }, src) => embed(src).then(() => {}), `${site.wallet}/bare/${path}`);
      const frame = await walletFrame(page, `/bare/${path.replace(/#.*/, '')}`);
      expect([path, await roleOf(frame)]).toEqual([path, 'page']);
    }
    expect(await overheard.text()).toBe('[]');
  });
});
