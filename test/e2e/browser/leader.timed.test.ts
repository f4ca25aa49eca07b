import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createLocalService, type LocalService } from '../../../packages/kit/src/local/index.js';
import type { Address, Hash, Hex, Log } from '../../../src/rpc/schema.js';
import { launchChromium } from '../../support/chromium.js';
import { ask as askService, createEmitter, type Emitter } from '../../support/emitter.js';
import { logPlace, netHeads, netLogs } from '../../support/net-events.js';
import { setVisible } from '../../support/page-visibility.js';
import { type Served, servePage } from '../../support/serve.js';
import type { LeaderPage } from './leader-page.js';

/**
 * Tabs of one origin follow a chain through one of them: Web Locks, BroadcastChannel, and the deaths and the sleep
 * of tabs are real. How often each leader is lost: TABS_ROUNDS, and seconds for which requests are counted:
 * TABS_SECONDS.
 */
const rounds = Number(process.env.TABS_ROUNDS ?? 2);
const seconds = Number(process.env.TABS_SECONDS ?? 3);
/** Milliseconds between looks. */
const interval = 250;
/** For a replacement, on a machine that is busy with other things. */
const patience = 5_000;

interface Tab {
  readonly page: Page;
  readonly client: string;
}

let service: LocalService;
let served: Served;
let browser: Browser;
let context: BrowserContext;
let emitter: Emitter;
let contract: Address;
let tabs: Tab[] = [];
let blocks = 0;

beforeAll(async () => {
  [service, served, browser] = await Promise.all([
    createLocalService({ mining: 'manual' }),
    servePage({
      html: '<!doctype html><title>Tabs</title><link rel="icon" href="data:,"><script type="module" src="/test/e2e/browser/leader-page.ts"></script>',
    }),
    launchChromium(),
  ]);
  context = await browser.newContext();
  context.setDefaultTimeout(30_000);
  emitter = await createEmitter(service);
  contract = emitter.contract;
});

afterAll(async () => {
  await browser?.close();
  await Promise.all([served?.stop(), service?.close()]);
});

/** Asks the service, past the wallets. */
const ask = (method: string, ...params: unknown[]): Promise<unknown> =>
  askService(service.url, method, ...params);

/** A block, and in every second one a log. */
async function mine(): Promise<void> {
  blocks += 1;
  if (blocks % 2 === 0) await emitter.emit(blocks);
  await service.controls.mine();
}

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Blocks, and now and then a reorganisation, until the returned function is called. */
function keepMining(): () => Promise<void> {
  let stopped = false;
  const mining = (async () => {
    while (!stopped) {
      await mine();
      if (blocks % 7 === 0) await service.controls.reorg(2);
      await pause(120);
    }
  })();
  return () => {
    stopped = true;
    return mining;
  };
}

async function open(): Promise<Tab> {
  const page = await context.newPage();
  const parameters = { service: service.url, contract, interval: `${interval}` };
  await page.goto(`${served.url}/?${new URLSearchParams(parameters)}`);
  await page.waitForFunction(() => 'page' in window);
  const client = await page.evaluate(() => (window as unknown as { page: LeaderPage }).page.client());
  return { page, client };
}

/** So many tabs, all told of some blocks. */
async function have(count: number): Promise<void> {
  await Promise.all(tabs.splice(count).map(({ page }) => page.close()));
  tabs.push(...(await Promise.all(Array.from({ length: count - tabs.length }, open))));
  for (let i = 0; i < 3; i++) await mine();
  await caughtUp(tabs);
}

const locks = ({ page }: Tab) =>
  page.evaluate(() => (window as unknown as { page: LeaderPage }).page.locks());

async function leader(): Promise<Tab> {
  const { held } = await locks(tabs[0] as Tab);
  return tabs.find(({ client }) => held.includes(client)) as Tab;
}

const others = (victim: Tab) => tabs.filter((tab) => tab !== victim);

/** Resolves when all of `which` have been told of the newest block, and of the newest log. */
async function caughtUp(which: readonly Tab[]): Promise<void> {
  const { hash } = (await ask('eth_getBlockByNumber', 'latest', false)) as { hash: Hash };
  const log = ((await ask('eth_getLogs', { address: contract, fromBlock: '0x0' })) as Log[]).at(-1);
  const told = ([head, withLog]: readonly [Hash, Hash | undefined]) => {
    const { heads, logs } = (window as unknown as { page: LeaderPage }).page;
    const last = logs.at(-1);
    return (
      heads.at(-1)?.hash === head && (!withLog || !last || (last.blockHash === withLog && !last.removed))
    );
  };
  const newest = [hash, log?.blockHash ?? undefined] as const;
  await Promise.all(which.map(({ page }) => page.waitForFunction(told, newest, { polling: 50 })));
}

/** What was told is the chain: nothing lost, nothing twice, in order. */
async function expectWhole(): Promise<void> {
  const all = await Promise.all(
    tabs.map(({ page }) =>
      page.evaluate(() => {
        const { heads, logs } = (window as unknown as { page: LeaderPage }).page;
        return { heads, logs };
      }),
    ),
  );
  const told = all.map(({ heads, logs }) => ({ heads: netHeads(heads), logs: netLogs(logs) }));
  const from = Math.min(...told.map(({ heads }) => Number(heads[0]?.number)));
  const head = Number(await ask('eth_blockNumber'));
  const heights = Array.from({ length: head - from + 1 }, (_, index) => `0x${(from + index).toString(16)}`);
  const chain = (await Promise.all(
    heights.map((height) => ask('eth_getBlockByNumber', height, false)),
  )) as LeaderPage['heads'];
  const mined = (await ask('eth_getLogs', { address: contract, fromBlock: heights[0] })) as Log[];
  for (const { heads, logs } of told) {
    const first = Number(heads[0]?.number);
    expect(heads.map(({ hash }) => hash)).toEqual(chain.slice(first - from).map(({ hash }) => hash));
    expect(logs).toEqual(mined.filter(({ blockNumber }) => Number(blockNumber) >= first).map(logPlace));
  }
}

/** Resolves with the milliseconds until another tab leads, and until one is told of a block mined since. */
async function replaced(victim: Tab, [witness] = others(victim)): Promise<readonly [number, number]> {
  const { page } = witness as Tab;
  const began = Date.now();
  const { number } = (await ask('eth_getBlockByNumber', 'latest', false)) as { number: Hex };
  const told = page.waitForFunction(
    (number) => Number((window as unknown as { page: LeaderPage }).page.heads.at(-1)?.number) > number,
    Number(number) + 1,
    { polling: 20 },
  );
  const event = told.then(() => Date.now() - began);
  while (true) {
    const { held } = await locks(witness as Tab);
    if (held.length > 0 && !held.includes(victim.client)) return [Date.now() - began, await event];
    await pause(20);
  }
}

const strikes: Record<string, (victim: Tab) => Promise<() => Promise<void>>> = {
  async closed({ page }) {
    await page.close();
    return async () => {};
  },
  async crashed({ page }) {
    const session = await context.newCDPSession(page);
    const crashed = page.waitForEvent('crash');
    session.send('Page.crash').catch(() => {});
    await crashed;
    return () => page.close();
  },
  /**
   * Playwright holds its pages to be seen, and Chromium freezes no page that is: its main thread is stopped
   * instead. It keeps its lock, and all that is said to it waits until it goes on.
   */
  async frozen({ page }) {
    const session = await context.newCDPSession(page);
    await session.send('Debugger.enable');
    const paused = new Promise((resolve) => session.once('Debugger.paused', resolve));
    await session.send('Debugger.pause');
    await paused;
    return async () => {
      // It slept while others led.
      await pause(500);
      await session.detach();
    };
  },
  async hidden({ page }) {
    await setVisible(page, false);
    return () => setVisible(page, true);
  },
};

/** Those of the wallets; the test's own are of other methods. */
const countRequests = () =>
  service.requests.filter(({ method }) => /^eth_(getBlock|getLogs)/.test(method)).length;

test(
  'five tabs send as many requests as one',
  async () => {
    const counts: number[] = [];
    for (const count of [1, 5]) {
      await have(count);
      service.requests.clear();
      const end = Date.now() + seconds * 1_000;
      while (Date.now() < end) {
        await mine();
        await pause(500);
      }
      counts.push(countRequests());
    }
    const [one, five] = counts as [number, number];
    process.stderr.write(`Requests in ${seconds} s: one tab ${one}, five tabs ${five}\n`);
    expect(one).toBeGreaterThan(seconds * 2);
    // Two for the edges of the time that is counted.
    expect(five).toBeLessThanOrEqual(1.1 * one + 2);
  },
  60_000 + seconds * 2_000,
);

describe('five tabs whose leader is', () => {
  const measured: string[] = [];
  afterAll(() => void process.stderr.write(`${measured.join('\n')}\n`));

  test.each(Object.keys(strikes))(
    `%s, ${rounds} times: another tab leads, and each tab gets exactly the blocks and logs of the chain`,
    async (how) => {
      const [leads, events]: [number[], number[]] = [[], []];
      for (let round = 0; round < rounds; round++) {
        await have(5);
        const victim = await leader();
        const stop = keepMining();
        await pause(300 + Math.random() * interval);
        const recover = await (strikes[how] as (victim: Tab) => Promise<() => Promise<void>>)(victim);
        const [lead, event] = await replaced(victim);
        leads.push(lead);
        events.push(event);
        await recover();
        if (victim.page.isClosed()) tabs = others(victim);
        await stop();
        await mine();
        await caughtUp(tabs);
        await expectWhole();
        // One that slept knows that its lock was stolen.
        await expect.poll(async () => (await locks(tabs[0] as Tab)).held.length).toBe(1);
        expect(await leader()).not.toBe(victim);
      }
      const worst = (each: readonly number[]) => Math.max(...each);
      measured.push(
        `Leader ${how}, ${rounds} times: another leads after at most ${worst(leads)} ms, tells of the next block after at most ${worst(events)} ms`,
      );
      expect(worst(leads)).toBeLessThan(patience);
      expect(worst(events)).toBeLessThan(patience);
    },
    20_000 + rounds * 20_000,
  );
});

test('without a subscription nothing is requested and no lock is held', async () => {
  await have(5);
  for (const { page } of tabs)
    await page.evaluate(() => (window as unknown as { page: LeaderPage }).page.unsubscribe());
  expect(await locks(tabs[0] as Tab)).toEqual({ held: [], pending: [] });
  service.requests.clear();
  await mine();
  await pause(4 * interval);
  expect(countRequests()).toBe(0);
});
