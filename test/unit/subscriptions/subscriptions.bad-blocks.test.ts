import { expect, onTestFinished, test, vi } from 'vitest';
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
import { address, createSimulatedChain, type SimulatedChain, word } from '../../support/simulated-chain.js';

/** One block whose logs are wrong each time they are read. */

const token = { address: address(1), topics: [word(1)] };
const other = { address: address(2), topics: [word(2)] };
const criteria = { address: address(1) };

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
  const reported = vi.fn();
  vi.stubGlobal('reportError', reported);
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
  /** Lets the follower poll so many times. */
  const tick = async (polls = 1) => {
    for (let i = 0; i < polls; i++) {
      await advance(12_000);
      await rest();
    }
  };
  const subscribe = async () => {
    const plain = await subscriptions.subscribe({ kind: 'logs', criteria });
    const durable = await subscriptions.subscribe({ kind: 'logs', criteria, resume: 'logs' });
    await advance(1);
    await rest();
    const hashes = (id: string) => (heard.get(id) ?? []).map(({ blockHash }) => blockHash);
    return { plain: () => hashes(plain), durable: () => hashes(durable) };
  };
  return { chain, filters, reported, tick, rest, subscribe };
}

type Wrong = (method: string, chain: SimulatedChain, block: MinedBlock) => unknown;

const throwing = (code: number, data?: object) => {
  throw new ProviderRpcError(code, 'refused', data);
};
const isReceipt = (method: string) => /Receipt/.test(method);

/** How the block is answered when its logs (`eth_getLogs`) or receipts are read. */
const wrong: readonly [what: string, answer: Wrong][] = [
  ['without logs, and without receipts', (method) => (isReceipt(method) ? null : [])],
  [
    'with a part of its logs, and without receipts',
    (method, chain, block) => (isReceipt(method) ? null : chain.logsOf(block).slice(1)),
  ],
  [
    'with logs of another block, and broken receipts',
    (method, chain, block) =>
      isReceipt(method) ? {} : chain.logsOf(block).map((log) => ({ ...log, blockHash: word(9) })),
  ],
  ['by an internal error', () => throwing(-32603)],
  ['by an error of its own', () => throwing(-32000)],
  [
    'by a refusal of its size, and without receipts',
    (method) => (isReceipt(method) ? null : throwing(-32005, { reason: 'too-large' })),
  ],
  ['by a gateway that is not available for it', () => throwing(-32002, { reason: 'status' })],
  ['by a time limit of the gateway', () => throwing(-32002, { reason: 'late' })],
];

/** Answers as `answer` does for the logs and receipts of a block. */
const intercept = (chain: SimulatedChain, block: MinedBlock, answer: Wrong) =>
  chain.intercept((method, [first]) => {
    const isOfBlock =
      (first as { blockHash?: Hash }).blockHash === block.hash ||
      (isReceipt(method) && (first === block.hash || block.transactions.includes(first as Hash)));
    return isOfBlock ? answer(method, chain, block) : undefined;
  });

test.each(wrong)(
  'a block that is answered %s for ever is a gap, said once, and later blocks go on',
  async (_, answer) => {
    const { chain, filters, reported, tick, subscribe } = setUp();
    const heard = await subscribe();
    const filter = await filters.newFilter(criteria);
    const polled: unknown[] = [];
    const refused: ProviderRpcError[] = [];
    const poll = () =>
      filters.changes(filter).then(
        (logs) => void polled.push(...(logs as Log[]).map(({ blockHash }) => blockHash)),
        (error) => void refused.push(error),
      );
    const first = chain.mine(token);
    await tick();
    const bad = chain.mine(token, other);
    intercept(chain, bad, answer);
    await tick();
    const [second, third] = [chain.mine(token), chain.mine(token)];
    for (let polls = 0; polls < 30; polls++) {
      await tick();
      await poll();
    }
    for (const hashes of [heard.plain(), heard.durable()])
      expect(hashes).toEqual([first.hash, second.hash, third.hash]);
    expect(reported).toHaveBeenCalledOnce();
    expect(reported.mock.calls[0]?.[0]).toMatchObject({
      code: -32603,
      message: expect.stringContaining(`block ${Number(bad.number)} (${bad.hash})`),
      data: { reason: 'gap', blockNumber: bad.number, blockHash: bad.hash },
    });
    // The poll of a filter says it as its error, and the next one goes on.
    expect(polled).toEqual([first.hash, second.hash, third.hash]);
    expect(
      new Set(refused.slice(0, -1).map(({ data }) => (data as { reason?: string } | undefined)?.reason)),
    ).not.toContain('gap');
    expect(refused.at(-1)).toMatchObject({ code: -32603, data: { reason: 'gap', blockHash: bad.hash } });
  },
);

test('a block that can be read from receipts is delivered at once, in order', async () => {
  const { chain, filters, reported, tick, subscribe } = setUp();
  const heard = await subscribe();
  const filter = await filters.newFilter(criteria);
  const bad = chain.mine(token, other);
  chain.intercept((method, [first]) =>
    (first as { blockHash?: Hash }).blockHash === bad.hash && method === 'eth_getLogs' ? [] : undefined,
  );
  const next = chain.mine(token);
  await tick();
  for (const hashes of [heard.plain(), heard.durable()]) expect(hashes).toEqual([bad.hash, next.hash]);
  expect(await filters.changes(filter)).toHaveLength(2);
  expect(reported).not.toHaveBeenCalled();
});

const outages: readonly [what: string, answer: () => unknown][] = [
  ['cannot be reached', () => throwing(-32002, { reason: 'unreachable' })],
  ['limits the rate', () => throwing(-32005, { reason: 'rate' })],
  ['has spent its quota', () => throwing(-32005, { reason: 'quota' })],
  ['answers with internal errors', () => throwing(-32603)],
];

test.each(outages)(
  'a service that %s for logs and receipts makes no gap: all logs come afterwards',
  async (_, answer) => {
    const { chain, reported, tick, subscribe } = setUp();
    const heard = await subscribe();
    const blocks = [chain.mine(token)];
    await tick();
    chain.intercept((method) => (/Logs|Receipt/.test(method) ? answer() : undefined));
    for (let i = 0; i < 5; i++) blocks.push(chain.mine(token));
    await tick(60);
    chain.intercept();
    await tick(60);
    for (const hashes of [heard.plain(), heard.durable()])
      expect(hashes).toEqual(blocks.map(({ hash }) => hash));
    expect(reported).not.toHaveBeenCalled();
  },
);

test('a node that does not know the block yet makes no gap, however long it lags', async () => {
  const { chain, reported, tick, subscribe } = setUp();
  const heard = await subscribe();
  const bad = chain.mine(token);
  chain.intercept((method, [first]) => {
    if ((first as { blockHash?: Hash }).blockHash === bad.hash) return [];
    return (isReceipt(method) && bad.transactions.includes(first as Hash)) ||
      (method === 'eth_getBlockByHash' && first === bad.hash)
      ? null
      : undefined;
  });
  await tick(40);
  expect(heard.plain()).toEqual([]);
  chain.intercept();
  await tick(30);
  expect(heard.plain()).toEqual([bad.hash]);
  expect(reported).not.toHaveBeenCalled();
});

test('a bad block that is replaced is neither delivered nor taken back, and its replacement is delivered', async () => {
  const { chain, tick, subscribe, reported } = setUp();
  const heard = await subscribe();
  const bad = chain.mine(token);
  intercept(chain, bad, (method) => (isReceipt(method) ? null : []));
  await tick(30);
  expect(reported).toHaveBeenCalledOnce();
  chain.reorg(1, [token], [token]);
  await tick();
  const replacing = chain
    .canonical()
    .slice(-2)
    .map(({ hash }) => hash);
  for (const hashes of [heard.plain(), heard.durable()]) expect(hashes).toEqual(replacing);
});
