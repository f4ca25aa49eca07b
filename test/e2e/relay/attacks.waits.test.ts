import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect as connectTcp } from 'node:net';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createLocalService, type LocalService } from '../../../packages/kit/src/local/index.js';
import type { NodeRelayOptions } from '../../../packages/relay/src/node.js';
import { clientOf, post } from '../../support/local-client.js';
import { createRandom } from '../../support/random.js';
import { apiKey, type Client, type RelayRig, startRelay } from '../../support/relay-server.js';
import { until } from '../../support/until.js';

/**
 * What clients can do to a relay (its section on attacks in docs/guides/relay.md): each with what it may cost others. The
 * attacker and the others have different addresses, as behind a proxy.
 */
const attacker = { 'x-forwarded-for': '198.51.100.66' };
const somebody = { 'x-forwarded-for': '203.0.113.7' };
let service: LocalService;

beforeAll(async () => {
  service = await createLocalService({ mining: 'manual', apiKeys: [apiKey] });
});
afterAll(() => service.close());

async function start(options: Partial<NodeRelayOptions> = {}): Promise<RelayRig> {
  const rig = await startRelay({ trustedProxies: 1, ...options }, service);
  onTestFinished(() => rig[Symbol.asyncDispose]());
  return rig;
}
const body = (method: string, ...params: unknown[]) =>
  JSON.stringify({ jsonrpc: '2.0', id: 7, method, params });
const addressOf = (i: number) => `0x${i.toString(16).padStart(40, '0')}`;

/** Milliseconds that a read of somebody else takes: the median of some, each of which reaches the service. */
async function delayOfOthers({ url }: RelayRig, from: number): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < 11; i++) {
    const started = performance.now();
    const { json } = await post(url, body('eth_getBalance', addressOf(from + i), 'latest'), somebody);
    expect(json.result).toBe('0x0');
    times.push(performance.now() - started);
  }
  return times.sort((a, b) => a - b)[5] as number;
}

/** Runs an attack, and meanwhile measures others: they are served within a second, since the machine is shared. */
async function meanwhile<T>(rig: RelayRig, attack: () => Promise<T>): Promise<T> {
  const before = await delayOfOthers(rig, 1_000);
  const attacked = attack();
  const during = await delayOfOthers(rig, 2_000);
  const result = await attacked;
  expect(during).toBeLessThan(Math.max(4 * before, 1_000));
  return result;
}

const connectAs = (rig: RelayRig, headers: Record<string, string>) => rig.connect({ headers });

/** Milliseconds from a new block to its head at this client. */
async function pushDelay(client: Client, id: string): Promise<number> {
  const had = client.pushed.get(id)?.length ?? 0;
  await service.controls.mine();
  const started = performance.now();
  await until(() => (client.pushed.get(id)?.length ?? 0) > had, { interval: 5 });
  return performance.now() - started;
}

describe('limits of a client', () => {
  test('filter explosion: 20 filters on each of 10 connections, and heads arrive as before', async () => {
    const rig = await start({ limits: { messageBurst: 1_000_000 } });
    const other = await connectAs(rig, somebody);
    const heads = await other.call('eth_subscribe', 'newHeads');
    await pushDelay(other, heads);
    const connections = await Promise.all(Array.from({ length: 10 }, () => connectAs(rig, attacker)));
    const made = await Promise.all(
      connections.flatMap((client, i) =>
        Array.from({ length: 300 }, (_, j) =>
          client.request('eth_subscribe', 'logs', {
            address: addressOf(i * 1_000 + j),
            topics: [null, null],
          }),
        ),
      ),
    );
    expect(made.filter(({ result }) => result !== undefined)).toHaveLength(200);
    expect(made.find(({ error }) => error)?.error.code).toBe(-32005);
    expect(await (await connectAs(rig, attacker)).closed).toBe(4003);
    // The relay polls once a second.
    for (let i = 0; i < 3; i++) expect(await pushDelay(other, heads)).toBeLessThan(2_500);
    const wide = { address: Array.from({ length: 21 }, (_, i) => addressOf(i)) };
    expect((await other.request('eth_subscribe', 'logs', wide)).error.code).toBe(-32602);
  });

  test('quota burn: distinct reads of one client end at its share, those of others do not', async () => {
    const rig = await start();
    const before = service.requests.count('eth_getBalance');
    const statuses = await meanwhile(rig, () =>
      Promise.all(
        Array.from({ length: 400 }, async (_, i) => {
          const { status } = await post(rig.url, body('eth_getBalance', addressOf(i), 'latest'), attacker);
          return status;
        }),
      ),
    );
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThan(330);
    // Those of the others are 22.
    expect(service.requests.count('eth_getBalance') - before).toBeLessThan(100);
  });

  test('quota burn through wide ranges of logs', async () => {
    const rig = await start();
    await service.controls.mine(1);
    const ranges = Array.from({ length: 50 }, (_, i) => ({
      fromBlock: `0x${i.toString(16)}`,
      toBlock: `0x${(i + 1_999).toString(16)}`,
    }));
    const replies = await Promise.all(
      ranges.map((range) => post(rig.url, body('eth_getLogs', range), attacker)),
    );
    expect(replies.filter(({ status }) => status === 200).length).toBeLessThan(10);
    const wider = await post(rig.url, body('eth_getLogs', { fromBlock: '0x0', toBlock: '0x7d0' }), somebody);
    expect(wider.json.error.code).toBe(-32602);
  });

  test('the day: one client may use a twentieth of it', async () => {
    const { chainId, url } = service;
    const rig = await start({
      networks: [{ chainId, url, requestsPerDay: 1_000, interval: 60_000 }],
      limits: { messageBurst: 10_000, readBurst: 10_000 },
    });
    const statuses: number[] = [];
    for (let i = 0; i < 100; i++)
      statuses.push((await post(rig.url, body('eth_getBalance', addressOf(i), 'latest'), attacker)).status);
    const allowed = statuses.filter((status) => status === 200).length;
    expect(allowed).toBeGreaterThan(40);
    expect(allowed).toBeLessThanOrEqual(51);
    expect((await post(rig.url, body('eth_getBalance', addressOf(1), 'latest'), somebody)).status).toBe(200);
  });

  test('junk transactions never reach the service', async () => {
    const rig = await start();
    const before = service.requests.count('eth_sendRawTransaction');
    await meanwhile(rig, () =>
      Promise.all(
        Array.from({ length: 100 }, () =>
          post(rig.url, body('eth_sendRawTransaction', `0x${randomBytes(120).toString('hex')}`), attacker),
        ),
      ),
    );
    expect(service.requests.count('eth_sendRawTransaction')).toBe(before);
  });

  test('many connections: 10 of one client, and no more than fit', async () => {
    const rig = await start({ limits: { connectionsInAll: 15 } });
    const clients = await Promise.all(Array.from({ length: 30 }, () => connectAs(rig, attacker)));
    const codes = await Promise.all(
      clients.map(({ closed, call }) => Promise.race([closed, call('eth_chainId').catch(() => closed)])),
    );
    expect(codes.filter((code) => code === '0x21')).toHaveLength(10);
    expect(codes.filter((code) => code === 4003)).toHaveLength(20);
    const others = await Promise.all(
      Array.from({ length: 6 }, (_, i) => connectAs(rig, { 'x-forwarded-for': `203.0.113.${i}` })),
    );
    const full = others.map(({ closed, call }) =>
      Promise.race([closed, call('eth_chainId').catch(() => closed)]),
    );
    expect((await Promise.all(full)).filter((code) => code === 1013)).toHaveLength(1);
  });

  test('a forged X-Forwarded-For gives no client a bucket of its own', async () => {
    const rig = await start({ trustedProxies: 0, limits: { messageBurst: 5, messagesPerSecond: 0.01 } });
    const statuses = await Promise.all(
      Array.from({ length: 20 }, async (_, i) => {
        const { status } = await post(rig.url, body('eth_chainId'), { 'x-forwarded-for': `203.0.113.${i}` });
        return status;
      }),
    );
    expect(statuses.filter((status) => status === 200)).toHaveLength(5);
  });
});

describe('messages of a client', () => {
  test('frames of more than 64 kB close the connection with 1009, and the process goes on', async () => {
    const rig = await start();
    await meanwhile(rig, async () => {
      for (let round = 0; round < 3; round++) {
        const clients = await Promise.all(Array.from({ length: 8 }, () => connectAs(rig, attacker)));
        for (const { socket } of clients) socket.send('x'.repeat(70_000));
        expect(await Promise.all(clients.map(({ closed }) => closed))).toEqual(clients.map(() => 1009));
      }
    });
    expect(rig.node.relay.metrics.snapshot().dropped.size).toBe(24);
    await until(() => rig.node.relay.metrics.snapshot().connections.websocket === 0);
  });

  test('compression is never agreed on', async () => {
    const rig = await start();
    const client = await rig.connect({ perMessageDeflate: true, headers: attacker });
    expect(client.socket.extensions).toBe('');
    client.close();
    expect((await post(rig.url, 'x', { 'content-encoding': 'gzip' })).status).toBe(415);
  });

  test('bytes in place of text close with 1008', async () => {
    const rig = await start();
    const client = await connectAs(rig, attacker);
    client.socket.send(Buffer.from(body('eth_chainId')));
    expect(await client.closed).toBe(1008);
  });

  test('a flood of messages is refused, then cut off, and others do not notice', async () => {
    const rig = await start();
    const client = await connectAs(rig, attacker);
    await meanwhile(rig, async () => {
      for (let i = 0; i < 1_500; i++) {
        client.socket.send(body('eth_chainId'));
        if (i % 100 === 0) await new Promise((resolve) => setTimeout(resolve, 20));
      }
    });
    expect(await client.closed).toBe(1008);
    const answered = client.texts.filter((text) => text.includes('"result"'));
    expect(answered.length).toBeLessThan(150);
  });

  test('a reader that is too slow is closed, with little in memory', async () => {
    const { controls } = service;
    const restore = controls.intercept(({ calls: [call] }) =>
      call?.method === 'eth_call'
        ? { body: JSON.stringify({ jsonrpc: '2.0', id: call.id, result: `0x${'ab'.repeat(100_000)}` }) }
        : undefined,
    );
    onTestFinished(restore);
    const rig = await start({
      limits: {
        ...{ messageBurst: 10_000, readBurst: 10_000, messagesPerSecond: 1_000 },
        // What bounds all connections of a client would end the attack before.
        ...{ answerBytesPerMinute: 1_000_000_000, unreadBytes: 1_000_000_000 },
      },
    });
    const clients = await Promise.all(Array.from({ length: 5 }, () => connectAs(rig, attacker)));
    const before = process.memoryUsage().rss;
    await meanwhile(rig, async () => {
      for (const { socket } of clients) {
        socket.pause();
        for (let i = 0; i < 400; i++) socket.send(body('eth_call', { to: addressOf(1) }, 'latest'));
      }
      await until(() => rig.node.relay.metrics.snapshot().connections.websocket === 0);
    });
    expect(rig.node.relay.metrics.snapshot().dropped.slow).toBeGreaterThanOrEqual(5);
    // 2,000 answers of 200 kB would be 400 MB.
    expect(process.memoryUsage().rss - before).toBeLessThan(150_000_000);
  });

  test('a burst of large answers is no slow reader', async () => {
    const restore = service.controls.intercept(({ calls: [call] }) =>
      call?.method === 'eth_call'
        ? { body: JSON.stringify({ jsonrpc: '2.0', id: call.id, result: `0x${'ab'.repeat(100_000)}` }) }
        : undefined,
    );
    onTestFinished(restore);
    const rig = await start();
    const client = await connectAs(rig, somebody);
    const answers = await Promise.all(
      Array.from({ length: 30 }, () => client.call('eth_call', { to: addressOf(1) }, 'latest')),
    );
    expect(answers.every((answer) => answer.length === 200_002)).toBe(true);
    expect(await client.call('eth_chainId')).toBe('0x21');
    client.close();
  });

  test('a message that is one long text costs others nothing', async () => {
    const rig = await start();
    const long = 'x'.repeat(60_000);
    await meanwhile(rig, () =>
      Promise.all(
        [
          ...Array.from({ length: 40 }, () => body('eth_getBalance', addressOf(1), long)),
          ...Array.from({ length: 40 }, () => body('eth_getLogs', long)),
          ...Array.from({ length: 40 }, () => body('eth_call', long, long)),
          ...Array.from({ length: 200 }, () => JSON.stringify(long)),
        ].map((text) => post(rig.url, text, attacker)),
      ),
    );
  });

  test('random frames are answered or refused, and the connection lives', async () => {
    const rig = await start({ limits: { messageBurst: 100_000, messagesPerSecond: 10_000 } });
    const client = await connectAs(rig, attacker);
    const random = createRandom(23);
    const good = [
      body('eth_subscribe', 'logs', { address: addressOf(1) }),
      body('eth_getLogs', { fromBlock: '0x0' }),
      `[${body('eth_chainId')},${body('eth_unsubscribe', '0x1')}]`,
    ];
    for (let i = 0; i < 1_000; i++) {
      const characters = [...(good[i % 3] as string)];
      for (let changes = random() * 5; changes > 0; changes--)
        characters.splice(
          Math.floor(random() * characters.length),
          Math.floor(random() * 4),
          ['{', ']', '"', '\u0000', '__proto__', '\ud800', '1e999', ':', ',', '\\u'][
            Math.floor(random() * 10)
          ] as string,
        );
      client.socket.send(characters.join(''));
    }
    expect(await client.call('eth_chainId')).toBe('0x21');
    for (const text of client.texts) expect(text).not.toContain(apiKey);
    client.close();
  });

  test('bytes that are no HTTP end only their own connection', async () => {
    const rig = await start();
    const port = rig.node.port;
    const send = async (bytes: Buffer | string) => {
      const socket = connectTcp(port, '127.0.0.1');
      socket.on('error', () => {});
      socket.resume();
      socket.end(bytes);
      await once(socket, 'close');
    };
    const upgrade = 'GET /33 HTTP/1.1\r\nhost: x\r\nconnection: Upgrade\r\nupgrade: websocket\r\n';
    await meanwhile(rig, () =>
      Promise.all([
        ...Array.from({ length: 30 }, () => send(randomBytes(2_000))),
        send(`${upgrade}\r\n`),
        send(`${upgrade}sec-websocket-version: 99\r\nsec-websocket-key: x\r\n\r\n`),
        send(`GET /${'x'.repeat(20_000)} HTTP/1.1\r\nhost: x\r\n\r\n`),
        send('POST /33 HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\ncontent-length: 6\r\n\r\nhello'),
      ]),
    );
  });

  test('nothing that one client asks changes what another is answered', async () => {
    const rig = await start({ limits: { messageBurst: 10_000, readBurst: 10_000 } });
    await service.controls.mine();
    const poison = [
      ['eth_getBlockByNumber', '0x0', false, { __proto__: null }],
      ['eth_getBlockByNumber', { toString: 'x' }, false],
      ['eth_getBlockByNumber', '0x00', true],
      ['eth_getBalance', addressOf(1), { blockNumber: 'latest' }],
      ['eth_getBalance', `${addressOf(1)} `, 'latest'],
      ['eth_getBalance', addressOf(1), 'latest', 'latest'],
      ['eth_getLogs', { address: [], topics: [[]] }],
    ] as const;
    for (const [method, ...params] of poison)
      await post(rig.url, body(method, ...params), {
        ...attacker,
        'x-forwarded-host': 'evil.example',
        'if-none-match': '*',
        range: 'bytes=0-1',
      });
    const { ask } = clientOf(service);
    for (const [method, ...params] of [
      ['eth_getBlockByNumber', '0x0', false],
      ['eth_getBalance', addressOf(1), 'latest'],
      ['eth_getLogs', { fromBlock: '0x0', toBlock: '0x1' }],
    ] as const)
      for (let i = 0; i < 3; i++)
        expect((await post(rig.url, body(method, ...params), somebody)).json).toEqual(
          (await ask(method, ...params)).json,
        );
  });
});
