import type { Page } from 'playwright-core';
import { mnemonicToAccount } from 'viem/accounts';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { openDialog } from '../../../support/dialog-driver.js';
import { until } from '../../../support/until.js';
import { createCatch, secretBytes, secretText, secretWords } from '../../attack/secrets.js';
import {
  type BridgeAppPage,
  type BridgeWalletPage,
  type HostilePage,
  hasHeard,
  inside,
  openSite,
  planted,
  type Site,
  walletFrame,
} from './bridge-site.js';

/**
 * Who gets a line to the wallet, and who does not: each case with real windows on real origins. The numbers are those of
 * docs/notes/security.md#attacks-on-the-bridge.
 */

let site: Site;
let frameUrl: string;
/** The frame of a wallet whose server does not say who may hold it. */
let bareUrl: string;

beforeAll(async () => {
  site = await openSite();
  frameUrl = `${site.wallet}/frame.html`;
  bareUrl = `${site.wallet}/bare/frame.html`;
});
afterEach(() => site.clear());
afterAll(() => site?.close());

/** Embeds the wallet and opens a line. Resolves with what came through it, and with the types of window messages. */
const knock = (page: Page, url = bareUrl) =>
  inside(
    page,
    async ({ embed, heard, open }, src) => {
      const frame = await embed(src);
      const said = () => heard.flatMap((each) => (each.source === frame.contentWindow ? [each.data] : []));
      if (said().length === 0) return 'silent';
      const { received, got } = open(frame.contentWindow as Window);
      await Promise.race([got('welcome'), got('closing')]);
      return { received, said: said() };
    },
    url,
  );

const refused = {
  received: [{ t: 'closing', reason: 'bridge-origin' }],
  said: [{ graft: 'bridge', t: 'ready', v: [1] }],
};
const welcomed = expect.objectContaining({ received: [expect.objectContaining({ t: 'welcome' })] });

/** What came through each line, by type, after the first has been asked and answered. */
const received = (page: Page) =>
  inside(page, async ({ lines }) => {
    const open = lines.find((each) => each.received.some(({ t }) => t === 'welcome'));
    await open?.settled();
    await open?.settled();
    return lines.map((each) => each.received.map(({ t }) => t).filter((t) => !/pong|event/.test(t)));
  });

/** A frame of the wallet in the page, which has said that it is ready. */
const embed = (page: Page, url = frameUrl) =>
  inside(page, ({ embed }, src) => embed(src).then(() => {}), url);

describe('a second client', () => {
  test('gets no answer once the window has one (attack 1)', async () => {
    const page = await site.hostile();
    await embed(page);
    await inside(page, async ({ open }) => {
      const target = frames[0] as Window;
      await open(target).got('welcome');
      for (const more of [{}, { nonce: 'cd'.repeat(16) }, { v: [] }])
        open(target, more).post({ t: 'request', id: 1, method: 'eth_accounts', json: '[]' });
    });
    await hasHeard(await walletFrame(page), 4);
    expect(await received(page)).toEqual([['welcome'], [], [], []]);
  });

  test('loses against the first also within one task, whichever windows they are (attack 2)', async () => {
    const page = await site.hostile();
    await embed(page);
    await inside(page, async ({ open, line, greeting }) => {
      const target = frames[0] as Window;
      const nested = document.body.appendChild(document.createElement('iframe')).contentWindow as Window;
      const { port1, port2 } = new MessageChannel();
      line(port1);
      const post = Reflect.construct((nested as never as { Function: typeof Function }).Function, [
        ...['target', 'message', 'port', 'target.postMessage(message, "*", [port])'],
      ]);
      post(target, greeting(), port2);
      for (let i = 0; i < 3; i++) open(target, { nonce: `${i}b`.repeat(16) });
    });
    await hasHeard(await walletFrame(page), 4);
    expect(await received(page)).toEqual([[], ['welcome'], [], []]);
  });

  test('a frame inside the dapp gets no answer (attack 3)', async () => {
    const page = await site.hostile();
    await embed(page);
    await inside(page, ({ embed }, url) => embed(url).then(() => {}), `${site.origin('app.site')}/hostile`);
    const nested = page.frames().at(-1) as never as Page;
    await inside(nested, ({ open }) => void open(parent.frames[0] as Window));
    await hasHeard(await walletFrame(page), 1);
    await inside(page, ({ open }) =>
      open(frames[0] as Window)
        .got('welcome')
        .then(() => {}),
    );
    expect(await received(nested)).toEqual([[]]);
    expect(await received(page)).toEqual([['welcome']]);
  });

  test('the window that opened the dapp gets no answer (attack 4)', async () => {
    const evil = await site.hostile('evil.other');
    const popped = site.context.waitForEvent('page');
    await evil.evaluate(
      (url) => Object.assign(window, { dapp: open(url) }),
      `${site.origin('app.site')}/hostile`,
    );
    const page = await popped;
    await page.waitForFunction(() => 'page' in window);
    await embed(page);
    await inside(
      evil,
      ({ open }) => void open((window as never as { dapp: Window }).dapp.frames[0] as Window),
    );
    await hasHeard(await walletFrame(page), 1);
    await inside(page, ({ open }) =>
      open(frames[0] as Window)
        .got('welcome')
        .then(() => {}),
    );
    expect(await received(evil)).toEqual([[]]);
    // What the frame says before it is opened goes to its parent alone.
    expect(await inside(evil, ({ heard }) => heard.length)).toBe(0);
  });
});

describe('an origin that is not served', () => {
  test('an unserved origin gets one refusal and no wallet, even if the server lets it frame one (attack 13)', async () => {
    const page = await site.hostile('evil.other');
    expect(await knock(page)).toEqual(refused);
    const frame = await walletFrame(page, '/bare/frame.html');
    expect(
      await frame.evaluate(() => (window as never as { page: BridgeWalletPage }).page.host.client()),
    ).toBeNull();
    await inside(page, async ({ open, lines }) => {
      lines[0]?.post({ t: 'request', id: 1, method: 'eth_accounts', json: '[]' });
      open(frames[0] as Window);
    });
    await hasHeard(frame, 2);
    expect(await received(page)).toEqual([['closing'], []]);
    expect(await knock(page, frameUrl)).toBe('silent');
  });

  test.each([
    ['evil-app.site', 'a suffix'],
    ['app.site.localhost.evil', 'a prefix'],
    ['xn--pp-7ka.site', 'a host that looks the same'],
    ['app.site.', 'a dot at the end'],
    ['app.sit', 'a part'],
    ['wallet.site.localhost.evil', 'the wallet as a prefix'],
  ])('%s shares %s with one that is (attack 6)', async (host) => {
    const page = await site.context.newPage();
    const url = new URL(`${site.origin(host)}/hostile`);
    if (host.endsWith('.')) url.hostname = `${site.origin('app.site').slice(7).replace(/:.*/, '')}.`;
    await page.goto(url.href);
    await page.waitForFunction(() => 'page' in window);
    expect(await knock(page)).toEqual(refused);
  });

  test('has another port (attack 6)', async () => {
    const page = await site.visit(`${site.otherPort('app.site')}/hostile`);
    expect(await knock(page)).toEqual(refused);
  });

  test('is written in capitals, which is the same origin (attack 6)', async () => {
    const page = await site.visit(`${site.origin('app.site').replace('app', 'APP')}/hostile`);
    expect(await knock(page)).toEqual(welcomed);
  });

  test('is opaque: a data: page, a sandboxed page, a sandboxed frame of a dapp (attack 5)', async () => {
    const page = await site.hostile();
    const html = `<script type="module" src="${site.origin('app.site')}/hostile.js"></script><body>`;
    for (const [at, given] of [
      { src: `data:text/html,${encodeURIComponent(html)}`, attributes: {} },
      { src: 'about:blank', attributes: { srcdoc: html, sandbox: 'allow-scripts' } },
    ].entries()) {
      await inside(page, ({ embed }, { src, attributes }) => embed(src, attributes).then(() => {}), given);
      const framed = page.frames().at(-1) as never as Page;
      await framed.waitForFunction(() => 'page' in window);
      expect(await framed.evaluate(() => origin)).toBe('null');
      expect([at, await knock(framed)]).toEqual([at, refused]);
      expect(await knock(framed, frameUrl)).toBe('silent');
    }
    const sandboxed = await site.visit(`${site.origin('app.site')}/sandboxed`);
    expect(await knock(sandboxed)).toEqual(refused);
  });

  test('is a dapp that another page holds (attack 12)', async () => {
    const evil = await site.hostile('evil.other');
    await inside(evil, ({ embed }, url) => embed(url).then(() => {}), `${site.origin('app.site')}/hostile`);
    const dapp = evil.frames()[1] as never as Page;
    await dapp.waitForFunction(() => 'page' in window);
    expect(await knock(dapp)).toEqual(refused);
    expect(await knock(dapp, frameUrl)).toBe('silent');
    // Also a dapp of its own origin: the innermost alone would not be enough to know who is around.
    const twice = await site.hostile();
    await inside(twice, ({ embed }, url) => embed(url).then(() => {}), `${site.origin('app.site')}/hostile`);
    const inner = twice.frames()[1] as never as Page;
    await inner.waitForFunction(() => 'page' in window);
    expect(await knock(inner)).toEqual(refused);
  });
});

describe('an open', () => {
  test('an open without a port, with two ports, or with an invalid nonce is ignored (attacks 8, 10)', async () => {
    const page = await site.hostile();
    await embed(page);
    await inside(page, ({ greeting, line }) => {
      const target = frames[0] as Window;
      target.postMessage(greeting(), '*');
      const ends = [new MessageChannel(), new MessageChannel()];
      for (const { port1 } of ends) line(port1);
      target.postMessage(
        greeting(),
        '*',
        ends.map(({ port2 }) => port2),
      );
      for (const nonce of [
        undefined,
        null,
        0,
        '',
        'ab',
        'AB'.repeat(16),
        'ab'.repeat(17),
        ['ab'.repeat(16)],
        {},
      ]) {
        const { port1, port2 } = new MessageChannel();
        line(port1);
        target.postMessage(greeting({ nonce }), '*', [port2]);
      }
    });
    await hasHeard(await walletFrame(page), 11);
    await inside(page, ({ open }) =>
      open(frames[0] as Window)
        .got('welcome')
        .then(() => {}),
    );
    expect(await received(page)).toEqual([...Array(11).fill([]), ['welcome']]);
  });

  test('an open with a closed or used port harms no other client (attack 8)', async () => {
    const page = await site.hostile();
    await embed(page);
    await embed(page);
    await inside(page, async ({ greeting, line }) => {
      const closed = new MessageChannel();
      closed.port1.close();
      closed.port2.close();
      (frames[0] as Window).postMessage(greeting(), '*', [closed.port2]);
      const used = new MessageChannel();
      const mine = line(used.port1);
      // Before there is anybody to hear it, and through a window that it has been in.
      mine.post({ t: 'request', id: 1, method: 'eth_chainId', json: '[]' });
      const moved = await new Promise<MessagePort>((resolve) => {
        addEventListener('message', ({ ports }) => ports[0] && resolve(ports[0]), { once: true });
        postMessage('moved', '*', [used.port2]);
      });
      moved.onmessage = () => {};
      (frames[1] as Window).postMessage(greeting(), '*', [moved]);
      await mine.got('welcome');
    });
    expect(await inside(page, async ({ lines }) => lines[0]?.ask('eth_chainId'))).not.toBeNull();
    expect((await received(page))[0]?.[0]).toBe('welcome');
  });

  test('in versions that the wallet does not speak is answered with those that it does (attack 11)', async () => {
    const page = await site.hostile();
    for (const v of [[], [2, 3], ['1'], 1, null, { 0: 1 }, Array(100_000).fill(7)])
      expect(
        await inside(
          page,
          async ({ embed, open }, given) => {
            const { got } = open((await embed(given.url)).contentWindow as Window, { v: given.v });
            return got('closing');
          },
          { url: frameUrl, v },
        ),
      ).toEqual({ t: 'closing', reason: 'bridge-version', v: [1] });
  });

  test('an open of a client that speaks more versions is answered in the newest common one (attack 47)', async () => {
    const page = await site.hostile();
    await embed(page);
    await inside(
      page,
      async ({ open }) => void (await open(frames[0] as Window, { v: [3, 2, 1] }).got('welcome')),
    );
    expect(await inside(page, ({ lines }) => lines[0]?.received[0]?.v)).toBe(1);
  });
});

describe('window messages that are none of the bridge', () => {
  test('change nothing in the wallet, which is opened afterwards (attack 14)', async () => {
    const page = await site.hostile();
    const mishaps: unknown[] = [];
    page.on('pageerror', (error) => mishaps.push(error));
    await embed(page);
    const count = await inside(page, ({ greeting }) => {
      const odd: unknown[] = [
        ...[null, undefined, 0, Number.NaN, 1n, '', 'open', true, [], [greeting()], {}, { graft: 'bridge' }],
        ...[
          { ...greeting(), t: 'Open' },
          { ...greeting(), graft: 'Bridge' },
          { ...greeting(), t: ['open'] },
        ],
        ...[
          JSON.parse('{"__proto__":{"graft":"bridge","t":"open"}}'),
          { constructor: greeting() },
          { t: 'open' },
        ],
        ...[
          new Map([['t', 'open']]),
          new Date(),
          /x/,
          new Error('open'),
          new Blob(['x']),
          new ArrayBuffer(8),
        ],
        ...[Object('open'), new ImageData(1, 1), new Uint8Array(1_000_000), 'x'.repeat(5_000_000)],
      ];
      for (const each of odd) (frames[0] as Window).postMessage(each, '*');
      return odd.length;
    });
    await hasHeard(await walletFrame(page), count);
    await inside(page, ({ open }) =>
      open(frames[0] as Window)
        .got('welcome')
        .then(() => {}),
    );
    expect(await received(page)).toEqual([['welcome']]);
    expect(mishaps).toEqual([]);
  });
});

describe('a dapp whose wallet is not there yet', () => {
  const forged = { graft: 'bridge', t: 'ready', v: [1] };

  test('a dapp hands its port only to its own frame’s document on the wallet’s origin (attacks 9, 10, 17)', async () => {
    const page = await site.visit(`${site.origin('app.site')}/fooled`);
    const mishaps: unknown[] = [];
    page.on('pageerror', (error) => mishaps.push(error));
    const state = () => page.evaluate(() => (window as never as { page: BridgeAppPage }).page.bridge.state());
    const asked = page.evaluate(() =>
      (window as never as { page: BridgeAppPage }).page.bridge.provider.request({ method: 'eth_chainId' }),
    );
    const wallet = await walletFrame(page);
    const add = async (url: string) => {
      await page.evaluate((src) => {
        document.body.append(Object.assign(document.createElement('iframe'), { src }));
      }, url);
      const frame = page.frames().at(-1) as never as Page;
      await frame.waitForURL(url);
      await frame.waitForFunction(() => 'page' in window);
      return frame;
    };
    // Another origin, and another frame on the wallet's origin, such as that of another client.
    const others = [
      await add(`${site.origin('evil.other')}/hostile`),
      await add(`${site.origin('fake.site')}/frame.html`),
      await add(`${site.origin('app.site')}/hostile`),
    ];
    for (const each of others)
      await each.evaluate((message) => {
        for (const data of [message, null, 1, 'ready', [], { ...message, t: 'open' }])
          parent.postMessage(data, '*');
      }, forged);
    // As a script of an extension does, in the page's own world.
    await page.evaluate((message) => {
      postMessage(message, '*');
      dispatchEvent(new MessageEvent('message', { data: message, origin: location.origin, source: window }));
      dispatchEvent(new MessageEvent('message', { data: message, origin: 'null' }));
    }, forged);
    await hasHeard(page, 3 * 6 + 1);
    for (const each of others) expect(await inside(each, ({ heard }) => heard.length)).toBe(0);
    expect(await state()).toMatchObject({ status: 'loading', accounts: [] });

    // The wallet's frame is the wallet, even if it lies. What it says before it has the port means nothing.
    await wallet.evaluate((message) => {
      parent.postMessage({ ...message, v: 'x', t: 'welcome' }, '*');
      parent.postMessage(message, '*');
    }, forged);
    await inside(wallet, ({ hears }) => hears(1));
    await inside(
      wallet,
      ({ heard, line }, session) => {
        const [opened] = heard as [HostilePage['heard'][number]];
        const { post, got } = line(opened.ports[0] as MessagePort);
        post({ t: 'request', id: 1, method: 'eth_accounts', json: '[]' });
        post({ t: 'response', id: 1, json: '"0xbad"' });
        post({ t: 'welcome', v: 1, nonce: 'cd'.repeat(16), session: { chainId: 99, accounts: [] } });
        post({ t: 'welcome', v: 1, nonce: (opened.data as { nonce: string }).nonce, session });
        void got('request').then(({ id }) => post({ t: 'response', id, json: '"0x1f"' }));
      },
      { chainId: 31, accounts: [], connected: true },
    );
    expect(await asked).toBe('0x1f');
    expect(await state()).toMatchObject({ status: 'ready', chainId: 31 });
    expect(await inside(wallet, ({ heard }) => heard.length)).toBe(1);
    const first = await inside(wallet, ({ lines }) => lines[0]?.received[0]?.t ?? 'nothing');
    expect(['nothing', 'request', 'chain']).toContain(first);
    expect(mishaps).toEqual([]);
  });

  test('learns that a wallet speaks none of its versions (attacks 11, 47)', async () => {
    const page = await site.visit(`${site.origin('app.site')}/fooled`);
    const failing = page.evaluate(() =>
      (window as never as { page: BridgeAppPage }).page.bridge.provider
        .request({ method: 'eth_blockNumber' })
        .catch(({ code, data }) => ({ code, data })),
    );
    const wallet = await walletFrame(page);
    await wallet.evaluate((message) => parent.postMessage({ ...message, v: [3, 2, '1', null] }, '*'), forged);
    expect(await failing).toEqual({
      code: -32002,
      data: { reason: 'bridge-version', host: [3, 2], client: [1] },
    });
  });
});

describe('a line', () => {
  test('a line ends when the frame navigates to another origin, which receives nothing (attack 23)', async () => {
    const page = await site.visit(`${site.origin('app.site')}/`);
    const heard: string[] = [];
    page.on('console', (message) => message.text().startsWith('heard') && heard.push(message.text()));
    const ask = (method: 'eth_blockNumber' | 'eth_accounts') =>
      page.evaluate(
        (name) => (window as never as { page: BridgeAppPage }).page.bridge.provider.request({ method: name }),
        method,
      );
    expect(await ask('eth_blockNumber')).toMatch(/^0x/);
    const frame = await walletFrame(page);
    // The document of the other origin says at once that it is ready.
    await frame.evaluate((url) => location.replace(url), `${site.origin('evil.other')}/hostile#ready`);
    expect(await ask('eth_blockNumber')).toMatch(/^0x/);
    expect(await ask('eth_accounts')).toEqual([]);
    const next = await walletFrame(page);
    expect(next).not.toBe(frame);
    expect(page.frames().filter((each) => each.url().startsWith(site.wallet))).toEqual([next]);
    expect(await page.evaluate(() => document.querySelectorAll('[data-graft=bridge]').length)).toBe(1);
    expect(heard).toEqual([]);
  });

  test('a line to a window ends when its dapp navigates, and the next page receives nothing (attacks 24, 42)', async () => {
    await site.plant();
    const page = await site.hostile('app.other');
    const opened = site.context.waitForEvent('page');
    await page.evaluate(
      (url) => Object.assign(window, { wallet: open(url) }),
      `${site.wallet}/connect.html#connect`,
    );
    const popup = await opened;
    await popup.waitForFunction(() => 'page' in window);
    await inside(page, async ({ hears, open, greeting, lines }) => {
      const { wallet } = window as never as { wallet: Window };
      await hears(1);
      for (const data of [null, 'open', [], greeting({ nonce: 1 })]) wallet.postMessage(data, '*');
      await open(wallet).got('welcome');
      open(wallet);
      void lines[0]?.ask('eth_requestAccounts');
    });
    await hasHeard(popup, 6);
    expect(await received(page)).toEqual([['welcome'], []]);
    const dialog = await openDialog(popup);
    await page.goto(`${site.origin('evil.other')}/hostile`);
    await page.waitForFunction(() => 'page' in window);
    // Whoever comes after has the same handle of the window.
    await popup.evaluate(() => opener.postMessage('still there', '*'));
    await inside(page, ({ hears }) => hears(1));
    await dialog.click('Reject');
    await until(async () => popup.isClosed() || !(await dialog.isOpen()));
    expect(await inside(page, ({ heard }) => heard.map(({ data }) => data))).toEqual(['still there']);
  });
});

describe('a dapp that replaces every built-in before the wallet loads', () => {
  test('finds no secret of the wallet in anything that it can see (attacks 25, 27, 41)', async () => {
    const accounts = await site.plant();
    await site.local.controls.faucet(accounts[0]);
    const said: string[] = [];
    const page = await site.context.newPage();
    page.setDefaultTimeout(30_000);
    // Not what the browser says of the wallet's own frame: the dapp sees none of that.
    page.on('console', (message) => {
      if (!message.location().url || message.location().url.startsWith(site.origin('app.site')))
        said.push(message.text());
    });
    page.on('pageerror', (error) => said.push(String(error.stack)));
    await page.goto(`${site.origin('app.site')}/patched`);
    await page.waitForFunction(() => 'page' in window);
    const results: unknown[] = [];
    const request = async (method: string, params: unknown = []) => {
      const result = await page.evaluate(
        async ([name, given]) => {
          const { provider } = (window as never as { page: BridgeAppPage }).page.bridge;
          try {
            return await provider.request({ method: name as 'eth_call', params: given as never });
          } catch (error) {
            const { code, message, data, stack, cause } = error as Error & { code: number; data: unknown };
            return { code, message, data, stack, cause };
          }
        },
        [method, params] as const,
      );
      results.push(result);
      return result;
    };
    const nextWindow = async () => {
      const popup = await site.context.waitForEvent('page');
      await popup.waitForFunction(() => 'page' in window);
      return popup;
    };
    const decide = async (popup: Page, kind: string, button: string, secret?: string) => {
      const dialog = await openDialog(popup, { kind });
      if (secret) await dialog.fill('Wallet password', secret);
      await dialog.click(button);
      return dialog;
    };

    expect(await request('eth_accounts')).toEqual([accounts[0]]);
    const opened = nextWindow();
    const signing = request('personal_sign', ['0x68656c6c6f', accounts[0]]);
    const first = await opened;
    const dialog = await decide(first, 'message', 'Sign', 'planted-wrong-password');
    await expect.poll(() => dialog.error()).not.toBe('');
    await dialog.fill('Wallet password', planted.password);
    await dialog.click('Sign');
    const signature = (await signing) as string;
    await until(() => first.isClosed());
    const next = nextWindow();
    const sending = request('eth_sendTransaction', [
      { from: accounts[0], to: `0x${'aa'.repeat(20)}`, value: '0x1' },
    ]);
    await decide(await next, 'transaction', 'Send');
    expect(await sending).toMatch(/^0x/);
    await request('eth_subscribe', ['newHeads']);
    for (const method of [
      'wallet_getPermissions',
      'eth_coinbase',
      'wallet_exportMnemonic',
      'personal_listAccounts',
    ])
      await request(method);
    for (const from of [accounts[1].replace(/.$/, 'f'), `0x${'00'.repeat(20)}`])
      expect(await request('personal_sign', ['0x00', from])).toMatchObject({ code: 4100 });
    // A service that says who asked it.
    const echo = site.local.controls.intercept(
      async () => ({ status: 403, body: `no ${site.local.url} here` }) as never,
    );
    await request('eth_gasPrice');
    await request('eth_getBalance', [accounts[0], 'latest']);
    echo();
    await (await walletFrame(page)).evaluate(() => fetch('/nothing').catch(() => {}));

    const seen = await page.evaluate(async () => {
      const { recorded } = window as never as { recorded: { texts(): string[]; count(): number } };
      const walked: string[] = [];
      for (const key of Object.getOwnPropertyNames(window)) {
        const { value } = Object.getOwnPropertyDescriptor(window, key) ?? {};
        try {
          if (typeof value === 'object') walked.push(key, JSON.stringify(value));
        } catch {
          // A window, or cyclic.
        }
      }
      return {
        replaced: recorded.count(),
        texts: recorded.texts(),
        globals: walked,
        document: document.documentElement.outerHTML,
        storage: [{ ...localStorage }, { ...sessionStorage }, await indexedDB.databases(), document.cookie],
        timings: performance.getEntries().map(({ name }) => name),
        history: [history.length, history.state],
        frames: [frames.length, frames[0]?.length],
      };
    });
    expect(seen.replaced).toBeGreaterThan(2_000);
    const caught = createCatch();
    for (const [place, value] of Object.entries({ ...seen, results, said })) caught.put(place, value);
    // What it may see passes through what it has replaced.
    const allowed = [secretText('own account', accounts[0]), secretText('signature', signature)];
    expect(caught.find(allowed, (place) => place === 'texts')).toHaveLength(2);
    const key = mnemonicToAccount(planted.phrase, { path: "m/44'/37310'/0'/0/0" as never }).getHdKey()
      .privateKey;
    const secrets = [
      secretText('password', planted.password),
      secretText('wrong password', 'planted-wrong-password'),
      secretWords('mnemonic', planted.phrase),
      secretBytes('private key', key as Uint8Array),
      secretText('API key', planted.apiKey),
      secretText('site', planted.otherSite),
      secretText('site', site.origin('shop.site')),
      secretText('label', planted.label),
      secretText('account of other sites', accounts[1]),
      secretText('path', '37310'),
    ];
    expect(caught.find(secrets)).toEqual([]);
    // The frame is in a closed shadow tree, and counts for nobody.
    expect(seen.frames).toEqual([0, undefined]);
    expect(seen.history[0]).toBe(2);
    expect(seen.timings.filter((name) => name.startsWith(site.wallet))).toEqual([frameUrl]);
  });
});

test('members that a page adds to Object.prototype are no part of any message (attack 62)', async () => {
  await site.plant();
  const script = `if (window === top) Object.assign(Object.prototype, {
    t: 'closing', reason: 'bridge-origin', graft: 'bridge', id: 1, json: '"0xbad"', error: { code: 1, message: 'bad' },
    accounts: ['0x${'ee'.repeat(20)}'], chainId: 5, session: {}, methods: ['eth_chainId'], features: ['partitioned'],
    window: '${'ab'.repeat(16)}', token: '${'ab'.repeat(16)}', v: [9], nonce: 'x', last: 0, sending: [], open: true,
    app: { name: 'bad' }, host: 'https://evil.example', origin: 'https://evil.example', isAgain: true, isUnknown: true,
  })`;
  const page = await site.context.newPage();
  await page.addInitScript(script);
  // Its module has run once it has loaded. (What waits in the driver runs in the polluted page, and fails.)
  await page.goto(`${site.origin('app.site')}/`);
  const [head, chainId, accounts] = await page.evaluate(async () => {
    const { provider } = (window as never as { page: BridgeAppPage }).page.bridge;
    const answers: unknown[] = [];
    for (const method of ['eth_blockNumber', 'eth_chainId', 'eth_accounts'] as const)
      answers.push(await provider.request({ method }).catch(({ code, message }) => `${code} ${message}`));
    // The driver's own code would write them into what it returns.
    for (const name of Object.keys(Object.prototype)) Reflect.deleteProperty(Object.prototype, name);
    return answers;
  });
  expect(head).toMatch(/^0x/);
  expect(chainId).toBe('0x1f');
  expect(accounts).toHaveLength(1);
});
