import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { createDiagnosis } from '../../../../src/service/errors/diagnose.js';
import { createTransport } from '../../../../src/service/http/transport.js';
import { drip, flood, gzipBomb, hang, respond, result } from '../../../support/scripted-service.js';
import { play, rejection } from '../support.js';

const transportTo = (url: string, options: Partial<createTransport.Options> = {}) =>
  createTransport({ url, diagnosis: async () => createDiagnosis([url]), ...options });
const options = { deadline: 2000 };

test("one POST as the seed's Transport section says", async () => {
  const scripted = await play(result('0x1f'));
  const transport = transportTo(scripted.url);
  expect(await transport.send('eth_chainId', [], options)).toEqual({ result: '0x1f' });
  await transport.send('eth_getBalance', ['0xabc', 'latest'], options);
  expect(scripted.requests[0]?.headers).toMatchObject({
    accept: 'application/json',
    'content-type': 'application/json',
  });
  expect(scripted.requests[0]?.headers).not.toHaveProperty('referer');
  expect(scripted.requests.map(({ body }) => body)).toEqual([
    '{"jsonrpc":"2.0","method":"eth_chainId","params":[],"id":1}',
    '{"jsonrpc":"2.0","method":"eth_getBalance","params":["0xabc","latest"],"id":2}',
  ]);
  expect(scripted.requests[0]?.path).toBe(`/v2/${scripted.key}`);
});

test('fetch omits credentials and referrer, and follows no redirect', async () => {
  let told: RequestInit | undefined;
  const fetch = (async (_url: string, init: RequestInit) => {
    told = init;
    return new Response('{"jsonrpc":"2.0","id":1,"result":"0x1"}');
  }) as typeof globalThis.fetch;
  await transportTo('https://rpc.example/key', { fetch }).send('eth_chainId', [], options);
  expect(told).toMatchObject({
    method: 'POST',
    credentials: 'omit',
    referrerPolicy: 'no-referrer',
    redirect: 'manual',
  });
});

test('a redirect is not followed', async () => {
  const target = await play(result('0x1'));
  const scripted = await play(respond('', 307, { location: target.url }));
  const { fault } = await transportTo(scripted.url).send('eth_chainId', [], options);
  expect(fault?.error).toMatchObject({ code: -32002, data: { reason: 'redirect' } });
  expect(target.requests.length).toBe(0);
});

test('gzip is read', async () => {
  const body = gzipSync('{"jsonrpc":"2.0","id":1,"result":"0x1"}');
  const scripted = await play(respond(body, 200, { 'content-encoding': 'gzip' }));
  expect(await transportTo(scripted.url).send('eth_chainId', [], options)).toEqual({ result: '0x1' });
});

test('characters split between chunks', async () => {
  const text = '{"jsonrpc":"2.0","id":1,"result":"⚡é"}';
  const scripted = await play(async (response) => {
    response.writeHead(200);
    for (const byte of Buffer.from(text)) {
      response.write(Buffer.of(byte));
      await new Promise((resolve) => setImmediate(resolve));
    }
    response.end();
  });
  expect(await transportTo(scripted.url).send('eth_chainId', [], options)).toEqual({ result: '⚡é' });
});

describe('limits', () => {
  test.each([
    ['before the headers', hang],
    ['in the body', drip],
  ])('deadline, %s, and the connection is closed', async (_name, script) => {
    const scripted = await play(script);
    const started = performance.now();
    const { fault } = await transportTo(scripted.url).send('eth_chainId', [], { deadline: 150 });
    expect(performance.now() - started).toBeLessThan(5_000);
    expect(fault?.error.message).toBe('The service did not answer within 150 ms');
    await scripted.requests[0]?.cut;
  });

  test('deadline, holds for a fetch that ignores its signal', async () => {
    const fetch = () => new Promise<Response>(() => {});
    const { fault } = await transportTo('https://rpc.example/key', { fetch }).send('eth_chainId', [], {
      deadline: 50,
    });
    expect(fault?.error).toMatchObject({ code: -32002, data: { reason: 'late' } });
  });

  test('signal, closes the connection', async () => {
    const scripted = await play(drip);
    const leaving = new AbortController();
    const sending = transportTo(scripted.url).send('eth_chainId', [], { ...options, signal: leaving.signal });
    await expect.poll(() => scripted.requests.length).toBe(1);
    leaving.abort();
    expect((await sending).fault).toMatchObject({ reason: 'aborted', retry: undefined });
    await scripted.requests[0]?.cut;
  });

  test('64 MiB are cut after little more than 10, without filling the memory', async () => {
    let taken = 0;
    const scripted = await play(
      flood(64, (bytes) => {
        taken = bytes;
      }),
    );
    const transport = transportTo(scripted.url);
    const before = process.memoryUsage().heapUsed;
    const { fault } = await transport.send('eth_chainId', [], { deadline: 10_000 });
    expect((process.memoryUsage().heapUsed - before) / 2 ** 20).toBeLessThan(32);
    expect(fault?.error).toMatchObject({
      code: -32005,
      message: "The service's reply is larger than 10551296 bytes",
    });
    await scripted.requests[0]?.cut;
    expect(taken / 2 ** 20).toBeLessThan(24);
  });

  test('a gzip bomb is cut by what comes out of it', async () => {
    const scripted = await play(gzipBomb(64));
    const before = process.memoryUsage().heapUsed;
    const { fault } = await transportTo(scripted.url).send('eth_chainId', [], { deadline: 10_000 });
    expect((process.memoryUsage().heapUsed - before) / 2 ** 20).toBeLessThan(32);
    expect(fault?.error.code).toBe(-32005);
  });

  test('a reply of 10 MiB is not too large', async () => {
    const logs = Array.from({ length: 9 }, () => `0x${'ab'.repeat(2 ** 19)}`);
    const scripted = await play(result(logs));
    const outcome = await transportTo(scripted.url).send('eth_getLogs', [], { deadline: 10_000 });
    expect(outcome).toEqual({ result: logs });
  });

  test('maxBytes', async () => {
    const scripted = await play(result('0x1f'));
    const { fault } = await transportTo(scripted.url, { maxBytes: 20 }).send('eth_chainId', [], options);
    expect(fault?.error.message).toContain('larger than 20 bytes');
  });
});

test('never rejects, whatever fetch throws', async () => {
  for (const thrown of [
    new TypeError('failed https://rpc.example/the-secret-key'),
    'text',
    undefined,
    null,
  ]) {
    const fetch = (() => Promise.reject(thrown)) as typeof globalThis.fetch;
    const transport = transportTo('https://rpc.example/the-secret-key', { fetch });
    const { fault } = await transport.send('eth_chainId', [], options);
    expect(fault?.error.message).toBe('The service could not be reached');
    expect(fault?.error.cause).toBeUndefined();
  }
  const sync = (() => {
    throw new Error('sync');
  }) as typeof globalThis.fetch;
  const { fault } = await transportTo('https://rpc.example/k', { fetch: sync }).send(
    'eth_chainId',
    [],
    options,
  );
  expect(fault?.retry).toBe('again');
  expect(await rejection(Promise.reject(fault?.error))).toBe(fault?.error);
});

test('a failure that cannot be read is -32002, and of a send nothing is known', async () => {
  const diagnosis = () => Promise.reject(new TypeError('Failed to fetch dynamically imported module'));
  const refused = respond('{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"nonce too low"}}');
  const answering = transportTo((await play(refused)).url, { diagnosis });
  const { fault: sent } = await answering.send('eth_sendRawTransaction', ['0x00'], options);
  expect(sent).toMatchObject({ error: { code: -32002, data: { outcomeUnknown: true } } });
  expect(sent?.error.message).toContain('did not load');
  expect(sent?.retry).toBeUndefined();
  const fetch = () => Promise.reject(new TypeError('Failed to fetch'));
  const silent = transportTo('https://rpc.example/the-secret-key', { diagnosis, fetch });
  const { fault } = await silent.send('eth_chainId', [], options);
  expect(fault).toMatchObject({ error: { code: -32002, data: undefined }, retry: 'again' });
});
