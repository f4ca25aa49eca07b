import { describe, expect, test } from 'vitest';
import type { Log } from '../../../src/rpc/schema.js';
import { createCache } from '../../../src/service/cache/cache.js';
import type { HeadView } from '../../../src/service/cache/head-view.js';
import { createLogRanges } from '../../../src/service/logs/ranges.js';
import type { Service } from '../../../src/service/service.js';
import { logDensities, rangeBlocks } from '../../support/log-density.js';
import { createLogService } from '../../support/log-service.js';
import { fc } from '../../support/property.js';
import { createRandom } from '../../support/random.js';

/** Of how many requests the reader makes of a range, whoever else asks for nothing. */

const heights = (logs: readonly Log[]) => logs.map(({ blockNumber }) => Number(blockNumber));

/** All there are, each once and in order. */
function expectAll(logs: readonly Log[], total: number): void {
  const places = logs.map((log) => Number(log.blockNumber) * 1_000 + Number(log.logIndex));
  expect(places.every((place, i) => i === 0 || place > (places[i - 1] as number))).toBe(true);
  expect(logs.length).toBe(total);
}

describe('100,000 blocks at the seed’s limits', () => {
  test.each([
    ['even', 1.5],
    ['growing', 1.5],
    ['dense', 1.25],
    ['bursty', 2.5],
  ] as const)(
    '%s: at most %d times the fewest there can be, never more than in steps',
    async (name, times) => {
      const { service, asked, total, naive, fewest } = createLogService({
        blocks: rangeBlocks,
        logsAt: logDensities[name],
      });
      expectAll(await createLogRanges(service).read({}, 0, rangeBlocks - 1), total);
      expect(asked.length).toBeLessThanOrEqual(times * fewest());
      expect(asked.length).toBeLessThanOrEqual(naive);
    },
  );

  test('few logs: one', async () => {
    const { service, asked, total } = createLogService({ blocks: rangeBlocks, logsAt: () => 0.05 });
    expectAll(await createLogRanges(service).read({}, 0, rangeBlocks - 1), total);
    expect(asked.length).toBe(1);
  });
});

test('whatever the density and the order of answers, at most 8 requests more than in steps', async () => {
  const runs = fc.record({
    blocks: fc.integer({ min: 1, max: 30_000 }),
    // Not of whole logs per block: as many as the limit, to the log, would be taken for a cut answer.
    cells: fc.array(fc.double({ min: 0, max: 12, noNaN: true }), { minLength: 1, maxLength: 40 }),
    sparse: fc.double({ min: 0, max: 1, noNaN: true }),
    seed: fc.integer(),
  });
  await fc.assert(
    fc.asyncProperty(runs, async ({ blocks, cells, sparse, seed }) => {
      const random = createRandom(seed);
      const levels = cells.map((level) => (random() < sparse ? 0 : level));
      const logsAt = (height: number) => levels[Math.floor((height / blocks) * levels.length)] as number;
      const { service, asked, total, naive } = createLogService({ blocks, logsAt, pick: random });
      expectAll(await createLogRanges(service).read({}, 0, blocks - 1), total);
      expect(asked.length).toBeLessThanOrEqual(naive + 8);
    }),
    { numRuns: Number(process.env.LOG_RUNS ?? 10) },
  );
}, 60_000);

describe('the chain is asked where it stands only if nothing else shows it', () => {
  const methods = ({ asked }: ReturnType<typeof createLogService>) =>
    asked.map(({ method }) => method).filter((method) => method !== 'eth_getLogs');
  /** More logs than one answer takes, and none in the newest blocks. */
  const quiet = (height: number) => (height < 10_000 ? 2 : 0);

  test('logs in the newest blocks: not at all', async () => {
    const chain = createLogService({ blocks: 12_000, logsAt: () => 2 });
    await createLogRanges(chain.service).read({}, 0, 11_999);
    expect(methods(chain)).toEqual([]);
  });

  test('no logs there: once', async () => {
    const chain = createLogService({ blocks: 12_000, logsAt: quiet });
    expectAll(await createLogRanges(chain.service).read({}, 0, 11_999), chain.total);
    expect(chain.asked.filter(({ method }) => method !== 'eth_getLogs')).toEqual([
      { method: 'eth_getBlockByNumber', params: ['latest', false] },
    ]);
  });

  test('head: not at all, once it was seen as high', async () => {
    const chain = createLogService({ blocks: 12_000, logsAt: quiet });
    const state = { height: 11_999, branch: { since: 0 }, since: 0 };
    await createLogRanges(chain.service, { head: { state: () => state } }).read({}, 0, 11_999);
    expect(methods(chain)).toEqual([]);
  });

  test('head: far above the range nothing of it is replaced, in however many answers it comes', async () => {
    const limits = { always: 20, logs: 20, atMost: Number.POSITIVE_INFINITY };
    const read = async (height: number) => {
      const chain = createLogService({ blocks: 200, logsAt: () => 0.7, always: 20, most: 20 });
      const state = { height, branch: { since: 0 }, since: 0 };
      const ranges = createLogRanges(chain.service, { limits: { ...limits }, head: { state: () => state } });
      expectAll(await ranges.read({}, 0, 199), chain.total);
      return methods(chain).length;
    };
    expect(await read(199 + 512)).toBe(0);
    expect(await read(199 + 411)).toBe(2);
  });

  test('a range that reaches above the head ends there', async () => {
    const chain = createLogService({ blocks: 40_000, head: 11_999, logsAt: () => 2 });
    const logs = await createLogRanges(chain.service).read({}, 0, 39_999);
    expect(logs).toEqual(chain.logsOf(0, 11_999));
    expect(methods(chain)).toEqual(['eth_getBlockByNumber']);
  });

  test('a range that lies above the head is empty', async () => {
    const chain = createLogService({ blocks: 40_000, head: 999, logsAt: () => 2 });
    expect(await createLogRanges(chain.service).read({}, 1_000, 39_999)).toEqual([]);
  });

  test('a range to the head is read to it, wherever it is', async () => {
    const chain = createLogService({ blocks: 12_000, logsAt: () => 2 });
    const logs = await createLogRanges(chain.service).read({}, 500, Number.POSITIVE_INFINITY);
    expect(logs).toEqual(chain.logsOf(500, 11_999));
    expect(methods(chain)).toEqual(['eth_getBlockByNumber']);
  });

  test('a range to the head without logs near it does not ask for the head a second time', async () => {
    const chain = createLogService({ blocks: 12_000, logsAt: quiet });
    expectAll(await createLogRanges(chain.service).read({}, 0, Number.POSITIVE_INFINITY), chain.total);
    expect(methods(chain)).toEqual(['eth_getBlockByNumber']);
  });
});

describe('a reorganisation while a range is read in pieces', () => {
  const limits = () => ({ always: 20, logs: 20, atMost: Number.POSITIVE_INFINITY });
  /** Replaces the newest `depth` blocks, after as many requests for logs. */
  function reorganising(after: number, times: number, depth: number) {
    let requests = 0;
    let done = 0;
    const chain = createLogService({
      ...{ blocks: 2_000, logsAt: () => 0.7, always: 20, most: 20 },
      onRequest(method) {
        if (method !== 'eth_getLogs' || ++requests % after !== 0 || done === times) return;
        done++;
        chain.reorganise();
      },
    });
    return { chain, ranges: createLogRanges(chain.service, { limits: limits(), depth }) };
  }

  test('blocks that may be replaced are read again, and only those', async () => {
    const { chain, ranges } = reorganising(70, 1, 500);
    const logs = await ranges.read({}, 0, 1_999);
    expect(heights(logs)).toEqual(heights(chain.logsOf(0, 1_999)));
    expect(logs.slice(-300)).toEqual(chain.logsOf(0, 1_999).slice(-300));
    const settled = chain.asked.filter(
      ({ method, params: [filter] }) =>
        method === 'eth_getLogs' && Number((filter as { toBlock: string }).toBlock) < 1_500,
    );
    const spans = settled.map(({ params }) => JSON.stringify(params));
    expect(new Set(spans).size).toBe(spans.length);
  });

  test('nodes that do not agree on where the chain stands', async () => {
    const { chain } = reorganising(1, 0, 500);
    const request: Service['request'] = async (method, params, options) =>
      method === 'eth_getBlockByNumber' && params[0] !== 'latest'
        ? null
        : chain.service.request(method, params, options);
    const ranges = createLogRanges({ ...chain.service, request }, { limits: limits() });
    await expect(ranges.read({}, 0, 1_999)).rejects.toMatchObject({ code: -32603 });
  });

  test('no block is the latest', async () => {
    const { chain } = reorganising(1, 0, 500);
    const ranges = createLogRanges({ ...chain.service, request: async () => null });
    await expect(ranges.read({}, 0, Number.POSITIVE_INFINITY)).rejects.toMatchObject({ code: -32603 });
  });

  test('again and again', async () => {
    const { ranges } = reorganising(10, Number.POSITIVE_INFINITY, 2_000);
    await expect(ranges.read({}, 0, 1_999)).rejects.toMatchObject({ code: -32603 });
  });
});

test('a range that cannot change is remembered, piece by piece', async () => {
  const chain = createLogService({ blocks: 1_000, logsAt: () => 0.7, always: 20, most: 20 });
  const state = { height: 5_000, branch: { since: 0 }, since: 0 };
  const head: HeadView = {
    ...{ state: () => state, isFresh: () => true, latest: async () => state, maxAge: () => 10_000 },
    ...{ excludes: () => false, lastSendEndedAt: () => 0 },
  };
  const { lasting } = createCache({ service: chain.service, head });
  const limits = { always: 20, logs: 20, atMost: 20 };
  const ranges = createLogRanges(lasting, { head, limits });
  const logs = await ranges.read({}, 0, 999);
  expect(logs).toEqual(chain.logsOf(0, 999));
  const asked = chain.asked.length;
  expect(await ranges.read({}, 0, 999)).toEqual(logs);
  expect(chain.asked.length).toBe(asked);
});
