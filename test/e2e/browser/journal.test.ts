import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createLocalService, type LocalService } from '../../../packages/kit/src/local/index.js';
import type { Hex } from '../../../src/index.js';
import { launchChromium } from '../../support/chromium.js';
import { openShadows } from '../../support/open-shadows.js';
import { type Served, servePage } from '../../support/serve.js';
import type { JournalPage } from './journal-page.js';

/** The journal where it lives: a real IndexedDB that is deleted, the real private file system, a real EVM. */

const mnemonic = 'test test test test test test test test test test test junk';
const password = 'Tr0ub4dor and a horse';
const friend = `0x${'aa'.repeat(20)}` as const;

let served: Served;
let browser: Browser;
let local: LocalService;
let page: Page;
/** Requests to the service. */
let sent: number;

beforeAll(async () => {
  [served, browser, local] = await Promise.all([
    servePage({
      html: '<!doctype html><title>Journal</title><link rel="icon" href="data:,"><script type="module" src="/test/e2e/browser/journal-page.ts"></script>',
    }),
    launchChromium(),
    createLocalService({ chainId: 31, dialect: 'node', mining: 'manual' }),
  ]);
});

beforeEach(async () => {
  const context = await browser.newContext();
  sent = 0;
  await context.route('**/rpc/key', async (route) => {
    sent++;
    const reply = await fetch(local.url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: route.request().postData(),
    });
    await route.fulfill({ status: reply.status, contentType: 'application/json', body: await reply.text() });
  });
  page = await context.newPage();
  await openShadows(page);
  page.setDefaultTimeout(30_000);
  await page.goto(served.url);
  await ready();
});

afterEach(async () => {
  // The page goes on asking until it is closed.
  await page.context().unrouteAll({ behavior: 'ignoreErrors' });
  await page.context().close();
});

afterAll(async () => {
  await browser?.close();
  await Promise.all([served?.stop(), local?.close()]);
});

const ready = () => page.waitForFunction(() => 'page' in window);
const call = <Name extends keyof JournalPage>(
  name: Name,
  ...args: Parameters<JournalPage[Name]>
): Promise<Awaited<ReturnType<JournalPage[Name]>>> =>
  page.evaluate(
    ([name, args]) =>
      (window as never as { page: Record<string, (...args: unknown[]) => unknown> }).page[name]?.(...args),
    [name, args] as const,
  ) as never;

test('the panel opens with a hundred tokens by at most eight requests', async () => {
  await call('start', mnemonic, password);
  await call('watch', 100);
  await page.reload();
  await ready();
  sent = 0;
  await call('open');
  const panel = page.locator('.panel');
  await panel.getByText('T99', { exact: true }).waitFor();
  await panel.getByText('tRBTC', { exact: true }).first().waitFor();
  await page.waitForLoadState('networkidle');
  expect(sent).toBeGreaterThan(0);
  expect(sent).toBeLessThanOrEqual(8);
});

describe('a journal of an earlier version', () => {
  test('is read whole, archived, and paid from', async () => {
    const account = await call('start', mnemonic, password);
    await local.controls.faucet(account);
    // The seeded entries are in the blocks 0 to 49; those of the last twelve stay.
    await local.controls.mine(60);
    await call('seed', account, 400);
    await page.reload();
    await ready();
    const old = await call('transactions', { limit: 1_000 });
    expect(old.map(({ createdAt }) => createdAt)).toEqual(Array.from({ length: 400 }, (_, i) => i + 1));
    expect(await call('transactions')).toEqual(old.slice(-50));
    await expect.poll(() => call('stored')).toMatchObject({ journal: 96 });

    await call('unlock', password);
    const hash = await call('send', { from: account, to: friend, value: '0x1' });
    await local.controls.mine();
    await expect.poll(() => call('transactions', { limit: 1 })).toMatchObject([{ hash, state: 'mined' }]);
    const all = await call('transactions', { limit: 1_000 });
    expect(all.slice(0, -1)).toEqual(old);
    expect(await call('transactions', { hash: old[0]?.hash as Hex })).toEqual([old[0]]);
    expect((await call('exported', 'csv')).split('\r\n')).toHaveLength(400 + 3);
  });
});

describe('a browser that loses its databases', () => {
  test('still has every signed transaction after a reload and tracks it until it is mined', async () => {
    const account = await call('start', mnemonic, password);
    await local.controls.faucet(account);
    const hash = await call('send', { from: account, to: friend, value: '0x1' });
    expect(await call('transactions')).toMatchObject([{ hash, state: 'sent' }]);

    await call('loseDatabases');
    await page.reload();
    await ready();
    await expect.poll(() => call('transactions')).toMatchObject([{ hash, state: 'sent' }]);

    await local.controls.mine();
    await expect
      .poll(() => call('transactions'))
      .toMatchObject([{ hash, state: 'mined', fee: expect.stringMatching(/^0x/) }]);
    expect(await call('exported', 'csv')).toContain(hash);
  });
});
