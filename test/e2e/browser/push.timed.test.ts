import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createLocalService, type LocalService } from '../../../packages/kit/src/local/index.js';
import { type NodeRelay, serveRelay } from '../../../packages/relay/src/node.js';
import type { Address, Hash, Log } from '../../../src/rpc/schema.js';
import { launchChromium } from '../../support/chromium.js';
import { ask as askService, createEmitter, type Emitter } from '../../support/emitter.js';
import { type Head, logPlace, netHeads, netLogs } from '../../support/net-events.js';
import { setVisible } from '../../support/page-visibility.js';
import { socketsOf } from '../../support/relay-server.js';
import { type Document, type Served, servePage } from '../../support/serve.js';
import type { LeaderPage } from './leader-page.js';

/**
 * Tabs of one origin follow a chain through the WebSocket of a relay. Browser, Web Locks, BroadcastChannel, relay and
 * local service are real.
 */

/** Milliseconds between polls of the head where nothing is pushed. */
const pollingInterval = 1_000;

interface Tab {
  readonly page: Page;
  readonly client: string;
  /** WebSockets that it has opened. */
  sockets: number;
}

let service: LocalService;
let relay: NodeRelay;
let served: Served;
let browser: Browser;
let context: BrowserContext;
let emitter: Emitter;
let contract: Address;
let tabs: Tab[] = [];
let blocks = 0;
/** Polls of the head that the tabs have sent over HTTP. */
let headPolls = 0;

beforeAll(async () => {
  [service, served, browser] = await Promise.all([
    createLocalService({ mining: 'manual' }),
    servePage({ documents: (_, path) => pages[path]?.() }),
    launchChromium(),
  ]);
  emitter = await createEmitter(service);
  contract = emitter.contract;
  relay = await start();
  context = await browser.newContext();
  context.setDefaultTimeout(30_000);
  context.on('request', (request) => {
    if (/eth_getBlockByNumber","params":\["latest"/.test(request.postData() ?? '')) headPolls += 1;
  });
});

/** A page under a policy that names the WebSocket's origin, and one under a policy that does not. */
const pages: Readonly<Record<string, () => Document>> = {
  '/': () => pageThatMayReach(service.url, relay.url, relay.url.replace('http', 'ws')),
  '/without-push': () => pageThatMayReach(service.url, relay.url),
};

const pageThatMayReach = (...urls: readonly string[]): Document => ({
  html: '<!doctype html><title>Tabs</title><link rel="icon" href="data:,"><script type="module" src="/test/e2e/browser/leader-page.ts"></script>',
  headers: {
    'content-security-policy': `default-src 'self'; img-src data:; connect-src ${urls.map((url) => new URL(url).origin).join(' ')}`,
  },
});

const start = (port = 0) =>
  serveRelay({
    networks: [{ chainId: service.chainId, url: service.url, interval: 500 }],
    origins: [served.url],
    open: true,
    port,
    admin: { port: 0 },
    drain: 0,
  });

afterAll(async () => {
  await browser?.close();
  await Promise.all([served?.stop(), relay?.stop()]);
  await service?.close();
});

/** Sends a request to the service, past the wallets. */
const ask = <T>(method: string, ...params: unknown[]): Promise<T> =>
  askService(service.url, method, ...params);

/** Mines a block, every second one with a log. */
async function mine(): Promise<void> {
  blocks += 1;
  if (blocks % 2 === 0) await emitter.emit(blocks);
  await service.controls.mine();
}

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

async function open(path = '/'): Promise<Tab> {
  const page = await context.newPage();
  const tab = { page, client: '', sockets: 0 };
  page.on('websocket', () => {
    tab.sockets += 1;
  });
  const url = `${relay.url}/${service.chainId}`;
  const parameters = [
    ['service', url],
    ['service', service.url],
    ['push', url.replace('http', 'ws')],
    ['contract', contract],
    ['interval', `${pollingInterval}`],
  ];
  await page.goto(`${served.url}${path}?${new URLSearchParams(parameters)}`);
  await page.waitForFunction(() => 'page' in window);
  tab.client = await page.evaluate(() => (window as unknown as { page: LeaderPage }).page.client());
  return tab;
}

const openSockets = () => socketsOf(relay);
const one = [1, 1] as const;
const none = [0, 0] as const;

async function leader(): Promise<Tab> {
  const { held } = await (tabs[0] as Tab).page.evaluate(() =>
    (window as unknown as { page: LeaderPage }).page.locks(),
  );
  return tabs.find(({ client }) => held.includes(client)) as Tab;
}

/** Resolves with the milliseconds until every tab has the newest block, and its logs. */
async function caughtUp(): Promise<number> {
  const began = Date.now();
  const { hash } = await ask<Head>('eth_getBlockByNumber', 'latest', false);
  const newest = (await ask<Log[]>('eth_getLogs', { address: contract, fromBlock: '0x0' })).at(-1)?.blockHash;
  const isCurrent = ([head, withLog]: readonly [Hash, Hash | null | undefined]) => {
    const { heads, logs } = (window as unknown as { page: LeaderPage }).page;
    const last = logs.at(-1);
    return heads.at(-1)?.hash === head && (!last || (last.blockHash === withLog && !last.removed));
  };
  await Promise.all(
    tabs.map(({ page }) => page.waitForFunction(isCurrent, [hash, newest] as const, { polling: 20 })),
  );
  return Date.now() - began;
}

/** What each tab got is the chain since `from`: nothing lost, nothing twice, in order. */
async function expectWhole(from: number): Promise<void> {
  const head = Number(await ask('eth_blockNumber'));
  const heights = Array.from({ length: head - from + 1 }, (_, index) => `0x${(from + index).toString(16)}`);
  const chain = await Promise.all(heights.map((height) => ask<Head>('eth_getBlockByNumber', height, false)));
  const mined = await ask<Log[]>('eth_getLogs', { address: contract, fromBlock: heights[0] });
  for (const { page } of tabs) {
    const { heads, logs } = await page.evaluate(() => {
      const { heads, logs } = (window as unknown as { page: LeaderPage }).page;
      return { heads, logs };
    });
    expect(netHeads(heads).map(({ hash }) => hash)).toEqual(chain.map(({ hash }) => hash));
    expect(netLogs(logs)).toEqual(mined.map(logPlace));
  }
}

let first = 0;
const measured: string[] = [];
afterAll(() => void process.stderr.write(`${measured.join('\n')}\n`));

test('five tabs share one WebSocket, hardly poll, and get each block and log once, through a reorganisation', async () => {
  tabs = await Promise.all(Array.from({ length: 5 }, () => open()));
  await expect.poll(openSockets).toEqual(one);
  // The poll at the begin of the connection, and those of the subscriptions, have ended.
  await pause(1_500);
  first = Number(await ask('eth_blockNumber')) + 1;
  headPolls = 0;
  const began = Date.now();
  const delays: number[] = [];
  for (let i = 0; i < 6; i++) {
    await mine();
    delays.push(await caughtUp());
    expect(openSockets()).toEqual(one);
  }
  await service.controls.reorg(3);
  await mine();
  delays.push(await caughtUp());
  await mine();
  delays.push(await caughtUp());
  const took = Date.now() - began;
  measured.push(
    `Pushed: ${delays.length} blocks in ${took} ms, at most ${Math.max(...delays)} ms late, ${headPolls} polls of the head`,
  );
  // Without the socket it would be eight.
  expect(headPolls).toBeLessThan(3);
  await expectWhole(first);
  expect(openSockets()).toEqual(one);
  expect(await (await fetch(`${relay.adminUrl}/metrics`)).text()).toContain(
    'graft_relay_connections{kind="websocket"} 1\n',
  );
  const { sockets } = await leader();
  expect(sockets).toBe(1);
  expect(tabs.reduce((sum, tab) => sum + tab.sockets, 0)).toBe(1);
}, 40_000);

test('when the leading tab is closed, another opens the one WebSocket and no event is lost', async () => {
  const closed = await leader();
  tabs = tabs.filter((tab) => tab !== closed);
  await mine();
  const began = Date.now();
  await closed.page.close();
  await mine();
  const delay = await caughtUp();
  await expect.poll(openSockets, { interval: 20 }).toEqual(one);
  await expect.poll(() => tabs.reduce((sum, tab) => sum + tab.sockets, 0)).toBe(1);
  measured.push(`Leader closed: events after ${delay} ms, a WebSocket after ${Date.now() - began} ms`);
  await mine();
  await mine();
  await caughtUp();
  await expectWhole(first);
  expect((await leader()).sockets).toBe(1);
  expect(openSockets()).toEqual(one);
}, 40_000);

test('while all tabs are hidden no WebSocket is open; once they are visible again they get what they missed', async () => {
  const opened = () => tabs.reduce((sum, tab) => sum + tab.sockets, 0);
  const before = opened();
  for (const { page } of tabs) await setVisible(page, false);
  await expect.poll(openSockets).toEqual(none);
  for (let i = 0; i < 3; i++) await mine();
  await service.controls.reorg(2);
  await mine();
  await pause(1_500);
  expect(openSockets()).toEqual(none);
  const began = Date.now();
  for (const { page } of tabs) await setVisible(page, true);
  await caughtUp();
  measured.push(`Seen again: events after ${Date.now() - began} ms`);
  await expect.poll(openSockets).toEqual(one);
  expect(opened()).toBeGreaterThan(before);
  await expectWhole(first);
}, 40_000);

test('when the relay is stopped, events go on from the service within 5 s, and from the relay when it is back', async () => {
  const { port } = relay;
  await relay.stop();
  const began = Date.now();
  await mine();
  await mine();
  await caughtUp();
  const delay = Date.now() - began;
  measured.push(`Relay stopped: events after ${delay} ms`);
  expect(delay).toBeLessThan(5_000);
  await service.controls.reorg(2);
  await mine();
  await caughtUp();
  await expectWhole(first);
  const stopped = Date.now();
  relay = await start(port);
  await expect.poll(openSockets).toEqual(one);
  measured.push(`Relay back: a WebSocket after ${Date.now() - stopped} ms`);
  // The first poll after it is connected, and those of the subscriptions, have ended.
  await pause(1_500);
  headPolls = 0;
  for (let i = 0; i < 4; i++) {
    await mine();
    await caughtUp();
  }
  expect(headPolls).toBeLessThan(2);
  await expectWhole(first);
}, 60_000);

test('where the page’s policy forbids the WebSocket, the wallet polls, and no event is lost', async () => {
  await Promise.all(tabs.map(({ page }) => page.close()));
  const tab = await open('/without-push');
  tabs = [tab];
  first = Number(await ask('eth_blockNumber')) + 1;
  for (let i = 0; i < 3; i++) {
    await mine();
    expect(await caughtUp()).toBeLessThan(5_000);
  }
  expect(openSockets()).toEqual(none);
  await expectWhole(first);
}, 40_000);
