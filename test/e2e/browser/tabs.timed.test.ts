import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createLocalService, type LocalService } from '../../../packages/kit/src/local/index.js';
import { launchChromium } from '../../support/chromium.js';
import { type Served, servePage } from '../../support/serve.js';
import type { TabsPage } from './tabs-page.js';

/** Tabs of one origin: Web Locks, IndexedDB, `storage` events and their crashes are real. */

const password = 'a password for all tabs';
const somebody = '0x5afe51de5afe51de5afe51de5afe51de5afe51de';

let service: LocalService;
let served: Served;
let browser: Browser;
let context: BrowserContext;
let account: string;

beforeAll(async () => {
  [service, served, browser] = await Promise.all([
    createLocalService(),
    servePage({
      html: '<!doctype html><title>Tabs</title><link rel="icon" href="data:,"><script type="module" src="/test/e2e/browser/tabs-page.ts"></script>',
    }),
    launchChromium(),
  ]);
  context = await browser.newContext();
  context.setDefaultTimeout(30_000);
  const page = await open();
  account = await page.evaluate(async (password) => {
    const { wallet } = (window as unknown as { page: TabsPage }).page;
    const { address } = (await wallet.create(password)).account;
    await wallet.provider.request({ method: 'eth_requestAccounts' });
    return address;
  }, password);
  await service.controls.faucet(account as `0x${string}`, 10n ** 19n);
  await page.close();
});

afterEach(async () => {
  service.controls.clearFaults();
  await Promise.all(context.pages().map((page) => page.close()));
});

afterAll(async () => {
  await browser?.close();
  await Promise.all([served?.stop(), service?.close()]);
});

async function open(): Promise<Page> {
  const page = await context.newPage();
  await page.goto(`${served.url}/?${new URLSearchParams({ service: service.url, password })}`);
  await page.waitForFunction(() => 'page' in window);
  return page;
}

const unlock = (password: string) => (window as unknown as { page: TabsPage }).page.wallet.unlock(password);
const think = () => (window as unknown as { page: TabsPage }).page.think();
const thought = () => (window as unknown as { page: TabsPage }).page.thinking;
const decide = () => (window as unknown as { page: TabsPage }).page.decide();

/** Sends `count` payments at once; resolves with their hashes. */
const send = (page: Page, count = 1): Promise<string[]> =>
  page.evaluate(
    ([from, to, count]) => {
      const { provider } = (window as unknown as { page: TabsPage }).page.wallet;
      const params = [{ from: from as `0x${string}`, to, value: '0x1' }] as const;
      return Promise.all(
        Array.from({ length: count }, () => provider.request({ method: 'eth_sendTransaction', params })),
      ) as Promise<string[]>;
    },
    [account, somebody, count] as const,
  );

/** Asks the service, past the wallets. */
async function ask(method: string, ...params: unknown[]): Promise<unknown> {
  const response = await fetch(service.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  return ((await response.json()) as { result: unknown }).result;
}

const mined = async () => Number(await ask('eth_getTransactionCount', account, 'latest'));

const nonces = async (hashes: readonly string[]) => {
  const found = await Promise.all(hashes.map((hash) => ask('eth_getTransactionByHash', hash)));
  return found.map((each) => Number((each as { nonce: string }).nonce)).sort((a, b) => a - b);
};

const states = (page: Page) =>
  page.evaluate(async () =>
    (await (window as unknown as { page: TabsPage }).page.wallet.transactions()).map(({ state }) => state),
  );

const locks = (page: Page) =>
  page.evaluate(async () => {
    const { held = [], pending = [] } = await navigator.locks.query();
    const nonce = (each: LockInfo) => each.name?.includes(':nonce:');
    return { held: held.filter(nonce).length, pending: pending.filter(nonce).length };
  });

/** The renderer dies, with all that it had under way. */
async function crash(page: Page): Promise<void> {
  const session = await context.newCDPSession(page);
  const crashed = page.waitForEvent('crash');
  session.send('Page.crash').catch(() => {});
  await crashed;
}

describe('sending', () => {
  test('two tabs that send ten each at once use twenty nonces in a row, and all are mined', async () => {
    const tabs = [await open(), await open()] as const;
    const first = await mined();
    // All are unlocked, and held at their first question until both may begin.
    for (const tab of tabs) await tab.evaluate(unlock, password);
    await Promise.all(tabs.map((tab) => tab.evaluate(think)));
    const sending = tabs.map((tab) => send(tab, 10));
    await Promise.all(tabs.map((tab) => tab.evaluate(thought)));
    await Promise.all(tabs.map((tab) => tab.evaluate(decide)));
    const hashes = (await Promise.all(sending)).flat();
    await expect.poll(mined).toBe(first + 20);
    expect(await nonces(hashes)).toEqual(Array.from({ length: 20 }, (_, index) => first + index));
    await expect.poll(() => states(tabs[0])).toEqual(Array(20).fill('mined'));
  });

  test('a tab whose question was opened before another tab sent takes the next nonce', async () => {
    const [tab, other] = [await open(), await open()];
    const first = await mined();
    await tab.evaluate(think);
    const sending = send(tab);
    await tab.evaluate(thought);
    const [sent] = (await send(other)) as [string];
    await expect.poll(async () => (await states(other)).at(-1)).toBe('mined');
    await tab.evaluate(decide);
    expect(await nonces([sent, ...(await sending)])).toEqual([first, first + 1]);
  });
});

describe('a tab that crashes', () => {
  test('while it signs does not block another', async () => {
    const [tab, other] = [await open(), await open()];
    const first = await mined();
    await tab.evaluate(() => (window as unknown as { page: TabsPage }).page.stall());
    const lost = send(tab).catch(() => 'lost');
    await tab.evaluate(() => (window as unknown as { page: TabsPage }).page.stalled);
    const sending = send(other);
    await expect.poll(() => locks(other)).toEqual({ held: 1, pending: 1 });
    await crash(tab);
    expect(await lost).toBe('lost');
    // Nothing was sent before it was written down: its nonce is free.
    expect(await nonces(await sending)).toEqual([first]);
    await expect.poll(mined).toBe(first + 1);
  });

  test('before the service has its transaction: another tab broadcasts it before its own', async () => {
    const [tab, other] = [await open(), await open()];
    const first = await mined();
    const offered = swallow();
    const lost = send(tab).catch(() => 'lost');
    await offered;
    await crash(tab);
    expect(await lost).toBe('lost');
    const [sent] = (await send(other)) as [string];
    await expect.poll(mined).toBe(first + 2);
    expect(await nonces([sent])).toEqual([first + 1]);
  });
});

/** The next transaction that is offered is neither taken nor answered. Resolves when that has happened. */
function swallow(): Promise<void> {
  return new Promise((resolve) => {
    const undo = service.controls.intercept(({ calls }) => {
      if (calls[0]?.method !== 'eth_sendRawTransaction') return undefined;
      undo();
      resolve();
      return 'hang';
    });
  });
}

describe('a tab that is closed before the reply', () => {
  test('the next tab broadcasts what the service never accepted, and it is mined', async () => {
    const tab = await open();
    const first = await mined();
    const offered = swallow();
    const lost = send(tab).catch(() => 'lost');
    await offered;
    await tab.close();
    expect(await lost).toBe('lost');
    expect(await mined()).toBe(first);
    const next = await open();
    await expect.poll(mined).toBe(first + 1);
    await expect.poll(async () => (await states(next)).at(-1)).toBe('mined');
  });

  test('the next tab finds what the service accepted and sends no other', async () => {
    const tab = await open();
    const first = await mined();
    const dropped = new Promise<void>((resolve) => {
      service.controls.intercept(async ({ calls }, answer) => {
        if (calls[0]?.method !== 'eth_sendRawTransaction') return undefined;
        await answer();
        resolve();
        return 'drop';
      });
    });
    const lost = send(tab).catch(() => 'lost');
    await dropped;
    await tab.close();
    expect(await lost).toBe('lost');
    service.controls.clearFaults();
    const next = await open();
    await expect.poll(async () => (await states(next)).at(-1)).toBe('mined');
    expect(await mined()).toBe(first + 1);
  });
});

describe('changes in one tab', () => {
  test('reaches the others: accounts and chain', async () => {
    const tabs = [await open(), await open(), await open()] as const;
    const [tab] = tabs;
    const request = (method: string, ...params: unknown[]) =>
      tab.evaluate(
        ([method, params]) =>
          (window as unknown as { page: TabsPage }).page.wallet.provider.request({ method, params }),
        [method, params] as const,
      );
    await request('wallet_revokePermissions', { eth_accounts: {} });
    await request('eth_requestAccounts');
    await request('wallet_switchEthereumChain', { chainId: '0x1f' });
    await request('wallet_switchEthereumChain', { chainId: '0x21' });
    for (const each of tabs) {
      await each.waitForFunction(() => (window as unknown as { page: TabsPage }).page.heard.length >= 4);
      const [heard, now] = await each.evaluate(async () => {
        const { heard, wallet } = (window as unknown as { page: TabsPage }).page;
        const ask = (method: 'eth_accounts' | 'eth_chainId') => wallet.provider.request({ method });
        return [heard, [await ask('eth_accounts'), await ask('eth_chainId')]];
      });
      expect(heard).toEqual([
        'accountsChanged ',
        `accountsChanged ${account}`,
        'chainChanged 0x1f',
        'chainChanged 0x21',
      ]);
      expect(now).toEqual([[account], '0x21']);
    }
  });
});
