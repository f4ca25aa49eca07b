import type { Browser, Frame, Page } from 'playwright-core';
import { parseEther } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { createLocalService, type LocalService } from '../../packages/kit/src/local/index.js';
import { type BridgeSites, serveBridgeSites } from '../support/bridge-sites.js';
import type { Built } from '../support/built.js';
import { launchPlainChromium } from '../support/chromium.js';
import { openDialog } from '../support/dialog-driver.js';
import { until } from '../support/until.js';
import { walletWindow } from '../support/wallet-window.js';
import { call } from './page.js';
import type { BridgeWallet } from './pages/bridge-wallet.js';
import { atMost, type Extent, kilobytes, milliseconds, type Row, times } from './row.js';
import { interleave, median } from './sample.js';
import { startScriptedNode } from './scripted-node.js';
import { weighBridge } from './weight.js';

const privateKey = `0x${'46'.repeat(32)}` as const;
/** Of the wallet in the dapp's page: with the account of the other one it would find payments that it has not made. */
const pageKey = `0x${'47'.repeat(32)}` as const;
const addressOf = (key: `0x${string}`) => privateKeyToAccount(key).address.toLowerCase() as `0x${string}`;
const password = 'correct horse battery';

/** The wallet on an origin of its own, over the bridge, against the same wallet in the page. */
export async function measureBridge(built: Built, extent: Extent): Promise<Row[]> {
  const sites = await serveBridgeSites({
    modules: { dapp: 'test/perf/pages/bridge-dapp.ts', wallet: 'test/perf/pages/bridge-wallet.ts' },
    preload: true,
  });
  // As a person starts it: frames of other origins have processes of their own.
  const browser = await launchPlainChromium();
  try {
    return [
      ...(await weights(built)),
      ...(await latencies(browser, sites, extent)),
      await acts(browser, sites),
      await manyTabs(browser, sites, extent),
    ];
  } finally {
    await browser.close();
    await sites.stop();
  }
}

async function weights(built: Built): Promise<Row[]> {
  const { client, remote, host, handed, asked } = await weighBridge(built);
  return [
    {
      what: 'Bridge: the client, before its first request',
      ours: `${kilobytes(client)}, with it ${kilobytes(remote)} more`,
      aim: atMost(client, 6_000, '≤ 6 kB'),
    },
    {
      what: 'Bridge: the host, over the wallet that it serves',
      ours: `${kilobytes(host)}, with the first question ${kilobytes(handed)} more, in its window ${kilobytes(asked)}`,
      aim: atMost(host, 3_000, '≤ 3 kB'),
    },
  ];
}

interface Setting {
  readonly url: string;
  readonly pollingInterval?: number;
  readonly agrees?: boolean;
  readonly dapps?: readonly string[];
}

/** A site whose wallet has the account, and what opens pages of its dapps. The caller closes the context. */
async function openSite(browser: Browser, sites: BridgeSites, name: string, setting: Setting) {
  const { url, pollingInterval = 3_600_000, agrees = true, dapps = ['app'] } = setting;
  const context = await browser.newContext();
  const origin = sites.configure(name, {});
  sites.configure(name, {
    dapp: { host: origin('wallet'), url, privateKey: pageKey },
    wallet: { url, allow: dapps.map(origin), pollingInterval, password, agrees },
  });
  const load = async (subdomain: string): Promise<Page> => {
    const page = await context.newPage();
    await page.goto(`${origin(subdomain)}/`);
    await page.waitForFunction(() => 'bench' in window);
    return page;
  };
  const home = await load('wallet');
  await call(home, 'bench.make', privateKey, password);
  await home.close();
  return {
    context,
    /** Resolves when the page knows the wallet. */
    async open(dapp: string): Promise<Page> {
      const page = await load(dapp);
      await call(page, 'bench.known');
      return page;
    },
  };
}

const frameOf = (page: Page): Promise<Frame> =>
  until(() => page.frames().find((frame) => frame.url().endsWith('/frame.html')));

const readWallet = (frame: Frame, name: 'ranAt' | 'drawnAt'): Promise<number> =>
  frame.evaluate((member) => (window as unknown as { bench: BridgeWallet }).bench[member], name);

async function latencies(browser: Browser, sites: BridgeSites, { short }: Extent): Promise<Row[]> {
  const node = await startScriptedNode();
  const setting = { url: node.url('bridge'), agrees: false };
  const { context, open } = await openSite(browser, sites, 'latency', setting);
  try {
    const handshakes: number[] = [];
    let page = await open('app');
    for (let i = 0; i < (short ? 5 : 21); i++) {
      await page.close();
      page = await open('app');
      const ranAt = await readWallet(await frameOf(page), 'ranAt');
      handshakes.push((await call<number>(page, 'bench.known')) - ranAt);
    }

    const [rounds, reads] = short ? [4, 50] : [20, 50];
    const contenders = {
      bridge: (round: number) => call<number[]>(page, 'bench.read', 'bridge', (round + 1) * reads, reads),
      page: (round: number) => call<number[]>(page, 'bench.read', 'page', (round + 1) * reads, reads),
      cachedBridge: () => call<number[]>(page, 'bench.readCached', 'bridge', reads),
      cachedPage: () => call<number[]>(page, 'bench.readCached', 'page', reads),
      bare: () => call<number[]>(page, 'bench.echo', reads),
    };
    const values = Object.fromEntries(
      Object.keys(contenders).map((name) => [name, [] as number[]]),
    ) as Record<keyof typeof contenders, number[]>;
    const runs = Object.fromEntries(
      Object.entries(contenders).map(([name, run]) => [
        name,
        async (round: number) => {
          const each = await run(round);
          // The first round loads what the reads need.
          if (round > 0) values[name as keyof typeof contenders].push(...each);
          return median(each);
        },
      ]),
    );
    await interleave(rounds + 1, runs);
    const at = (name: keyof typeof contenders, share: number) => quantile(values[name], share);
    const read = (share: number) => at('bridge', share) - at('page', share);
    const cached = (share: number) => at('cachedBridge', share) - at('cachedPage', share);

    const { cold, warm, running } = await timeQuestions(browser, sites, setting, short ? [2, 4] : [5, 20]);
    return [
      {
        what: 'Bridge: from the run of the frame’s script to a known wallet',
        ours: milliseconds(median(handshakes)),
        aim: atMost(median(handshakes), 20, '≤ 20 ms'),
      },
      {
        what: 'Bridge: a read from the cache, over the same read in the page, 95th percentile',
        ours: `${signed(cached(0.95))} (median ${signed(cached(0.5))})`,
        peers: `a bare message there and back ${signed(at('bare', 0.95))} (median ${signed(at('bare', 0.5))})`,
        aim: atMost(cached(0.95), 1, '≤ +1 ms'),
      },
      {
        what: 'Bridge: a read from the service, over the same read in the page, 95th percentile',
        ours: `${signed(read(0.95))} (median ${signed(read(0.5))})`,
        // Without an aim: fetches differ by more than the bridge adds.
        peers: `in the page ${milliseconds(at('page', 0.95))} (median ${milliseconds(at('page', 0.5))})`,
      },
      {
        what: 'Bridge: from a request to its question, drawn in the wallet’s window, its files in the HTTP cache',
        ours: milliseconds(median(warm)),
        peers: `of these until the window’s script runs ${milliseconds(median(running))}`,
        aim: atMost(median(warm), 300, '≤ 300 ms'),
      },
      {
        what: 'Bridge: the same for the first question of a browser, whose cache has only the frame’s files',
        ours: milliseconds(median(cold)),
      },
    ];
  } finally {
    await context.close();
    await node.stop();
  }
}

/** Milliseconds from requests to their questions: of the first in so many browsers, and of so many further ones. */
async function timeQuestions(
  browser: Browser,
  sites: BridgeSites,
  setting: Setting,
  [browsers, count]: readonly [number, number],
) {
  const cold: number[] = [];
  const warm: number[] = [];
  /** From a warm request to the run of the window's script. */
  const running: number[] = [];
  for (let i = 0; i < browsers; i++) {
    const { context, open } = await openSite(browser, sites, `questions-${i}`, setting);
    const page = await open('app');
    const ask = async (act: 'connect' | 'ask', button: string) => {
      const [window, askedAt] = await Promise.all([
        walletWindow(context),
        call<number>(page, `bench.${act}`),
      ]);
      const read = (name: 'ranAt' | 'drawnAt') => readWallet(window.mainFrame(), name);
      const drawnAt = await until(() => read('drawnAt'));
      const ranAt = await read('ranAt');
      const dialog = await openDialog(window);
      const isLocked = await dialog.evaluate((shown) => shown.querySelector('input[type=password]') !== null);
      if (isLocked) await dialog.fill('Wallet password', password);
      await dialog.click(button);
      await until(() => window.isClosed());
      return { drawn: drawnAt - askedAt, ran: ranAt - askedAt };
    };
    cold.push((await ask('connect', 'Connect')).drawn);
    for (let at = 0; at < count / browsers; at++) {
      const { drawn, ran } = await ask('ask', 'Sign');
      warm.push(drawn);
      running.push(ran);
    }
    await context.close();
  }
  return { cold, warm, running };
}

/** What connecting, reading and paying costs at the service. */
async function acts(browser: Browser, sites: BridgeSites): Promise<Row> {
  const local = await createLocalService({ chainId: 31 });
  const { context, open } = await openSite(browser, sites, 'acts', { url: local.url });
  try {
    for (const key of [privateKey, pageKey]) await local.controls.faucet(addressOf(key), parseEther('10'));
    const page = await open('app');
    const counts: number[] = [];
    for (const place of ['page', 'bridge']) {
      local.requests.clear();
      await call(page, 'bench.act', place);
      counts.push(local.requests.length);
      await calm(local);
    }
    const [inPage, bridged] = counts as [number, number];
    return {
      what: 'Bridge: connect, read and pay: requests',
      ours: `${bridged}`,
      peers: `in the page ${inPage}`,
      aim: { text: 'as in the page', met: bridged <= inPage },
    };
  } finally {
    await context.close();
    await local.close();
  }
}

/** Resolves when nobody asks any more what became of a payment. */
async function calm({ requests }: LocalService): Promise<void> {
  for (let before = -1; before !== requests.length; ) {
    before = requests.length;
    await pause(1_500);
  }
}

/** Five dapps in three tabs each that listen to blocks, against one in one tab. */
async function manyTabs(browser: Browser, sites: BridgeSites, { short }: Extent): Promise<Row> {
  const dapps = ['one', 'two', 'three', 'four', 'five'];
  const counts: number[] = [];
  for (const opened of [['one'], [...dapps, ...dapps, ...dapps]]) {
    const local = await createLocalService({ chainId: 31, mining: 'manual' });
    const setting = { url: local.url, pollingInterval: 500, dapps };
    const { context, open } = await openSite(browser, sites, `tabs-${opened.length}`, setting);
    try {
      for (const dapp of opened) await call(await open(dapp), 'bench.subscribe');
      await pause(3_000);
      local.requests.clear();
      for (let block = 0; block < (short ? 5 : 20); block++) {
        await local.controls.mine();
        await pause(1_000);
      }
      counts.push(local.requests.length);
    } finally {
      await context.close();
      await local.close();
    }
  }
  const [one, all] = counts as [number, number];
  return {
    what: 'Bridge: five dapps in three tabs each, subscribed to blocks: requests',
    ours: `${all} (one dapp in one tab ${one})`,
    ratio: `${times(all / one)} one`,
    aim: atMost(all / one, 1.1, '≤ 1.1× one'),
  };
}

const quantile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] as number;

const signed = (value: number): string => `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(2)} ms`;

const pause = (duration: number) => new Promise((resolve) => setTimeout(resolve, duration));
