import { expect, test } from 'vitest';
import type { Clock } from '../../../src/async/clock.js';
import type { MinedBlock } from '../../../src/chain/blocks.js';
import { createFollower, type Follower } from '../../../src/chain/follower.js';
import { createFilterSource } from '../../../src/chain/heads/filter-source.js';
import { createPushedHeads } from '../../../src/chain/heads/pushed-heads.js';
import { createSocketSource } from '../../../src/chain/heads/socket-source.js';
import type { Hash, Log } from '../../../src/rpc/schema.js';
import { createFilters } from '../../../src/subscriptions/filters/filters.js';
import { createSubscriptions } from '../../../src/subscriptions/subscriptions.js';
import { logEventsOf } from '../../support/log-events.js';
import { fc } from '../../support/property.js';
// Imported beforehand: the wallet loads it when it is first needed, which the fake clock does not wait for.
import '../../../src/service/logs/receipt-logs.js';
import { createFakeClock, settled } from '../../support/fake-clock.js';
import { createFakeSockets, createPushServer } from '../../support/push-server.js';
import type { SourceKind } from '../../support/pushed-tabs.js';
import { createRandom } from '../../support/random.js';
import { createSimulatedChain, type SimulatedChain, word } from '../../support/simulated-chain.js';
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

type Turn =
  | ChainTurn
  | { readonly do: 'tick' }
  | { readonly do: 'poll' }
  | { readonly do: 'restart' }
  | { readonly do: 'push'; readonly what: (typeof pushes)[number] }
  | { readonly do: 'wait'; readonly ms: number };

/** What a source of heads may do: report the head, or one of the past, one beside the chain or one that never was. */
const pushes = [
  ...(['head', 'head', 'head', 'head again', 'old head', 'beside', 'false head', 'false block'] as const),
  ...(['mute', 'speak', 'close', 'close for good'] as const),
];

/** A service whose heads are pushed by a source of a kind, as `createFollowing` puts it together. */
function pushHeads(chain: SimulatedChain, clock: Clock, kind: SourceKind) {
  const server = createPushServer(chain, kind === 'relay' ? 'relay' : 'node');
  const sockets = createFakeSockets(server);
  const url = 'wss://relay.example/31';
  const source =
    kind === 'filter'
      ? createFilterSource({ service: chain.service, interval: () => 12_000, clock })
      : createSocketSource({ url, takesBlocks: kind === 'relay', openSocket: sockets.openSocket, clock });
  const holder: { follower?: Follower } = {};
  const pushed = createPushedHeads({
    source,
    clock,
    service: chain.service,
    poll: async () => holder.follower?.catchUp(true),
    isKnown: (hash) => holder.follower?.links().some((link) => link.hash === hash) ?? false,
    isFollowing: () => (holder.follower?.links().length ?? 0) > 0,
    interval: () => 12_000,
    onLost: () => void holder.follower?.catchUp(true).catch(() => {}),
    onAnswer() {},
  });
  const follower = createFollower({
    service: pushed.service,
    clock,
    interval: (failing) => (pushed.isLive() && !failing ? 60_000 : 12_000),
  });
  holder.follower = follower;

  function push(what: (typeof pushes)[number]): void {
    const report = (block: MinedBlock) =>
      server.notify((subscribed) => (subscribed === 'newHeads' ? block : { removed: [], added: [block] }));
    const head = chain.head();
    const above = { number: `0x${(Number(head.number) + 1).toString(16)}`, hash: word(0xfa15e) } as const;
    if (what === 'head') server.push();
    else if (what === 'head again') report(head);
    else if (what === 'old head') report(chain.canonical().at(-3) as MinedBlock);
    else if (what === 'beside') report(chain.sibling());
    else if (what === 'false head') report({ ...head, ...above, parentHash: word(0xfa15e0) });
    // The follower believes it until it has read the chain: the service could as well.
    else if (what === 'false block')
      report({
        ...head,
        ...above,
        parentHash: head.hash,
        logsBloom: `0x${'00'.repeat(256)}`,
        transactions: [],
      });
    else if (what === 'close') server.close(1006);
    else if (what === 'close for good') server.close(1008);
    else server.mute(what === 'mute');
  }
  pushed.setActive(true);
  return { service: pushed.service, follower, push, close: pushed.close };
}

async function play(
  turns: readonly Turn[],
  seed: number,
  forgets = false,
  logsFrom: createSimulatedChain.Options['logsFrom'] = 'logs',
  sourceKind?: SourceKind,
): Promise<void> {
  const random = createRandom(seed);
  const chain = createSimulatedChain({ random, difficulty: seed % 2 ? 0 : 5, logsFrom });
  const { clock, advance } = createFakeClock();
  for (let i = 0; i < 8; i++) chain.mine(emitted(1));

  // A node that forgets what has left its chain.
  if (forgets)
    chain.intercept((method, [hash]) =>
      method === 'eth_getBlockByHash' && chain.canonical().every((block) => block.hash !== hash)
        ? null
        : undefined,
    );
  const source = sourceKind && pushHeads(chain, clock, sourceKind);
  const service = source?.service ?? chain.service;
  const follower = source?.follower ?? createFollower({ service, clock });
  /** Some may have slept for longer than each header is asked for. */
  let slept = false;
  const objections: unknown[] = [];
  const readers = new Map<string, (result: never) => void>();
  const sources = { service, follower, clock, ...logEventsOf({ service, follower, clock }) };
  const subscriptions = createSubscriptions({
    ...sources,
    // What a page throws is not our failure, so it is kept here and thrown below.
    emit(id, result) {
      try {
        readers.get(id)?.(result as never);
      } catch (error) {
        objections.push(error);
      }
    },
  });
  const filters = createFilters(sources);

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

  let polledAt = clock.now();
  const poll = async () => {
    polledAt = clock.now();
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
    else if (turn.do === 'push') source?.push(turn.what);
    else if (turn.do === 'wait') {
      await settled();
      // Filters are removed five minutes after the last poll.
      if (clock.now() + turn.ms - polledAt >= 300_000) await poll();
      await advance(turn.ms);
      await settled();
    } else change(chain, turn);
  }

  // The trouble ends, and the chain outgrows every fork.
  endFaults(chain);
  while (Number(chain.head().number) <= Number(follower.head()?.number)) chain.mine();
  chain.mine(emitted(1));
  if (clock.now() > polledAt) await poll();
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
  source?.close();
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

test('the delivered events equal the chain, whatever happens (0 lost, 0 doubled, 0 out of order)', async () => {
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
    { numRuns: 80 },
  );
});

const turnOfSource: fc.Arbitrary<Turn> = fc.oneof(
  { weight: 4, arbitrary: mine },
  { weight: 2, arbitrary: reorgUpTo(10) },
  { weight: 1, arbitrary: ticking },
  { weight: 2, arbitrary: fc.constant({ do: 'poll' as const }) },
  { weight: 1, arbitrary: faultsUpTo(0.3, 5) },
  { weight: 1, arbitrary: fc.constant({ do: 'restart' as const }) },
  {
    weight: 8,
    arbitrary: fc.constantFrom(...pushes).map((what) => ({ do: 'push' as const, what })),
  },
  {
    weight: 6,
    arbitrary: fc.integer({ min: 1, max: 70_000 }).map((ms) => ({ do: 'wait' as const, ms })),
  },
);

test.each(['relay', 'node', 'filter'] as const)(
  'the same with heads from a %s that is late, silent, closed, repeats itself or lies',
  async (kind) => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(turnOfSource, { minLength: 5, maxLength: 60 }),
        fc.nat(1_000_000),
        (turns, seed) => play(turns, seed, false, 'logs', kind),
      ),
      { numRuns: 100 },
    );
  },
  60_000,
);

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
