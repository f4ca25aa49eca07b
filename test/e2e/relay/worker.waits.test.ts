import { SignJWT } from 'jose';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { createLocalService, type LocalService } from '../../../packages/kit/src/local/index.js';
import { clientOf } from '../../support/local-client.js';
import { type Follower, follow } from '../../support/relay-cluster.js';
import { apiKey, connect, deployEmitter } from '../../support/relay-server.js';
import { until } from '../../support/until.js';
import { startWorker, type TestWorker } from '../../support/workerd.js';

/** The relay as a Worker with a Durable Object, in the vendor's own runtime. */
let service: LocalService;
let contract: Awaited<ReturnType<typeof deployEmitter>>;

beforeAll(async () => {
  service = await createLocalService({ mining: 'manual', apiKeys: [apiKey] });
  contract = await deployEmitter(service);
});
afterAll(() => service?.close());

const adminToken = 'token-of-the-administrator';

async function start(interval: number, options: object = {}): Promise<TestWorker> {
  const { chainId } = service;
  const worker = await startWorker({
    [`GRAFT_RELAY_URL_${chainId}`]: service.url,
    GRAFT_RELAY_CONFIG: {
      networks: [{ chainId, interval }],
      origins: ['*'],
      open: true,
      adminToken,
      ...options,
    },
  });
  onTestFinished(() => worker[Symbol.asyncDispose]());
  return worker;
}

const socketOf = ({ url }: TestWorker) => `${url.replace('http', 'ws')}/${service.chainId}`;

let mined: string[];
beforeEach(() => {
  mined = [];
});

/** Mines a block with a log. */
async function mine(): Promise<void> {
  await contract.emit(1, 7);
  await service.controls.mine();
  mined.push((await clientOf(service).call('eth_getBlockByNumber', 'latest', false)).hash);
}

/** Each block that was mined, once and in order, by every subscription. */
async function expectAll({ heads, steps, logs }: Follower, timeout = 20_000): Promise<void> {
  await until(() => [heads(), steps(), logs()].every((each) => each.includes(mined.at(-1) as string)), {
    timeout,
    failure: 'The last block has not arrived.',
  });
  expect(heads()).toEqual(mined);
  expect(steps()).toEqual(mined);
  expect(logs()).toEqual(mined);
}

const post = async (worker: TestWorker, method: string, ...params: unknown[]) => {
  const reply = await fetch(`${worker.url}/${service.chainId}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  return { status: reply.status, body: await reply.json() };
};

test('it answers reads and refuses what is not allowed, as the relay on Node does', async () => {
  const worker = await start(1_000);
  const { call } = clientOf(service);
  expect(await post(worker, 'eth_chainId')).toMatchObject({ status: 200, body: { result: '0x21' } });
  const block = await call('eth_getBlockByNumber', 'latest', false);
  expect((await post(worker, 'eth_getBlockByNumber', 'latest', false)).body.result).toEqual(block);
  expect((await post(worker, 'eth_getBlockByHash', block.hash, false)).body.result).toEqual(block);
  expect((await post(worker, 'debug_traceTransaction', '0x1')).body.error.code).toBe(-32601);
  expect((await post(worker, 'eth_subscribe', 'newHeads')).body.error.code).toBe(-32601);
  const unknown = await fetch(`${worker.url}/1`, { method: 'POST', body: '{}' });
  expect(unknown.status).toBe(404);
  expect(await (await fetch(`${worker.url}/health`)).json()).toHaveProperty('height');
  expect((await fetch(`${worker.url}/metrics`)).status).toBe(401);
  const metrics = await fetch(`${worker.url}/metrics`, {
    headers: { authorization: `Bearer ${adminToken}` },
  });
  expect(await metrics.text()).toMatch(/graft_relay_requests_total\{.*method="eth_chainId".*\} 1/);
  expect(worker.output()).toBe('');
});

test('heads, steps and logs arrive by alarm, and a reorganisation takes blocks back', async () => {
  const worker = await start(1_000);
  const follower = await follow(socketOf(worker));
  for (let i = 0; i < 3; i++) {
    await mine();
    await until(() => follower.heads().includes(mined.at(-1) as string));
  }
  await expectAll(follower);
  const [removed] = mined.slice(-1);
  await service.controls.reorg(1, { transactions: 'dropped' });
  await service.controls.mine();
  await until(() => follower.steps().includes(`-${removed}`));
  await until(() => follower.logs().filter((hash) => hash === removed).length === 2);
  follower.client.close();
});

test('while no client is subscribed nothing is requested', async () => {
  const worker = await start(1_000);
  service.requests.clear();
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  expect(service.requests.count()).toBe(0);
  const follower = await follow(socketOf(worker));
  const other = await connect(socketOf(worker));
  await until(() => service.requests.count() >= 3);
  follower.client.close();
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  service.requests.clear();
  await new Promise((resolve) => setTimeout(resolve, 2_500));
  // One that is connected without a subscription costs nothing.
  expect(service.requests.count()).toBe(0);
  other.close();
});

test('after the process has ended a client continues from the last step it knows', async () => {
  const worker = await start(1_000);
  const follower = await follow(socketOf(worker));
  await mine();
  await mine();
  await expectAll(follower);
  await worker.restart();
  expect(await follower.client.closed).toBe(1006);
  await mine();
  await mine();
  const client = await connect(socketOf(worker));
  const id = await client.call('eth_subscribe', 'graft_steps', { since: mined[0] });
  // biome-ignore lint/suspicious/noExplicitAny: results of any subscription
  const steps = () => (client.pushed.get(id) ?? []) as any[];
  const added = () => steps().flatMap((step) => step.added.map(({ hash }: { hash: string }) => hash));
  await until(() => added().includes(mined.at(-1) as string));
  expect(added()).toEqual(mined.slice(1));
  expect(steps().some(({ missed }) => missed)).toBe(false);
  client.close();
});

test('a client has no second share of the day because the process has ended', async () => {
  const worker = await start(1_000, {
    networks: [{ chainId: service.chainId, interval: 1_000, requestsPerDay: 400 }],
  });
  const read = async (i: number) =>
    (await post(worker, 'eth_getBalance', `0x${i.toString(16).padStart(40, '0')}`, 'latest')).status;
  const statuses: number[] = [];
  for (let i = 1; i <= 25; i++) statuses.push(await read(i));
  // Nine tenths of a twentieth of 400.
  expect(statuses.filter((status) => status === 200)).toHaveLength(18);
  await worker.restart();
  expect(await read(26)).toBe(429);
});

test('200 clients cost as many requests as one', async () => {
  const worker = await start(1_000, {
    limits: { connections: 200, messagesPerSecond: 200, messageBurst: 400 },
  });
  const clients = await Promise.all(Array.from({ length: 200 }, () => connect(socketOf(worker))));
  const ids = await Promise.all(clients.map((client) => client.call('eth_subscribe', 'newHeads')));
  service.requests.clear();
  const startedAt = Date.now();
  await mine();
  await until(() => clients.every(({ pushed }, i) => pushed.get(ids[i])?.length === 1));
  const seconds = (Date.now() - startedAt) / 1_000;
  expect(service.requests.count('eth_getBlockByNumber')).toBeLessThanOrEqual(seconds + 3);
  for (const client of clients) client.close();
});

test('server-sent events have the steps', async () => {
  const worker = await start(1_000);
  const abort = new AbortController();
  const reply = await fetch(`${worker.url}/${service.chainId}/heads`, { signal: abort.signal });
  let text = '';
  const reading = (async () => {
    for await (const part of reply.body as unknown as AsyncIterable<Uint8Array>)
      text += new TextDecoder().decode(part);
  })().catch(() => {});
  await new Promise((resolve) => setTimeout(resolve, 500));
  await mine();
  await until(() => text.includes(`id: ${mined[0]}`));
  abort.abort();
  await reading;
});

test('a connection whose token has expired is closed with 4001', async () => {
  const key = 'a secret that only the issuer and the relay have';
  const worker = await start(1_000, {
    open: undefined,
    jwt: { key, algorithms: ['HS256'], audience: 'relay' },
  });
  const token = await new SignJWT({ sub: 'alice' })
    .setProtectedHeader({ alg: 'HS256' })
    .setAudience('relay')
    .setExpirationTime(Math.floor(Date.now() / 1_000) + 3)
    .sign(new TextEncoder().encode(key));
  const client = await connect(socketOf(worker), {}, ['graft.v1', `graft.jwt.${token}`]);
  expect(client.socket.protocol).toBe('graft.v1');
  await client.call('eth_subscribe', 'newHeads');
  expect(await client.closed).toBe(4001);
  const refused = connect(socketOf(worker));
  await expect(refused).rejects.toThrow('401');
});

test('a client that floods is cut off with 1008', async () => {
  const worker = await start(1_000);
  const client = await connect(socketOf(worker));
  const text = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}';
  for (let i = 0; i < 1_100; i++) client.socket.send(text);
  expect(await client.closed).toBe(1008);
});

test('each chain has an object of its own', async () => {
  const testnet = await createLocalService({ chainId: 31 });
  onTestFinished(() => testnet.close());
  const worker = await startWorker({
    [`GRAFT_RELAY_URL_${service.chainId}`]: service.url,
    GRAFT_RELAY_URL_31: testnet.url,
    GRAFT_RELAY_CONFIG: JSON.stringify({ origins: ['*'], open: true, adminToken }),
  });
  onTestFinished(() => worker[Symbol.asyncDispose]());
  for (const chainId of [31, service.chainId]) {
    const reply = await fetch(`${worker.url}/${chainId}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}',
    });
    expect(await reply.json()).toMatchObject({ result: `0x${chainId.toString(16)}` });
    const metrics = await fetch(`${worker.url}/${chainId}/metrics`, {
      headers: { authorization: `Bearer ${adminToken}` },
    });
    const chains = [...(await metrics.text()).matchAll(/graft_relay_requests_total\{chain="(\d+)"/g)].map(
      ([, id]) => id,
    );
    expect(chains).toEqual([String(chainId)]);
  }
  const health = await fetch(`${worker.url}/health`);
  expect(health.status).toBe(200);
  expect(Object.keys((await health.json()).chains)).toEqual(['31', String(service.chainId)]);
});

describe('refused configurations', () => {
  test('a Worker without origins answers 503, and says in its log what is missing', async () => {
    const worker = await start(1_000, { origins: undefined });
    const reply = await fetch(`${worker.url}/health`);
    expect(reply.status).toBe(503);
    expect(worker.output()).toContain('--origin must be given');
    expect(worker.output()).not.toContain(apiKey);
  });
});
