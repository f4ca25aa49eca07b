import { afterAll, beforeAll, expect, test } from 'vitest';
import { createLocalService, type LocalService } from '../../../packages/kit/src/local/index.js';
import { startRedis, type TestRedis } from '../../support/redis.js';
import { mineFor, startInstances } from '../../support/relay-cluster.js';
import { apiKey, deployEmitter } from '../../support/relay-server.js';
import { until } from '../../support/until.js';

/** Several instances of the relay on one Redis: what they cost together. */
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

test('three instances cost about as many requests as one', async () => {
  async function cost(instances: number) {
    const { clients, upstream } = await startInstances(service, redis.url, instances);
    const before = upstream();
    const mined = await mineFor(service, contract, 6_000, 1_200);
    for (const { logs, heads } of clients) {
      await until(() => logs().length === mined.length);
      expect(logs()).toEqual(mined);
      expect(heads()).toEqual(mined);
    }
    const requests = upstream() - before;
    for (const { client } of clients) client.close();
    return { requests, blocks: mined.length };
  }
  const one = await cost(1);
  const three = await cost(3);
  console.log(`Requests: ${JSON.stringify({ one, three })}`);
  expect(three.requests).toBeLessThanOrEqual(one.requests * 1.2 + 1);
}, 50_000);
