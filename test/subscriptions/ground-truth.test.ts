import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { MinedBlock } from '../../src/chain/blocks.js';
import { createFollower } from '../../src/chain/follower.js';
import type { Hash, Log } from '../../src/rpc/schema.js';
import { createFilters } from '../../src/subscriptions/filters.js';
import { createSubscriptions } from '../../src/subscriptions/subscriptions.js';
import {
  address,
  createHandClock,
  createRandom,
  createSimulatedChain,
  type Emitted,
  settled,
  word,
} from '../chain/simulated-chain.js';

/**
 * Whatever the chain and the service do, what a reader was told equals, once `removed` is applied, the chain.
 * Each reader below applies what it is told and refuses what cannot follow from what it was told before.
 */

const wanted = { address: [address(0xa), address(0xb)], topics: [[word(1), word(2)]] };
const isWanted = (log: Log) =>
  wanted.address.includes(log.address) && wanted.topics[0]?.includes(log.topics[0] as Hash) === true;
const key = (log: Log) => `${log.blockHash} ${log.logIndex}`;

function readLogs() {
  const held: Log[] = [];
  return {
    held,
    hear(log: Log) {
      if (log.removed) {
        expect(held.length === 0 ? undefined : key(held.pop() as Log)).toBe(key(log));
      } else {
        expect(log.removed).toBe(false);
        expect(held.map(key)).not.toContain(key(log));
        held.push(log);
      }
    },
  };
}

function readHeads(baseline: MinedBlock) {
  const held: MinedBlock[] = [baseline];
  return {
    held,
    hear(head: MinedBlock) {
      expect(held.map(({ hash }) => hash)).not.toContain(head.hash);
      const parent = held.findIndex(({ hash }) => hash === head.parentHash);
      // A fork from below where it began to listen starts over.
      if (parent < 0) expect(Number(head.number)).toBeLessThanOrEqual(Number(held[0]?.number));
      held.splice(parent + 1, Number.POSITIVE_INFINITY, head);
    },
  };
}

type Turn =
  | { readonly do: 'mine'; readonly logs: readonly number[] }
  | { readonly do: 'reorg'; readonly depth: number; readonly length: number; readonly logs: number }
  | { readonly do: 'tick' }
  | { readonly do: 'poll' }
  | { readonly do: 'faults'; readonly errors: number; readonly garbage: number; readonly lag: number }
  | { readonly do: 'restart' };

/** 0 and 3 match nothing wanted; the others do in different ways. */
const emitted = (kind: number): Emitted =>
  [
    { address: address(0xc), topics: [word(1)] },
    { address: address(0xa), topics: [word(1)] },
    { address: address(0xb), topics: [word(2), word(3)] },
    { address: address(0xa), topics: [word(9)] },
  ][kind % 4] as Emitted;

async function play(turns: readonly Turn[], seed: number): Promise<void> {
  const random = createRandom(seed);
  const chain = createSimulatedChain({ random, difficulty: seed % 2 ? 0 : 5 });
  const { service } = chain;
  const { clock } = createHandClock();
  for (let i = 0; i < 8; i++) chain.mine(emitted(1));

  const follower = createFollower({ service, clock });
  const objections: unknown[] = [];
  const readers = new Map<string, (result: never) => void>();
  const subscriptions = createSubscriptions({
    service,
    follower,
    clock,
    // What a page throws is not our failure, so it is kept here and thrown below.
    emit(id, result) {
      try {
        readers.get(id)?.(result as never);
      } catch (error) {
        objections.push(error);
      }
    },
  });
  const filters = createFilters({ service, follower, clock });

  const baseline = chain.head();
  const before = chain.canonical();
  const [pushed, polled, heads, hashes] = [readLogs(), readLogs(), readHeads(baseline), [] as Hash[]];
  readers.set(await subscriptions.subscribe({ kind: 'logs', criteria: wanted }), pushed.hear);
  readers.set(await subscriptions.subscribe({ kind: 'newHeads' }), heads.hear);
  const [logFilter, blockFilter] = await Promise.all([filters.newFilter(wanted), filters.newBlockFilter()]);

  const poll = async () => {
    for (const log of (await filters.changes(logFilter).catch(() => [])) as Log[]) polled.hear(log);
    hashes.push(...((await filters.changes(blockFilter).catch(() => [])) as Hash[]));
  };
  const tick = async () => {
    await follower.catchUp().catch(() => {});
    await settled();
  };

  for (const turn of turns) {
    if (turn.do === 'mine') chain.mine(...turn.logs.map(emitted));
    else if (turn.do === 'reorg')
      chain.reorg(
        Math.min(turn.depth, Number(chain.head().number) - 1),
        ...Array.from({ length: turn.length }, (_, i) => [emitted(turn.logs + i)]),
      );
    else if (turn.do === 'faults') Object.assign(chain.faults, turn);
    else if (turn.do === 'restart') chain.restart();
    else if (turn.do === 'poll') await poll();
    else await tick();
  }

  // The trouble ends, and the chain outgrows every fork.
  Object.assign(chain.faults, { errors: 0, garbage: 0, lag: 0 });
  while (Number(chain.head().number) <= Number(follower.head()?.number)) chain.mine();
  chain.mine(emitted(1));
  for (let i = 0; i < 3; i++) await tick();
  await poll();

  expect(objections).toEqual([]);
  const canonical = chain.canonical();
  const standing = new Set(canonical.map(({ hash }) => hash));
  const fork = before.findLastIndex(({ hash }) => standing.has(hash));
  /** From the first block that was mined since; from lower down where a fork has led back to older ones. */
  const since = (held: readonly { at: number }[]) =>
    canonical.slice(Math.min(fork + 1, held[0]?.at ?? fork + 1));
  for (const { held } of [pushed, polled]) {
    const at = held.map(({ blockNumber }) => ({ at: Number(blockNumber) }));
    expect(held.map(key)).toEqual(since(at).flatMap(chain.logsOf).filter(isWanted).map(key));
  }
  expect(follower.head()?.hash).toBe(chain.head().hash);
  const told = heads.held.map(({ hash }) => hash);
  expect(told).toEqual(canonical.map(({ hash }) => hash).slice(-told.length));
  expect(told.length).toBeGreaterThanOrEqual(canonical.length - fork - 1);
  for (const { hash } of canonical.slice(fork + 1)) expect(hashes).toContain(hash);
  subscriptions.clear();
  filters.clear();
  expect(follower.head()).toBe(null);
}

const turn: fc.Arbitrary<Turn> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ do: fc.constant('mine' as const), logs: fc.array(fc.nat(3), { maxLength: 3 }) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('reorg' as const),
      depth: fc.integer({ min: 1, max: 10 }),
      length: fc.integer({ min: 1, max: 12 }),
      logs: fc.nat(3),
    }),
  },
  { weight: 6, arbitrary: fc.constant({ do: 'tick' as const }) },
  { weight: 3, arbitrary: fc.constant({ do: 'poll' as const }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('faults' as const),
      errors: fc.constantFrom(0, 0.1, 0.4),
      garbage: fc.constantFrom(0, 0.1, 0.3),
      lag: fc.constantFrom(0, 1, 5),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ do: 'restart' as const }) },
);

test('behavior: what was told equals the chain, whatever happens (0 lost, 0 doubled, 0 out of order)', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(turn, { minLength: 5, maxLength: 80 }), fc.nat(1_000_000), play),
    { numRuns: 300 },
  );
});

test('behavior: the same over 1,000 blocks with 200 reorganisations under constant trouble', async () => {
  const random = createRandom(7);
  const turns: Turn[] = [{ do: 'faults', errors: 0.1, garbage: 0.05, lag: 3 }];
  for (let i = 0; i < 1_000; i++) {
    turns.push({ do: 'mine', logs: [i, i + 1] });
    if (i % 5 === 0) {
      const depth = 1 + Math.floor(random() * 10);
      turns.push({ do: 'reorg', depth, length: depth + Math.floor(random() * 2), logs: i });
    }
    turns.push({ do: 'tick' });
    if (i % 7 === 0) turns.push({ do: 'poll' });
  }
  await play(turns, 7);
});
