import { describe, expect, test } from 'vitest';
import { isProviderRpcError } from '../../../src/rpc/errors.js';
import { checkBlock, checkQuantity } from '../../../src/rpc/results.js';
import type { Receipt } from '../../../src/rpc/schema.js';
import { settled } from '../../support/fake-clock.js';
import { fc } from '../../support/property.js';
import { word } from '../../support/simulated-chain.js';
import { answerOf, createLedger, type Ledger, reverting, token, transaction, type View } from './ledger.js';

const interval = 4_000;
const address = (index: number) => `0x${String(index).padStart(40, '0')}`;

interface Read {
  readonly method: string;
  readonly params: readonly unknown[];
  readonly check?: (result: unknown) => void;
}

/** Reads as pages make them, from few questions, so that they come again. */
function anyRead({ random, views }: Ledger): Read {
  const any = (count: number) => Math.floor(random() * count);
  const height = () => `0x${Math.max(0, (views.at(-1)?.view.length as number) - 16 + any(20)).toString(16)}`;
  /** The same one for some blocks, now above the head and now below it. */
  const fixed = () => `0x${(((views.at(-1)?.view.length as number) >> 3) << 3).toString(16)}`;
  const known = () => {
    const { view } = views[any(views.length)] as { view: View };
    return view[Math.max(0, view.length - 1 - any(20))] as View[number];
  };
  const check = checkQuantity;
  const of = { to: any(3) === 0 ? reverting : address(any(3)) };
  const reads: (() => Read)[] = [
    () => ({ method: 'eth_blockNumber', params: [], check }),
    () => ({ method: 'eth_gasPrice', params: [], check }),
    () => ({ method: 'eth_getBalance', params: [address(any(4)), 'latest'], check }),
    () => ({ method: 'eth_getBalance', params: [address(any(2)), height()] }),
    () => ({ method: 'eth_getBalance', params: [address(any(2)), { blockHash: known().hash }] }),
    () => ({ method: 'eth_call', params: [of, 'latest'] }),
    () => ({ method: 'eth_call', params: [of, 'pending'] }),
    () => ({ method: 'eth_getBlockByNumber', params: ['latest', false], check: checkBlock }),
    () => ({ method: 'eth_getBlockByNumber', params: ['latest', true], check: checkBlock }),
    () => ({ method: 'eth_getBlockByNumber', params: [height(), false], check: checkBlock }),
    () => ({ method: 'eth_getBlockByHash', params: [known().hash, false], check: checkBlock }),
    () => {
      const params = [transaction(any(views.at(-1)?.view.length as number))];
      return {
        method: 'eth_getTransactionReceipt',
        params,
        check: (result) => {
          if (result !== null && (result as Receipt).transactionHash !== params[0])
            throw new Error('another');
        },
      };
    },
    () => ({
      method: 'eth_getTransactionByHash',
      params: [transaction(any(views.at(-1)?.view.length as number))],
    }),
    () => ({ method: 'eth_getLogs', params: [{ fromBlock: height(), toBlock: height() }] }),
    () => ({ method: 'eth_getLogs', params: [{ fromBlock: height() }] }),
    () => ({ method: 'eth_getLogs', params: [{ fromBlock: '0x10', toBlock: fixed() }] }),
    () => ({ method: 'eth_getLogs', params: [{ fromBlock: height(), toBlock: height(), address: token }] }),
    () => ({ method: 'eth_getLogs', params: [{ fromBlock: '0x10', address: any(2) ? token : address(1) }] }),
    () => ({ method: 'eth_getBlockByNumber', params: [fixed(), false], check: checkBlock }),
  ];
  return (reads[any(reads.length)] as () => Read)();
}

const isSense = (result: unknown): void => {
  if (Object(result).nonsense) throw new Error('nonsense');
};

/** What is said, be it an answer or a revert. */
const said = (tell: () => unknown): string => {
  try {
    return JSON.stringify(tell());
  } catch (error) {
    return JSON.stringify({ revert: (error as { data: unknown }).data });
  }
};

interface Told {
  readonly read: Read;
  readonly answer: string;
  readonly began: number;
  /** The last view that a look had shown when the request began. */
  readonly shown: number;
  readonly ended: number;
}

/** Shares of the steps, 0.3 s each, in which the chain is reorganised, and grows by up to so many blocks. */
interface Pace {
  readonly forks: number;
  readonly blocks: number;
  readonly most: number;
}
const restless: Pace = { forks: 0.02, blocks: 0.06, most: 2 };
/** A block each 25 s. */
const calm: Pace = { forks: 0, blocks: 0.012, most: 1 };

/** Lets pages read for a while, and checks each answer against all that the service could have said. */
async function session(seed: number, faults: Partial<Ledger['faults']>, pace: Pace, certain = false) {
  const ledger = createLedger({ seed, interval, depth: 12, latency: (random) => random() * 200 });
  const { cache, random, views, viewAt, looks, clock } = ledger;
  Object.assign(ledger.faults, faults);
  ledger.reports.certain = certain;
  const told: Told[] = [];
  const open = new Set<Promise<void>>();
  ledger.mine(30);

  const ask = async (read: Read) => {
    const [began, shown] = [clock.now(), Math.max(0, ...looks.slice(-1))];
    const options = { check: read.check ?? isSense };
    let answer: string;
    try {
      const result = await cache.request(read.method, read.params, options);
      answer = JSON.stringify(result);
      // What a page does with its own changes nobody else's.
      if (typeof result === 'object' && result !== null)
        Object.assign(result, { number: '0xbad', length: 0 });
    } catch (error) {
      if (!isProviderRpcError(error)) throw error;
      if (error.code !== 3) return;
      answer = JSON.stringify({ revert: error.data });
      Object.assign(error, { data: '0xbad' });
    }
    told.push({ read, answer, began, shown, ended: clock.now() });
  };

  for (let step = 0; step < 400; step++) {
    const kind = random();
    // The heavier branch wins, so that each head lies above those before it.
    if (kind < pace.forks) {
      const length = 1 + Math.floor(random() * 9);
      ledger.reorg(length, length + Math.floor(random() * 2));
    } else if (kind < pace.forks + pace.blocks) ledger.mine(1 + Math.floor(random() * pace.most));
    else if (kind < pace.forks + pace.blocks + 0.005)
      ledger.service.request('eth_sendRawTransaction', ['0x00']).catch(() => {});
    else {
      const asked = ask(anyRead(ledger)).finally(() => open.delete(asked));
      open.add(asked);
    }
    await ledger.advance(random() * 600);
  }
  await ledger.advance(10_000);
  await settled();
  expect(open.size).toBe(0);

  const wrong = told.filter(({ read, answer, began, shown, ended }) => {
    // A look at a node that lags shows nothing of the others.
    const from = Math.max(viewAt(began - interval - ledger.faults.lag), faults.lag ? 0 : shown);
    const possible = views.slice(from, viewAt(ended) + 1);
    return !possible.some(({ view }) => said(() => answerOf(view, read.method, read.params)) === answer);
  });
  const cached = Object.values(cache.usage().cached).reduce((sum, count) => sum + count, 0);
  return { wrong, told: told.length, cached };
}

describe('a page that reads at random', () => {
  const sessions = async (faults: Partial<Ledger['faults']>, pace = restless, certain = false) => {
    let [told, cached] = [0, 0];
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 2 ** 31 }), async (seed) => {
        const outcome = await session(seed, faults, pace, certain);
        expect(outcome.wrong).toEqual([]);
        told += outcome.told;
        cached += outcome.cached;
      }),
      { numRuns: 12 },
    );
    // Else nothing was tried.
    expect(cached).toBeGreaterThan(told / 10);
  };

  test('gets answers no older than an interval and the last poll', () => sessions({}));
  test('gets answers no older than that where requests fail and replies are nonsense', () =>
    sessions({ errors: 0.1, garbage: 0.05 }));
  test('gets an answer that one of the nodes gave where nodes lag', () => sessions({ lag: 2_000 }));
  test('gets an answer that one of the nodes gave where they lag by several blocks, and the chain only grows', () =>
    sessions({ lag: 9_000 }, calm));
  test('gets an answer that one of the nodes gave where those that all would give are reported as certain', () =>
    sessions({ lag: 9_000 }, calm, true));
});

test('the model tells an answer of a block that left from one that is', () => {
  const ledger = createLedger();
  ledger.mine(3);
  const before = answerOf(ledger.views.at(-1)?.view as View, 'eth_getBlockByNumber', ['0x3', false]);
  ledger.reorg(1, 1);
  const after = answerOf(ledger.views.at(-1)?.view as View, 'eth_getBlockByNumber', ['0x3', false]);
  expect(said(() => before)).not.toBe(said(() => after));
  expect(word(1)).not.toBe(word(2));
});
