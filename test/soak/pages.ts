import type { Hash } from '../../src/rpc/schema.js';
import type { createLockDesk } from './locks.js';
import type { ChainNetwork } from './network.js';
import { type Faulty, faultless } from './readers.js';
import { contents } from './simulated-engine.js';
import {
  createSubscriber,
  isPolled,
  isResumed,
  type Subscriber,
  subscribe,
  type Wish,
} from './subscribers.js';
import { openTab, type Tab } from './tabs.js';

/** One tab and its subscriptions. */
export interface Page {
  readonly tab: Tab;
  readonly name: string;
  readonly subscribers: Map<string, Subscriber>;
  /** Events that came before the page could know whose they are. */
  readonly unknown: Map<string, unknown[]>;
  /** Of what the page has ended, nothing more may come. */
  readonly ended: Set<string>;
  /** It is being asked for something. */
  busy: boolean;
}

export type Tally = { subscribers: number; events: number } & Faulty;

/** The tabs of one browser, their subscribers and the results. */
export interface Pages {
  all(): readonly Page[];
  open(): Promise<void>;
  /** The page is loaded again: what is resumed goes on, the rest ends and begins anew. */
  reload(page: Page): Promise<void>;
  /** One subscriber joins a page late, or one that joined late leaves. */
  exchangeSubscriber(page: Page): Promise<void>;
  /** The page gives up its subscribers as they are. */
  settle(page: Page, how: 'open' | 'killed'): void;
  headOf(page: Page): Hash | undefined;
  /** How many blocks the page is behind the head. */
  behindBy(page: Page): number;
  /** Of all subscribers that are settled, by kind. */
  readonly told: Record<string, Tally>;
  /** Most transactions that one subscriber has seen on their way. */
  seen(): number;
}

const allWishes: readonly Wish[] = [
  { kind: 'newHeads' },
  { kind: 'logs', criteria: {} },
  {
    kind: 'logs',
    criteria: { address: contents.addresses.slice(0, 2), topics: [null, contents.topics.slice(0, 1)] },
  },
  { kind: 'block filter' },
  { kind: 'log filter', criteria: { topics: [contents.topics.slice(0, 3)] } },
  { kind: 'newPendingTransactions' },
  { kind: 'pending filter' },
  { kind: 'newHeads', resume: 'heads' },
  {
    kind: 'logs',
    criteria: { address: contents.addresses.slice(1, 5), topics: [] },
    resume: 'logs',
  },
];

/** How far back a filter with history reaches, in blocks. */
const past = 60;

export function createPages(options: createPages.Options): Pages {
  const { code, network, locks, interval, seed, random, note, defect, url, push } = options;
  const wishes = push ? allWishes.filter(({ kind }) => !/pending/i.test(kind)) : allWishes;
  // What may be asked for at any time, and by several.
  const plain = wishes.filter((wish) => !isResumed(wish));
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
  const told: Record<string, Tally> = {};
  let pages: Page[] = [];
  let opened = 0;
  let seen = 0;

  async function add(page: Page, wish: Wish): Promise<void> {
    const order = network.minedBefore(performance.now() - memory);
    const id = await untilTaken(() => subscribe(page.tab, wish));
    const height = network.height();
    listen(page, createSubscriber({ wish, id, network, order, height }));
  }

  /** Receives the events with its id from now on. */
  function listen(page: Page, subscriber: Subscriber): void {
    const { id, wish } = subscriber;
    page.subscribers.set(id, subscriber);
    const early = page.unknown.get(id);
    if (early) defect(`${page.name}: ${early.length} events of ${wish.kind} before its id`);
    for (const event of early ?? []) subscriber.hear(event);
    if (isPolled(wish)) page.tab.startPolling(id, pick([60, 250, 900]));
  }

  /** What every page asks for when it is opened. */
  async function addUsual(page: Page, usual: readonly Wish[]): Promise<void> {
    const history: Wish = {
      kind: 'log filter',
      criteria: { address: contents.addresses.slice(1) },
      fromBlock: Math.max(0, network.height() - past),
    };
    for (const wish of [...usual, history])
      await add(page, wish).catch((error) => defect(`${page.name}: ${wish.kind}: ${error.message}`));
  }

  /** A page whose filter is refused, for the service cannot be asked, asks again. */
  async function untilTaken<T>(ask: () => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await ask();
      } catch (error) {
        if (attempt === 30) throw error;
        note('filters refused, to be asked for again');
        await new Promise((resolve) => setTimeout(resolve, 20 * attempt));
      }
    }
  }

  function hear(
    { name, subscribers, unknown, ended }: Omit<Page, 'tab'>,
    source: string,
    event: unknown,
  ): void {
    const subscriber = subscribers.get(source);
    if (subscriber) subscriber.hear(event);
    else if (ended.has(source)) defect(`${name}: an event of ${source}, which was ended`);
    else unknown.set(source, [...(unknown.get(source) ?? []), event]);
  }

  function tally(page: Page, subscriber: Subscriber, how: 'open' | 'killed'): void {
    subscriber.judge(how);
    const { wish, faults, words } = subscriber;
    const kind = isResumed(wish) ? `${wish.kind}, resumed` : wish.kind;
    const sum = told[kind] ?? { subscribers: 0, events: 0, ...faultless() };
    told[kind] = sum;
    sum.subscribers += 1;
    sum.events += subscriber.told();
    if (wish.kind === 'newPendingTransactions') seen = Math.max(seen, subscriber.told());
    for (const fault of ['lost', 'doubled', 'disordered', 'kept'] as const) sum[fault] += faults[fault];
    if (faults.lost + faults.doubled + faults.disordered + faults.kept > 0)
      defect(`${page.name}, ${how}, ${kind}: ${JSON.stringify(faults)} ${words.join('; ')}`);
  }

  const headOf = ({ subscribers }: Page) =>
    [...subscribers.values()].map((each) => each.head()).find((hash) => hash !== undefined);

  return {
    told,
    seen: () => seen,
    all: () => pages,
    headOf,
    behindBy(page) {
      const block = headOf(page);
      const known = block && network.engine.known.get(block);
      return known ? network.height() - Number(known.block.number) : Number.POSITIVE_INFINITY;
    },
    async open() {
      opened += 1;
      const name = `tab ${opened}`;
      const empty = {
        name,
        subscribers: new Map(),
        unknown: new Map(),
        ended: new Set<string>(),
        busy: false,
      };
      const tab = await openTab({
        ...{ code, locks, interval, url, push, chainId: network.service.chainId },
        seed: seed * 1_000 + opened,
        onEvent: (source, event) => hear(page, source, event),
        onUnpolled(source, errorCode, text) {
          note(`polls that failed with ${errorCode}, to be tried again`);
          // Only this one says that the filter is gone, and with it events.
          if (errorCode === -32000)
            defect(`${name}: ${source} ${page.subscribers.get(source)?.wish.kind}: ${text}`);
        },
        onCrash: (error) => defect(`${name}: ${error.message}`),
      });
      const page: Page = Object.assign(empty, { tab });
      await addUsual(page, wishes);
      pages = [...pages, page];
    },
    async reload(page) {
      await page.tab.reload();
      const before = [...page.subscribers.values()];
      page.subscribers.clear();
      for (const { id } of before) page.ended.add(id);
      for (const each of before) {
        const { wish } = each;
        if (!isResumed(wish)) {
          tally(page, each, 'killed');
          continue;
        }
        listen(page, { ...each, id: await untilTaken(() => subscribe(page.tab, wish)) });
      }
      await addUsual(page, plain);
    },
    async exchangeSubscriber(page) {
      const late = [...page.subscribers.values()].slice(wishes.length + 1);
      if (late.length === 0 || random() < 0.4) {
        note('subscribers that joined late');
        return add(page, pick(plain));
      }
      note('subscribers that left');
      const leaver = pick(late);
      const { id, wish } = leaver;
      if (isPolled(wish)) await page.tab.lastPoll(id);
      await page.tab.request(isPolled(wish) ? 'eth_uninstallFilter' : 'eth_unsubscribe', id);
      page.subscribers.delete(id);
      page.ended.add(id);
      tally(page, leaver, 'killed');
    },
    settle(page, how) {
      for (const subscriber of page.subscribers.values()) tally(page, subscriber, how);
      pages = pages.filter((each) => each !== page);
    },
  };
}

/** How old the poll result of another tab, or the answer of a lagging node, may be, in milliseconds. */
const memory = 4_000;

export declare namespace createPages {
  interface Options {
    /** The path of the tab's code. */
    readonly code: string;
    readonly network: ChainNetwork;
    /** Of the service, for the tabs. */
    readonly url: string;
    /** Where new heads are pushed; the service is a relay then. */
    readonly push?: string;
    readonly locks: ReturnType<typeof createLockDesk>;
    /** Milliseconds between a tab's polls of the head. */
    readonly interval: number;
    readonly seed: number;
    readonly random: () => number;
    readonly note: (what: string) => void;
    readonly defect: (what: string) => void;
  }
}
