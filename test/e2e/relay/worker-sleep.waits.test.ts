import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { createLocalService, type LocalService } from '../../../packages/kit/src/local/index.js';
import { clientOf } from '../../support/local-client.js';
import { follow } from '../../support/relay-cluster.js';
import { apiKey, connect, deployEmitter } from '../../support/relay-server.js';
import { until } from '../../support/until.js';
import { startWorker } from '../../support/workerd.js';

/** A Durable Object that sleeps between two alarms, which takes the runtime ten seconds: it is built anew each time. */
let service: LocalService;
let contract: Awaited<ReturnType<typeof deployEmitter>>;

beforeAll(async () => {
  service = await createLocalService({ mining: 'manual', apiKeys: [apiKey] });
  contract = await deployEmitter(service);
});
afterAll(() => service?.close());

const adminToken = 'token-of-the-administrator';

test('an object that sleeps between its alarms misses no block, and its connections stay open', async () => {
  const { chainId, url } = service;
  const worker = await startWorker({
    [`GRAFT_RELAY_URL_${chainId}`]: url,
    GRAFT_RELAY_CONFIG: {
      networks: [{ chainId, interval: 15_000 }],
      ...{ origins: ['*'], open: true, adminToken },
    },
  });
  onTestFinished(() => worker[Symbol.asyncDispose]());
  const socketUrl = `${worker.url.replace('http', 'ws')}/${chainId}`;
  const follower = await follow(socketUrl);
  // Its filters are longer than what fits beside a socket.
  const other = await connect(socketUrl);
  const addresses = Array.from({ length: 19 }, (_, i) => `0x${(i + 1).toString(16).padStart(40, '0')}`);
  const filters = await Promise.all(
    [1, 2, 3].map((topic) =>
      other.call('eth_subscribe', 'logs', {
        address: [contract.address, ...addresses],
        topics: [`0x${topic.toString(16).padStart(64, '0')}`],
      }),
    ),
  );
  const countOf = async (name: string) => {
    const reply = await fetch(`${worker.url}/metrics`, {
      headers: { authorization: `Bearer ${adminToken}` },
    });
    return [...(await reply.text()).matchAll(new RegExp(`^${name}\\{.* (\\d+)$`, 'gm'))].reduce(
      (sum, [, value]) => sum + Number(value),
      0,
    );
  };
  expect(await countOf('graft_relay_requests_total')).toBe(6);
  service.requests.clear();

  const mined: string[] = [];
  const topics: string[] = [];
  for (let i = 0; i < 7; i++) {
    await contract.emit((i % 3) + 1, 7);
    await service.controls.mine();
    const block = await clientOf(service).call('eth_getBlockByNumber', 'latest', false);
    mined.push(block.hash);
    topics.push(filters[i % 3] as string);
    await new Promise((resolve) => setTimeout(resolve, 4_500));
  }
  const reads = service.requests.count('eth_getBlockByNumber') - mined.length;
  await until(() => follower.steps().length >= mined.length, { timeout: 30_000 });
  expect(follower.heads()).toEqual(mined);
  expect(follower.steps()).toEqual(mined);
  await until(() => follower.logs().length >= mined.length);
  expect(follower.logs()).toEqual(mined);
  const logs = [...other.pushed].flatMap(([id, pushed]) => pushed.map(() => id));
  expect(logs.sort()).toEqual([...topics].sort());
  // Of its own it polls at the alarms only.
  expect(reads).toBeLessThanOrEqual(4);
  // The counts of the object that answered the six requests are gone with it.
  expect(await countOf('graft_relay_requests_total')).toBe(0);
  // A connection that was taken up again still has its limits and subscriptions.
  expect(await other.call('eth_unsubscribe', filters[0])).toBe(true);
  expect(await other.call('eth_unsubscribe', filters[0])).toBe(false);
}, 70_000);
