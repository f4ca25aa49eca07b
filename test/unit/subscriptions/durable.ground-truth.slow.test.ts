import { expect, test } from 'vitest';
import { createFollower } from '../../../src/chain/follower.js';
import type { Log } from '../../../src/rpc/schema.js';
import type { Service } from '../../../src/service/service.js';
import { createMemoryStorage } from '../../../src/storage/memory.js';
import type { Storage } from '../../../src/storage/storage.js';
import { createSubscriptions, type SubscriptionResult } from '../../../src/subscriptions/subscriptions.js';
import { logEventsOf } from '../../support/log-events.js';
import { fc } from '../../support/property.js';
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
 * A person's page is reloaded, closed for long, or dies at any write or event, while the chain grows, forks, lags
 * and fails. What it has after applying what it was told, across all its lives, equals the chain.
 */

type Turn =
  | ChainTurn
  | { readonly do: 'tick' }
  | { readonly do: 'reload' }
  /** The page dies with its so-manieth write or event from now, before or after it happens. */
  | { readonly do: 'die'; readonly at: 'write' | 'event'; readonly count: number; readonly after: boolean };

async function play(
  turns: readonly Turn[],
  seed: number,
  logsFrom: createSimulatedChain.Options['logsFrom'] = 'logs',
): Promise<void> {
  const random = createRandom(seed);
  const chain = createSimulatedChain({ random, logsFrom });
  // Of a range that is read by height, that it is empty is a lie that nobody can tell from the truth.
  const service: Service = {
    ...chain.service,
    async request(method, params, options) {
      const { garbage } = chain.faults;
      if (Object(params[0]).fromBlock) chain.faults.garbage = 0;
      return chain.service.request(method, params, options).finally(() => {
        chain.faults.garbage = garbage;
      });
    },
  };
  const time = createFakeClock();
  const storage = createMemoryStorage();
  for (let i = 0; i < 8; i++) chain.mine(emitted(1));

  /** What the page has, oldest first. */
  const held: Log[] = [];
  const told: string[] = [];
  /** After a death what was told last may come again. */
  let mayRepeat = false;
  const objections: string[] = [];
  const hear = (log: Log) => {
    told.push(`${log.removed ? '-' : '+'}${key(log)}`);
    const at = held.findIndex((each) => key(each) === key(log));
    if (log.removed) {
      if (at < 0 ? !mayRepeat : at !== held.length - 1 && !mayRepeat) objections.push(told.join('\n'));
      if (at >= 0) held.splice(at, 1);
    } else if (at < 0) held.push(log);
    else if (!mayRepeat) objections.push(told.join('\n'));
  };

  function open() {
    let dead = false;
    let dying: Extract<Turn, { do: 'die' }> | undefined;
    let left = 0;
    const never = new Promise<never>(() => {});
    const isFatal = (at: 'write' | 'event', after: boolean) => {
      if (dying?.at !== at || dying.after !== after) return;
      left -= 1;
      dead ||= left <= 0;
    };
    const pageStorage: Storage = {
      ...storage,
      async update(...args) {
        isFatal('write', false);
        if (dead) return never;
        const written = await storage.update(...args);
        isFatal('write', true);
        return dead ? never : written;
      },
    };
    const follower = createFollower({ service, clock: time.clock, interval: 8_000 });
    const subscriptions = createSubscriptions({
      ...{ service, follower, clock: time.clock, storage: pageStorage },
      ...logEventsOf({ service, follower, clock: time.clock }),
      emit(_id, result: SubscriptionResult) {
        isFatal('event', false);
        if (!dead) hear(result as Log);
        isFatal('event', true);
      },
    });
    let isOpen = false;
    const subscribed = subscriptions.subscribe({ kind: 'logs', criteria: wanted, resume: 'x' });
    void subscribed.then(() => {
      isOpen = true;
    });
    return {
      follower,
      dead: () => dead,
      isOpen: () => isOpen,
      die(turn: Extract<Turn, { do: 'die' }>) {
        dying = turn;
        left = turn.count;
      },
      close() {
        subscriptions.clear();
        follower.stop();
      },
    };
  }

  const rest = async () => {
    while (!page.isOpen() && !page.dead()) await settled();
    await time.advance(0);
    for (let i = 0; i < 4; i++) await settled();
  };
  let page = open();
  await rest();
  const baseline = chain.canonical();
  const start = baseline.length - 1;
  const tick = async () => {
    await time.advance(8_000);
    await rest();
    if (!page.dead()) return;
    page.close();
    mayRepeat = true;
    page = open();
    await rest();
  };

  for (const turn of turns) {
    if (turn.do === 'die') page.die(turn);
    else if (turn.do === 'tick') await tick();
    else if (turn.do !== 'reload') change(chain, turn);
    else {
      await rest();
      if (page.dead()) mayRepeat = true;
      page.close();
      page = open();
      await rest();
    }
  }

  endFaults(chain);
  page.close();
  page = open();
  await rest();
  while (Number(chain.head().number) <= Number(page.follower.head()?.number)) chain.mine();
  for (let i = 0; i < 64; i++) chain.mine(emitted(i));
  for (let i = 0; i < 8; i++) await tick();

  expect(objections).toEqual([]);
  const joined = chain.canonical().filter((block) => !baseline.some(({ hash }) => hash === block.hash));
  const logsOf = (blocks: typeof joined) => blocks.flatMap(chain.logsOf).filter(isWanted).map(key);
  const inOrder = held.toSorted((a, b) => Number(a.blockNumber) - Number(b.blockNumber)).map(key);
  if (!mayRepeat) expect(held.map(key)).toEqual(inOrder);
  // Of blocks that have replaced some from before the subscription, a lagging node may not have told.
  expect(inOrder.slice(-logsOf(joined.filter(({ number }) => Number(number) >= start)).length)).toEqual(
    logsOf(joined.filter(({ number }) => Number(number) >= start)),
  );
  expect(logsOf(joined)).toEqual(expect.arrayContaining(inOrder));
  page.close();
}

const turnWith = (asleep: typeof sleep): fc.Arbitrary<Turn> =>
  fc.oneof(
    { weight: 5, arbitrary: mine },
    { weight: 1, arbitrary: asleep },
    { weight: 2, arbitrary: reorgUpTo(10) },
    { weight: 1, arbitrary: reorgUpTo(90) },
    { weight: 6, arbitrary: ticking },
    { weight: 3, arbitrary: fc.constant({ do: 'reload' as const }) },
    {
      weight: 2,
      arbitrary: fc.record({
        do: fc.constant('die' as const),
        at: fc.constantFrom('write' as const, 'event' as const),
        count: fc.integer({ min: 1, max: 4 }),
        after: fc.boolean(),
      }),
    },
    { weight: 1, arbitrary: faultsUpTo(0.1, 3) },
  );

/** Logs below where the subscription began are told of a range, then removed while nothing but their hashes is known. */
const removedBelowTheBeginning: readonly [readonly Turn[], number] = [
  [
    { do: 'reorg', depth: 3, logs: 0, length: 3 },
    { do: 'faults', errors: 0.4, garbage: 0, lag: 0 },
    { do: 'sleep', blocks: 24 },
    { do: 'reload' },
    { do: 'reorg', depth: 1, logs: 0, length: 1 },
    { do: 'mine', logs: [] },
    { do: 'die', at: 'write', count: 2, after: false },
    { do: 'tick' },
    { do: 'faults', errors: 0, garbage: 0.1, lag: 0 },
    { do: 'mine', logs: [] },
    { do: 'mine', logs: [] },
    { do: 'mine', logs: [] },
    { do: 'tick' },
    { do: 'reorg', depth: 30, logs: 0, length: 30 },
    { do: 'reload' },
  ],
  574117,
];

test('across reloads and deaths, what the page has equals the chain', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(turnWith(sleep), { minLength: 5, maxLength: 60 }),
      fc.nat(1_000_000),
      (turns, seed) => play(turns, seed),
    ),
    { numRuns: 60, examples: [removedBelowTheBeginning as never] },
  );
});

test('the same on a service without eth_getLogs, where logs are only in receipts', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(turnWith(shortSleep), { minLength: 5, maxLength: 25 }),
      fc.nat(1_000_000),
      (turns, seed) => play(turns, seed, 'receipts'),
    ),
    { numRuns: 60 },
  );
}, 60_000);
