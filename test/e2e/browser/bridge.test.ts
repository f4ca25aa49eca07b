import type { Browser, Frame, Page } from 'playwright-core';
import { recoverMessageAddress } from 'viem';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createLocalService, type LocalService } from '../../../packages/kit/src/local/index.js';
import { allowanceFor } from '../../support/allowance.js';
import { launchPlainChromium } from '../../support/chromium.js';
import { openDialog } from '../../support/dialog-driver.js';
import { type Document, type Served, servePage } from '../../support/serve.js';
import { until } from '../../support/until.js';
import type { BridgeAppPage } from './bridge-app-page.js';
import type { BridgeWalletPage } from './bridge-wallet-page.js';

/** A dapp and a wallet on two origins of one site, in a browser that separates the storage of sites as a person's does. */

const mnemonic = 'test test test test test test test test test test test junk';
const password = 'Tr0ub4dor and a horse';
const friend = `0x${'aa'.repeat(20)}`;

let served: Served;
let browser: Browser;
let local: LocalService;
let account: `0x${string}`;
const errors: string[] = [];

const at = (host: string) => `http://${host}.localhost:${new URL(served.url).port}`;
const origins = () => ({ app: at('app.site'), wallet: at('wallet.site'), other: at('app.other') });

/** The documents of all three hosts; those of the wallet with the headers that protect it. */
function documentOf(hostname: string, path: string): Document | undefined {
  const { app, wallet, other } = origins();
  const page = (config: object, module: string) =>
    `<!doctype html><title>Bridge</title><link rel="icon" href="data:,"><script type="application/json" id="config">${JSON.stringify(config)}</script><script type="module" src="/test/e2e/browser/${module}.ts"></script><p>Text of the page.</p>`;
  if (hostname.startsWith('app.') && path === '/') return { html: page({ host: wallet }, 'bridge-app-page') };
  const [, name = ''] = path.match(/^\/(?:(frame|window|connect)\.html)?$/) ?? [];
  if (hostname !== 'wallet.site.localhost' || !/^\/(\w+\.html)?$/.test(path)) return undefined;
  const ancestors = name === 'frame' ? `${app} ${other}` : "'none'";
  return {
    html: page({ url: local.url, allow: [app, other] }, 'bridge-wallet-page'),
    headers: {
      'content-security-policy': `default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self' ${local.url}; img-src 'self' data:; worker-src 'self' blob:; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types graft; frame-ancestors ${ancestors}`,
      'origin-agent-cluster': '?1',
      'referrer-policy': 'no-referrer',
      ...(name === 'frame' && {
        'cross-origin-embedder-policy': 'require-corp',
        'cross-origin-resource-policy': 'same-site',
      }),
      'cross-origin-opener-policy': name === 'connect' ? 'unsafe-none' : 'same-origin',
    },
  };
}

beforeAll(async () => {
  [served, browser, local] = await Promise.all([
    servePage({ documents: documentOf }),
    launchPlainChromium(),
    createLocalService({ chainId: 31, dialect: 'node', mining: 'auto' }),
  ]);
  const page = await visit(origins().wallet);
  account = await page.evaluate(
    async ([phrase, secret]) => {
      const { make } = (window as never as { page: BridgeWalletPage }).page;
      return (await make({}).importMnemonic(phrase, { password: secret })).address;
    },
    [mnemonic, password] as const,
  );
  await page.close();
  await local.controls.faucet(account);
});

afterAll(async () => {
  await browser?.close();
  await Promise.all([served?.stop(), local?.close()]);
});

async function visit(url: string): Promise<Page> {
  const [context] = browser.contexts();
  if (!context) throw new Error('The browser has no context.');
  const page = await context.newPage();
  page.setDefaultTimeout(30_000);
  page.on('pageerror', (error) => errors.push(String(error)));
  await page.goto(url);
  await page.waitForFunction(() => 'page' in window);
  return page;
}

/** Runs an expression as the page's own code does: what Playwright evaluates counts as a click. */
async function withoutClick(
  page: Page,
): Promise<(expression: string, userGesture?: boolean) => Promise<unknown>> {
  const devtools = await page.context().newCDPSession(page);
  return async (expression, userGesture = false) => {
    const settings = { expression, awaitPromise: true, returnByValue: true, userGesture };
    return (await devtools.send('Runtime.evaluate', settings)).result.value;
  };
}

/** A request in a click: `{ result }`, or `{ code, data }`. */
const ask = (page: Page, method: string, ...params: unknown[]): Promise<Record<string, unknown>> =>
  page.evaluate(
    ([name, given]) => (window as never as { page: BridgeAppPage }).page.ask(name, ...given) as never,
    [method, params] as const,
  );

const eventsOf = (page: Page) =>
  page.evaluate(() => (window as never as { page: BridgeAppPage }).page.events);

/** The frame that answers now. */
const frameOf = (page: Page): Promise<Frame> =>
  until(() => page.frames().find((frame) => frame.url().endsWith('/frame.html')), { interval: 50 });

/** Approves the question of this kind in a frame or a window. Resolves with its text. */
async function approve(place: Frame | Page, kind: string, button: string, secret?: string): Promise<string> {
  const dialog = await openDialog(place, { kind });
  const text = await dialog.text();
  if (secret !== undefined) await dialog.fill('Wallet password', secret);
  await dialog.click(button);
  return text;
}

/** The next window, once its document has loaded: its headers give it another process than the one that opens. */
async function nextWindow(page: Page): Promise<Page> {
  const window = await page.context().waitForEvent('page');
  await window.waitForFunction(() => 'page' in globalThis);
  return window;
}

const closed = (window: Page) => until(() => window.isClosed(), { interval: 50 });

/** Opens the wallet's window by the button that a frame with a storage of its own shows. */
async function continueInFrame(page: Page): Promise<Page> {
  const frame = await frameOf(page);
  const button = await openDialog(frame, { kind: 'continue' });
  const [window] = await Promise.all([nextWindow(page), button.click('Continue in the wallet')]);
  return window;
}

describe('a wallet in a frame of the same site', () => {
  test('a frame that is hidden and shown again at once stays open', async () => {
    const page = await visit(origins().app);
    const dismissed = await page.evaluate(async (host) => {
      const { createFrame } = (window as never as { page: BridgeAppPage }).page;
      let count = 0;
      const frame = createFrame({ host, onLost() {}, onDismissed: () => count++ });
      await frame.open();
      frame.show();
      frame.hide();
      frame.show();
      await new Promise((resolve) => setTimeout(resolve, 500));
      return count;
    }, origins().wallet);
    expect(dismissed).toBe(0);
    await page.close();
  });

  test('connects, reads, signs and sends as one in the page does, and asks in windows', async () => {
    const page = await visit(origins().app);
    expect(await ask(page, 'eth_accounts')).toEqual({ result: [] });
    expect(await ask(page, 'eth_getBalance', account, 'latest')).toEqual({ result: '0xde0b6b3a7640000' });

    const connecting = ask(page, 'eth_requestAccounts');
    const first = await nextWindow(page);
    expect(await approve(first, 'connect', 'Connect')).toContain(origins().app);
    expect(await connecting).toEqual({ result: [account] });
    expect(await eventsOf(page)).toContainEqual({ name: 'accountsChanged', payload: [account] });
    expect(await first.evaluate(() => window.opener).catch(() => null)).toBeNull();
    await closed(first);

    const signing = ask(page, 'personal_sign', '0x68656c6c6f', account);
    const second = await nextWindow(page);
    await approve(second, 'message', 'Sign', password);
    const { result: signature } = (await signing) as { result: `0x${string}` };
    expect((await recoverMessageAddress({ message: 'hello', signature })).toLowerCase()).toBe(account);
    await closed(second);

    const sending = ask(page, 'eth_sendTransaction', { from: account, to: friend, value: '0x1' });
    const third = await nextWindow(page);
    expect(await approve(third, 'transaction', 'Send')).not.toContain('Wallet password');
    const { result: hash } = await sending;
    await expect
      .poll(() => ask(page, 'eth_getTransactionReceipt', hash))
      .toMatchObject({ result: { status: '0x1' } });
    await closed(third);

    const wallet = await visit(origins().wallet);
    await wallet.evaluate(() => (window as never as { page: BridgeWalletPage }).page.make({}).lock());
    await wallet.close();
    const locked = ask(page, 'personal_sign', '0x68656c6c6f', account);
    expect(await approve(await nextWindow(page), 'message', 'Reject')).toContain('Wallet password');
    expect(await locked).toMatchObject({ code: 4001 });
    await page.close();
  });

  test('one window answers what a page asks meanwhile, and closes after the last answer', async () => {
    const page = await visit(origins().app);
    await ask(page, 'eth_accounts');
    const first = ask(page, 'personal_sign', '0x01', account);
    const window = await nextWindow(page);
    const dialog = await openDialog(window, { kind: 'message' });
    const second = ask(page, 'personal_sign', '0x02', account);
    await dialog.fill('Wallet password', password);
    await dialog.click('Sign');
    expect(await first).toEqual({ result: expect.stringMatching(/^0x[0-9a-f]{130}$/) });
    expect(await approve(window, 'message', 'Sign')).not.toContain('Wallet password');
    expect(await second).toEqual({ result: expect.stringMatching(/^0x[0-9a-f]{130}$/) });
    await closed(window);
    expect(
      page
        .context()
        .pages()
        .filter((each) => each.url().includes('window.html')),
    ).toEqual([]);
    await page.close();
  });

  test('a window loads the modules of its question in parallel', async () => {
    const page = await visit(origins().app);
    await ask(page, 'eth_accounts');
    const signing = ask(page, 'personal_sign', '0x01', account);
    const window = await nextWindow(page);
    await openDialog(window, { kind: 'message' });
    const requested = await window.evaluate(() =>
      performance.getEntriesByType('resource').map(({ name }) => /([\w-]+?)-[\w-]{8}\.js$/.exec(name)?.[1]),
    );
    const parts = [
      ...['core', 'sign', 'submit', 'approvals', 'signing', 'owner-functions', 'signatures', 'sign'],
      ...['shared-unlock', 'access', 'dialog'],
    ];
    const start = requested.indexOf('answer-offers');
    // Requested together, before any of them requests its own imports.
    expect(requested.slice(start, start + 2 + parts.length)).toEqual(expect.arrayContaining(parts));
    await approve(window, 'message', 'Sign', password);
    expect(await signing).toEqual({ result: expect.stringMatching(/^0x[0-9a-f]{130}$/) });
    await closed(window);
    await page.close();
  });

  test('a reload ends the open question and nothing else', async () => {
    const page = await visit(origins().app);
    const run = await withoutClick(page);
    // Awaited from before the click: the window may open before the evaluation returns.
    const [window] = await Promise.all([
      nextWindow(page),
      page.evaluate(
        (from) =>
          void (globalThis as never as { page: BridgeAppPage }).page.ask('personal_sign', '0x00', from),
        account,
      ),
    ]);
    await openDialog(window, { kind: 'message' });
    await page.reload();
    await page.waitForFunction(() => 'page' in globalThis);
    await closed(window);
    expect(await run(`page.ask('eth_accounts')`)).toEqual({ result: [account] });
    const again = ask(page, 'personal_sign', '0x01', account);
    expect(await approve(await nextWindow(page), 'message', 'Reject')).not.toContain('1 of');
    expect(await again).toMatchObject({ code: 4001 });
    await page.close();
  });

  test('sends what a permission covers from the frame, without a window', async () => {
    const page = await visit(origins().app);
    await ask(page, 'eth_accounts');
    const granting = ask(page, 'wallet_requestExecutionPermissions', allowanceFor(account, friend));
    const window = await nextWindow(page);
    expect(await approve(window, 'permission', 'Allow', password)).toContain(origins().app);
    const { result: granted } = (await granting) as { result: [{ context: string }] };
    await closed(window);

    let windows = 0;
    page.context().on('page', () => windows++);
    const send = (value: string) => ask(page, 'eth_sendTransaction', { from: account, to: friend, value });
    for (let i = 0; i < 3; i++)
      expect(await send('0x1')).toEqual({ result: expect.stringMatching(/^0x[0-9a-f]{64}$/) });
    expect(windows).toBe(0);
    // More than is left: the person is asked.
    const tooMuch = send('0x38d7ea4c68000');
    await approve(await nextWindow(page), 'transaction', 'Send');
    expect(await tooMuch).toEqual({ result: expect.stringMatching(/^0x/) });
    const [{ context: permissionContext }] = granted;
    expect(await ask(page, 'wallet_revokeExecutionPermission', { permissionContext })).toEqual({
      result: {},
    });
    const ended = send('0x1');
    await approve(await nextWindow(page), 'transaction', 'Send');
    expect(await ended).toEqual({ result: expect.stringMatching(/^0x/) });
    await page.close();
  });

  test('a frame that crashes or is removed is replaced: reads go on, questions are refused, nothing is sent', async () => {
    const page = await visit(`${origins().app}#impatient`);
    const run = await withoutClick(page);
    await run(`page.ask('eth_subscribe', 'newHeads')`);
    const blockNumber = `page.ask('eth_blockNumber')`;
    const { result: before } = (await run(blockNumber)) as { result: string };

    const removed = ask(page, 'personal_sign', '0x00', account);
    const window = await nextWindow(page);
    await openDialog(window, { kind: 'message' });
    await run(`document.querySelector('[data-graft=bridge]').remove()`);
    expect(await removed).toMatchObject({ code: 4001 });
    await closed(window);
    expect(await run(blockNumber)).toEqual({ result: before });

    const sending = run(`page.ask('eth_sendTransaction', { from: '${account}', to: '${friend}' })`, true);
    await openDialog(await nextWindow(page), { kind: 'transaction' });
    const devtools = await page.context().newCDPSession(await frameOf(page));
    devtools.send('Page.crash').catch(() => {});
    expect(await sending).toMatchObject({
      code: 4900,
      data: { reason: 'bridge-lost', outcomeUnknown: true },
    });
    expect(await run(blockNumber)).toEqual({ result: before });

    await local.controls.mine();
    await expect
      .poll(() =>
        run(
          `page.events.filter(({ name }) => name === 'message').map(({ payload }) => payload.data.result.number)`,
        ),
      )
      .toEqual([`0x${(Number(before) + 1).toString(16)}`]);
    // Playwright takes the crash of a frame for that of the page: the page is left to the browser.
  });
});

test('a dapp of another site reads from a frame without a wallet, and the person decides in windows', async () => {
  const page = await visit(origins().other);
  expect(await ask(page, 'eth_blockNumber')).toEqual({ result: expect.stringMatching(/^0x/) });
  const frame = await frameOf(page);
  expect(
    await frame.evaluate(() => (window as never as { page: BridgeWalletPage }).page.host.vaultState()),
  ).toBe('unavailable');

  const connecting = ask(page, 'eth_requestAccounts');
  const first = await continueInFrame(page);
  expect(await approve(first, 'connect', 'Connect')).toContain(origins().other);
  expect(await connecting).toEqual({ result: [account] });
  await closed(first);

  await page.reload();
  await page.waitForFunction(() => 'page' in window);
  expect(await ask(page, 'eth_accounts')).toEqual({ result: [account] });
  const sending = ask(page, 'eth_sendTransaction', { from: account, to: friend, value: '0x1' });
  const second = await continueInFrame(page);
  await approve(second, 'transaction', 'Send', password);
  const { result: hash } = await sending;
  await expect
    .poll(() => ask(page, 'eth_getTransactionReceipt', hash))
    .toMatchObject({ result: { status: '0x1' } });
  await closed(second);

  // The frame keeps its half of the unlock: the next window needs no password. Closed by the person, it is a refusal.
  const refused = ask(page, 'personal_sign', '0x68656c6c6f', account);
  const third = await continueInFrame(page);
  expect(await (await openDialog(third, { kind: 'message' })).text()).not.toContain('Wallet password');
  await third.close();
  expect(await refused).toMatchObject({ code: 4001 });
  expect(errors).toEqual([]);
});

test('a dapp of another site spends from a purse after one question, without a window', async () => {
  const page = await visit(origins().other);
  expect(await ask(page, 'eth_accounts')).toEqual({ result: [account] });
  const permission = allowanceFor(account, friend);
  const granting = ask(page, 'wallet_requestExecutionPermissions', permission);
  const window = await continueInFrame(page);
  await approve(window, 'unlock', 'Unlock', password);
  expect(await approve(window, 'permission', 'Move and allow')).toContain('purse');
  const { result } = (await granting) as { result: [{ from: string; to: string }] };
  const [{ from: purse }] = result;
  expect([result[0].to, purse === account]).toEqual([account, false]);
  await closed(window);
  expect(await ask(page, 'eth_accounts')).toEqual({ result: [account, purse] });
  expect(await eventsOf(page)).toContainEqual({ name: 'accountsChanged', payload: [account, purse] });

  let windows = 0;
  page.context().on('page', () => windows++);
  const before = BigInt(((await ask(page, 'eth_getBalance', friend, 'latest')) as { result: string }).result);
  const move = (over: object = {}) =>
    ask(page, 'eth_sendTransaction', { from: purse, to: friend, value: '0x1', ...over });
  for (let i = 0; i < 3; i++)
    expect(await move()).toEqual({ result: expect.stringMatching(/^0x[0-9a-f]{64}$/) });
  await page.reload();
  await page.waitForFunction(() => 'page' in window);
  expect(await ask(page, 'eth_accounts')).toEqual({ result: [account, purse] });
  expect(await move()).toEqual({ result: expect.stringMatching(/^0x[0-9a-f]{64}$/) });
  await expect
    .poll(() => ask(page, 'eth_getBalance', friend, 'latest'))
    .toEqual({ result: `0x${(before + 4n).toString(16)}` });
  expect(await move({ to: account })).toMatchObject({ code: 4100 });
  expect(await ask(page, 'personal_sign', '0x00', purse)).toMatchObject({ code: 4200 });
  expect(windows).toBe(0);

  // No other dapp of the wallet has anything of it, and no page can read the frame's storage.
  expect(JSON.stringify(await page.evaluate(() => Object.entries(localStorage)))).not.toContain('key');

  // The browser evicts the key: a window gives it again, and moves nothing.
  const frame = await frameOf(page);
  await frame.evaluate(async () => {
    localStorage.clear();
    for (const { name = '' } of await indexedDB.databases()) indexedDB.deleteDatabase(name);
  });
  await page.reload();
  await page.waitForFunction(() => 'page' in window);
  const sent = move();
  const again = await continueInFrame(page);
  await approve(again, 'unlock', 'Unlock', password);
  expect(await sent).toEqual({ result: expect.stringMatching(/^0x[0-9a-f]{64}$/) });
  await closed(again);

  const wallet = await visit(origins().wallet);
  const held = await wallet.evaluate(async (secret) => {
    const { make } = (window as never as { page: BridgeWalletPage }).page;
    const opened = make({});
    await opened.unlock(secret);
    const purses = await opened.purses();
    await opened.takeBack(purses[0]?.address as `0x${string}`);
    return purses.map(({ address, origin }) => [address, origin]);
  }, password);
  expect(held).toEqual([[purse, origins().other]]);
  await expect.poll(() => ask(page, 'eth_getBalance', purse, 'latest')).toEqual({ result: '0x0' });
  await wallet.close();
  await page.close();
  expect(errors).toEqual([]);
});
