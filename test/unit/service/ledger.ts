import { createHeadTracker } from '../../../src/chain/head-tracker.js';
import { badReply } from '../../../src/rpc/core-errors.js';
import { ProviderRpcError } from '../../../src/rpc/errors.js';
import type { Block, Hash, Hex } from '../../../src/rpc/schema.js';
import { createCache } from '../../../src/service/cache/cache.js';
import type { Service } from '../../../src/service/service.js';
import { createFakeClock } from '../../support/fake-clock.js';
import { observed } from '../../support/observed.js';
import { createRandom } from '../../support/random.js';
import { address, createSimulatedChain, word } from '../../support/simulated-chain.js';

const quantity = (value: number): Hex => `0x${value.toString(16)}`;
const zero = word(0);

/** Blocks of the simulated chain, lowest first, as a node saw them after one of the chain's changes. */
export type View = readonly (Block & { readonly number: Hex; readonly hash: Hash })[];

const mixed = (block: { hash: Hash }, salt: unknown) =>
  [...`${block.hash}${salt}`].reduce((sum, each) => (sum * 31 + each.charCodeAt(0)) % 99_991, 7);

/** A transaction waits in the pool until a block takes it: which one depends on the branch. */
const minedIn = (view: View, id: number) =>
  view.find((block) => Number(block.number) >= id && mixed(block, id) % 4 === 0);

export const transaction = (id: number) => word(0x7a_0000 + id);
/** The only one whose contract logs. */
export const token = address(0x70);
export const reverting = `0x${'ee'.repeat(20)}`;

/** What a node says that sees the chain so. @throws what it refuses */
export function answerOf(view: View, method: string, params: readonly unknown[]): unknown {
  const tip = view.at(-1) as View[number];
  const at = (selector: unknown) => {
    const { blockHash, blockNumber = blockHash ?? selector } = Object(selector) as { [key: string]: unknown };
    if (blockNumber === 'latest') return tip;
    if (blockNumber === 'earliest') return view[0];
    const named = String(blockNumber);
    return named.length === 66 ? view.find(({ hash }) => hash === named) : view[Number(named)];
  };
  const placed = (id: number) => {
    const block = minedIn(view, id);
    return {
      blockHash: block?.hash ?? zero,
      blockNumber: block?.number ?? null,
      transactionIndex: block ? '0x0' : null,
    };
  };
  const [first, second] = params;
  switch (method) {
    case 'eth_blockNumber':
      return tip.number;
    case 'eth_gasPrice':
      return quantity(mixed(tip, 'price'));
    case 'eth_getBlockByNumber':
    case 'eth_getBlockByHash':
      if (first === 'pending') return { ...tip, hash: null, number: null };
      return at(first) ?? null;
    case 'eth_getBalance':
    case 'eth_call': {
      const block = second === 'pending' ? tip : at(second);
      if (!block) return null;
      const value = quantity(mixed(block, JSON.stringify(first)));
      if ((first as { to?: string }).to === reverting)
        throw new ProviderRpcError(3, 'execution reverted', value);
      return value;
    }
    case 'eth_getTransactionReceipt': {
      const id = Number(first) - 0x7a_0000;
      return minedIn(view, id) ? { transactionHash: first, logs: [], ...placed(id) } : null;
    }
    case 'eth_getTransactionByHash':
      return { hash: first, nonce: '0x0', ...placed(Number(first) - 0x7a_0000) };
    case 'eth_getLogs': {
      const { fromBlock, toBlock } = first as { fromBlock?: string; toBlock?: string };
      const [from, to] = [at(fromBlock ?? 'latest') ?? tip, at(toBlock ?? 'latest') ?? tip];
      const { address = token } = first as { address?: string };
      return view
        .slice(Number(from.number), Number(to.number) + 1)
        .filter(({ logsBloom }) => /[1-9a-f]/.test(`${logsBloom}`.slice(2)) && address === token)
        .map(({ hash, number }) => ({ address, blockHash: hash, blockNumber: number, topics: [] }));
    }
    case 'eth_sendRawTransaction':
      return transaction(1);
    default:
      return `${method} says nothing`;
  }
}

/** A cache before a service that a simulated chain answers, at the hands of a clock. */
export function createLedger(options: createLedger.Options = {}) {
  const { seed = 1, interval = 4_000, depth = 12, latency = () => 0 } = options;
  const { clock, advance } = createFakeClock();
  const random = createRandom(seed);
  const chain = createSimulatedChain({ random });
  const views: { readonly view: View; readonly at: number }[] = [];
  /** Shares of requests; the most milliseconds by which a node lags; those that each way takes. */
  const faults = { lag: 0, delay: 0, errors: 0, garbage: 0 };
  /** Whether an answer that all nodes would give is reported as certain, as the layer of monotonic reads does. */
  const reports = { certain: false };
  const asked: string[] = [];
  /** Which views the looks have shown, in the order of their answers. */
  const looks: number[] = [];
  let served: ((method: string, view: number) => void) | undefined;

  const viewAt = (time: number) =>
    Math.max(
      0,
      views.findLastIndex(({ at }) => at <= time),
    );
  /** Of a third of the blocks. */
  const logs = () => (random() < 0.33 ? [{ address: token }] : []);
  const snapshot = () => views.push({ view: chain.canonical(), at: clock.now() });
  const wait = (duration: number) =>
    duration > 0 ? new Promise<void>((resolve) => clock.setTimeout(resolve, duration)) : Promise.resolve();

  /** Whether all nodes give the same answer now. */
  const isAlike = (method: string, params: readonly unknown[]): boolean => {
    const possible = views.slice(viewAt(clock.now() - faults.lag), viewAt(clock.now()) + 1);
    return new Set(possible.map(({ view }) => JSON.stringify(answerOf(view, method, params)))).size === 1;
  };

  const node: Service = {
    ...chain.service,
    async request(method, params, { signal, check, onCertain } = {}) {
      asked.push(method);
      if (signal?.aborted) throw new ProviderRpcError(-32002, 'aborted');
      await wait(faults.delay || latency(random));
      const at = viewAt(clock.now() - random() * faults.lag);
      if (random() < faults.errors) throw new ProviderRpcError(-32002, 'The service could not be reached');
      const isGarbled = random() < faults.garbage;
      const result = isGarbled
        ? { nonsense: true }
        : structuredClone(answerOf((views[at] as (typeof views)[0]).view, method, params));
      served?.(method, at);
      await wait(faults.delay || latency(random));
      if (method === 'eth_getBlockByNumber' && params[0] === 'latest' && !isGarbled) looks.push(at);
      try {
        check?.(result);
      } catch (error) {
        throw badReply(method, (error as Error).message);
      }
      if (reports.certain && !isGarbled && isAlike(method, params)) onCertain?.(head.state().height);
      return result;
    },
    usage: () => ({ sent: {}, shared: 0 }),
  };
  const head = createHeadTracker({
    service: () => service,
    interval,
    now: clock.now,
    onRepeatedPoll: options.onRepeat,
  });
  const service = observed(node, head);
  const cache = createCache({ service, head, depth, now: clock.now, capacity: options.capacity });
  snapshot();

  return {
    cache,
    head,
    service,
    chain,
    clock,
    advance,
    random,
    faults,
    reports,
    views,
    /** The view of a node that does not lag. */
    viewAt,
    looks,
    asked,
    ask: (method: string, ...params: unknown[]) => cache.request(method, params),
    mine(count = 1) {
      for (let i = 0; i < count; i++) chain.mine(...logs());
      return snapshot();
    },
    reorg(depth: number, length: number) {
      chain.reorg(depth, ...Array.from({ length }, logs));
      return snapshot();
    },
    /** What `body` costs. */
    async costOf(body: () => Promise<unknown>): Promise<readonly string[]> {
      const before = asked.length;
      await body();
      return asked.slice(before);
    },
    onServed(listener: (method: string, view: number) => void) {
      served = listener;
    },
  };
}

export declare namespace createLedger {
  interface Options {
    readonly seed?: number;
    readonly interval?: number;
    readonly depth?: number;
    readonly capacity?: number;
    /** Milliseconds, of each way. */
    readonly latency?: (random: () => number) => number;
    readonly onRepeat?: () => void;
  }
}

export type Ledger = ReturnType<typeof createLedger>;
