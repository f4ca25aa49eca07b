import type { ChainNetwork } from './network.js';
import type { Pages } from './pages.js';
import type { Trouble } from './trouble.js';

/** Faults of tabs and nodes, some with each change of the chain. */
export interface Mishaps {
  /** Called after each change of the chain: ends the faults that are due and may start others. */
  befall(): Promise<void>;
  /** Ends all faults. */
  end(): Promise<void>;
}

const usual = { lost: 0.01, garbled: 0.01, nonsense: 0.01 };
const bad = { lost: 0.15, garbled: 0.15, nonsense: 0.1 };

export function createMishaps(options: createMishaps.Options): Mishaps {
  const { network, pages, trouble, random, note, defect, exchangeEvery } = options;
  const { controls } = network.service;
  const upTo = (most: number) => Math.floor(random() * (most + 1));
  /** Changes of the chain so far, and at how many of them each mishap is due. */
  let turn = 0;
  const due = new Map<string, number>();
  /** What has begun, and after how many changes of the chain it ends. */
  let begun: { left: number; readonly end: () => void }[] = [];
  const lasts = (changes: number, end: () => void) => void begun.push({ left: changes, end });
  const under = new Set<Promise<void>>();

  /** Whether it happens now: about every so many changes of the chain, so that no run goes without. */
  function happens(what: string, every: number): boolean {
    const at = due.get(what) ?? upTo(every);
    due.set(what, turn < at ? at : turn + Math.ceil(every / 2) + upTo(every));
    return turn >= at;
  }

  function inBackground(what: string, doing: Promise<void>): void {
    const done = doing
      .catch((error) => defect(`${what}: ${error.message}`))
      .finally(() => under.delete(done));
    under.add(done);
  }

  /** A page that runs and is idle. */
  function idle() {
    const able = pages.all().filter(({ tab, busy }) => tab.awake() && !busy);
    return able[upTo(able.length - 1)];
  }

  /** Kills or closes a tab, and opens another. */
  async function exchangePage(): Promise<void> {
    const page = idle();
    if (!page) return;
    page.busy = true;
    const killed = random() < 0.6;
    note(killed ? 'tabs killed' : 'tabs closed');
    await (killed ? page.tab.kill() : page.tab.close());
    pages.settle(page, 'killed');
    await pages.open();
  }

  /** At any point of a delivery. */
  async function reloadPage(): Promise<void> {
    const page = idle();
    if (!page) return;
    page.busy = true;
    note('tabs reloaded');
    await pages.reload(page);
    page.busy = false;
  }

  async function exchangeSubscriber(): Promise<void> {
    const page = idle();
    if (!page) return;
    page.busy = true;
    await pages.exchangeSubscriber(page);
    page.busy = false;
  }

  async function restart(): Promise<void> {
    note('node restarts');
    trouble.down = true;
    await controls.restart();
    await new Promise((resolve) => setTimeout(resolve, upTo(150)));
    trouble.down = false;
  }

  async function troubleNodes(): Promise<void> {
    if (happens('spells of bad replies', 90)) {
      note('spells of bad replies');
      trouble.level = bad;
      lasts(10 + upTo(20), () => {
        trouble.level = usual;
      });
    }
    if (!trouble.lagging && happens('spells with a lagging node', 60)) {
      note('spells with a lagging node');
      await network.lag(1 + upTo(7));
      trouble.lagging = true;
      lasts(20 + upTo(60), () => {
        trouble.lagging = false;
      });
    }
    if (happens('node restarts', 120)) await restart();
    if (happens('expiries of all server filters', 120)) {
      note('expiries of all server filters');
      network.expireFilters();
    }
    if (happens('slow spells', 100)) {
      note('slow spells');
      controls.latency(5 + upTo(20));
      lasts(10 + upTo(20), () => controls.latency(0));
    }
    if (happens('rate limits', 600)) trouble.limited = 2;
  }

  function troubleTabs(): void {
    const frozen = happens('tabs frozen', 40) && idle();
    if (frozen) {
      note('tabs frozen');
      frozen.tab.freeze(50 + upTo(1_500), random() < 0.5);
    }
    const hidden = happens('tabs hidden', 50) && idle();
    if (hidden) {
      note('tabs hidden');
      hidden.tab.show(false);
      lasts(5 + upTo(60), () => hidden.tab.show(true));
    }
    if (under.size > 0) return;
    if (happens('exchange of a tab', exchangeEvery)) inBackground('exchange of a tab', exchangePage());
    else if (happens('reload of a tab', 70)) inBackground('reload of a tab', reloadPage());
    else if (happens('exchange of a subscriber', 25))
      inBackground('exchange of a subscriber', exchangeSubscriber());
  }

  trouble.level = usual;
  return {
    async befall() {
      turn += 1;
      await troubleNodes();
      troubleTabs();
      for (const each of begun) each.left -= 1;
      const over = begun.filter(({ left }) => left <= 0);
      begun = begun.filter(({ left }) => left > 0);
      for (const { end } of over) end();
    },
    async end() {
      for (const { end } of begun.splice(0)) end();
      trouble.calm();
      controls.latency(0);
      await network.lag(0);
      await Promise.all(under);
      for (const { tab } of pages.all()) tab.show(true);
    },
  };
}

export declare namespace createMishaps {
  interface Options {
    readonly network: ChainNetwork;
    readonly pages: Pages;
    readonly trouble: Trouble;
    readonly random: () => number;
    readonly note: (what: string) => void;
    readonly defect: (what: string) => void;
    /** Changes of the chain between two tabs that end and are replaced, on average. */
    readonly exchangeEvery: number;
  }
}
