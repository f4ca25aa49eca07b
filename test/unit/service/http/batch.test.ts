import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createLocalService, type LocalService } from '../../../../packages/kit/src/local/index.js';
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

const serviceWith = (
  options: Partial<NetworkOptions> = {},
  fetch?: typeof globalThis.fetch,
  deadline?: number,
) =>
  createService({
    network: createNetworks([{ chainId: 33, url: local.url, batch: 20, ...options }])[0] as Network,
    backoff: 2,
    fetch,
    deadline,
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

test.each([0, 1])('replies whose ids count from %i are those of no call', async (first) => {
  const { fetch } = answering((calls) =>
    calls.map((_, at) => ({ jsonrpc: '2.0', id: first + at, result: `0x${at}` })),
  );
  expect(await two(serviceWith({}, fetch))).toMatchObject([{ value: '0x7' }, { value: '0x7' }]);
});

test('only the request whose id is missing is sent again', async () => {
  const { fetch, bodies } = answering(([a]) => [answerTo(a as Sent, '0x1')]);
  expect(await two(serviceWith({}, fetch))).toMatchObject([{ value: '0x1' }, { value: '0x7' }]);
  expect(bodies.map((body) => (Array.isArray(body) ? body.length : 1))).toEqual([2, 1]);
});

test('two replies with one id answer nothing, and a call without a reply is sent again', async () => {
  const { fetch } = answering(([a]) => [answerTo(a as Sent, '0x1'), answerTo(a as Sent, '0x2')]);
  const refused = { reason: { code: -32603, message: expect.stringContaining('id') } };
  expect(await two(serviceWith({}, fetch))).toMatchObject([refused, { value: '0x7' }]);
});

const refusal = (code: number, message: string) => ({ jsonrpc: '2.0', error: { code, message } });

describe('a batch that is refused as such is made smaller', () => {
  const forms: Record<string, [answer: (calls: readonly Sent[]) => unknown, status?: number]> = {
    'the time limit of the node, without an id': [
      () => ({ error: { code: -32011, message: 'Execution has got timeout out.' } }),
    ],
    'its limit of bytes': [
      () => ({ error: { code: -32011, message: 'Response size limit of 10485760 bytes exceeded' } }),
    ],
    'HTTP 400 with a JSON-RPC error': [
      () => ({ error: { code: -32600, message: 'Cannot dispatch batch requests.' } }),
      400,
    ],
    'HTTP 400 without one': [() => '', 400],
    'HTTP 413': [() => '', 413],
    'a single result': [() => ({ jsonrpc: '2.0', id: 1, result: '0x1' })],
    'an error with the id of the first call, in an array': [
      ([a]) => [{ ...refusal(-32600, 'batch too large'), id: a?.id }],
    ],
    'an error with id null, in an array': [() => [{ ...refusal(-32600, 'batch limit exceeded'), id: null }]],
    'an error without an id for each call': [(calls) => calls.map(() => refusal(-32600, 'invalid request'))],
    'an error with its id for each call': [
      (calls) => calls.map(({ id }) => ({ ...refusal(-32600, 'batch too large'), id })),
    ],
    'an error that is a text': [() => ({ error: 'Batch requests are not supported' })],
    'a bare error': [
      () => ({ code: 31, message: 'Batch of too many requests is not allowed on the free tier' }),
    ],
    'a bare error in an array': [
      () => [{ code: '31', message: 'Batch of too many requests is not allowed on the free tier' }],
    ],
    'an unknown error': [() => ({ ...refusal(-32000, 'something new'), id: null })],
  };

  test.each(Object.entries(forms))('%s', async (name, [answer, status]) => {
    const sizes: number[] = [];
    const fetch = (async (_url: unknown, init: RequestInit) => {
      const body = JSON.parse(init.body as string) as Sent | readonly Sent[];
      const calls = Array.isArray(body) ? (body as readonly Sent[]) : [body as Sent];
      sizes.push(calls.length);
      if (calls.length > 5) return new Response(JSON.stringify(answer(calls)), { status: status ?? 200 });
      const replies = calls.map((each) => answerTo(each, `0x${each.id.toString(16)}`));
      return Response.json(Array.isArray(body) ? replies : replies[0]);
    }) as typeof globalThis.fetch;
    const service = serviceWith({}, fetch);
    const got = await balances(service, 20);
    expect(new Set(got).size).toBe(20);
    // A limit of time or bytes says nothing about the length of the next batch.
    const isOfLength = !/limit of|413/.test(name);
    expect(sizes).toEqual(isOfLength ? [20, 10, 5, 5, 5, 5] : [20, 10, 5, 5, 10, 5, 5]);
  });

  test('a limit that is named, or was found, is kept from then on', async () => {
    const { fetch, bodies } = answering((calls) =>
      calls.length > 3
        ? { id: null, ...refusal(31, 'Batch of more than 3 requests are not allowed on free tier') }
        : calls.map((each) => answerTo(each, '0x1')),
    );
    const service = serviceWith({}, fetch);
    await balances(service, 12);
    await balances(service, 6);
    expect(bodies.map((body) => (Array.isArray(body) ? body.length : 1))).toEqual([12, 3, 3, 3, 3, 3, 3]);
  });

  test('a limit of time is one of these calls', async () => {
    const { fetch, bodies } = answering((calls) =>
      bodies.length === 1
        ? { error: { code: -32011, message: 'Execution has got timeout out.' } }
        : calls.map((each) => answerTo(each, '0x1')),
    );
    const service = serviceWith({}, fetch);
    await balances(service, 8);
    await balances(service, 8);
    expect(bodies.map((body) => (Array.isArray(body) ? body.length : 1))).toEqual([8, 4, 4, 8]);
  });

  test('a service without batches gets single requests, and no batch again', async () => {
    const { fetch, bodies } = answering(() => '', 400);
    const service = serviceWith({}, fetch);
    expect(await balances(service, 4)).toEqual(['0x7', '0x7', '0x7', '0x7']);
    bodies.length = 0;
    await balances(service, 4);
    expect(bodies.map(Array.isArray)).toEqual([false, false, false, false]);
  });
});

describe('an error of the service for a batch is one of each call, and is waited for', () => {
  const forms: Record<string, [answer: (calls: readonly Sent[]) => unknown, status?: number]> = {
    'HTTP 429': [() => '', 429],
    'HTTP 429 with an error': [() => refusal(-32005, 'too many requests'), 429],
    'a rate limit': [() => ({ ...refusal(-32005, 'rate limit exceeded'), id: null })],
    'a rate limit in an array': [() => [{ ...refusal(-32005, 'rate limit exceeded'), id: null }]],
    'a rate limit for each call': [
      (calls) => calls.map(({ id }) => ({ ...refusal(-32012, 'credits limited to 6000/sec'), id })),
    ],
    'HTTP 503': [() => '', 503],
    HTML: [() => '<html>'],
    '{}': [() => ({})],
    '[]': [() => []],
    null: [() => null],
    'nothing for any call': [() => [{ jsonrpc: '2.0', id: 999, result: '0x1' }]],
    nulls: [() => [null, null, null, null, null, null]],
  };
  test.each(Object.entries(forms))('%s', async (_name, [answer, status]) => {
    const sizes: number[] = [];
    const fetch = (async (_url: unknown, init: RequestInit) => {
      const body = JSON.parse(init.body as string) as Sent | readonly Sent[];
      const calls = Array.isArray(body) ? (body as readonly Sent[]) : [body as Sent];
      sizes.push(calls.length);
      if (sizes.length === 1) return new Response(JSON.stringify(answer(calls)), { status: status ?? 200 });
      const replies = calls.map((each) => answerTo(each, '0x1'));
      return Response.json(Array.isArray(body) ? replies : replies[0]);
    }) as typeof globalThis.fetch;
    const service = serviceWith({}, fetch);
    expect(await balances(service, 6)).toEqual(Array(6).fill('0x1'));
    // No burst: what follows the wait is a test of the endpoint, and then the rest.
    expect(sizes.reduce((sum, each) => sum + each, 0)).toBe(12);
    expect(sizes[1]).toBeLessThanOrEqual(3);
  });
});

test('answers of a batch are those of their calls: a revert, a result, a limit', async () => {
  let posts = 0;
  const { fetch } = answering(([a, b, c]) => {
    posts++;
    return [
      { ...refusal(-32015, 'VM Exception while processing transaction: revert no'), id: a?.id },
      answerTo(b as Sent, '0x2'),
      ...(c ? [{ ...refusal(-32005, 'too many requests'), id: c.id }] : []),
    ];
  });
  const service = serviceWith({}, fetch);
  const settled = await Promise.allSettled([
    service.request('eth_call', [{ to: alice.address }, 'latest']),
    service.request('eth_gasPrice', []),
    service.request('eth_blockNumber', []),
  ]);
  expect(settled).toMatchObject([{ reason: { code: 3 } }, { value: '0x2' }, { value: '0x7' }]);
  expect(posts).toBe(1);
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
  const service = serviceWith({ url: url.replace(/:\d+/, ':1') }, undefined, 300);
  for (const each of await two(service)) expect(each).toMatchObject({ reason: { code: -32002 } });
});
