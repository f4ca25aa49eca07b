import { afterAll, beforeAll, expect, test } from 'vitest';
import { createLocalService, type LocalService } from '../../../packages/kit/src/local/index.js';
import { startRedis, type TestRedis } from '../../support/redis.js';
import { mineFor, startInstances } from '../../support/relay-cluster.js';
import { apiKey, deployEmitter } from '../../support/relay-server.js';
import { until } from '../../support/until.js';

/** Several instances of the relay on one Redis: what happens when the Redis is away. */
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

test('while the Redis is away each instance follows alone, and no client misses a block or gets one twice', async () => {
  const { rigs, clients, leaders, degraded } = await startInstances(service, redis.url, 3);
  const mined = await mineFor(service, contract, 2_000);
  await redis.kill();
  mined.push(...(await mineFor(service, contract, 6_000)));
  expect(degraded()).toBe(3);
  expect(leaders()).toBe(3);
  const health = await fetch(`${rigs[0]?.url}/health`);
  expect(await health.json()).toMatchObject({ degraded: true });
  await redis.restart();
  await until(() => degraded() === 0 && leaders() === 1);
  mined.push(...(await mineFor(service, contract, 4_000)));
  for (const { heads, steps, logs } of clients) {
    await until(() => [heads(), steps(), logs()].every((each) => each.includes(mined.at(-1) as string)));
    expect(heads()).toEqual(mined);
    expect(steps()).toEqual(mined);
    expect(logs()).toEqual(mined);
  }
}, 50_000);

test('a Redis that does not answer is as one that is away', async () => {
  const { clients, leaders, degraded } = await startInstances(service, redis.url, 2);
  redis.freeze();
  const mined = await mineFor(service, contract, 6_000);
  await until(() => degraded() === 2);
  redis.thaw();
  await until(() => degraded() === 0 && leaders() === 1);
  mined.push(...(await mineFor(service, contract, 2_000)));
  for (const { heads, steps } of clients) {
    await until(() => [heads(), steps()].every((each) => each.includes(mined.at(-1) as string)));
    expect(heads()).toEqual(mined);
    expect(steps()).toEqual(mined);
  }
}, 50_000);
