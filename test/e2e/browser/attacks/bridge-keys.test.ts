import type { Frame, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { allowanceFor } from '../../../support/allowance.js';
import { openDialog } from '../../../support/dialog-driver.js';
import { until } from '../../../support/until.js';
import { type HostilePage, inside, openSite, planted, type Site, walletFrame } from './bridge-site.js';

/**
 * A dapp between the wallet's frame and the wallet's window. The frame keeps half of an unlock, and hands it to each window:
 * the dapp, in whose page the frame is and whose click opens the window, must never hold it.
 */

let site: Site;
let account: `0x${string}`;

beforeAll(async () => {
  site = await openSite();
  [account] = await site.plant();
  await site.local.controls.faucet(account);
});
afterEach(() => site.clear());
afterAll(() => site?.close());

/**
 * Each runs in the dapp's page, after a person has unlocked the wallet for it, as the source of a function of the page and of
 * `{ wallet, token }`. Whatever comes back is looked at.
 */
const tries: readonly (readonly [name: string, source: string])[] = [
  ...[
    'half',
    'hello',
    'idle',
    'taken',
    'approved',
    'offer',
    'closed',
    'unneeded',
    'cancel',
    'shown',
    'window-ended',
    'purse',
    'purse-ended',
  ].map((t) => [`says "${t}" on its line`, `({ lines }) => lines[0].post({ t: '${t}', id: 1 })`] as const),
  [
    'says that its window is open, and answers in its place',
    `({ lines }, { token }) => {
      lines[0].post({ t: 'window', token, opened: true });
      lines[0].post({ t: 'answer', id: 1, json: '"0x"', session: {} });
    }`,
  ],
  [
    'listens on channels of the wallet’s names',
    `(_, { token }) => {
      for (const name of ['graft:bridge:' + token, 'graft:asking', 'graft:wallet.keyring']) {
        const channel = new BroadcastChannel(name);
        channel.onmessage = ({ data }) => window.got(data);
        channel.postMessage({ t: 'hello' });
      }
    }`,
  ],
  ...['ready', 'half', 'open', 'hello'].map(
    (t) =>
      [
        `sends the frame a window message "${t}" with a port`,
        `(page) => {
          const { port1, port2 } = new MessageChannel();
          page.line(port1);
          document.querySelector('iframe').contentWindow.postMessage({ graft: 'bridge', t: '${t}', v: [1], nonce: 'cd'.repeat(16) }, '*', [port2]);
        }`,
      ] as const,
  ),
  ...['connect.html#frame', 'connect.html#connect', 'window.html#TOKEN', 'frame.html'].map(
    (path) =>
      [
        `opens ${path} and greets it`,
        `async (page, { wallet, token }) => {
          const popup = window.open(wallet + '/${path}'.replace('TOKEN', token), '_blank', 'popup');
          for (let i = 0; i < 20; i++) {
            page.open(popup);
            popup?.postMessage({ graft: 'bridge', t: 'ready' }, '*');
            await new Promise((resolve) => setTimeout(resolve, 50));
          }
          popup?.close();
        }`,
      ] as const,
  ),
  ...['connect.html#frame', 'window.html#TOKEN', 'frame.html'].map(
    (path) =>
      [
        `holds ${path} in a frame and greets it`,
        `async (page, { wallet, token }) => {
          const frame = await page.embed(wallet + '/${path}'.replace('TOKEN', token));
          page.open(frame.contentWindow, { nonce: 'ef'.repeat(16) });
          await new Promise((resolve) => setTimeout(resolve, 300));
          frame.remove();
        }`,
      ] as const,
  ),
  [
    'finds the window among the frame’s frames, or by a name',
    `(page) => {
      const wallet = document.querySelector('iframe').contentWindow;
      for (let i = 0; i < wallet.length; i++) page.open(wallet[i]);
      for (const name of ['graft', 'wallet', 'frame', '_blank ', 'opener']) {
        const found = window.open('', name, 'popup');
        if (found) page.open(found);
        found?.close();
      }
    }`,
  ],
  [
    'gives its line to another of its pages',
    `async (page) => {
      const { port1, port2 } = new MessageChannel();
      page.line(port1);
      const frame = await page.embed('/hostile');
      frame.contentWindow.postMessage('take this', '*', [port2]);
    }`,
  ],
  [
    'asks for what only the owner may have',
    `({ lines }) => Promise.all(
      ['wallet_exportMnemonic', 'graft_half', 'unlockHalf', 'shareUnlocks', 'wallet_unlock'].map((method) => lines[0].ask(method)),
    )`,
  ],
  ['asks for the wallet’s storage', `() => window.got(document.requestStorageAccess?.().catch(String))`],
  [
    'answers the frame’s surface, and everything else that it says, with itself',
    `({ lines }) => {
      const [first] = lines;
      for (const message of first.received) first.post(message);
    }`,
  ],
  [
    'replaces the built-ins through which a key would pass',
    `() => {
      const { postMessage } = MessagePort.prototype;
      MessagePort.prototype.postMessage = function (data, ...rest) { window.got(data); return Reflect.apply(postMessage, this, [data, ...rest]); };
      for (const name of ['encrypt', 'decrypt', 'exportKey', 'wrapKey', 'importKey', 'generateKey']) {
        const made = SubtleCrypto.prototype[name];
        SubtleCrypto.prototype[name] = function (...given) { window.got(given); return Reflect.apply(made, this, given); };
      }
    }`,
  ],
];

test.each([
  ['of the wallet’s site, whose frame and window share a storage', 'app.site'],
  ['of another site, whose frame opens the window', 'app.other'],
])('a dapp %s learns no half of an unlock and no key of a purse (attack 63)', async (_, host) => {
  const page = await site.hostile(host, catchKeys);
  await inside(
    page,
    async ({ embed, open }, src) => {
      const frame = await embed(src, { id: 'wallet' });
      await open(frame.contentWindow as Window).got('welcome');
    },
    `${site.wallet}/frame.html`,
  );
  const frame = await walletFrame(page);
  const isPartitioned = host === 'app.other';
  if (isPartitioned) await approve(page, frame, ['eth_requestAccounts'], 'connect', 'Connect', isPartitioned);

  const signing = ['personal_sign', '0x68656c6c6f', account];
  const first = await approve(page, frame, signing, 'message', 'Sign', isPartitioned);
  expect(first).toContain('Wallet password');
  // The frame gets the key of a purse as well.
  if (isPartitioned)
    await approve(
      page,
      frame,
      ['wallet_requestExecutionPermissions', allowanceFor(account, account)],
      'permission',
      'Move and allow',
      true,
    );
  const token = await inside(
    page,
    ({ lines }) => lines.flatMap(({ received }) => received).findLast(({ token }) => token)?.token,
  );

  const given = { wallet: site.wallet, token: token ?? 'ab'.repeat(16) };
  for (const [name, source] of tries) {
    await page.evaluate(`(async () => { await (${source})(window.page, ${JSON.stringify(given)}); })()`);
    await inside(page, ({ lines }) => lines[0]?.settled());
    expect([name, await caught(page)]).toEqual([name, []]);
  }
  expect(tries.length).toBeGreaterThanOrEqual(30);

  if (isPartitioned) {
    const sent = await inside(
      page,
      async ({ lines: [line] }, to) => {
        if (!line) return null;
        const state = await line.got('state', ({ accounts }) => (accounts as string[]).length > 1);
        const [, from] = state.accounts as string[];
        return line.ask('eth_sendTransaction', [{ from, to, value: '0x1' }]);
      },
      account,
    );
    expect(sent).toMatch(/^0x[0-9a-f]{64}$/);
  }
  // The half was there all the time: the next window needs no password.
  expect(await approve(page, frame, signing, 'message', 'Sign', isPartitioned)).not.toContain(
    'Wallet password',
  );
  expect(await caught(page)).toEqual([]);
  // Control: a key that is sent to the page is found.
  await page.evaluate(async () => {
    const key = await crypto.subtle.generateKey({ name: 'AES-GCM', length: 256 }, false, ['encrypt']);
    window.postMessage({ deep: [{ key }] }, '*');
  });
  await until(async () => (await caught(page)).includes('[object CryptoKey]'));
});

/** Asks on the dapp's line, and approves in the window that opens. Resolves with what the window asked. */
async function approve(
  page: Page,
  frame: Frame,
  [method, ...params]: readonly unknown[],
  kind: string,
  button: string,
  isPartitioned: boolean,
): Promise<string> {
  const opened = site.context.waitForEvent('page');
  const windows = ({ lines }: HostilePage) =>
    (lines[0]?.received ?? []).filter(({ t }) => t === 'need-window').map((each) => each.token);
  const known = await inside(page, windows);
  const at = await inside(
    page,
    ({ lines, answers }, given) =>
      answers.push(lines[0]?.ask(given.method as string, given.params) as Promise<unknown>) - 1,
    { method, params },
  );
  if (isPartitioned) await (await openDialog(frame, { kind: 'continue' })).click('Continue in the wallet');
  else
    await inside(
      page,
      async ({ lines: [line] }, given) => {
        const wanted = await line?.got('need-window', ({ token }) => !given.known.includes(token));
        window.open(`${given.wallet}/window.html#${wanted?.token}`, '_blank', 'popup');
        line?.post({ t: 'window', token: wanted?.token, opened: true });
      },
      { wallet: site.wallet, known },
    );
  const popup = await opened;
  await popup.waitForFunction(() => 'page' in window);
  const dialog = await openDialog(popup, { kind });
  const text = await dialog.text();
  if (text.includes('Wallet password')) await dialog.fill('Wallet password', planted.password);
  await dialog.click(button);
  expect(await inside(page, ({ answers }, index) => answers[index], at)).not.toMatchObject({
    error: expect.anything(),
  });
  await until(() => popup.isClosed());
  return text;
}

/** The keys and the bytes in all that the page was sent. */
const caught = (page: Page): Promise<readonly string[]> =>
  page.evaluate(() => (window as never as { caught: string[] }).caught);

/** Runs in the page before any other script: looks at everything that is sent to it, on any way. */
const catchKeys = `(() => {
  const caught = [];
  const look = (value, depth = 8) => {
    if (typeof value !== 'object' || value === null || depth === 0) return;
    const tag = Object.prototype.toString.call(value);
    if (tag === '[object CryptoKey]' || tag === '[object ArrayBuffer]' || ArrayBuffer.isView(value)) return void caught.push(tag);
    for (const key of Reflect.ownKeys(value)) {
      const { value: member } = Object.getOwnPropertyDescriptor(value, key) ?? {};
      look(member, depth - 1);
    }
  };
  const { get } = Object.getOwnPropertyDescriptor(MessageEvent.prototype, 'data');
  Object.defineProperty(MessageEvent.prototype, 'data', {
    configurable: true,
    get() {
      const data = get.call(this);
      look(data);
      return data;
    },
  });
  addEventListener('message', (event) => void event.data, true);
  Object.assign(window, { caught, got: async (given) => look(await given) });
})()`;
