import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { alice, clientOf, post } from '../../../../test/support/local-client.js';
import { createLocalService, type LocalService } from '../../src/local/index.js';

let service: LocalService;
let url: string;
beforeAll(async () => {
  service = await createLocalService({ apiKeys: ['first', 'second'] });
  url = service.url;
});
afterAll(() => service?.close());

const question = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] });
const answered = { jsonrpc: '2.0', id: 1, result: '0x21' };

describe('path and API key', () => {
  test('url has the first key, and every key is accepted', async () => {
    expect(url).toBe(`${service.baseUrl}/first`);
    expect((await post(url, question)).json).toEqual(answered);
    expect((await post(`${service.baseUrl}/second`, question)).json).toEqual(answered);
  });

  test('a missing or wrong key is 401', async () => {
    const refusal = (message: string) => ({ jsonrpc: '2.0', id: null, error: { code: -32600, message } });
    const missing = await post(service.baseUrl, question);
    expect([missing.status, missing.json]).toEqual([401, refusal('Must be authenticated!')]);
    const wrong = await post(`${service.baseUrl}/third`, question);
    expect([wrong.status, wrong.json]).toEqual([401, refusal('Invalid access key')]);
  });

  test('a path with more segments is 404', async () => {
    expect((await post(`${url}/eth_chainId`, question)).status).toBe(404);
    expect((await post(`${service.baseUrl}/_local/mine`, question)).status).toBe(404);
  });

  test('apiKeys must be valid path segments', async () => {
    await expect(createLocalService({ apiKeys: ['a/b'] })).rejects.toThrow(TypeError);
    await expect(createLocalService({ apiKeys: [] })).rejects.toThrow(TypeError);
  });
});

describe('request', () => {
  test('another HTTP method is 501', async () => {
    for (const method of ['GET', 'PUT', 'DELETE', 'PATCH'])
      expect((await fetch(url, { method })).status, method).toBe(501);
  });

  test('another content type is 415', async () => {
    const wrong = await post(url, question, { 'content-type': 'text/plain' });
    expect([wrong.status, wrong.text]).toEqual([415, '']);
  });

  test('content type parameters are ignored, and application/json-rpc is accepted', async () => {
    for (const type of ['application/json; charset=utf-8', 'application/json-rpc'])
      expect((await post(url, question, { 'content-type': type })).json).toEqual(answered);
  });

  test('a body over 5,242,880 bytes is 413', async () => {
    const pad = (length: number) => question + ' '.repeat(length - question.length);
    expect((await post(url, pad(5_242_880))).json).toEqual(answered);
    const over = await post(url, pad(5_242_881));
    expect([over.status, over.text]).toEqual([413, '']);
  });

  test('a client that disconnects does no harm', async () => {
    const port = service.port;
    await new Promise<void>((resolve) => {
      const headers = { 'content-type': 'application/json', 'content-length': 100 };
      const outgoing = request({ port, method: 'POST', path: '/first', headers });
      outgoing.on('error', () => resolve());
      outgoing.write('{', () => outgoing.destroy());
    });
    expect((await post(url, question)).json).toEqual(answered);
  });
});

describe('CORS', () => {
  const preflight = (origin: string, base = url) =>
    fetch(base, {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'content-type',
      },
    });

  test('by default any origin is allowed', async () => {
    const before = await preflight('https://dapp.example');
    expect(before.status).toBe(204);
    expect(before.headers.get('access-control-allow-origin')).toBe('*');
    expect(before.headers.get('access-control-allow-methods')).toBe('POST');
    expect(before.headers.get('access-control-allow-headers')).toMatch(/content-type/i);
    const reply = await post(url, question, { origin: 'https://dapp.example' });
    expect(reply.headers.get('access-control-allow-origin')).toBe('*');
    expect(reply.headers.get('access-control-expose-headers')).toBe('retry-after');
  });

  test('an error reply has CORS headers too', async () => {
    const reply = await post(`${service.baseUrl}/wrong`, question, { origin: 'https://dapp.example' });
    expect([reply.status, reply.headers.get('access-control-allow-origin')]).toEqual([401, '*']);
  });

  test('origins limits the allowed origins', async () => {
    await using strict = await createLocalService({ origins: ['https://ours.example'] });
    const ours = await post(strict.url, question, { origin: 'https://ours.example' });
    expect(ours.headers.get('access-control-allow-origin')).toBe('https://ours.example');
    expect(ours.headers.get('vary')).toBe('origin');
    const other = await post(strict.url, question, { origin: 'https://other.example' });
    expect([other.status, other.text, other.headers.get('access-control-allow-origin')]).toEqual([
      400,
      '',
      null,
    ]);
    expect((await preflight('https://other.example', strict.url)).status).toBe(400);
    expect((await post(strict.url, question)).json).toEqual(answered);
  });
});

describe('quota', () => {
  const noon = Date.UTC(2026, 0, 2, 12);

  test('calls are counted per key and day, 429 has Retry-After, and the next day starts at zero', async () => {
    let now = noon;
    await using limited = await createLocalService({ quota: 3, now: () => now, apiKeys: ['a', 'b'] });
    for (let i = 0; i < 3; i++) expect((await post(limited.url, question)).status).toBe(200);
    const spent = await post(limited.url, question);
    expect([spent.status, spent.headers.get('retry-after')]).toEqual([429, '43200']);
    expect(spent.json.error).toEqual({
      code: 429,
      message: 'Your app has exceeded its daily request limit.',
    });
    expect((await post(`${limited.baseUrl}/b`, question)).status).toBe(200);
    now += 43_200_000;
    expect((await post(limited.url, question)).status).toBe(200);
  });

  test('each call of a batch counts', async () => {
    await using limited = await createLocalService({ quota: 3, retryAfter: 7 });
    expect((await post(limited.url, `[${question},${question}]`)).status).toBe(200);
    const spent = await post(limited.url, `[${question},${question}]`);
    expect([spent.status, spent.headers.get('retry-after')]).toEqual([429, '7']);
    expect((await post(limited.url, question)).status).toBe(200);
  });

  test('retryAfter null sends no header, and setQuota changes the quota', async () => {
    await using limited = await createLocalService({ quota: 0, retryAfter: null });
    const spent = await post(limited.url, question);
    expect([spent.status, spent.headers.get('retry-after')]).toEqual([429, null]);
    limited.controls.setQuota(null);
    expect((await post(limited.url, question)).status).toBe(200);
  });
});

describe('faucet over HTTP', () => {
  const ask = (body: unknown, base = service.baseUrl) => post(`${base}/_local/faucet`, JSON.stringify(body));

  test('a POST credits one coin and has CORS headers', async () => {
    const reply = await post(`${service.baseUrl}/_local/faucet`, JSON.stringify({ address: alice.address }), {
      origin: 'http://localhost:5173',
    });
    const expected = { address: alice.address.toLowerCase(), amount: '0xde0b6b3a7640000' };
    expect([reply.status, reply.json]).toEqual([200, expected]);
    expect(reply.headers.get('access-control-allow-origin')).toBe('*');
    expect(await clientOf(service).call('eth_getBalance', alice.address)).toBe('0xde0b6b3a7640000');
  });

  test('amount is in wei, hex or decimal', async () => {
    const { call } = clientOf(service);
    const poor = `0x${'ab'.repeat(20)}`;
    await ask({ address: poor, amount: '5' });
    await ask({ address: poor, amount: '0xa' });
    expect(await call('eth_getBalance', poor)).toBe('0xf');
  });

  test('a missing address and an amount of zero or over the maximum are rejected', async () => {
    for (const body of [null, {}, { address: '0x12' }, { address: alice.address, amount: '-1' }])
      expect((await ask(body)).status).toBe(400);
    expect((await ask({ address: alice.address, amount: '0' })).status).toBe(400);
    expect((await ask({ address: alice.address, amount: `${10n ** 24n}` })).status).toBe(400);
  });

  test('faucetPath false turns it off', async () => {
    await using closed = await createLocalService({ faucetPath: false });
    expect((await ask({ address: alice.address }, closed.baseUrl)).status).toBe(404);
  });
});

describe('request log', () => {
  test('it holds calls with params and status, counts HTTP requests, and has no key', async () => {
    await using own = await createLocalService({ apiKeys: ['planted-key'] });
    const { ask } = clientOf(own);
    await ask('eth_blockNumber');
    await ask('eth_getBalance', 'bad');
    await post(own.url, `[${question},${question}]`);
    await post(own.url, 'no json');
    await post(`${own.baseUrl}/wrong`, question);
    expect(own.requests.map(({ method, httpStatus }) => [method, httpStatus])).toEqual([
      ['eth_blockNumber', 200],
      ['eth_getBalance', 400],
      ['eth_chainId', 200],
      ['eth_chainId', 200],
    ]);
    expect(own.requests[1]?.params).toEqual(['bad']);
    expect([own.requests.count(), own.requests.count('eth_chainId'), own.requests.http]).toEqual([4, 2, 4]);
    expect(JSON.stringify(own.requests)).not.toContain('planted-key');
    own.requests.clear();
    expect([own.requests.count(), own.requests.length, own.requests.http]).toEqual([0, 0, 0]);
  });
});

describe('close', () => {
  test('close ends everything and can be called twice', async () => {
    const own = await createLocalService();
    const hanging = own.controls.intercept(() => 'hang');
    const waiting = post(own.url, question).then(
      () => 'answered',
      () => 'ended',
    );
    while (own.requests.http === 0) await new Promise((resolve) => setImmediate(resolve));
    await Promise.all([own.close(), own.close()]);
    hanging();
    expect(await waiting).toBe('ended');
    await expect(post(own.url, question)).rejects.toThrow();
  });

  test('a port in use is an error that leaves nothing running', async () => {
    await expect(createLocalService({ port: service.port })).rejects.toThrow(/EADDRINUSE/);
  });
});
