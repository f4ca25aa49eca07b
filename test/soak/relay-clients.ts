import { WebSocket } from 'ws';
import type { Hash, Hex } from '../../src/rpc/schema.js';
import type { ChainNetwork } from './network.js';
import { type Faulty, faultless } from './readers.js';
import { contents } from './simulated-engine.js';
import { type Criteria, createSubscriber, type Subscriber, type Wish } from './subscribers.js';

/** What a client listens to: blocks, logs, or the steps of the follower. */
export type RelayWish =
  | { readonly kind: 'newHeads' | 'graft_steps' }
  | { readonly kind: 'logs'; readonly criteria: Criteria };

/** A client of the relay. When its connection ends, it comes back, to any instance, and subscribes again. */
export interface RelayClient {
  readonly kind: RelayWish['kind'];
  /** Whether it is subscribed at present. */
  listens(): boolean;
  /** Whether it has been told all that the chain has now. */
  upToDate(): boolean;
  /** The newest block that it was told of; not for logs. */
  head(): Hash | undefined;
  /** Ends the connection as a broken network does. */
  cut(): void;
  /** The chain rests: judges what it holds, and goes. */
  end(): void;
}

export interface RelayTally extends Faulty {
  subscriptions: number;
  events: number;
  /** Of `graft_steps`: how often it began after the block that was named, and how often that was not known. */
  resumed: number;
  forgotten: number;
}

export const relayWishes: readonly RelayWish[] = [
  { kind: 'newHeads' },
  { kind: 'logs', criteria: {} },
  { kind: 'graft_steps' },
  {
    kind: 'logs',
    criteria: { address: contents.addresses.slice(0, 2), topics: [null, contents.topics.slice(0, 1)] },
  },
  { kind: 'logs', criteria: { topics: [contents.topics.slice(0, 3)] } },
];

interface Link {
  readonly hash: Hash;
  readonly parentHash: Hash;
  readonly number: Hex;
}

interface Step {
  readonly removed: readonly Link[];
  readonly added: readonly Link[];
  readonly missed?: object;
}

interface Listening {
  hear(result: unknown): void;
  head(): Hash | undefined;
  upToDate(): boolean;
  judge(ended: 'open' | 'killed'): void;
}

export function createRelayClient(options: createRelayClient.Options): RelayClient {
  const { wish, network, pick, tally, defect, name } = options;
  let socket: WebSocket | undefined;
  let listening: Listening | undefined;
  let ended = false;
  /** The chain as the steps tell it, over all connections; oldest first. */
  let steps: Link[] = [];

  function connect(): void {
    const opened = new WebSocket(pick(), { perMessageDeflate: false });
    socket = opened;
    opened.on('error', () => {});
    opened.on('open', () => {
      const since = steps.at(-1)?.hash;
      const params =
        wish.kind === 'graft_steps'
          ? [wish.kind, since ? { since } : {}]
          : wish.kind === 'logs'
            ? [wish.kind, wish.criteria]
            : [wish.kind];
      opened.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_subscribe', params }));
    });
    opened.on('message', (data) => {
      if (opened !== socket) return;
      const { id, result, error, params } = JSON.parse(String(data));
      if (error) return defect(`${name}: ${error.code} ${error.message}`);
      if (id === 1) {
        listening = listen(result);
        tally.subscriptions += 1;
      } else if (params) {
        if (!listening) return defect(`${name}: an event of ${wish.kind} before its id`);
        listening.hear(params.result);
      }
    });
    opened.on('close', () => {
      if (opened !== socket) return;
      listening?.judge('killed');
      listening = undefined;
      if (!ended) setTimeout(connect, 50 + 200 * Math.random());
    });
  }

  function listen(id: Hex): Listening {
    if (wish.kind === 'graft_steps') return stepListening();
    // A block that the relay has not seen yet is news, also if it was mined before the subscription.
    const subscriber = createSubscriber({
      wish: wish as Wish,
      id,
      network,
      order: 0,
      height: network.height(),
    });
    return {
      hear: subscriber.hear,
      head: subscriber.head,
      upToDate: subscriber.upToDate,
      judge: (how) => settle(subscriber, how),
    };
  }

  function settle(subscriber: Subscriber, how: 'open' | 'killed'): void {
    subscriber.judge(how);
    const { faults, words } = subscriber;
    tally.events += subscriber.told();
    for (const kind of Object.keys(faultless()) as (keyof Faulty)[]) tally[kind] += faults[kind];
    if (Object.values(faults).some((count) => count > 0))
      defect(`${name}, ${wish.kind}, ${how}: ${JSON.stringify(faults)} ${words.join('; ')}`);
  }

  function stepListening(): Listening {
    const began = steps.at(-1)?.hash;
    let isFirst = began !== undefined;
    const note = (fault: keyof Faulty, what: string) => {
      tally[fault] += 1;
      defect(`${name}, graft_steps: ${fault}: ${what}`);
    };
    return {
      hear(result) {
        const { removed, added, missed } = result as Step;
        if (isFirst && (removed.length > 0 || added.length > 0 || missed)) {
          isFirst = false;
          if (missed) tally.forgotten += 1;
          else tally.resumed += 1;
        }
        // It reads anew from the node, as a wallet does.
        if (missed) steps = [];
        for (const { hash } of removed) {
          if (steps.length === 0) break;
          const last = steps.pop();
          if (last?.hash !== hash) note('disordered', `${hash} is taken back, and is not the newest`);
        }
        for (const block of added) {
          const last = steps.at(-1);
          if (last?.hash === block.hash) note('doubled', block.hash);
          else if (last && last.hash !== block.parentHash)
            note('lost', `before ${block.number} ${block.hash}`);
          else steps.push(block);
        }
        tally.events += removed.length + added.length;
        steps = steps.slice(-600);
      },
      head: () => steps.at(-1)?.hash,
      upToDate: () => steps.length === 0 || steps.at(-1)?.hash === network.head(),
      judge(how) {
        if (how === 'killed') return;
        const chain = network.engine.chain();
        for (const { hash, number } of steps)
          if (chain[Number(number)]?.block.hash !== hash) note('kept', `${number} ${hash}`);
        const last = steps.at(-1);
        if (last && last.hash !== network.head()) note('lost', `after ${last.number}`);
      },
    };
  }

  connect();
  return {
    kind: wish.kind,
    listens: () => listening !== undefined,
    upToDate: () => listening?.upToDate() ?? false,
    head: () => listening?.head(),
    cut: () => socket?.terminate(),
    end() {
      ended = true;
      if (!listening) defect(`${name}: was not subscribed at the end`);
      listening?.judge('open');
      listening = undefined;
      socket?.terminate();
    },
  };
}

export declare namespace createRelayClient {
  interface Options {
    readonly name: string;
    readonly wish: RelayWish;
    readonly network: ChainNetwork;
    /** The URL to connect to now. */
    readonly pick: () => string;
    readonly tally: RelayTally;
    readonly defect: (what: string) => void;
  }
}
