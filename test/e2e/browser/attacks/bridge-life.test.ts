import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type DialogDriver, openDialog } from '../../../support/dialog-driver.js';
import { until } from '../../../support/until.js';
import {
  type BridgeAppPage,
  type BridgeWalletPage,
  inside,
  openSite,
  planted,
  type Site,
  walletFrame,
} from './bridge-site.js';

/**
 * What ends in the middle: a dapp, a frame, a page, a wallet. Each request ends once, nothing is sent twice, and nothing is
 * lost. The numbers are those of docs/notes/security.md#attacks-on-the-bridge.
 */

let site: Site;
let account: `0x${string}`;

beforeAll(async () => {
  site = await openSite();
  [account] = await site.plant();
  await site.local.controls.faucet(account);
});
afterEach(async () => {
  site.local.controls.clearFaults();
  await site.clear();
});
afterAll(() => site?.close());

/** The clock of a dapp's page, for which the silence of a wallet is short. */
const impatient = `if (window === top) {
  const later = setTimeout;
  setTimeout = (run, after, ...given) => later(run, { 15000: 300, 5000: 700 }[after] ?? after, ...given);
}`;

const dapp = (script?: string) => site.visit(`${site.origin('app.site')}/`, script);

/** Asks, and resolves at once with what resolves with the outcome: a result, or `{ code, data }`. */
async function begin(page: Page, method: string, params: unknown = []): Promise<() => Promise<unknown>> {
  const at = await page.evaluate(
    ([name, given]) => {
      const { page, outcomes = [] } = window as never as {
        page: BridgeAppPage;
        outcomes?: Promise<unknown>[];
      };
      Object.assign(window, { outcomes });
      const { provider } = page.bridge;
      const outcome = provider
        .request({ method: name as 'eth_call', params: given as never })
        .catch(({ code, data }) => ({ code, data }));
      return outcomes.push(outcome) - 1;
    },
    [method, params] as const,
  );
  return () =>
    page.evaluate((index) => (window as never as { outcomes: Promise<unknown>[] }).outcomes[index], at);
}
const request = async (page: Page, method: string, params: unknown = []) =>
  (await begin(page, method, params))();

const transfer = (value: string) => [{ from: account, to: `0x${'aa'.repeat(20)}`, value }];
const sign = ['personal_sign', ['0x68656c6c6f']] as const;

/** The wallet's window that a page opens for a request, once its document has loaded. */
async function nextWindow(): Promise<Page> {
  const popup = await site.context.waitForEvent('page');
  await popup.waitForFunction(() => 'page' in window);
  return popup;
}

/** Asks, and resolves with the dialog of the window that opens for it. */
async function beginInWindow(page: Page, kind: string, method: string, params: unknown) {
  const [popup, outcome] = await Promise.all([nextWindow(), begin(page, method, params)]);
  return { popup, outcome, dialog: await openDialog(popup, { kind }) };
}

async function agree(dialog: DialogDriver, button: string, password?: string): Promise<void> {
  if (password) await dialog.fill('Wallet password', password);
  await dialog.click(button);
}

/** Lets no transaction through to the node. Resolves with what was offered. */
function holdSends(): { readonly offered: string[]; release(): void } {
  const offered: string[] = [];
  const release = site.local.controls.intercept(({ calls }) => {
    const sends = calls.filter(({ method }) => method === 'eth_sendRawTransaction');
    offered.push(...sends.map(({ params }) => String((params as unknown[])[0])));
    return sends.length > 0 ? 'drop' : undefined;
  });
  return { offered, release };
}

const count = async () =>
  Number(
    BigInt(
      (
        (await (
          await fetch(site.local.url, {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify({
              jsonrpc: '2.0',
              id: 1,
              method: 'eth_getTransactionCount',
              params: [account, 'latest'],
            }),
          })
        ).json()) as { result: string }
      ).result,
    ),
  );

describe('a dapp that reloads', () => {
  test('leaves no question behind, and nothing is signed (attack 43)', async () => {
    const page = await dapp();
    const { popup } = await beginInWindow(page, 'message', sign[0], [...sign[1], account]);
    await page.reload();
    await page.waitForFunction(() => 'page' in window);
    await until(() => popup.isClosed());
    expect(await request(page, 'eth_accounts')).toEqual([account]);
    const frame = await walletFrame(page);
    expect(await frame.evaluate(() => document.querySelector('[data-graft]'))).toBeNull();
    expect(page.frames().filter((each) => each.url().startsWith(site.wallet))).toHaveLength(1);
  });

  test('loses no transaction between journal and network, which is mined once (attack 43)', async () => {
    const page = await dapp();
    const before = await count();
    const { offered, release } = holdSends();
    const { dialog } = await beginInWindow(page, 'transaction', 'eth_sendTransaction', transfer('0x11'));
    await agree(dialog, 'Send', planted.password);
    await until(() => offered.length > 0);
    await page.reload();
    release();
    await page.waitForFunction(() => 'page' in window);
    await until(async () => (await count()) > before, { interval: 100 });
    expect(new Set(offered).size).toBe(1);
    await site.local.controls.mine(1);
    expect(await count()).toBe(before + 1);
  });
});

describe('a frame that crashes', () => {
  test('answers 50 reads, three subscriptions and a send in the next one, each once (attack 44)', async () => {
    const page = await dapp(impatient);
    const first = await walletFrame(page);
    const log = ['logs', { address: `0x${'bb'.repeat(20)}` }];
    const ids: unknown[] = [];
    for (const kind of [['newHeads'], ['newHeads', { includeTransactions: false }], log])
      ids.push(await request(page, 'eth_subscribe', kind));
    const before = await count();
    const sends = holdSends();
    const { dialog } = await beginInWindow(page, 'transaction', 'eth_sendTransaction', transfer('0x22'));
    await agree(dialog, 'Send', planted.password);
    await until(() => sends.offered.length > 0);
    const held = site.local.controls.intercept(({ calls }) =>
      calls.some(({ method }) => method === 'eth_getBalance') ? 'hang' : undefined,
    );
    for (let i = 0; i < 50; i++)
      await begin(page, 'eth_getBalance', [`0x${i.toString(16).padStart(40, '0')}`, 'latest']);
    // The driver takes the page for crashed when one of its frames is.
    const session = await site.context.newCDPSession(page);
    const inPage = async (expression: string) => {
      const { result } = await session.send('Runtime.evaluate', {
        expression,
        awaitPromise: true,
        returnByValue: true,
      });
      return result.value;
    };
    const devtools = await site.context.newCDPSession(first);
    void devtools.send('Page.crash').catch(() => {});
    held();
    sends.release();

    const [hash, ...reads] = (await inPage('Promise.all(outcomes.slice(3))')) as unknown[];
    expect(hash).toMatch(/^0x[\da-f]{64}$/);
    expect(reads).toHaveLength(50);
    for (const read of reads) expect(read).toMatch(/^0x/);
    await until(async () => (await count()) === before + 1, { interval: 100 });
    expect(new Set(sends.offered).size).toBe(1);
    await inPage('page.events.length = 0');
    await site.local.controls.mine(1);
    const heads = (): Promise<[id: string, hash: string][]> =>
      inPage(`page.events.filter(({ name }) => name === 'message')
        .map(({ payload }) => [payload.data.subscription, payload.data.result.hash])`);
    await until(async () => new Set((await heads()).map(([id]) => id)).size === 2, { interval: 50 });
    const seen = await heads();
    expect(new Set(seen.map(String)).size).toBe(seen.length);
    expect(seen.every(([id]) => ids.includes(id))).toBe(true);
  });
});

test('a page restored from the back/forward cache has one frame and gets answers as before (attack 45)', async () => {
  const page = await dapp();
  expect(await request(page, 'eth_accounts')).toEqual([account]);
  await page.goto(`${site.origin('evil.other')}/hostile`);
  await page.goBack();
  await page.waitForFunction(() => 'page' in window);
  expect(await request(page, 'eth_blockNumber')).toMatch(/^0x/);
  expect(await request(page, 'eth_accounts')).toEqual([account]);
  expect(page.frames().filter((each) => each.url().startsWith(site.wallet))).toHaveLength(1);
});

test('five dapps with three frames each poll as one does, and use no nonce twice (attack 46)', async () => {
  const hosts = ['app.site', 'shop.site', 'a.site', 'b.site', 'c.site'];
  const polls = async () => {
    const { requests } = site.local;
    // Until the leader is chosen.
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    requests.clear();
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    return requests.count();
  };
  const embed = (page: Page) =>
    inside(
      page,
      async ({ embed, open }, src) => {
        const line = open((await embed(src)).contentWindow as Window);
        await line.got('welcome');
        await line.ask('eth_subscribe', ['newHeads']);
      },
      `${site.wallet}/frame.html`,
    );
  const pages = [await site.hostile(hosts[0])];
  await embed(pages[0] as Page);
  const alone = await polls();
  for (const host of hosts.slice(1)) pages.push(await site.hostile(host));
  for (const [at, page] of pages.entries()) for (let i = at === 0 ? 1 : 0; i < 3; i++) await embed(page);
  const together = await polls();
  expect(alone).toBeGreaterThan(3);
  expect(together).toBeLessThanOrEqual(alone * 1.5);
});

test('a wallet whose storage is cleared under an open frame is missing, and no second one is offered (attack 49)', async () => {
  const page = await dapp();
  expect(await request(page, 'eth_accounts')).toEqual([account]);
  const frame = await walletFrame(page);
  const devtools = await site.context.newCDPSession(page);
  await devtools.send('Storage.clearDataForOrigin', {
    origin: site.wallet,
    storageTypes: 'indexeddb,file_systems',
  });
  expect(
    await frame.evaluate(() => (window as never as { page: BridgeWalletPage }).page.host.vaultState()),
  ).toBe('missing');
  await site.plant();
});

test('a password that is changed elsewhere ends the unlock that windows share, and the old one opens nothing (attack 50)', async () => {
  const page = await dapp();
  await walletFrame(page);
  const first = await beginInWindow(page, 'message', sign[0], [...sign[1], account]);
  await agree(first.dialog, 'Sign', planted.password);
  expect(await first.outcome()).toMatch(/^0x/);
  await until(() => first.popup.isClosed());

  const home = await site.visit(site.wallet);
  const next = 'planted-second password 48';
  await home.evaluate(
    ([old, changed]) =>
      (window as never as { page: BridgeWalletPage }).page
        .make({})
        .changePassword(old as string, changed as string),
    [planted.password, next],
  );
  await home.close();
  const again = await beginInWindow(page, 'message', sign[0], [...sign[1], account]);
  await agree(again.dialog, 'Sign', planted.password);
  await expect.poll(() => again.dialog.error()).not.toBe('');
  await agree(again.dialog, 'Sign', next);
  expect(await again.outcome()).toMatch(/^0x/);
});
