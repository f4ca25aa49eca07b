import type { Dialect } from '../../packages/kit/src/local/index.js';
import { serveRelay } from '../../packages/relay/src/node.js';
import { createRandom } from '../support/random.js';
import { until } from '../support/until.js';
import { buildTab } from './built-tab.js';
import { createLockDesk } from './locks.js';
import { createMishaps } from './mishaps.js';
import { type ChainNetwork, createChainNetwork } from './network.js';
import { createPages, type Tally } from './pages.js';
import { isPolled } from './subscribers.js';
import { createTrouble } from './trouble.js';

/** The result of a run. */
export interface Report {
  readonly seed: number;
  readonly dialect: Dialect;
  /** The height at the end, and how many blocks were mined on all branches. */
  readonly blocks: number;
  readonly mined: number;
  readonly reorgs: number;
  readonly deepest: number;
  readonly milliseconds: number;
  /** By kind of subscriber. */
  readonly told: Readonly<Record<string, Tally>>;
  readonly pending: { readonly sent: number; readonly seen: number };
  /** By JSON-RPC method, at the service. */
  readonly requests: Readonly<Record<string, number>>;
  readonly troubles: Readonly<Record<string, number>>;
  /** Descriptions of the defects; empty if every subscriber got exactly the events of the chain. */
  readonly defects: readonly string[];
}

/**
 * A simulated chain grows and reorganises behind the local service, tabs with whole wallets follow it through faults,
 * and the events of each subscriber are compared with the chain.
 */
export async function soak(options: soak.Options): Promise<Report> {
  const { seed, dialect, blocks, reorgs, deep, tabs, interval = 20, exchangeEvery = 400 } = options;
  // Separate generators: what depends on timing must not change the chain and the faults.
  const [random, ...others] = [0, 1, 2, 3].map((offset) => createRandom(seed * 10 + offset)) as Randoms;
  const [ofReplies, ofPages, ofMishaps] = others;
  const upTo = (most: number) => Math.floor(random() * (most + 1));
  const began = performance.now();
  const defects: string[] = [];
  const defect = (what: string) => void defects.push(what);

  const built = await buildTab();
  const network = await createChainNetwork({ seed, dialect, random });
  const { service, behind, engine } = network;
  const relay = options.relay ? await startRelay(network) : undefined;
  const trouble = createTrouble({ service, behind, random: ofReplies });
  const note = (what: string) => {
    trouble.done[what] = (trouble.done[what] ?? 0) + 1;
  };
  const pages = createPages({
    ...{ code: built.path, network, locks: createLockDesk(), interval, seed, random: ofPages, note, defect },
    ...(relay ? { url: relay.url, push: relay.url.replace('http', 'ws') } : { url: network.service.url }),
  });
  const mishaps = createMishaps({
    ...{ network, pages, trouble, random: ofMishaps, note, defect, exchangeEvery },
  });

  async function changeChain(deepNow: number | undefined): Promise<void> {
    const share = (reorgs - network.reorgs.count) / Math.max(1, (blocks - network.height()) / 1.3);
    if (deepNow !== undefined || random() < share) {
      const usual = random() < 0.97 ? 1 + upTo(5) : 10 + upTo(30);
      const depth = Math.min(deepNow ?? usual, network.height() - 1);
      const longer = deepNow === undefined ? ([0, 1, 1, 1, 1, 2][upTo(5)] as number) : 1;
      const transactions = (['mined', 'mined', 'pending', 'dropped'] as const)[upTo(3)] as 'mined';
      await network.reorg(depth, { blocks: depth + longer, transactions });
    } else await network.mine(random() < 0.9 ? 1 : 2 + upTo(6));
    if (random() < 0.15) await network.send();
    if (random() < 0.1) await network.sibling();
  }

  const awake = () => pages.all().filter(({ tab }) => tab.awake());
  const deepAt = deep.map((depth, at) => ({
    depth,
    height: Math.max(depth + 20, Math.floor((blocks * (at + 1)) / (deep.length + 1))),
  }));

  try {
    await network.mine(5);
    await Promise.all(Array.from({ length: tabs }, () => pages.open()));
    for (let turn = 0; network.height() < blocks || network.reorgs.count < reorgs; turn++) {
      const due = deepAt.findIndex(({ height }) => network.height() >= height);
      await changeChain(due < 0 ? undefined : deepAt.splice(due, 1)[0]?.depth);
      await mishaps.befall();
      // Mostly they are given the time to hear of it: a block that nobody was told of tests nothing when it leaves.
      const pace = random();
      if (pace < 0.7)
        await holdsWithin(() => awake().every((page) => pages.headOf(page) === network.head()), interval * 6);
      else if (pace < 0.85) await pause(upTo(15));
      await holdsWithin(() => awake().every((page) => pages.behindBy(page) < 150), 30_000);
      if (turn % 100 === 0) options.onProgress?.(network.height(), network.reorgs.count, defects.length);
    }

    // The faults end, and the chain outgrows every fork.
    await mishaps.end();
    await network.mine(3);
    const arrived = () => pages.all().every((page) => pages.headOf(page) === network.head());
    if (!(await holdsWithin(arrived, 90_000)))
      defect(`the head was not reached: ${pages.all().map(pages.behindBy).join(', ')} blocks behind`);
    for (const { tab, subscribers } of pages.all())
      for (const { id, wish } of subscribers.values())
        if (isPolled(wish))
          await tab.lastPoll(id).catch((error) => defect(`last poll of ${wish.kind}: ${error.message}`));
    const all = () => pages.all().flatMap(({ subscribers }) => [...subscribers.values()]);
    await holdsWithin(() => all().every((each) => each.upToDate()), 20_000);
    for (const page of pages.all()) {
      pages.settle(page, 'open');
      await page.tab.close();
    }
  } finally {
    await Promise.all(pages.all().map(({ tab }) => tab.kill()));
    await relay?.stop();
    await Promise.all([network.close(), built.remove()]);
  }

  return {
    ...{ seed, dialect, defects, told: pages.told, troubles: trouble.done },
    ...{ reorgs: network.reorgs.count, deepest: network.reorgs.deepest },
    blocks: network.height(),
    mined: engine.known.size,
    milliseconds: performance.now() - began,
    pending: { sent: network.sent.size, seen: pages.seen() },
    requests: countByMethod(network),
  };
}

type Random = () => number;
type Randoms = [Random, Random, Random, Random];

function countByMethod({ service }: ChainNetwork): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { method } of service.requests) counts[method] = (counts[method] ?? 0) + 1;
  // Sent by the test itself.
  delete counts.eth_sendRawTransaction;
  return counts;
}

/** Whether `condition` holds within `timeout` ms. */
const holdsWithin = (condition: () => boolean, timeout: number): Promise<boolean> =>
  until(condition, { timeout, interval: 2 }).catch(() => false);

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

export declare namespace soak {
  interface Options {
    readonly seed: number;
    readonly dialect: Dialect;
    /** The height at which it ends. */
    readonly blocks: number;
    readonly reorgs: number;
    /** Depths of reorganisations that come once each. */
    readonly deep: readonly number[];
    readonly tabs: number;
    /** Milliseconds between a tab's polls of the head; 20 by default. */
    readonly interval?: number;
    /** Changes of the chain between two tabs that end and are replaced, on average; 400 by default. */
    readonly exchangeEvery?: number;
    /** The tabs speak to a relay, which pushes its steps. It has no filters of pending transactions. */
    readonly relay?: boolean;
    readonly onProgress?: (height: number, reorgs: number, defects: number) => void;
  }
}

/** A relay between the tabs and the nodes, that looks as often as a tab would. */
async function startRelay({ service }: ChainNetwork) {
  const much = 1_000_000;
  const relay = await serveRelay({
    networks: [{ chainId: service.chainId, url: service.url, interval: 20 }],
    origins: ['*'],
    open: true,
    port: 0,
    admin: null,
    drain: 0,
    limits: {
      messagesPerSecond: much,
      messageBurst: much,
      readsPerMinute: much,
      readBurst: much,
      connections: 100,
    },
  });
  return { url: `${relay.url}/${service.chainId}`, stop: relay.stop };
}
