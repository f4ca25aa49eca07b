import { expect, test } from 'vitest';
import { createFakeClock } from '../../../test/support/fake-clock.js';
import { createRelayRig } from '../../../test/support/relay-rig.js';
import { createInProcessEngine, createInProcessState } from '../src/engines/in-process.js';
import { createObjectEngine, type ObjectDatabase } from '../src/engines/object-engine.js';

/** `/health` says whether the chain is followed, whichever instance polls it. */

/** A client that is subscribed. Beside a leader a subscription begins after a second. */
async function listen(rig: ReturnType<typeof createRelayRig>) {
  const client = rig.connect();
  const subscribed = client.call('eth_subscribe', 'newHeads');
  await rig.advance(1_000);
  await subscribed;
  return client;
}

/** Two instances with one clock and one state, of which the first leads; each has a node of its own. */
async function pair() {
  const [clock, state] = [createFakeClock(), createInProcessState()];
  const [first, second] = [0, 1].map(() =>
    createRelayRig({ clock, engine: createInProcessEngine({ state }) }),
  ) as [ReturnType<typeof createRelayRig>, ReturnType<typeof createRelayRig>];
  const leading = await listen(first);
  return { first, second, state, leading };
}

test('an instance beside the leader has the height and age of the leader', async () => {
  const { first, second } = await pair();
  await listen(second);
  expect([first, second].map(({ core }) => core.leads(33))).toEqual([true, false]);
  first.chain.mine();
  await first.tick();
  await first.advance(2_000);
  expect(second.core.health(33)).toEqual({ ok: true, height: 1, age: 4_000 });
  expect(first.core.health(33)).toEqual({ ok: true, height: 1, age: 4_000 });
  // A chain without new blocks is followed all the same.
  await first.tick(200);
  expect(second.core.health(33).ok).toBe(true);
  expect(second.chain.requests()).toBe(0);
});

test('an instance beside a leader whose polls fail is unhealthy, whatever its own clients read', async () => {
  const { first, second } = await pair();
  const client = await listen(second);
  first.chain.mine();
  await first.tick();
  first.chain.faults.errors = 1;
  await first.advance(15_000);
  expect(second.core.health(33).ok).toBe(true);
  await first.advance(6_000);
  await client.call('eth_getBlockByNumber', 'latest', false);
  expect(second.core.health(33)).toMatchObject({ ok: false, height: 1 });
  expect(second.core.health(33).age).toBeGreaterThan(18_000);
  first.chain.faults.errors = 0;
  await first.advance(60_000);
  expect(second.core.health(33).ok).toBe(true);
});

test('an instance beside a leader that never had a block is unhealthy after three intervals', async () => {
  const [clock, state] = [createFakeClock(), createInProcessState()];
  const [first, second] = [0, 1].map(() =>
    createRelayRig({ clock, engine: createInProcessEngine({ state }) }),
  ) as [ReturnType<typeof createRelayRig>, ReturnType<typeof createRelayRig>];
  first.chain.faults.errors = 1;
  await listen(first);
  await listen(second);
  expect(second.core.health(33)).toEqual({ ok: true, height: null, age: null });
  await first.advance(19_000);
  expect([first, second].map(({ core }) => core.health(33))).toEqual([
    { ok: false, height: null, age: null },
    { ok: false, height: null, age: null },
  ]);
});

test('an instance without subscribers is healthy, however old the head is', async () => {
  const { first, second, leading } = await pair();
  await first.tick();
  leading.session.close();
  await first.advance(3_600_000);
  for (const { core } of [first, second]) expect(core.health(33)).toMatchObject({ ok: true, height: 0 });
  expect(second.core.health(33).age).toBeGreaterThan(3_500_000);
  // The first poll for a new subscriber has its time, too.
  first.chain.faults.errors = 1;
  await listen(first);
  expect(first.core.health(33).ok).toBe(true);
  await first.advance(19_000);
  expect(first.core.health(33).ok).toBe(false);
});

test('the next leader has three intervals for its first poll', async () => {
  const { first, second } = await pair();
  await listen(second);
  first.chain.mine();
  await first.tick();
  second.chain.mine();
  await first.core.close();
  await second.advance(2_000);
  expect(second.core.leads(33)).toBe(true);
  expect(second.core.health(33)).toMatchObject({ ok: true, height: 1 });
});

/** The two tables of the engine, as its queries use them. */
function createDatabase(): ObjectDatabase {
  const steps: string[] = [];
  const counts = new Map<string, string>();
  return {
    exec(query, ...values) {
      const [first, second] = values.map(String) as [string, string];
      if (query.startsWith('INSERT INTO steps')) steps.push(first);
      if (query.startsWith('INSERT OR REPLACE INTO counts')) counts.set(first, second);
      if (query.startsWith('SELECT step')) return steps.map((step) => ({ step }));
      if (query.startsWith('SELECT count')) return counts.has(first) ? [{ count: counts.get(first) }] : [];
      return [];
    },
  };
}

test('an object that wakes up for the request knows how long its polls have failed', async () => {
  const [clock, database] = [createFakeClock(), createDatabase()];
  const wake = (chain?: ReturnType<typeof createRelayRig>['chain']) =>
    createRelayRig({
      ...{ clock, passive: true, engine: createObjectEngine(database, clock.clock.now) },
      ...(chain && { chain }),
    });
  const first = wake();
  const client = first.connect();
  await client.call('eth_subscribe', 'newHeads');
  first.chain.mine();
  await first.core.poll(33);
  const topics = client.session.topics();

  await first.advance(6_000);
  const second = wake(first.chain);
  second.connect().session.restore(topics);
  expect(second.core.health(33)).toEqual({ ok: true, height: 1, age: 6_000 });

  first.chain.faults.errors = 1;
  for (let i = 0; i < 3; i++) {
    await first.advance(6_000);
    await second.core.poll(33).catch(() => {});
  }
  const third = wake(first.chain);
  third.connect().session.restore(topics);
  expect(third.core.health(33)).toMatchObject({ ok: false, height: 1 });
  // Nobody is connected any more: nothing is to be followed.
  expect(wake(first.chain).core.health(33)).toMatchObject({ ok: true, height: 1 });
});
