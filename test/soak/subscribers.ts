import { matches } from '../../packages/kit/src/local/criteria.js';
import type { Hash, Hex, Log } from '../../src/rpc/schema.js';
import type { ChainNetwork } from './network.js';
import {
  compare,
  createHeadReader,
  createLogReader,
  type Faulty,
  faultless,
  type Held,
  keyOf,
  type Link,
} from './readers.js';
import type { SimulatedBlock } from './simulated-engine.js';
import type { Tab } from './tabs.js';

/** What a page asks to be told of, and how: pushed, or polled. */
export type Wish =
  | { readonly kind: 'newPendingTransactions' | 'block filter' | 'pending filter' }
  | { readonly kind: 'newHeads'; readonly resume?: string }
  | {
      readonly kind: 'logs' | 'log filter';
      readonly criteria: Criteria;
      /** Height from which a filter wants history too. */
      readonly fromBlock?: number;
      /** The name under which a subscription goes on after a reload. */
      readonly resume?: string;
    };

export interface Criteria {
  readonly address?: readonly Hex[];
  readonly topics?: readonly (null | readonly Hash[])[];
}

/** One subscription or filter of a tab, and what its reader makes of it. */
export interface Subscriber {
  readonly wish: Wish;
  readonly id: Hex;
  readonly faults: Faulty;
  readonly words: readonly string[];
  told(): number;
  hear(event: unknown): void;
  /** The newest block told of; for `newHeads` only. */
  head(): Hash | undefined;
  /** Whether it now holds all that it should; without it the end is judged: nobody will be told more. */
  judge(ended: 'open' | 'killed'): void;
  upToDate(): boolean;
}

export declare namespace createSubscriber {
  interface Options {
    readonly wish: Wish;
    readonly id: Hex;
    readonly network: ChainNetwork;
    /** The chain's height when the id was told: from above it on everything must be told. */
    readonly height: number;
    /** Blocks mined before the page asked, by {@link SimulatedBlock.order}, are none of its events. */
    readonly order: number;
  }
}

/** Installs it as a page does. @throws what the wallet rejects with. */
export async function subscribe(tab: Tab, wish: Wish): Promise<Hex> {
  const ask = (method: string, ...params: unknown[]) => tab.request(method, ...params) as Promise<Hex>;
  switch (wish.kind) {
    case 'newPendingTransactions':
      return ask('eth_subscribe', wish.kind);
    case 'newHeads':
      return ask('eth_subscribe', 'newHeads', ...(isResumed(wish) ? [{ resume: wish.resume }] : []));
    case 'logs': {
      const { criteria, resume } = wish;
      return ask('eth_subscribe', 'logs', { ...criteria, ...(resume && { resume }) });
    }
    case 'block filter':
      return ask('eth_newBlockFilter');
    case 'pending filter':
      return ask('eth_newPendingTransactionFilter');
    case 'log filter': {
      const { criteria, fromBlock } = wish;
      const from = fromBlock === undefined ? {} : { fromBlock: `0x${fromBlock.toString(16)}` };
      return ask('eth_newFilter', { ...criteria, ...from });
    }
  }
}

export const isResumed = (wish: Wish): wish is Wish & { readonly resume: string } => 'resume' in wish;

export const isPolled = ({ kind }: Wish): boolean => kind.endsWith('filter');

export function createSubscriber(options: createSubscriber.Options): Subscriber {
  const { wish, network } = options;
  switch (wish.kind) {
    case 'newPendingTransactions':
    case 'pending filter':
      return pendingSubscriber(options);
    case 'newHeads':
    case 'block filter':
      return headSubscriber(options);
    case 'logs':
    case 'log filter': {
      const { address = [], topics = [] } = wish.criteria;
      const criteria = { addresses: address, topics: topics.map((each) => each ?? []) };
      const reader = createLogReader();
      const heldIn = (blocks: readonly SimulatedBlock[]) =>
        blocks.flatMap(({ logs }) => logs.filter((log) => matches(criteria, log)).map(heldLog));
      const tooEarly = wish.fromBlock === undefined ? options.order : -1;
      return chainSubscriber(options, reader, heldIn, wish.fromBlock, (event) => {
        const log = event as Log;
        judgeLog(log, network, tooEarly, reader.faults);
        reader.hear(log);
      });
    }
  }
}

const heldLog = (log: Log): Held => ({
  key: keyOf(log),
  at: Number(log.blockNumber),
  block: log.blockHash as Hash,
});

/** A log must be one of the chain's, field by field, and of a block that was mined after the page asked. */
function judgeLog(log: Log, { engine }: ChainNetwork, order: number, faults: Faulty): void {
  const mined = engine.known.get(log.blockHash as Hash);
  const truth = mined?.logs.find((each) => keyOf(each) === keyOf(log));
  const { removed: _, ...told } = log;
  const same =
    truth && Object.entries(truth).every(([field, value]) => String(told[field]) === String(value));
  if (!mined || !same || mined.order < order) faults.kept += 1;
}

function headSubscriber(options: createSubscriber.Options): Subscriber {
  const { wish, network, order } = options;
  const reader = createHeadReader();
  const heldIn = (blocks: readonly SimulatedBlock[]) =>
    blocks.map(({ block }): Held => ({ key: block.hash, at: Number(block.number), block: block.hash }));
  return chainSubscriber(options, reader, heldIn, undefined, (event) => {
    const hash = wish.kind === 'newHeads' ? (event as Link).hash : (event as Hash);
    const mined = network.engine.known.get(hash);
    if (!mined || mined.order < order) reader.faults.kept += 1;
    const link = wish.kind === 'newHeads' ? (event as Link) : (mined?.block as Link | undefined);
    if (link) reader.hear(link);
  });
}

function chainSubscriber(
  { wish, id, network, height }: createSubscriber.Options,
  reader: {
    readonly faults: Faulty;
    readonly words: string[];
    told(): number;
    held(): readonly Held[];
  },
  heldIn: (blocks: readonly SimulatedBlock[]) => readonly Held[],
  fromBlock: number | undefined,
  hear: (event: unknown) => void,
): Subscriber {
  const from = fromBlock ?? height + 1;
  const { engine } = network;

  function judge(ended: 'open' | 'killed', into: Pick<Subscriber, 'faults'> & { words: string[] }): void {
    if (ended === 'open') {
      compare({ ...into, held: reader.held }, heldIn(engine.chain()), from);
      return;
    }
    // What it held when it was killed was a chain then, but for the last block, which may have been half told.
    const last = reader.held().at(-1);
    if (!last) return;
    const path: SimulatedBlock[] = [];
    for (let at = engine.known.get(last.block); at; at = engine.known.get(at.block.parentHash as Hash))
      path.push(at);
    const whole = (all: readonly Held[]) => all.filter(({ at }) => at < last.at);
    const told = whole(reader.held());
    compare({ ...into, held: () => told }, whole(heldIn(path.reverse())), from);
  }

  return {
    wish,
    id,
    faults: reader.faults,
    words: reader.words,
    told: reader.told,
    hear,
    head: () => (wish.kind === 'newHeads' ? reader.held().at(-1)?.block : undefined),
    judge: (ended) => judge(ended, reader),
    upToDate() {
      const faults = faultless();
      judge('open', { faults, words: [] });
      return faults.lost + faults.kept === 0;
    },
  };
}

/**
 * Of transactions on their way only a server filter knows, and it forgets (docs/notes/node.md#filters-lose-and-invent): none may be invented
 * and none told twice; how many are seen is counted and not judged.
 */
function pendingSubscriber({ wish, id, network }: createSubscriber.Options): Subscriber {
  const seen = new Set<Hash>();
  const faults = faultless();
  return {
    wish,
    id,
    faults,
    words: [],
    told: () => seen.size,
    hear(event) {
      const hash = event as Hash;
      if (seen.has(hash)) faults.doubled += 1;
      if (!network.sent.has(hash)) faults.kept += 1;
      seen.add(hash);
    },
    head: () => undefined,
    judge() {},
    upToDate: () => true,
  };
}
