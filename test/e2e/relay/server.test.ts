import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect as connectTcp } from 'node:net';
import { generateKeyPair, SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createLocalService, type LocalService } from '../../../packages/kit/src/local/index.js';
import type { NodeRelayOptions } from '../../../packages/relay/src/node.js';
import { clientOf, post } from '../../support/local-client.js';
import { apiKey, startRelay } from '../../support/relay-server.js';
import { until } from '../../support/until.js';

const origin = 'https://app.example';
const secret = 'a secret that only the app and its relay know';
let service: LocalService;

beforeAll(async () => {
  service = await createLocalService({ mining: 'manual', apiKeys: [apiKey] });
});
afterAll(() => service.close());

async function start(options: Partial<NodeRelayOptions> = {}) {
  const rig = await startRelay(options, service);
  onTestFinished(() => rig[Symbol.asyncDispose]());
  return rig;
}
const body = (method: string, ...params: unknown[]) =>
  JSON.stringify({ jsonrpc: '2.0', id: 7, method, params });

/** The status with which an upgrade is refused; 101 where it is not. */
async function upgradeStatus(url: string, headers: Record<string, string> = {}): Promise<number> {
  const { host, pathname, port } = new URL(url);
  const socket = connectTcp(Number(port), '127.0.0.1');
  const lines = Object.entries({
    host,
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
    ...headers,
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`GET ${pathname} HTTP/1.1\r\n${lines.join('')}\r\n`);
  const [data] = await once(socket, 'data');
  socket.destroy();
  return Number(/^HTTP\/1.1 (\d+)/.exec(String(data))?.[1]);
}

describe('HTTP', () => {
  test('a read, a batch and an error are as at the service', async () => {
    const { url } = await start();
    const { ask } = clientOf(service);
    for (const [method, ...params] of [
      ['eth_blockNumber'],
      ['eth_getBlockByNumber', '0x0', true],
      ['eth_getBalance', `0x${'11'.repeat(20)}`, 'latest'],
      ['eth_getBalance', 'nobody', 'latest'],
      ['eth_call', { to: 'nobody' }, 'latest'],
    ] as const) {
      const [through, direct] = [await post(url, body(method, ...params)), await ask(method, ...params)];
      expect([method, through.status, through.json]).toEqual([method, direct.status, direct.json]);
    }
    const { json } = await post(url, `[${body('eth_chainId')},${body('net_version')}]`);
    expect(json).toMatchObject([{ result: '0x21' }, { result: '33' }]);
  });

  test('the first chain is at / as well', async () => {
    const { node } = await start();
    expect((await post(`${node.url}/`, body('eth_chainId'))).json.result).toBe('0x21');
    expect((await post(`${node.url}/30`, body('eth_chainId'))).status).toBe(404);
  });

  test('equal reads of many clients are shared', async () => {
    const { url } = await start();
    const before = service.requests.count('eth_getCode');
    const read = () => post(url, body('eth_getCode', `0x${'ab'.repeat(20)}`, '0x0'));
    const replies = await Promise.all(Array.from({ length: 40 }, read));
    expect(new Set(replies.map(({ json }) => json.result))).toEqual(new Set(['0x']));
    expect(service.requests.count('eth_getCode') - before).toBeLessThan(5);
  });

  test('blocks as server-sent events go on after a lost connection', async () => {
    const { node, url } = await start();
    const read = async (wanted: number, headers: Record<string, string> = {}) => {
      const controller = new AbortController();
      const response = await fetch(`${url}/heads`, { headers, signal: controller.signal });
      expect(response.status).toBe(200);
      const events: { id: string; data: { added: { number: string; hash: string }[] } }[] = [];
      let text = '';
      const decoder = new TextDecoder();
      for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
        text += decoder.decode(chunk, { stream: true });
        const parts = text.split('\n\n');
        text = parts.pop() ?? '';
        for (const part of parts) {
          const [, id = '', data = ''] = /^event: step\nid: (.*)\ndata: (.*)$/m.exec(part) ?? [];
          const parsed = data === '' ? undefined : JSON.parse(data);
          if (parsed?.added.length > 0) events.push({ id, data: parsed });
        }
        if (events.length >= wanted) break;
        if (text === '' && events.length === 0) void service.controls.mine();
      }
      controller.abort();
      return events;
    };
    const [first] = await read(1);
    // Somebody else keeps the relay at it.
    const other = await connectTo(node.url);
    await service.controls.mine(2);
    const head = await clientOf(service).call('eth_getBlockByNumber', 'latest', false);
    // Not by /health, whose calls would count as messages of this client.
    await until(() => node.relay.metrics.snapshot().chains[0]?.height === Number(head.number));
    const [next] = await read(1, { 'last-event-id': first?.id ?? '' });
    expect(next?.data.added[0]).toHaveProperty('parentHash', first?.id);
    other.close();
    await until(() => node.relay.metrics.snapshot().connections.sse === 0);
  });

  test('health, metrics and the status page', async () => {
    const { node, url } = await start();
    await post(url, body('eth_getBlockByNumber', 'latest', false));
    const health = await fetch(`${node.url}/health`);
    expect([health.status, await health.json()]).toEqual([
      200,
      { height: expect.any(Number), age: expect.any(Number) },
    ]);
    expect((await fetch(`${node.url}/metrics`)).status).toBe(404);
    const metrics = await fetch(`${node.adminUrl}/metrics`);
    expect(metrics.headers.get('content-type')).toContain('application/openmetrics-text');
    expect(await metrics.text()).toContain(
      'graft_relay_requests_total{chain="33",method="eth_getBlockByNumber"',
    );
    const page = await fetch(`${node.adminUrl}/status`);
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(await page.text()).toContain('Success rate');
    expect((await fetch(`${node.adminUrl}/31`)).status).toBe(404);
  });

  test('the admin port is for no name that a page could give to this address', async () => {
    const { node } = await start();
    const socket = connectTcp(Number(new URL(node.adminUrl as string).port), '127.0.0.1');
    socket.write('GET /status HTTP/1.1\r\nhost: evil.example\r\n\r\n');
    const [data] = await once(socket, 'data');
    expect(String(data)).toMatch(/^HTTP\/1.1 403/);
    socket.destroy();
  });
});

async function connectTo(url: string) {
  const { WebSocket } = await import('ws');
  const socket = new WebSocket(url.replace('http', 'ws'));
  await once(socket, 'open');
  socket.send(body('eth_subscribe', 'newHeads'));
  await once(socket, 'message');
  return socket;
}

describe('access', () => {
  test('pages of the app only', async () => {
    const { url, socketUrl, connect } = await start({ origins: [origin], open: false });
    expect((await post(url, body('eth_chainId'), { origin })).status).toBe(200);
    expect((await post(url, body('eth_chainId'), { origin: 'https://evil.example' })).status).toBe(403);
    expect((await post(url, body('eth_chainId'))).status).toBe(403);
    expect(await upgradeStatus(socketUrl, { origin: 'https://evil.example' })).toBe(403);
    expect(await upgradeStatus(socketUrl)).toBe(403);
    expect(await upgradeStatus(socketUrl, { origin })).toBe(101);
    const client = await connect({ origin });
    expect(await client.call('eth_chainId')).toBe('0x21');
    client.close();
  });

  test('with a token in a subprotocol, until it expires', async () => {
    const jwt = { key: secret, algorithms: ['HS256'], audience: 'relay' } as const;
    const { connect, socketUrl } = await start({ origins: ['*'], open: false, jwt });
    const token = await new SignJWT({ sub: 'ann' })
      .setProtectedHeader({ alg: 'HS256' })
      .setAudience('relay')
      .setExpirationTime('2s')
      .sign(new TextEncoder().encode(secret));
    expect(await upgradeStatus(socketUrl)).toBe(401);
    const client = await connect({}, ['graft.v1', `graft.jwt.${token}`]);
    expect(client.socket.protocol).toBe('graft.v1');
    expect(await client.call('eth_chainId')).toBe('0x21');
    expect(await client.closed).toBe(4001);
  });

  test('behind a proxy a client is the address that the proxy has seen', async () => {
    const { url } = await start({ trustedProxies: 1, limits: { messageBurst: 1, messagesPerSecond: 0.01 } });
    const status = async (address: string) =>
      (await post(url, body('eth_chainId'), { 'x-forwarded-for': `6.6.6.6, ${address}` })).status;
    expect(await status('203.0.113.1')).toBe(200);
    expect(await status('203.0.113.1')).toBe(429);
    expect(await status('203.0.113.2')).toBe(200);
  });
});

test('a stop closes the connections with 1001 and ends', async () => {
  const rig = await startRelay({ drain: 300 }, service);
  const clients = await Promise.all(Array.from({ length: 5 }, () => rig.connect()));
  await Promise.all(clients.map((client) => client.call('eth_subscribe', 'newHeads')));
  const started = Date.now();
  await rig.node.stop();
  expect(await Promise.all(clients.map(({ closed }) => closed))).toEqual(clients.map(() => 1001));
  expect(Date.now() - started).toBeLessThan(5_000);
  await expect(post(rig.url, body('eth_chainId'))).rejects.toThrow();
  // Stopping again is the same stop.
  await rig.node.stop();
});

test('a stop answers the POSTs that are under way', async () => {
  const rig = await startRelay({ drain: 5_000 }, service);
  let asked = false;
  const release = service.controls.intercept(async ({ calls }) => {
    if (calls[0]?.method !== 'eth_getBalance') return undefined;
    asked = true;
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    return undefined;
  });
  onTestFinished(release);
  const answer = post(rig.url, body('eth_getBalance', `0x${'ab'.repeat(20)}`, 'latest'));
  await until(() => asked);
  const stopped = rig.node.stop();
  expect((await answer).status).toBe(200);
  await stopped;
});

test('an upgrade that is under way at a stop is refused, and the stop ends', async () => {
  const issuer = createServer((_, response) => {
    setTimeout(() => response.end('{"keys":[]}'), 1_500);
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void issuer.close());
  await once(issuer, 'listening');
  const { port } = issuer.address() as AddressInfo;
  const jwks = `http://127.0.0.1:${port}/`;
  const rig = await startRelay(
    { drain: 100, jwt: { jwks, algorithms: ['ES256'], audience: 'relay' } },
    service,
  );
  const { privateKey } = await generateKeyPair('ES256');
  const token = await new SignJWT({})
    .setProtectedHeader({ alg: 'ES256', kid: 'one' })
    .setAudience('relay')
    .setExpirationTime('5m')
    .sign(privateKey);
  const opened = rig.connect({}, ['graft.v1', `graft.jwt.${token}`]).then(
    () => 'open',
    () => 'refused',
  );
  await once(issuer, 'request');
  const started = Date.now();
  await rig.node.stop();
  expect(await opened).toBe('refused');
  expect(Date.now() - started).toBeLessThan(5_000);
});

test('a client that is refused an upgrade and leaves the connection open is cut off', async () => {
  const { node } = await start({ limits: { connectionsInAll: 10 } });
  const sockets = Array.from({ length: 20 }, () => {
    const socket = connectTcp({ port: node.port, host: '127.0.0.1', allowHalfOpen: true });
    socket.on('error', () => {});
    socket.resume();
    socket.write(
      'GET /nowhere HTTP/1.1\r\nhost: x\r\nconnection: Upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
    );
    return once(socket, 'end').then(() => socket);
  });
  const refused = await Promise.all(sockets);
  // As many connections as the server takes are half open: the others are served nevertheless.
  await until(async () => (await fetch(`${node.url}/health`).catch(() => undefined))?.status !== undefined, {
    timeout: 30_000,
  });
  for (const socket of refused) socket.destroy();
});

test('one address holds no more sockets than its own, and others are served', async () => {
  const { node } = await start({ limits: { connectionsInAll: 100, sockets: 20 } });
  const sockets = Array.from({ length: 60 }, () => {
    const socket = connectTcp({ port: node.port, host: '127.0.0.1' });
    socket.on('error', () => {});
    return socket;
  });
  const isOpen = () => sockets.filter(({ destroyed, readyState }) => !destroyed && readyState === 'open');
  await until(() => isOpen().length === 20);
  expect(node.relay.metrics.snapshot().dropped.full).toBe(40);
  const asked = () =>
    fetch(`${node.url}/health`).then(
      ({ status }) => status,
      () => 'refused',
    );
  expect(await asked()).toBe('refused');
  // Another address of this machine.
  const other = connectTcp({ port: node.port, host: '127.0.0.1', localAddress: '127.0.0.2' });
  other.write('GET /health HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
  const [answer] = await once(other, 'data');
  expect(`${answer}`).toMatch(/^HTTP\/1\.1 200/);
  for (const socket of sockets) socket.destroy();
  await until(async () => (await asked()) === 200, { timeout: 30_000 });
});

test('behind proxies, whose sockets they are, none is counted', async () => {
  const { node } = await start({ trustedProxies: 1, limits: { sockets: 1 } });
  const sockets = Array.from({ length: 5 }, () => connectTcp({ port: node.port, host: '127.0.0.1' }));
  await Promise.all(sockets.map((socket) => once(socket, 'connect')));
  expect((await fetch(`${node.url}/health`)).status).toBe(200);
  for (const socket of sockets) socket.destroy();
});

test('a port that is taken is named, and nothing is left running', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  await expect(startRelay({ port }, service)).rejects.toThrow(`port: ${port} is taken`);
  await expect(startRelay({ admin: { port } }, service)).rejects.toThrow(`admin.port: ${port} is taken`);
  other.close();
});

test('while no client is connected, the service gets no requests', async () => {
  const { connect } = await start();
  const client = await connect();
  await client.call('eth_subscribe', 'newHeads');
  client.close();
  await client.closed;
  await new Promise((resolve) => setTimeout(resolve, 200));
  const before = service.requests.count();
  await new Promise((resolve) => setTimeout(resolve, 2_200));
  expect(service.requests.count()).toBe(before);
});

test('the key is in no answer, frame, header, metric or page', async () => {
  const { url, node, connect } = await start();
  const seen: string[] = [];
  const client = await connect();
  await client.call('eth_subscribe', 'newHeads');
  const calls = [
    body('eth_blockNumber'),
    body('eth_getBalance', 'x', 'latest'),
    body('debug_traceTransaction', '0x1'),
    body('eth_getLogs', { fromBlock: '0x0', toBlock: '0xffffff' }),
    body('eth_sendRawTransaction', '0x00'),
    body('net_peerCount'),
    '{',
    '[]',
  ];
  const note = async () => {
    for (const each of calls) {
      const { text, headers } = await post(url, each);
      seen.push(text, JSON.stringify([...headers]));
      client.socket.send(each);
    }
  };
  await note();
  const restore = service.controls.intercept(({ calls: [call] }) =>
    call?.method === 'net_peerCount'
      ? { status: 401, body: `{"error":"Invalid access key ${apiKey} at ${service.url}"}` }
      : undefined,
  );
  await note();
  restore();
  for (const path of ['/metrics', '/status']) seen.push(await (await fetch(node.adminUrl + path)).text());
  for (const path of ['/health', '/33/heads/x', '/nothing'])
    seen.push(await (await fetch(node.url + path)).text());
  await service.controls.mine();
  await until(() => client.texts.some((text) => text.includes('eth_subscription')));
  seen.push(...client.texts);
  expect(seen.join('\n')).not.toContain(apiKey);
  expect(seen.join('\n')).not.toContain(`:${service.port}`);
  client.close();
});
