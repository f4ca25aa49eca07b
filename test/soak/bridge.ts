import type { BrowserContext, Frame, Page } from 'playwright-core';
import { parseEther } from 'viem';
import { generatePrivateKey } from 'viem/accounts';
import { createLocalService, type LocalService } from '../../packages/kit/src/local/index.js';
import type { RecordedTransaction } from '../../src/index.js';
import type { Hex, Log } from '../../src/rpc/schema.js';
import { serveBridgeSites } from '../support/bridge-sites.js';
import { launchPlainChromium } from '../support/chromium.js';
import { ask, createEmitter, type Emitter } from '../support/emitter.js';
import { decide } from '../support/person.js';
import { createRandom } from '../support/random.js';
import { until } from '../support/until.js';
import type { SoakDappPage } from './bridge-dapp-page.js';
import type { Heard, Paid } from './bridge-page.js';
import type { SoakWalletPage } from './bridge-wallet-page.js';
import { compare, createHeadReader, createLogReader, type Held, keyOf, type Link } from './readers.js';
import { isOpen, judge, readPayments } from './sends.js';

/**
 * One wallet in Chromium: a tab on its own origin and two dapps on theirs, over the bridge. All three pay and listen while
 * the chain reorganises and the frames of the dapps are killed, in any state. Each payment has a value of its own and is
 * made again only if the dapp was told that it was not made, or if it is not in the journal. In the end each must be mined
 * exactly once, and each listener must have been told exactly the blocks and logs of the chain.
 */
export interface BridgeReport {
  readonly seed: number;
  /** By how the frame was killed. */
  readonly kills: Readonly<Record<string, number>>;
  readonly payments: number;
  readonly signed: number;
  /** What the pages were told of their payments. */
  readonly answers: Readonly<Record<string, number>>;
  readonly blocks: number;
  readonly reorganisations: number;
  /** By page. */
  readonly told: Readonly<Record<string, { readonly heads: number; readonly logs: number }>>;
  readonly seconds: number;
  /** What must not have happened; empty when all is well. */
  readonly defects: readonly string[];
}

const password = 'a password for the bridge';
const friend = `0x${'aa'.repeat(20)}` as const;
const dapps = ['app', 'shop'] as const;

/**
 * How a frame ends. `bridge.test.ts` crashes one: here a crash would take along all documents of the wallet's origin,
 * which share a process.
 */
const strikes: Readonly<Record<string, (page: Page, frame: Frame) => Promise<unknown>>> = {
  removed: (page) => page.evaluate(() => document.querySelector('[data-graft=bridge]')?.remove()),
  reloaded: (_, frame) => frame.evaluate(() => location.reload()),
  navigated: (_, frame) => frame.evaluate(() => location.replace('about:blank')),
};

export async function soakBridge(options: soakBridge.Options): Promise<BridgeReport> {
  const { kills, seed } = options;
  const random = createRandom(seed);
  const began = Date.now();
  const defects: string[] = [];
  const answers: Record<string, number> = {};
  const struck: Record<string, number> = {};
  const note = (counts: Record<string, number>, what: string) => {
    counts[what] = (counts[what] ?? 0) + 1;
  };

  const [local, sites, browser] = await Promise.all([
    createLocalService({ chainId: 33, dialect: 'node', mining: 'manual', switches: { accountQuota: false } }),
    serveBridgeSites({
      modules: { dapp: 'test/soak/bridge-dapp-page.ts', wallet: 'test/soak/bridge-wallet-page.ts' },
    }),
    launchPlainChromium(),
  ]);
  try {
    const context = await browser.newContext({ reducedMotion: 'reduce' });
    await context.exposeBinding('asked', ({ frame }, kind: string | null) => {
      // A notice that another window asks first goes by itself.
      if (kind !== 'waiting') void answer(frame);
    });
    const origin = sites.configure('soak', {});
    sites.configure('soak', {
      dapp: { host: origin('wallet') },
      wallet: { url: local.url, allow: dapps.map(origin), password },
    });
    const emitter = await createEmitter(local);
    const tab = await open(context, `${origin('wallet')}/`);
    const key = generatePrivateKey();
    const from = (await call<SoakWalletPage>(tab, 'make', key, password)) as Hex;
    await local.controls.faucet(from, parseEther('1000'));
    await local.controls.mine();
    const journal = () =>
      call<SoakWalletPage>(tab, 'transactions') as Promise<readonly RecordedTransaction[]>;

    const pages: Record<string, Page> = { wallet: tab };
    for (const dapp of dapps) pages[dapp] = await open(context, `${origin(dapp)}/`);
    const heights: Record<string, number> = {};
    for (const [name, page] of Object.entries(pages)) {
      await call<SoakDappPage>(page, 'start', emitter.contract);
      heights[name] = Number(await ask(local.url, 'eth_blockNumber'));
    }

    const world = startWorld(local, emitter, random);
    const payments = startPayments({
      pages: Object.values(pages),
      journal,
      note: (what) => note(answers, what),
    });
    for (let count = 0; count < kills; count++) {
      await pause(200 + random() * 1_500);
      const how = Object.keys(strikes)[count % 3] as string;
      const page = pages[dapps[Math.floor(random() * dapps.length)] as string] as Page;
      await recovered(page);
      const frame = frameOf(page) as Frame;
      await (strikes[how] as (typeof strikes)[string])(page, frame);
      note(struck, how);
      await until(() => frameOf(page) !== frame, {
        timeout: 40_000,
        interval: 20,
        failure: `No frame came after one was ${how}`,
      });
      await recovered(page);
      options.onProgress?.(count + 1, how);
    }
    const { count: paid, told } = await payments.stop();
    const { reorganisations } = await world.stop();

    // The trouble is over: everything is mined, and everybody is told.
    for (let i = 0; i < 100 && (i < 15 || (await journal()).some(isOpen)); i++) {
      await local.controls.mine();
      await pause(100);
    }
    const entries = await journal();
    const mined = await readPayments(local.url, from);
    defects.push(...judge(entries, mined, paid));
    for (const [value, hash] of told)
      if (!entries.some((entry) => entry.hash === hash && Number(entry.value) === value))
        defects.push(`payment ${value} was answered with ${hash}, which the journal does not have`);

    const chain = await readChain(local.url, emitter.contract);
    const counts: Record<string, { heads: number; logs: number }> = {};
    for (const [name, page] of Object.entries(pages)) {
      const { heard, faults } = await caughtUp(name, page, chain, (heights[name] as number) + 1);
      counts[name] = { heads: heard.heads.length, logs: heard.logs.length };
      defects.push(...faults);
    }
    return {
      ...{ seed, kills: struck, payments: paid, answers, reorganisations, told: counts, defects },
      signed: entries.length,
      blocks: mined.height,
      seconds: Math.round((Date.now() - began) / 1000),
    };
  } finally {
    await browser.close();
    await Promise.all([sites.stop(), local.close()]);
  }
}

export declare namespace soakBridge {
  interface Options {
    /** How many frames are killed. */
    readonly kills: number;
    readonly seed: number;
    readonly onProgress?: (kills: number, how: string) => void;
  }
}

async function open(context: BrowserContext, url: string): Promise<Page> {
  const page = await context.newPage();
  page.setDefaultTimeout(30_000);
  await page.goto(url);
  await page.waitForFunction(() => 'page' in window);
  return page;
}

/** Calls a function of the page. */
const call = <T>(page: Page, name: keyof T & string, ...args: readonly unknown[]): Promise<unknown> =>
  page.evaluate(
    ([member, values]) =>
      (window as unknown as { page: Record<string, (...given: readonly unknown[]) => unknown> }).page[
        member
      ]?.(...values),
    [name, args] as const,
  );

const frameOf = (page: Page): Frame | undefined =>
  page.frames().find((frame) => frame.url().endsWith('/frame.html') && !frame.isDetached());

/**
 * Resolves when the wallet answers the page. A question is asked again if V8 has collected the promise of its answer, which
 * happens under load.
 */
const recovered = (page: Page) =>
  until(async () => (await call<SoakDappPage>(page, 'status').catch(() => '')) === 'ready' && frameOf(page), {
    timeout: 40_000,
    interval: 20,
    failure: 'The wallet did not come back.',
  });

/** The person agrees to everything. A frame that is killed meanwhile takes its question along. */
async function answer(frame: Frame): Promise<void> {
  for (let attempt = 0; attempt < 3 && !frame.isDetached(); attempt++) {
    const late = pause(15_000).then(() => 'late');
    const done = decide(frame, 'approve', password).then(
      () => 'done',
      () => 'failed',
    );
    if ((await Promise.race([done, late])) !== 'failed') return;
  }
}

/** Blocks come, now and then with a log, and the chain reorganises. */
function startWorld({ controls }: LocalService, { emit }: Emitter, random: () => number) {
  let running = true;
  let reorganisations = 0;
  let topic = 0;
  const ended = (async () => {
    while (running) {
      await pause(150 + random() * 200);
      if (random() < 0.12) {
        reorganisations += 1;
        const transactions = random() < 0.5 ? 'dropped' : 'pending';
        await controls.reorg(1 + Math.floor(random() * 2), { transactions });
        continue;
      }
      if (random() < 0.6) await emit(++topic);
      await controls.mine();
    }
  })();
  return {
    async stop() {
      running = false;
      await ended;
      return { reorganisations };
    },
  };
}

/** Each page pays, one payment after another. */
function startPayments(options: {
  readonly pages: readonly Page[];
  readonly journal: () => Promise<readonly RecordedTransaction[]>;
  readonly note: (what: string) => void;
}) {
  const { pages, journal, note } = options;
  let running = true;
  let next = 1;
  /** The hashes that the pages were told, by value. */
  const told = new Map<number, Hex>();
  const current = new Set<number>();

  const isDead = ({ state }: RecordedTransaction) => state === 'refused' || state === 'abandoned';
  const livesOf = async (value: number) =>
    (await journal()).filter((entry) => Number(entry.value) === value && !isDead(entry));

  async function pay(page: Page, value: number): Promise<void> {
    for (;;) {
      const paid = (await call<SoakDappPage>(page, 'pay', friend, value)) as Paid;
      if ('hash' in paid) {
        told.set(value, paid.hash);
        return note('answered with the hash');
      }
      const { code, message, outcomeUnknown } = paid;
      note(outcomeUnknown ? 'outcome unknown' : `refused: ${code} ${message.slice(0, 60)}`);
      // What the frame that has died wrote last may still be on its way to the disk.
      await pause(300);
      const lives = await livesOf(value);
      if (lives.length > 0 && outcomeUnknown) return note('outcome unknown, and in the journal');
      if (lives.length > 0)
        throw new Error(`payment ${value} was refused with ${code} and is in the journal`);
    }
  }

  /** A payment that the chain has refused after all, as a person sees in the wallet. */
  const refusedOne = async (): Promise<number | undefined> => {
    const entries = await journal();
    const alive = new Set(entries.filter((entry) => !isDead(entry)).map(({ value }) => Number(value)));
    return entries
      .map(({ value }) => Number(value))
      .find((value) => !alive.has(value) && !current.has(value));
  };

  const work = async (page: Page) => {
    while (running) {
      const value = (await refusedOne()) ?? next++;
      current.add(value);
      await pay(page, value).finally(() => current.delete(value));
      await pause(200);
    }
  };
  const working = Promise.all(pages.map(work));
  // A failure is thrown where the payments are stopped.
  working.catch(() => {});
  return {
    async stop() {
      running = false;
      await working;
      return { count: next - 1, told };
    },
  };
}

interface Chain {
  readonly heads: readonly Held[];
  readonly logs: readonly Held[];
}

const heldLog = (log: Log): Held => ({
  key: keyOf(log),
  at: Number(log.blockNumber),
  block: log.blockHash as Hex,
});

async function readChain(url: string, contract: Hex): Promise<Chain> {
  const height = Number(await ask(url, 'eth_blockNumber'));
  const numbers = Array.from({ length: height + 1 }, (_, number) => `0x${number.toString(16)}`);
  const blocks = await Promise.all(
    numbers.map((each) => ask<Link>(url, 'eth_getBlockByNumber', each, false)),
  );
  const logs = await ask<Log[]>(url, 'eth_getLogs', {
    address: contract,
    fromBlock: '0x0',
    toBlock: 'latest',
  });
  return {
    heads: blocks.map(({ hash, number }) => ({ key: hash, at: Number(number), block: hash })),
    logs: logs.map(heldLog),
  };
}

/** Waits until the page has heard all that the chain has, for 30 seconds at most. Resolves with what is missing or wrong. */
async function caughtUp(name: string, page: Page, chain: Chain, from: number) {
  let heard: Heard = { heads: [], logs: [] };
  let faults: readonly string[] = [];
  await until(
    async () => {
      heard = (await call<SoakDappPage>(page, 'heard')) as Heard;
      faults = judgeHeard(name, heard, chain, from);
      return faults.length === 0;
    },
    { timeout: 30_000, interval: 50 },
  ).catch(() => {});
  return { heard, faults };
}

/** @param from the lowest height of which the page must have been told */
function judgeHeard(name: string, { heads, logs }: Heard, chain: Chain, from: number): readonly string[] {
  const readers = { heads: createHeadReader(), logs: createLogReader() };
  for (const head of heads) readers.heads.hear(head);
  for (const log of logs) readers.logs.hear(log);
  return (['heads', 'logs'] as const).flatMap((kind) => {
    const reader = readers[kind];
    compare(reader, chain[kind], from);
    const { lost, doubled, disordered, kept } = reader.faults;
    return lost + doubled + disordered + kept === 0
      ? []
      : [`${name}, ${kind}: ${JSON.stringify(reader.faults)} ${reader.words.join('; ')}`];
  });
}

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));
