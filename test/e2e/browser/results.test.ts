import type { Browser, Page } from 'playwright-core';
import { encodeErrorResult, parseAbi } from 'viem';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { createLocalService, type LocalService } from '../../../packages/kit/src/local/index.js';
import type { Address, Hash, Hex } from '../../../src/rpc/schema.js';
import { launchChromium } from '../../support/chromium.js';
import { openDialog } from '../../support/dialog-driver.js';
import { alice, clientOf, creationOf, revertingWith, sign } from '../../support/local-client.js';
import { openShadows } from '../../support/open-shadows.js';
import { type Served, servePage } from '../../support/serve.js';
import { until } from '../../support/until.js';
import type { ResultsPage } from './results-page.js';

/** The line of results in Chromium, from the click to the block of a real chain. */

const friend = `0x${'aa'.repeat(20)}`;
const key = `0x${'46'.repeat(32)}` as const;
const html = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width">
    <title>An app</title>
    <link rel="icon" href="data:,">
    <style>
      footer { position: fixed; inset: auto 0 0; display: flex; justify-content: space-between; height: 120px; }
      footer button { width: 100px; }
    </style>
    <script type="module" src="/test/e2e/browser/results-page.ts"></script>
  </head>
  <body>
    <footer><button id="left">Left</button><button id="right">Right</button></footer>
  </body>
</html>`;

let served: Served;
let browser: Browser;
let service: LocalService;
let page: Page;
let account: Address;
let problems: string[];
/** Addresses of the files that the page has asked for. */
let loaded: string[];

beforeAll(async () => {
  [served, browser, service] = await Promise.all([
    servePage({
      html,
      csp: `default-src 'self'; img-src data:; style-src 'self' 'unsafe-inline'; connect-src *; worker-src 'self' blob:`,
    }),
    launchChromium(),
    createLocalService({ chainId: 31, mining: 'manual' }),
  ]);
});
beforeEach(() => open());
afterEach(async () => {
  await page.context().close();
  expect(problems).toEqual([]);
});
afterAll(async () => {
  await browser?.close();
  await Promise.all([served?.stop(), service?.close()]);
});

const run = <Name extends 'start' | 'ask' | 'lock' | 'destroy'>(
  name: Name,
  ...args: Parameters<ResultsPage[Name]>
): Promise<unknown> =>
  page.evaluate(
    ([name, args]) =>
      (window as never as { page: Record<string, (...args: unknown[]) => unknown> }).page[name]?.(...args),
    [name, args] as const,
  );
const outcomes = () => page.evaluate(() => (window as never as { page: ResultsPage }).page.outcomes);

/** Opens the page with a wallet that has coins, connected. */
async function open(query = '', prepare = async (_: Page) => {}): Promise<void> {
  await page?.context().close();
  // With a storage of its own.
  page = await (await browser.newContext({ viewport: { width: 900, height: 700 } })).newPage();
  page.setDefaultTimeout(30_000);
  [problems, loaded] = [[], []];
  page.on('request', (request) => loaded.push(request.url()));
  page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
  page.on('pageerror', (error) => problems.push(String(error)));
  await openShadows(page);
  await prepare(page);
  await page.goto(`${served.url}/?url=${encodeURIComponent(service.url)}${query}`);
  await page.waitForFunction(() => 'page' in window);
  const started = run('start', key);
  await answer('connect', 'Connect');
  account = (await started) as Address;
  await service.controls.faucet(account, 10n ** 18n);
  await service.controls.mine();
}

async function answer(kind: string, button: string): Promise<void> {
  const dialog = await openDialog(page, { kind });
  await dialog.click(button);
  await dialog.closed();
}

/** Asks for a payment, and approves it. */
async function pay(more: object = {}): Promise<void> {
  await run('ask', 'eth_sendTransaction', { from: account, to: friend, value: '0x1', ...more });
  await answer('transaction', 'Send');
}

const line = () => page.locator('[data-graft=result] .result');
const news = () => page.locator('[data-graft=result] [role=status]');
const shows = (text: string) => news().filter({ hasText: text }).waitFor();
const speedUp = () => page.getByRole('button', { name: 'Speed up' });
const sent = 'Sent. It’s on its way…';
const done = 'Done. It’s in a block.';

test('a payment is followed from the click that approves it into a block', async () => {
  expect(loaded.filter((file) => file.includes('result-line'))).toEqual([]);
  await pay();
  await shows(sent);
  await until(async () => (await outcomes()).length === 1);
  expect(loaded.filter((file) => file.includes('result-line'))).toHaveLength(1);
  expect(await page.evaluate(() => document.activeElement?.localName)).toBe('body');
  await service.controls.mine();
  await shows(done);
  await page.getByRole('button', { name: 'Close' }).click();
  await line().waitFor({ state: 'detached' });
  expect(await page.locator('[data-graft]').count()).toBe(0);
});

test('a call that fails in its block says the contract’s reason', async () => {
  const payload = encodeErrorResult({
    abi: parseAbi(['error Error(string)']),
    args: ['The shop is closed'],
  }).slice(2);
  const client = clientOf(service);
  await service.controls.faucet(alice.address.toLowerCase() as Address, 10n ** 18n);
  await service.controls.mine();
  const nonce = Number(await client.call('eth_getTransactionCount', alice.address, 'latest'));
  const creation = creationOf(revertingWith(payload).slice(2));
  const hash: Hash = await client.call(
    'eth_sendRawTransaction',
    await sign({ chainId: 31, nonce, to: null, value: 0n, data: creation, gas: 500_000n }),
  );
  await service.controls.mine();
  const { contractAddress } = (await client.call('eth_getTransactionReceipt', hash)) as {
    contractAddress: Hex;
  };

  await run('ask', 'eth_sendTransaction', {
    from: account,
    to: contractAddress,
    data: '0x12345678',
    gas: '0x186a0',
  });
  await answer('transaction', 'Confirm');
  await shows(sent);
  await service.controls.mine();
  await shows('It failed. Only the fee was paid. The contract’s reason: The shop is closed');
});

test('the page’s buttons beside the line stay clickable, and its keys and layout stay its own', async () => {
  const height = () => page.evaluate(() => document.documentElement.scrollHeight);
  const before = await height();
  await pay();
  await shows(sent);
  const box = (await line().boundingBox()) as { x: number; y: number; width: number; height: number };
  const middle = box.y + box.height / 2;
  await page.evaluate(() => {
    const heard: string[] = [];
    Object.assign(window, { heard });
    addEventListener('click', ({ target }) =>
      heard.push((target as Element).id || (target as Element).localName),
    );
    addEventListener('keydown', ({ key }) => heard.push(key));
  });
  // On both sides at its height, and the page right above it.
  await page.mouse.click(50, middle);
  await page.mouse.click(850, middle);
  await page.mouse.click(box.x + box.width / 2, box.y - 4);
  await page.keyboard.press('Escape');
  const heard = await page.evaluate(() => (window as never as { heard: string[] }).heard);
  expect(heard).toEqual(['left', 'right', 'footer', 'Escape']);
  expect(await line().count()).toBe(1);
  expect(await height()).toBe(before);
});

test('by the keyboard alone, a slow payment is sped up by an ordinary question, and the line follows it', async () => {
  await open('', (opened) => opened.clock.install());
  await pay();
  await shows(sent);
  expect(await speedUp().count()).toBe(0);
  await page.clock.fastForward(100_000);
  await shows('Still on its way. This takes longer than usual.');
  await until(async () => {
    await page.keyboard.press('Tab');
    return speedUp().evaluate((button) => (button.getRootNode() as ShadowRoot).activeElement === button);
  });
  await page.keyboard.press('Enter');
  const refused = await openDialog(page, { kind: 'transaction' });
  expect(await refused.title()).toBe('Send again with a higher fee');
  expect(await line().evaluate((element) => getComputedStyle(element).opacity)).toBe('0');
  await refused.click('Reject');
  await refused.closed();
  await shows('Still on its way. This takes longer than usual.');

  await speedUp().click();
  await answer('transaction', 'Send');
  await shows(sent);
  expect(await page.locator('[data-graft=result]').count()).toBe(1);
  await service.controls.mine();
  await shows(done);
});

test('another question has the line make room, and the next payment takes it over', async () => {
  await pay();
  await shows(sent);
  await run('ask', 'personal_sign', '0x6869', account);
  const dialog = await openDialog(page, { kind: 'message' });
  expect(await line().evaluate((element) => getComputedStyle(element).opacity)).toBe('0');
  await dialog.click('Sign');
  await dialog.closed();
  await shows(sent);
  await service.controls.mine();
  await shows(done);
  await pay();
  await shows(sent);
  expect(await page.locator('[data-graft=result]').count()).toBe(1);
});

test('a batch is one line', async () => {
  const calls = [
    { to: friend, value: '0x1' },
    { to: friend, value: '0x2' },
  ];
  const batch = { version: '2.0.0', chainId: '0x1f', atomicRequired: false, calls };
  await run('ask', 'wallet_sendCalls', batch);
  await answer('calls', 'Confirm');
  await shows(sent);
  await service.controls.mine();
  await shows('Done. All 2 are in a block.');
});

test('a transaction that is only signed, and one that is refused, leave no line', async () => {
  const transaction = { from: account, to: friend, value: '0x1' };
  await run('ask', 'eth_signTransaction', transaction);
  await answer('transaction', 'Sign');
  await until(async () => (await outcomes()).length === 1);
  await run('ask', 'eth_sendTransaction', transaction);
  await answer('transaction', 'Reject');
  await until(async () => (await outcomes())[1] === 4001);
  expect(await page.locator('[data-graft]').count()).toBe(0);
});

test('a lock leaves the line, and the end of the wallet takes it away', async () => {
  await pay();
  await shows(sent);
  await run('lock');
  await service.controls.mine();
  await shows(done);
  await run('destroy');
  expect(await page.locator('[data-graft]').count()).toBe(0);
});

test('nothing is shown after a reload', async () => {
  await pay();
  await shows(sent);
  await page.reload();
  await page.waitForFunction(() => 'page' in window);
  await service.controls.mine();
  await run('ask', 'eth_blockNumber');
  await until(async () => (await outcomes()).length === 1);
  expect(await page.locator('[data-graft]').count()).toBe(0);
});

test.each([
  ['shows results itself', '&results=off'],
  ['has its own approver', '&approver=own'],
])('a page that %s gets no line and loads nothing of it', async (_, query) => {
  await open(query);
  await pay();
  await until(async () => (await outcomes()).length === 1);
  await service.controls.mine();
  expect(loaded.filter((file) => file.includes('result-line'))).toEqual([]);
  expect(await page.locator('[data-graft]').count()).toBe(0);
});
