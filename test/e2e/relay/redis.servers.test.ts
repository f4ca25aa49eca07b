import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { createLocalService, type LocalService } from '../../../packages/kit/src/local/index.js';
import { clientOf } from '../../support/local-client.js';
import { startRedis, type TestRedis } from '../../support/redis.js';
import { type Follower, type RelayProcess, startRelayProcess } from '../../support/relay-cluster.js';
import { apiKey, deployEmitter } from '../../support/relay-server.js';
import { until } from '../../support/until.js';

/** Several processes of the relay on one Redis: what happens when the one that polls the chain dies or stands still. */
let service: LocalService;
let redis: TestRedis;
let contract: Awaited<ReturnType<typeof deployEmitter>>;

beforeAll(async () => {
  redis = await startRedis();
  service = await createLocalService({ mining: 'manual', apiKeys: [apiKey] });
  contract = await deployEmitter(service);
}, 600_000);
afterAll(async () => {
  await redis?.stop();
  await service?.close();
});

let mined: string[];
beforeEach(async () => {
  mined = [];
  await redis.kill();
  await redis.restart();
});

/** Mines a block with a log. */
async function mine(): Promise<void> {
  await contract.emit(1, 7);
  await service.controls.mine();
  mined.push((await clientOf(service).call('eth_getBlockByNumber', 'latest', false)).hash);
}

async function mineFor(milliseconds: number, isOver: () => boolean | Promise<boolean> = () => false) {
  const end = Date.now() + milliseconds;
  while (Date.now() < end && !(await isOver())) {
    await mine();
    await new Promise((resolve) => setTimeout(resolve, 700));
  }
}

/** Each block that was mined, once and in order, by every subscription. */
async function expectAll(followers: readonly Follower[]): Promise<void> {
  for (const { heads, steps, logs } of followers) {
    await until(() => [heads(), steps(), logs()].every((each) => each.includes(mined.at(-1) as string)), {
      failure: 'The last block has not arrived.',
    });
    expect(heads()).toEqual(mined);
    expect(steps()).toEqual(mined);
    expect(logs()).toEqual(mined);
  }
}

async function start(count: number): Promise<RelayProcess[]> {
  const started = await Promise.all(
    Array.from({ length: count }, () => startRelayProcess(service, { redisUrl: redis.url })),
  );
  onTestFinished(async () => {
    for (const each of started) await each.stop();
  });
  return started;
}

async function leaderOf(relays: readonly RelayProcess[]) {
  const leader = await until(async () => {
    for (const relay of relays) if (await relay.leads()) return relay;
    return undefined;
  });
  return { leader, others: relays.filter((relay) => relay !== leader) };
}

test('a killed leader is replaced within 10 s, and the clients of the others miss no block', async () => {
  const relays = await start(3);
  const clients = await Promise.all(relays.map((relay) => relay.connect()));
  const { leader, others } = await leaderOf(relays);
  const rest = clients.filter((_, i) => relays[i] !== leader);
  await mine();
  await mine();
  await expectAll(clients);
  leader.signal('SIGKILL');
  const killedAt = Date.now();
  let replacedAt = 0;
  await mineFor(10_000, async () => {
    const leading = await Promise.all(others.map((relay) => relay.leads()));
    if (leading.includes(true)) replacedAt = Date.now();
    return replacedAt > 0;
  });
  await mine();
  await expectAll(rest);
  const seconds = (replacedAt - killedAt) / 1_000;
  console.log(`A killed leader was replaced after ${seconds} s`);
  expect(replacedAt).toBeGreaterThan(0);
  expect(seconds).toBeLessThan(10);
  for (const relay of others) expect(relay.output()).not.toContain(redis.password);
}, 45_000);

test('a leader that stands still for longer than its lease is replaced, and publishes nothing afterwards', async () => {
  const relays = await start(2);
  const clients = await Promise.all(relays.map((relay) => relay.connect()));
  const { leader, others } = await leaderOf(relays);
  await mine();
  await expectAll(clients);
  leader.signal('SIGSTOP');
  await mineFor(10_000, () => (others[0] as RelayProcess).leads());
  await mineFor(1_500);
  leader.signal('SIGCONT');
  await mineFor(3_000);
  await expectAll(clients);
  expect(await leader.leads()).toBe(false);
  expect(await others[0]?.leads()).toBe(true);
}, 45_000);
