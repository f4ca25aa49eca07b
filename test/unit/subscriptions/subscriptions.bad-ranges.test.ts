import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { MinedBlock } from '../../../src/chain/blocks.js';
import { createFollower } from '../../../src/chain/follower.js';
import { ProviderRpcError } from '../../../src/rpc/errors.js';
import type { Hash, Log } from '../../../src/rpc/schema.js';
import { logEventsOf } from '../../support/log-events.js';
// Imported beforehand: they are loaded when they are first needed, which the fake clock does not wait for.
import '../../../src/service/logs/receipt-logs.js';
import '../../../src/subscriptions/durable/resume.js';
import { createMemoryStorage } from '../../../src/storage/memory.js';
import { createFilters } from '../../../src/subscriptions/filters/filters.js';
import { createLogsOf } from '../../../src/subscriptions/logs-of-block.js';
import { createSubscriptions } from '../../../src/subscriptions/subscriptions.js';
import { createFakeClock, settled } from '../../support/fake-clock.js';
import { createRandom } from '../../support/random.js';
import { address, createSimulatedChain, type Emitted, word } from '../../support/simulated-chain.js';

/**
 * Blocks that make every range of missed blocks fail. `RANGE_RUNS` sets the number of random runs, `RANGE_SEED` the first
 * seed.
 */
const runs = Number(process.env.RANGE_RUNS ?? 12);
const firstSeed = Number(process.env.RANGE_SEED ?? 1);

const token: Emitted = { address: address(1), topics: [word(1)] };
const other: Emitted = { address: address(2), topics: [word(2)] };
const criteria = { address: address(1) };

const error = (code: number, data?: object) => new ProviderRpcError(code, 'refused', data);
/** How a range with a bad block is answered; `alone` is the answer to a range that is the block. */
const forms = {
  'an internal error': { wide: error(-32603), alone: error(-32603) },
  'a refusal in unknown words': { wide: error(-32000), alone: error(-32000) },
  'a size limit': {
    wide: error(-32005, { reason: 'range-too-large' }),
    alone: error(-32005, { reason: 'too-large' }),
  },
  'a gateway that is not available for it': {
    wide: error(-32005, { reason: 'range-too-large' }),
    alone: error(-32002, { reason: 'status' }),
  },
  nonsense: { wide: [{ nonsense: true }], alone: [{ nonsense: true }] },
} satisfies Record<string, { wide: unknown; alone: unknown }>;
type FormName = keyof typeof forms;

interface BadBlock {
  readonly block: MinedBlock;
  readonly form: FormName;
  /** Whether its receipts are missing too. */
  readonly isLost: boolean;
}

function setUp() {
  const chain = createSimulatedChain();
  const { service } = chain;
  const { clock, advance } = createFakeClock();
  const logsOf = createLogsOf(service, clock.now);
  const follower = createFollower({ service, clock, interval: 12_000 });
  const heard = new Map<string, Log[]>();
  const sources = { service, follower, clock, ...logEventsOf({ service, follower, logsOf, clock }) };
  const subscriptions = createSubscriptions({
    ...sources,
    storage: createMemoryStorage(),
    emit: (id, log) => heard.set(id, [...(heard.get(id) ?? []), log as Log]),
  });
  const filters = createFilters(sources);
  const reported: ProviderRpcError[] = [];
  vi.stubGlobal('reportError', (each: ProviderRpcError) => reported.push(each));
  onTestFinished(() => {
    vi.unstubAllGlobals();
    subscriptions.clear();
    filters.clear();
    follower.stop();
  });
  for (let i = 0; i < 3; i++) chain.mine();
  const rest = async () => {
    for (let i = 0; i < 60; i++) await settled();
  };
  const tick = async (polls = 1) => {
    for (let i = 0; i < polls; i++) {
      await advance(12_000);
      await rest();
    }
  };
  const subscribe = async (resume?: string) => {
    const id = await subscriptions.subscribe({ kind: 'logs', criteria, ...(resume && { resume }) });
    await advance(1);
    await rest();
    return () => (heard.get(id) ?? []).map(({ blockHash, removed }) => [blockHash, removed]);
  };
  const spoil = (bad: readonly BadBlock[]) =>
    chain.intercept((method, [first]) => {
      const { blockHash, fromBlock, toBlock } = Object(first) as Record<string, string | undefined>;
      if (method === 'eth_getLogs' && fromBlock !== undefined) {
        const found = bad.find(
          ({ block }) => Number(fromBlock) <= Number(block.number) && Number(block.number) <= Number(toBlock),
        );
        if (!found) return undefined;
        const answer = forms[found.form][fromBlock === toBlock ? 'alone' : 'wide'];
        if (answer instanceof ProviderRpcError) throw answer;
        return structuredClone(answer);
      }
      const found = bad.find(
        ({ block }) => block.hash === blockHash || block.transactions.includes(first as Hash),
      );
      if (!found || !/Logs|Receipt/.test(method)) return undefined;
      if (method === 'eth_getLogs') throw error(-32603);
      return found.isLost ? null : undefined;
    });
  const ranges = () =>
    chain.asked.filter(
      ({ method, params: [first] }) => method === 'eth_getLogs' && 'fromBlock' in Object(first),
    ).length;
  /** The token's logs, as a subscriber gets them, without those of the lost blocks. */
  const wanted = (bad: readonly BadBlock[] = []) => {
    const lost = new Set(bad.filter(({ isLost }) => isLost).map(({ block }) => block.hash));
    return chain
      .canonical()
      .filter(({ hash }) => !lost.has(hash))
      .flatMap((block) => chain.logsOf(block).filter((log) => log.address === token.address))
      .map(({ blockHash }) => [blockHash, false]);
  };
  return { chain, filters, reported, tick, subscribe, spoil, ranges, wanted };
}

describe.each(Object.keys(forms) as FormName[])('a block that is answered by %s', (form) => {
  test('is read from its receipts, and the other missed blocks by ranges, in order and each once', async () => {
    const { chain, filters, reported, tick, subscribe, spoil, ranges, wanted } = setUp();
    const [plain, durable] = [await subscribe(), await subscribe('logs')];
    const filter = await filters.newFilter(criteria);
    const blocks = Array.from({ length: 120 }, (_, at) => chain.mine(...(at % 3 ? [] : [token, other])));
    spoil([{ block: blocks[6] as MinedBlock, form, isLost: false }]);
    await tick(2);
    expect(plain()).toEqual(wanted());
    expect(durable()).toEqual(wanted());
    expect(ranges()).toBeLessThanOrEqual(2 * (3 * Math.log2(128) + 4));
    expect((await filters.changes(filter)).map((log) => (log as Log).blockHash)).toEqual(
      wanted().map(([hash]) => hash),
    );
    expect(reported).toEqual([]);
  });

  test('without receipts is a gap that is said once, and the rest is delivered', async () => {
    const { chain, filters, reported, tick, subscribe, spoil, wanted } = setUp();
    const [plain, durable] = [await subscribe(), await subscribe('logs')];
    const filter = await filters.newFilter(criteria);
    const blocks = Array.from({ length: 120 }, (_, at) => chain.mine(...(at % 3 ? [] : [token, other])));
    const bad = [{ block: blocks[6] as MinedBlock, form, isLost: true }];
    spoil(bad);
    await tick(2);
    // The blocks below it do not wait.
    expect(plain()).toEqual(wanted(bad).slice(0, 2));
    const polled: unknown[] = [];
    const refused: ProviderRpcError[] = [];
    for (let polls = 0; polls < 28; polls++) {
      await tick();
      await filters.changes(filter).then(
        (logs) => polled.push(...logs),
        (given) => refused.push(given),
      );
    }
    chain.mine(token);
    await tick();
    expect(plain()).toEqual(wanted(bad));
    expect(durable()).toEqual(wanted(bad));
    expect(reported.map(({ data }) => data)).toEqual([
      { reason: 'gap', blockNumber: blocks[6]?.number, blockHash: blocks[6]?.hash },
    ]);
    // The poll of a filter says it as its error, and the next one goes on.
    expect(refused.at(-1)).toMatchObject({ data: { reason: 'gap', blockHash: blocks[6]?.hash } });
    polled.push(...(await filters.changes(filter)));
    expect(polled).toHaveLength(wanted(bad).length);
  });
});

test('the first and the last missed block are bad', async () => {
  const { chain, reported, tick, subscribe, spoil, wanted } = setUp();
  const plain = await subscribe();
  const blocks = Array.from({ length: 100 }, () => chain.mine(token));
  // The newest 24 are read one by one.
  const bad = [0, 75].map((at) => ({
    ...{ block: blocks[at] as MinedBlock, form: 'an internal error' as const, isLost: at > 0 },
  }));
  spoil(bad);
  await tick(30);
  expect(plain()).toEqual(wanted(bad));
  expect(reported).toHaveLength(1);
});

test('ranges of any width fail: each block is read from its receipts', async () => {
  const { chain, reported, tick, subscribe, spoil, ranges, wanted } = setUp();
  const plain = await subscribe();
  const blocks = Array.from({ length: 300 }, (_, at) => chain.mine(...(at % 2 ? [token] : [])));
  spoil(blocks.map((block) => ({ block, form: 'an internal error', isLost: false })));
  await tick(30);
  expect(plain()).toEqual(wanted());
  expect(ranges()).toBeLessThanOrEqual(300);
  expect(reported).toEqual([]);
});

test('a bad block without a log of the filter costs a header, and makes no gap', async () => {
  const { chain, reported, tick, subscribe, spoil, wanted } = setUp();
  const plain = await subscribe();
  const blocks = Array.from({ length: 100 }, (_, at) => chain.mine(...(at === 50 ? [other] : [token])));
  const bad = [{ block: blocks[50] as MinedBlock, form: 'an internal error' as const, isLost: true }];
  spoil(bad);
  await tick(2);
  expect(plain()).toEqual(wanted());
  expect(reported).toEqual([]);
});

test('a part of the chain that no node has is said, and newer blocks go on', async () => {
  const { chain, reported, tick, subscribe, spoil, wanted } = setUp();
  const plain = await subscribe();
  const blocks = Array.from({ length: 100 }, () => chain.mine(token));
  const bad = blocks
    .slice(0, 76)
    .map((block) => ({ block, form: 'an internal error' as const, isLost: true }));
  spoil(bad);
  await tick(80);
  expect(plain()).toEqual(wanted(bad));
  expect(plain()).toHaveLength(24);
  expect(reported).toHaveLength(6);
  expect(reported.at(-1)?.message).toMatch(/^Logs of the blocks \d+ to 79 are not delivered: /);
});

test('an outage while a range is read makes no gap, and costs no request for each block', async () => {
  const { chain, reported, tick, subscribe, wanted } = setUp();
  const plain = await subscribe();
  for (let i = 0; i < 100; i++) chain.mine(token);
  chain.intercept((method) => {
    if (/Logs|Receipt/.test(method)) throw error(-32002, { reason: 'unreachable' });
  });
  const before = chain.requests();
  await tick(10);
  expect(chain.requests() - before).toBeLessThan(24 + 60);
  expect(plain()).toEqual([]);
  chain.intercept();
  await tick(30);
  expect(plain()).toEqual(wanted());
  expect(reported).toEqual([]);
});

test.each(Array.from({ length: runs }, (_, at) => firstSeed + at))(
  'random bad blocks in a random range, seed %d',
  async (seed) => {
    const random = createRandom(seed);
    const below = (most: number) => Math.floor(random() * most);
    const { chain, reported, tick, subscribe, spoil, ranges, wanted } = setUp();
    const [plain, durable] = [await subscribe(), await subscribe('logs')];
    const blocks = Array.from({ length: 30 + below(370) }, () =>
      chain.mine(...(random() < 0.5 ? [token] : []), ...(random() < 0.3 ? [other] : [])),
    );
    const names = Object.keys(forms) as FormName[];
    const heights = new Set(Array.from({ length: below(7) }, () => below(blocks.length - 24)));
    const bad = [...heights].map((at) => ({
      block: blocks[at] as MinedBlock,
      form: names[below(names.length)] as FormName,
      isLost: random() < 0.4,
    }));
    spoil(bad);
    await tick(15 + 12 * bad.length);
    chain.mine(token);
    await tick();
    const gaps = bad.filter(
      ({ block, isLost }) => isLost && chain.logsOf(block).some((log) => log.address === token.address),
    );
    expect(plain()).toEqual(wanted(bad));
    expect(durable()).toEqual(wanted(bad));
    expect(new Set(reported.map(({ data }) => (data as { blockHash?: string }).blockHash))).toEqual(
      new Set(gaps.map(({ block }) => block.hash)),
    );
    expect(reported).toHaveLength(gaps.length);
    expect(ranges()).toBeLessThanOrEqual(2 * (4 + 70 * bad.length));
  },
);
