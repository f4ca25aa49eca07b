import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { post } from '../../../../test/support/local-client.js';
import { createLocalService, type LocalService } from '../../src/local/index.js';
import { exchange, rawExchange } from './replay/client.js';

/** HTTP details of the node itself, and of a hosted service. */
let node: LocalService;
let seed: LocalService;
const question = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] });
const bytes = (httpMethod: string, requestHeaders = {}) =>
  rawExchange(node.url, '', { httpMethod, requestHeaders, reply: null });

beforeAll(async () => {
  node = await createLocalService({ dialect: 'node', bodyLimit: 1000 });
  seed = await createLocalService();
});
afterAll(async () => {
  await node?.close();
  await seed?.close();
});

describe('rejections', () => {
  test('another HTTP method gets a bare status line, and the connection closes', async () => {
    for (const method of ['GET', 'PUT', 'DELETE', 'OPTIONS'])
      expect(await bytes(method), method).toBe('HTTP/1.1 501 Not Implemented\r\n\r\n');
    expect((await fetch(seed.url)).headers.get('content-type')).toBe('application/json');
  });

  test('another content type gets a bare status line too', async () => {
    expect(await bytes('POST', { 'content-type': 'text/plain' })).toBe(
      'HTTP/1.1 415 Unsupported Media Type\r\n\r\n',
    );
    const refused = await post(seed.url, question, { 'content-type': 'text/plain' });
    expect([refused.status, refused.headers.get('content-type')]).toEqual([415, 'application/json']);
  });

  test('a body over the limit is 413 without a body', async () => {
    const { status, headers, reply } = await exchange(node.url, `"${'x'.repeat(1001)}"`);
    expect([status, headers, reply]).toEqual([413, { 'content-length': '0' }, '']);
  });
});

describe('replies', () => {
  test('the connection closes after each reply, and gzip is used if the client accepts it', async () => {
    const packed = await fetch(node.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'accept-encoding': 'gzip' },
      body: question,
    });
    expect(packed.headers.get('connection')).toBe('close');
    expect(packed.headers.get('content-encoding')).toBe('gzip');
    expect((await packed.json()).result).toBe('0x21');
    const plain = await rawExchange(node.url, question, { requestHeaders: {}, reply: null });
    expect(plain).toContain('{"jsonrpc":"2.0","id":1,"result":"0x21"}');
    expect(plain.toLowerCase()).not.toMatch(/content-encoding|date:/);
  });

  test('an empty reply to a notification is not compressed', async () => {
    const silent = JSON.stringify({ jsonrpc: '2.0', method: 'eth_chainId', params: [] });
    const { headers, reply } = await exchange(node.url, silent);
    expect([headers['content-encoding'], headers['content-length'], reply]).toEqual([undefined, '0', '']);
  });

  test('the reply of a hook is compressed like any other', async () => {
    node.controls.garbleReplies({ status: 503, body: 'busy' });
    const { status, reply } = await exchange(node.url, question);
    expect([status, reply]).toEqual([503, 'busy']);
  });
});

test('a preflight allows Content-Type and POST with a max-age of 0', async () => {
  const requestHeaders = { origin: 'http://page.example', 'access-control-request-method': 'POST' };
  const { status, headers } = await exchange(node.url, '', { httpMethod: 'OPTIONS', requestHeaders });
  expect([status, headers]).toEqual([
    200,
    {
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'POST',
      'access-control-allow-headers': 'Content-Type',
      'access-control-max-age': '0',
      'content-length': '0',
    },
  ]);
});
