import type { Browser, Frame, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createLocalService, type LocalService } from '../../../packages/kit/src/local/index.js';
import { launchChromium } from '../../support/chromium.js';
import { type Served, servePage } from '../../support/serve.js';
import type { TabsPage } from '../browser/tabs-page.js';
import { entries } from './bad-inputs.js';
import { type Forger, forged, forgeries } from './forgeries.js';

/** The layer `channel` of bad-inputs.json, in a browser: real frames, ports and channels. */

const password = 'a password of the page';
let service: LocalService;
let served: Served;
let foreign: Served;
let browser: Browser;
let page: Page;
const thrown: string[] = [];

beforeAll(async () => {
  [service, foreign, browser] = await Promise.all([
    createLocalService(),
    servePage({ html: '<!doctype html><title>Another site</title>' }),
    launchChromium(),
  ]);
  served = await servePage({
    html: `<!doctype html><title>Page</title><link rel="icon" href="data:,">
      <script>
        window.channels = [];
        window.BroadcastChannel = class extends BroadcastChannel {
          constructor(name) { super(name); window.channels.push(name); }
        };
      </script>
      <iframe name="foreign" src="${foreign.url}/"></iframe>
      <iframe name="sibling" srcdoc="<!doctype html><title>Sibling</title>"></iframe>
      <script type="module" src="/test/e2e/browser/tabs-page.ts"></script>`,
  });
  page = await browser.newPage();
  page.on('pageerror', ({ message }) => thrown.push(message));
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) thrown.push(message.text());
  });
  await page.goto(`${served.url}/?${new URLSearchParams({ service: service.url, password })}`);
  await page.waitForFunction(() => 'page' in window);
  // Unlocked, connected and following: whatever the wallet listens to, it listens to now.
  await page.evaluate(async (password) => {
    const { wallet } = (window as unknown as { page: TabsPage }).page;
    await wallet.create(password);
    await wallet.provider.request({ method: 'eth_requestAccounts' });
    await wallet.provider.request({ method: 'eth_subscribe', params: ['newHeads'] });
    const events: string[] = [];
    for (const name of ['connect', 'disconnect', 'chainChanged', 'accountsChanged', 'message'])
      wallet.provider.on(name, (payload) => events.push(`${name} ${JSON.stringify(payload)}`));
    Object.assign(window, { events });
  }, password);
});

afterAll(async () => {
  await browser?.close();
  await Promise.all([served?.stop(), foreign?.stop(), service?.close()]);
});

const frame = (name: string): Frame => {
  const found = page.frame(name);
  if (!found) throw new Error(`The page has no frame ${name}`);
  return found;
};
const forger = (): Forger => ({
  page,
  inFrame: (whose, act) => frame(whose).evaluate(act as (forged: unknown) => void, forged),
});

/** All that could have changed, and proof that the wallet still works and asks nobody anything. */
const look = () =>
  page.evaluate(async () => {
    const { wallet, heard } = (window as unknown as { page: TabsPage }).page;
    const request = (method: string, params: readonly unknown[] = []) =>
      wallet.provider.request({ method, params } as { method: string });
    const [account] = (await request('eth_accounts')) as readonly string[];
    return {
      account,
      state: wallet.state(),
      vault: await wallet.vaultState(),
      chainId: await request('eth_chainId'),
      block: await request('eth_blockNumber'),
      signature: await request('personal_sign', ['0x68', account]),
      transactions: await wallet.transactions(),
      heard: [...heard],
      events: [...(window as unknown as { events: readonly string[] }).events],
    };
  });

describe('a forged message', () => {
  const rows = entries.filter(({ id }) => Object.hasOwn(forgeries, id));

  test.each(rows.map(({ id, why }) => [id, why] as const))('%s: %s: ignored', async (id) => {
    const before = await look();
    expect(before).toMatchObject({ vault: 'unlocked', chainId: '0x21', events: [] });
    const asked = page.evaluate(() =>
      (window as unknown as { page: TabsPage }).page.wallet.provider.request({ method: 'eth_gasPrice' }),
    );
    await forgeries[id]?.(forger());
    expect(await asked).toMatch(/^0x[1-9a-f]/);
    // Messages come in tasks of their own: two turns of a frame's clock later they all have.
    await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 60)));
    expect(await look()).toEqual(before);
    expect(thrown).toEqual([]);
  });

  test('forged messages reach the listeners of the wallet', async () => {
    await page.evaluate(() => {
      const arrived: unknown[] = [];
      window.addEventListener('message', ({ data }) => arrived.push(data));
      Object.assign(window, { arrived });
    });
    for (const id of ['channel-001', 'channel-003']) await forgeries[id]?.(forger());
    const arrived = () => page.evaluate(() => (window as unknown as { arrived: unknown[] }).arrived.length);
    await expect.poll(arrived).toBe(2 * forged.length);
    const channels = () =>
      page.evaluate(() => (window as unknown as { channels: readonly string[] }).channels);
    expect(await channels()).toContainEqual(expect.stringContaining('keyring'));
  });
});
