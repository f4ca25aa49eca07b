import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { MinedBlock } from '../../../src/chain/blocks.js';
import { createFollower } from '../../../src/chain/follower.js';
import type { Hash, Log } from '../../../src/rpc/schema.js';
import { createFilters } from '../../../src/subscriptions/filters/filters.js';
import { createSubscriptions } from '../../../src/subscriptions/subscriptions.js';
// Imported beforehand: the wallet loads it when it is first needed, which the fake clock does not wait for.
import '../../../src/service/logs/receipt-logs.js';
import { createFakeClock, settled } from '../../support/fake-clock.js';
import { createRandom } from '../../support/random.js';
import { createSimulatedChain } from '../../support/simulated-chain.js';
import {
  type ChainTurn,
  change,
  emitted,
  endFaults,
  faultsUpTo,
  isWanted,
  key,
  mine,
  reorgUpTo,
  shortSleep,
  sleep,
  tick as ticking,
  wanted,
} from './truth.js';

/**
 * Whatever the chain and the service do, what a reader was told equals, once `removed` is applied, the chain.
 * Each reader below applies what it is told and refuses what cannot follow from what it was told before.
 */

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

function readHeads(baseline: MinedBlock, slept: () => boolean) {
  const held: MinedBlock[] = [baseline];
  return {
    held,
    hear(head: MinedBlock) {
      expect(held.map(({ hash }) => hash)).not.toContain(head.hash);
      const parent = held.findIndex(({ hash }) => hash === head.parentHash);
      // A fork from below where it began to listen starts over, and so does what is told after a long sleep.
      if (parent < 0 && !slept()) expect(Number(head.number)).toBeLessThanOrEqual(Number(held[0]?.number));
      held.splice(parent + 1, Number.POSITIVE_INFINITY, head);
    },
  };
}

type Turn = ChainTurn | { readonly do: 'tick' } | { readonly do: 'poll' } | { readonly do: 'restart' };

async function play(
  turns: readonly Turn[],
  seed: number,
  forgets = false,
  logsFrom: createSimulatedChain.Options['logsFrom'] = 'logs',
): Promise<void> {
  const random = createRandom(seed);
  const chain = createSimulatedChain({ random, difficulty: seed % 2 ? 0 : 5, logsFrom });
  const { service } = chain;
  const { clock, advance } = createFakeClock();
  for (let i = 0; i < 8; i++) chain.mine(emitted(1));

  // A node that forgets what has left its chain.
  if (forgets)
    chain.intercept((method, [hash]) =>
      method === 'eth_getBlockByHash' && chain.canonical().every((block) => block.hash !== hash)
        ? null
        : undefined,
    );
  const follower = createFollower({ service, clock });
  /** Some may have slept for longer than each header is asked for. */
  let slept = false;
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
  const [pushed, polled, heads, hashes] = [
    readLogs(),
    readLogs(),
    readHeads(baseline, () => slept),
    [] as Hash[],
  ];
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
    slept ||= turn.do === 'sleep';
    if (turn.do === 'tick') await tick();
    else if (turn.do === 'poll') await poll();
    else if (turn.do === 'restart') chain.restart();
    else change(chain, turn);
  }

  // The trouble ends, and the chain outgrows every fork.
  endFaults(chain);
  while (Number(chain.head().number) <= Number(follower.head()?.number)) chain.mine();
  chain.mine(emitted(1));
  // Logs that no node had are asked for again after five minutes.
  await advance(300_000);
  for (let i = 0; i < 3; i++) await tick();
  await poll();

  expect(objections).toEqual([]);
  const canonical = chain.canonical();
  const standing = new Set(canonical.map(({ hash }) => hash));
  const fork = before.findLastIndex(({ hash }) => standing.has(hash));
  // Of a fork from below where they began, nobody can tell how deep it is whose node has forgotten what left.
  const first = forgets ? Math.max(fork + 1, Number(baseline.number)) : fork + 1;
  /** From the first block that was mined since; from lower down where a fork has led back to older ones. */
  const since = (held: readonly { at: number }[]) => canonical.slice(Math.min(first, held[0]?.at ?? first));
  for (const { held } of [pushed, polled]) {
    const at = held.map(({ blockNumber }) => ({ at: Number(blockNumber) }));
    expect(held.map(key)).toEqual(since(at).flatMap(chain.logsOf).filter(isWanted).map(key));
  }
  expect(follower.head()?.hash).toBe(chain.head().hash);
  const told = heads.held.map(({ hash }) => hash);
  expect(told).toEqual(canonical.map(({ hash }) => hash).slice(-told.length));
  if (!slept) {
    expect(told.length).toBeGreaterThanOrEqual(canonical.length - first);
    for (const { hash } of canonical.slice(first)) expect(hashes).toContain(hash);
  }
  subscriptions.clear();
  filters.clear();
  expect(follower.head()).toBe(null);
}

const turn: fc.Arbitrary<Turn> = fc.oneof(
  { weight: 5, arbitrary: mine },
  { weight: 2, arbitrary: reorgUpTo(10) },
  { weight: 6, arbitrary: ticking },
  { weight: 3, arbitrary: fc.constant({ do: 'poll' as const }) },
  { weight: 1, arbitrary: faultsUpTo(0.3, 5) },
  { weight: 1, arbitrary: fc.constant({ do: 'restart' as const }) },
);

/** Of a range that is read by height, that it is empty is a lie that nobody can tell from the truth: no garbage. */
const turnOfSleeper: fc.Arbitrary<Turn> = fc.oneof(
  { weight: 3, arbitrary: mine },
  { weight: 3, arbitrary: sleep },
  { weight: 2, arbitrary: reorgUpTo(10) },
  { weight: 2, arbitrary: reorgUpTo(90) },
  { weight: 6, arbitrary: ticking },
  { weight: 3, arbitrary: fc.constant({ do: 'poll' as const }) },
  { weight: 1, arbitrary: faultsUpTo(0, 5).map((turn) => ({ ...turn, garbage: 0 })) },
);

test('what was told equals the chain, whatever happens (0 lost, 0 doubled, 0 out of order)', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(turn, { minLength: 5, maxLength: 80 }), fc.nat(1_000_000), (turns, seed) =>
      play(turns, seed),
    ),
    { numRuns: 300 },
  );
});

test('the same for those who sleep long and often, while the chain is reorganised deeply', {
  timeout: 60_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(turnOfSleeper, { minLength: 5, maxLength: 40 }),
      fc.nat(1_000_000),
      fc.boolean(),
      (turns, seed, forgets) => play(turns, seed, forgets),
    ),
    { numRuns: 150 },
  );
});

test('the same over 1,000 blocks with 200 reorganisations under constant trouble', async () => {
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

const turnOfShortSleeper: fc.Arbitrary<Turn> = fc.oneof(
  { weight: 1, arbitrary: shortSleep },
  { weight: 15, arbitrary: turn },
);

test.each(['receipts', 'block receipts'] as const)(
  'the same on a service without eth_getLogs, where logs are only in %s',
  async (logsFrom) => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(turnOfShortSleeper, { minLength: 5, maxLength: 25 }),
        fc.nat(1_000_000),
        (turns, seed) => play(turns, seed, false, logsFrom),
      ),
      { numRuns: 100 },
    );
  },
  60_000,
);
