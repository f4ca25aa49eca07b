import { afterAll, beforeAll, expect, test } from 'vitest';
import { createLocalService, type LocalService } from '../../../../src/local/index.js';
import { createService } from '../../../../src/service/client.js';
import { createNetworks, type Network, type NetworkOptions } from '../../../../src/service/networks.js';
import { alice, sign } from '../../../support/local-client.js';

/** Several requests in one POST, over the real service and over one that answers wrongly. */

let local: LocalService;

beforeAll(async () => {
  local = await createLocalService({ dialect: 'node' });
  await local.controls.faucet(alice.address);
});
afterAll(() => local?.close());

const serviceWith = (options: Partial<NetworkOptions> = {}, fetch?: typeof globalThis.fetch) =>
  createService({
    network: createNetworks([{ chainId: 33, url: local.url, batch: 20, ...options }])[0] as Network,
    backoff: 2,
    fetch,
  });

const balances = (service: ReturnType<typeof serviceWith>, count: number) =>
  Promise.all(
    Array.from({ length: count }, (_, i) =>
      service.request('eth_getStorageAt', [alice.address, `0x${i.toString(16)}`, 'latest']),
    ),
  );

interface Sent {
  readonly id: number;
  readonly method: string;
}

/** A fetch that answers with what `reply` makes of the calls, and the bodies it was given. */
function answering(reply: (calls: readonly Sent[]) => unknown, status = 200) {
  const bodies: (Sent | readonly Sent[])[] = [];
  const fetch = (async (_url: unknown, init: RequestInit) => {
    const body = JSON.parse(init.body as string) as Sent | readonly Sent[];
    bodies.push(body);
    const answer = Array.isArray(body)
      ? reply(body)
      : { jsonrpc: '2.0', id: (body as Sent).id, result: '0x7' };
    return new Response(JSON.stringify(answer), { status: Array.isArray(body) ? status : 200 });
  }) as typeof globalThis.fetch;
  return { fetch, bodies };
}
const two = (service: ReturnType<typeof serviceWith>) =>
  Promise.allSettled([service.request('eth_blockNumber', []), service.request('eth_gasPrice', [])]);
const answerTo = ({ id }: Sent, result: string) => ({ jsonrpc: '2.0', id, result });

test('each request is a POST of its own', async () => {
  const service = createService({ network: createNetworks([{ chainId: 33, url: local.url }])[0] as Network });
  local.requests.clear();
  await balances(service, 5);
  expect(local.requests.http).toBe(5);
});

test('requests of one task share a POST, and each gets its own reply', async () => {
  const service = serviceWith();
  local.requests.clear();
  const [number, balance, price] = await Promise.all([
    service.request('eth_blockNumber', []),
    service.request('eth_getBalance', [alice.address, 'latest']),
    service.request('eth_gasPrice', []),
    expect(service.request('eth_getBalance', ['0x1', 'latest'])).rejects.toMatchObject({ code: -32602 }),
  ]);
  expect(local.requests.http).toBe(1);
  expect([number, price]).toEqual([expect.stringMatching(/^0x/), expect.stringMatching(/^0x/)]);
  expect(BigInt(balance as string)).toBe(10n ** 18n);
});

test('batch limits the requests of one POST', async () => {
  const service = serviceWith();
  local.requests.clear();
  await balances(service, 45);
  expect(local.requests.http).toBe(3);
  for (const batch of [0, 51, 1.5])
    expect(() => createNetworks([{ chainId: 33, url: local.url, batch }])).toThrow(/networks\[0\]\.batch/);
});

test('a send is never batched', async () => {
  const service = serviceWith();
  local.requests.clear();
  const [hash] = await Promise.all([
    service.request('eth_sendRawTransaction', [await sign()]),
    service.request('eth_gasPrice', []),
    service.request('eth_blockNumber', []),
  ]);
  expect(hash).toMatch(/^0x[\da-f]{64}$/);
  expect(local.requests.http).toBe(2);
});

test('replies are assigned by id in any order, and unknown ones are ignored', async () => {
  const { fetch } = answering(([a, b]) => [
    null,
    answerTo(b as Sent, '0x2'),
    { jsonrpc: '2.0', id: 999, result: '0x9' },
    answerTo(a as Sent, '0x1'),
  ]);
  expect(await two(serviceWith({}, fetch))).toMatchObject([{ value: '0x1' }, { value: '0x2' }]);
});

test('only the request whose id is missing fails', async () => {
  const { fetch } = answering(([a]) => [answerTo(a as Sent, '0x1')]);
  expect(await two(serviceWith({}, fetch))).toMatchObject([
    { value: '0x1' },
    { reason: { code: -32603, message: expect.stringContaining('id') } },
  ]);
});

test('two replies with one id are both refused', async () => {
  const { fetch } = answering(([a]) => [answerTo(a as Sent, '0x1'), answerTo(a as Sent, '0x2')]);
  const refused = { reason: { code: -32603, message: expect.stringContaining('id') } };
  expect(await two(serviceWith({}, fetch))).toMatchObject([refused, refused]);
});

test.each([
  [
    'an error for the batch as such',
    200,
    { error: { code: -32011, message: 'Execution has got timeout out.' } },
  ],
  ['one with HTTP 400', 400, { error: { code: -32600, message: 'Cannot dispatch batch requests.' } }],
  ['a single reply', 200, { jsonrpc: '2.0', id: 1, result: '0x1' }],
])('after %s the requests are sent one by one', async (_what, status, answer) => {
  const { fetch, bodies } = answering(() => answer, status);
  expect(await two(serviceWith({}, fetch))).toMatchObject([{ value: '0x7' }, { value: '0x7' }]);
  expect(bodies.map(Array.isArray)).toEqual([true, false, false]);
});

test('an aborted request does not affect the others', async () => {
  const service = serviceWith();
  const stop = new AbortController();
  const left = service.request('eth_gasPrice', [], { signal: stop.signal });
  const stays = service.request('eth_blockNumber', []);
  stop.abort();
  await expect(left).rejects.toMatchObject({ code: -32603 });
  expect(await stays).toMatch(/^0x/);
});

test('a lost connection fails all requests of the batch', async () => {
  const { url } = local;
  const service = serviceWith({ url: url.replace(/:\d+/, ':1') });
  for (const each of await two(service)) expect(each).toMatchObject({ reason: { code: -32002 } });
});
