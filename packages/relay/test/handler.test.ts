import { SignJWT } from 'jose';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { bob, sign } from '../../../test/support/local-client.js';
import { createRandom } from '../../../test/support/random.js';
import { createUpstream } from '../../../test/support/relay-upstream.js';
import { until } from '../../../test/support/until.js';
import { type Accepted, createRelay } from '../src/handler.js';
import type { Outlet } from '../src/heads/outlet.js';
import type { RelayOptions } from '../src/options/config.js';
import type { Session } from '../src/session.js';

const origin = 'https://app.example';
const secret = 'a secret that only the app and its relay know';
const jwt = { key: secret, algorithms: ['HS256'], audience: 'relay' } as const;
const tokenFor = (claims: Record<string, unknown>, life = '10m') =>
  new SignJWT(claims)
    .setProtectedHeader({ alg: 'HS256' })
    .setAudience('relay')
    .setExpirationTime(life)
    .sign(new TextEncoder().encode(secret));

function relayOf(options: Partial<RelayOptions> = {}) {
  const upstream = createUpstream();
  const relay = createRelay({
    networks: [
      { chainId: 31, url: upstream.url },
      { chainId: 30, url: upstream.urlOf(30) },
    ],
    origins: [origin],
    fetch: upstream.fetch,
    ...options,
  });
  onTestFinished(() => relay.close());
  const request = (path: string, init: RequestInit = {}) =>
    new Request(`https://relay.example${path}`, {
      ...init,
      headers: { origin, ...(init.headers as Record<string, string>) },
      ...(init.body instanceof ReadableStream && { duplex: 'half' }),
    } as RequestInit);
  return {
    relay,
    upstream,
    request,
    fetch: (path: string, init?: RequestInit) => relay.fetch(request(path, init), { address: '203.0.113.9' }),
    async post(body: unknown, { path = '/31', headers = {} }: { path?: string; headers?: object } = {}) {
      const response = await relay.fetch(
        request(path, {
          method: 'POST',
          headers: { 'content-type': 'application/json', ...headers },
          body: typeof body === 'string' || body instanceof ReadableStream ? body : JSON.stringify(body),
        }),
        { address: '203.0.113.9' },
      );
      const text = await response.text();
      // biome-ignore lint/suspicious/noExplicitAny: replies of any shape
      const json: any = text === '' ? undefined : JSON.parse(text);
      return { status: response.status, headers: response.headers, text, json };
    },
  };
}
const call = (method: string, ...params: unknown[]) => ({ jsonrpc: '2.0', id: 1, method, params });
const address = `0x${'cd'.repeat(20)}`;

/** A client's side of an accepted upgrade. */
function outletOf() {
  const sent: string[] = [];
  const closed: [number, string][] = [];
  const outlet: Outlet = {
    send: (text) => void sent.push(text),
    close: (code, reason) => void closed.push([code, reason]),
    buffered: () => 0,
  };
  return { outlet, sent, closed };
}

describe('POST', () => {
  test('requests of one client at once are bounded, and end when their answers have left', async () => {
    const { relay, request } = relayOf({ limits: { postsAtOnce: 2 } });
    const ends: (() => void)[] = [];
    const post = async () => {
      const ended = new Promise<void>((resolve) => void ends.push(resolve));
      const body = JSON.stringify(call('web3_clientVersion'));
      const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body };
      const peer = { address: '203.0.113.9', ended };
      const { status, headers } = await relay.fetch(request('/31', init), peer);
      return [status, headers.get('retry-after')];
    };
    expect([(await post())[0], (await post())[0]]).toEqual([200, 200]);
    expect(await post()).toEqual([429, '1']);
    ends[0]?.();
    await Promise.resolve();
    expect((await post())[0]).toBe(200);
    expect((await post())[0]).toBe(429);
  });

  test('unread answers of a client are bounded, until they are read, or it is gone', async () => {
    const { relay, request } = relayOf({
      limits: { unreadBytes: 1_000, messageBurst: 10_000, readBurst: 10_000 },
    });
    const ends: (() => void)[] = [];
    let held = 0;
    const post = async (client = '203.0.113.9') => {
      const ended = new Promise<void>((resolve) => void ends.push(resolve));
      const body = JSON.stringify(Array.from({ length: 5 }, () => call('web3_clientVersion')));
      const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body };
      const text = await (await relay.fetch(request('/31', init), { address: client, ended })).text();
      if (client === '203.0.113.9') held += text.length;
      return text;
    };
    const first = await post();
    const answers = [first];
    while (!answers.at(-1)?.includes('not read') && answers.length < 60) answers.push(await post());
    expect(first).not.toContain('not read');
    expect(held).toBeLessThan(1_000 + 5 * 400);
    expect(await post('203.0.113.10')).toEqual(first);
    for (const end of ends) end();
    await Promise.resolve();
    expect(await post()).toEqual(first);
  });

  test('clients that wait for one reply of the node share its text, uncopied', async () => {
    const { relay, request, upstream } = relayOf();
    upstream.answers.web3_sha3 = () => ({ some: 'object' });
    const body = JSON.stringify(call('web3_sha3', '0x'));
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body };
    const copy = vi.spyOn(globalThis, 'structuredClone');
    const write = vi.spyOn(JSON, 'stringify');
    const asked = ['203.0.113.1', '203.0.113.2', '203.0.113.3'].map(async (address) =>
      (await relay.fetch(request('/31', init), { address })).text(),
    );
    const texts = new Set(await Promise.all(asked));
    const copies = copy.mock.calls.length;
    const written = write.mock.results.filter(({ value }) => value === '{"some":"object"}').length;
    vi.restoreAllMocks();
    expect([...texts]).toEqual(['{"jsonrpc":"2.0","id":1,"result":{"some":"object"}}']);
    expect(upstream.sent.filter(({ method }) => method === 'web3_sha3')).toHaveLength(1);
    expect([copies, written]).toEqual([0, 1]);
  });

  test('bodies of all clients together are bounded: 512 that are held leave no room, until they end', async () => {
    const { relay, request, post } = relayOf({ limits: { postsAtOnce: 1_000 } });
    const held = new Uint8Array(2 ** 18);
    const bodies: ReadableStreamDefaultController<Uint8Array>[] = [];
    const slow = Array.from({ length: 512 }, () => {
      const body = new ReadableStream<Uint8Array>({
        start(controller) {
          bodies.push(controller);
          controller.enqueue(held);
        },
      });
      const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body };
      return relay.fetch(request('/31', init), { address: '203.0.113.9' });
    });
    await until(async () => (await post(call('web3_clientVersion'))).status === 503);
    expect((await post(call('web3_clientVersion'))).json.error).toMatchObject({ code: -32002 });
    for (const body of bodies) body.error(new Error('gone'));
    await Promise.allSettled(slow);
    expect((await post(call('web3_clientVersion'))).status).toBe(200);
  });

  test('eth_chainId fails while the service is on another chain, so that a wallet signs nothing', async () => {
    const { post, upstream } = relayOf();
    upstream.answers.eth_chainId = '0x1e';
    const { status, json } = await post(call('eth_chainId'));
    expect(json).toMatchObject({ error: { code: -32002, message: expect.stringContaining('chain') } });
    expect(status).toBe(503);
  });

  test('a read is answered, and from memory the second time', async () => {
    const { post, upstream } = relayOf();
    const first = await post(call('eth_getBlockByNumber', '0x3e8', false));
    expect(first.status).toBe(200);
    expect(first.json).toMatchObject({ id: 1, result: { number: '0x3e8' } });
    expect((await post(call('eth_chainId'), { path: '/' })).json.result).toBe('0x1f');
    expect((await post(call('eth_chainId'), { path: '/30' })).json.result).toBe('0x1e');
    expect(upstream.sent.every(({ headers }) => headers.get('origin') === null)).toBe(true);
  });

  test('a batch is answered in order', async () => {
    const { post } = relayOf();
    const { json } = await post([call('eth_chainId'), { ...call('net_version'), id: 2 }]);
    expect(json).toEqual([
      { jsonrpc: '2.0', id: 1, result: '0x1f' },
      { jsonrpc: '2.0', id: 2, result: '31' },
    ]);
  });

  test('nothing of it may be kept, and only the app may read it', async () => {
    const { post } = relayOf();
    const { headers } = await post(call('eth_chainId'));
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'application/json',
      'cache-control': 'no-store',
      'access-control-allow-origin': origin,
      'access-control-expose-headers': 'Retry-After',
      vary: 'Origin',
    });
  });

  test('bodies that are compressed or no JSON are refused', async () => {
    const { post, upstream } = relayOf();
    expect((await post('', { headers: { 'content-encoding': 'gzip' } })).status).toBe(415);
    expect((await post('x=1', { headers: { 'content-type': 'text/plain' } })).status).toBe(415);
    expect((await post('{')).json.error.code).toBe(-32700);
    expect((await post('"x"')).status).toBe(400);
    expect(upstream.sent).toEqual([]);
  });

  test('a body of more than 64 kB is refused, one with a signed transaction of more than 256 kB', async () => {
    const { post, upstream } = relayOf();
    const long = await post(call('eth_call', { data: `0x${'00'.repeat(40_000)}` }));
    expect(long).toMatchObject({ status: 413, json: { error: { code: -32005, data: { reason: 'size' } } } });
    expect((await post(call('eth_sendRawTransaction', `0x${'00'.repeat(140_000)}`))).status).toBe(413);
    const send = await post(
      call('eth_sendRawTransaction', await sign({ chainId: 31, data: `0x${'11'.repeat(60_000)}` })),
    );
    expect(send).toMatchObject({ status: 200, json: { result: '0x1' } });
    expect(upstream.sent.map(({ method }) => method)).toEqual(['eth_sendRawTransaction']);
  });

  test('a body without an end is not read to its end', async () => {
    const { post } = relayOf();
    let pulled = 0;
    const endless = new ReadableStream({
      pull(controller) {
        pulled++;
        controller.enqueue(new Uint8Array(16_384).fill(32));
      },
    });
    expect((await post(endless)).status).toBe(413);
    expect(pulled).toBeLessThan(25);
  });

  test('junk transactions cost nothing', async () => {
    const { post, upstream } = relayOf();
    for (const raw of ['0x', '0xdeadbeef', await sign({ chainId: 33 })])
      expect((await post(call('eth_sendRawTransaction', raw))).json.error.code).toBe(-32602);
    expect(upstream.sent).toEqual([]);
  });

  test('a client over its rate gets 429 with Retry-After', async () => {
    const { post } = relayOf({ limits: { messageBurst: 3, messagesPerSecond: 1 } });
    for (let i = 0; i < 3; i++) expect((await post(call('eth_chainId'))).status).toBe(200);
    const refused = await post(call('eth_chainId'));
    expect(refused).toMatchObject({
      status: 429,
      json: { error: { code: -32005, data: { reason: 'rate' } } },
    });
    expect(refused.headers.get('retry-after')).toBe('1');
  });

  test('the words of the service arrive unchanged, without its key', async () => {
    const { post, upstream } = relayOf();
    const words = { code: -32015, message: 'VM Exception while processing transaction: revert', data: '0x' };
    upstream.answers.eth_call = () => {
      throw words;
    };
    expect((await post(call('eth_call', { to: address }, 'latest'))).json.error).toMatchObject({
      code: words.code,
      message: words.message,
    });
    upstream.answers.eth_gasPrice = () => {
      throw { code: -32000, message: `no access for ${upstream.key}` };
    };
    expect((await post(call('eth_gasPrice'))).text).not.toContain(upstream.key);
  });

  test('a poisoned answer is neither cached nor passed on', async () => {
    const { post, upstream } = relayOf();
    upstream.answers.eth_getBalance = { __proto__: null, toString: 'x' };
    expect((await post(call('eth_getBalance', address, 'latest'))).json.error.code).toBe(-32603);
    upstream.answers.eth_getBalance = '0x7';
    expect((await post(call('eth_getBalance', address, 'latest'))).json.result).toBe('0x7');
    // Another spelling of the params is another question, or the same answer.
    expect(
      (await post(call('eth_getBalance', address.toUpperCase().replace('0X', '0x'), 'latest'))).json.result,
    ).toBe('0x7');
  });
});

describe('origins', () => {
  test('pages of other origins, and requests without one, are refused and cost nothing', async () => {
    const { post, upstream, relay } = relayOf();
    for (const other of [
      'https://evil.example',
      'https://app.example.evil.example',
      'null',
      'http://app.example',
    ]) {
      const { status, json, headers } = await post(call('eth_blockNumber'), { headers: { origin: other } });
      expect({ status, code: json.error.code }).toEqual({ status: 403, code: 4100 });
      expect(headers.get('access-control-allow-origin')).toBeNull();
    }
    const bare = new Request('https://relay.example/31', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    });
    expect((await relay.fetch(bare)).status).toBe(403);
    expect(upstream.sent).toEqual([]);
  });

  test('a preflight is answered for the app only', async () => {
    const { fetch } = relayOf();
    const allowed = await fetch('/31', { method: 'OPTIONS' });
    expect(allowed.status).toBe(204);
    expect(allowed.headers.get('access-control-allow-headers')).toContain('Authorization');
    expect(
      (await fetch('/31', { method: 'OPTIONS', headers: { origin: 'https://evil.example' } })).status,
    ).toBe(403);
  });

  test('an open relay answers everybody', async () => {
    const { post } = relayOf({ origins: ['*'], open: true });
    const { status, headers } = await post(call('eth_chainId'), {
      headers: { origin: 'https://any.example' },
    });
    expect([status, headers.get('access-control-allow-origin')]).toEqual([200, 'https://any.example']);
  });
});

describe('tokens', () => {
  const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });

  test('are required, and widen what a client may do', async () => {
    const { post } = relayOf({ jwt });
    expect(await post(call('eth_chainId'))).toMatchObject({ status: 401, json: { error: { code: 4100 } } });
    expect((await post(call('eth_chainId'), bearer(await tokenFor({ sub: 'a' })))).status).toBe(200);
    expect((await post(call('eth_chainId'), bearer('forged.token.here'))).status).toBe(401);
  });

  test('may be for other chains or for another origin', async () => {
    const { post } = relayOf({ jwt });
    const token = await tokenFor({ chains: [30] });
    expect((await post(call('eth_chainId'), bearer(token))).status).toBe(403);
    expect((await post(call('eth_chainId'), { ...bearer(token), path: '/30' })).status).toBe(200);
    const other = await tokenFor({ origin: 'https://other.example' });
    expect((await post(call('eth_chainId'), bearer(other))).status).toBe(401);
  });

  test('clients are counted by their sub', async () => {
    const { post } = relayOf({ jwt, limits: { messageBurst: 1, messagesPerSecond: 0.01 } });
    const [a, b] = [bearer(await tokenFor({ sub: 'a' })), bearer(await tokenFor({ sub: 'b' }))];
    expect((await post(call('eth_chainId'), a)).status).toBe(200);
    expect((await post(call('eth_chainId'), a)).status).toBe(429);
    expect((await post(call('eth_chainId'), b)).status).toBe(200);
  });
});

describe('upgrades', () => {
  async function open(relay: ReturnType<typeof relayOf>, headers: Record<string, string> = {}, path = '/31') {
    const decision = await relay.relay.upgrade(relay.request(path, { headers }), { address: '203.0.113.9' });
    return decision;
  }

  test('a page of another origin, a forged token and an unknown chain are refused', async () => {
    const relay = relayOf({ jwt });
    const status = async (headers: Record<string, string>, path?: string) =>
      ((await open(relay, headers, path)) as Response).status;
    expect(await status({ origin: 'https://evil.example' })).toBe(403);
    expect(await status({})).toBe(401);
    expect(await status({ 'sec-websocket-protocol': 'graft.v1, graft.jwt.x.y.z' })).toBe(401);
    expect(await status({}, '/99')).toBe(404);
    expect(await status({}, '/31/heads')).toBe(404);
  });

  test('the token comes as a subprotocol, of which only graft.v1 is answered', async () => {
    const relay = relayOf({ jwt });
    const token = await tokenFor({ sub: 'a' });
    const accepted = (await open(relay, {
      'sec-websocket-protocol': `graft.v1, graft.jwt.${token}`,
    })) as Accepted;
    expect(accepted.protocol).toBe('graft.v1');
    const { outlet } = outletOf();
    const session = accepted.open(outlet);
    expect(JSON.parse((await session.receive(JSON.stringify(call('eth_chainId')))).text ?? '')).toMatchObject(
      {
        result: '0x1f',
      },
    );
    session.close();
  });

  test('an expired token closes with 4001', async () => {
    const relay = relayOf({ jwt });
    const token = await tokenFor({ sub: 'a' }, '2s');
    const accepted = (await open(relay, { authorization: `Bearer ${token}` })) as Accepted;
    const { outlet, closed } = outletOf();
    const session = accepted.open(outlet);
    await until(() => closed.length > 0);
    expect(closed).toEqual([[4001, 'token expired']]);
    session.close();
  });

  test('the eleventh connection of a client closes with 4003, and one above all with 1013', async () => {
    const relay = relayOf({ limits: { connectionsInAll: 11 } });
    const sessions: Session[] = [];
    const connect = async (address: string) => {
      const decision = await relay.relay.upgrade(relay.request('/31'), { address });
      const side = outletOf();
      const session = (decision as Accepted).open(side.outlet);
      sessions.push(session);
      return side.closed.map(([code]) => code);
    };
    for (let i = 0; i < 10; i++) expect(await connect('203.0.113.9')).toEqual([]);
    expect(await connect('203.0.113.9')).toEqual([4003]);
    expect(await connect('203.0.113.10')).toEqual([]);
    expect(await connect('203.0.113.11')).toEqual([1013]);
    for (const each of sessions) each.close();
    expect(await connect('203.0.113.9')).toEqual([]);
    expect(relay.relay.metrics.snapshot().connections.websocket).toBe(1);
    for (const each of sessions) each.close();
    expect(relay.relay.metrics.snapshot().connections.websocket).toBe(0);
  });
});

describe('server-sent events', () => {
  test('each step is an event with the hash of its block, and they end with the relay', async () => {
    const relay = relayOf();
    const response = await relay.fetch('/31/heads');
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    const reader = (response.body as ReadableStream).pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    const read = async (pattern: RegExp) => {
      while (!pattern.test(text)) {
        const { done, value } = await reader.read();
        if (done) throw new Error(`ended: ${text}`);
        text += value;
      }
      return pattern.exec(text) as RegExpExecArray;
    };
    await read(/^retry: \d{4}\n\n/);
    await until(() => relay.upstream.sent.some(({ method }) => method === 'eth_getBlockByNumber'));
    const head = relay.upstream.mine();
    relay.relay.core.chains.get(31)?.poke();
    const [, data = ''] = await read(new RegExp(`event: step\\nid: ${head.hash}\\ndata: (.*)\\n\\n`));
    expect(JSON.parse(data)).toMatchObject({ added: [{ hash: head.hash }] });
    expect(relay.relay.metrics.snapshot().connections.sse).toBe(1);
    await relay.relay.close();
    while (!(await reader.read()).done);
    await until(() => relay.relay.metrics.snapshot().connections.sse === 0);
  });

  test('a reader that leaves is forgotten', async () => {
    const relay = relayOf();
    const response = await relay.fetch('/31/heads');
    await response.body?.cancel();
    await until(() => relay.relay.metrics.snapshot().connections.sse === 0);
    expect(relay.relay.metrics.snapshot().subscriptions.graft_steps).toBe(0);
  });

  test('they count as connections', async () => {
    const relay = relayOf({ limits: { connections: 1 } });
    const first = await relay.fetch('/31/heads');
    expect((await relay.fetch('/31/heads')).status).toBe(503);
    await first.body?.cancel();
  });
});

describe('bounds of one client', () => {
  // No limit recovers while a test runs, however slow the machine is.
  beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));
  afterEach(() => void vi.useRealTimers());

  const heads = (relay: ReturnType<typeof relayOf>, since?: string) =>
    relay.fetch('/31/heads', since === undefined ? {} : { headers: { 'last-event-id': since } });

  test('streams that are opened and closed are messages, and no polls', async () => {
    const relay = relayOf();
    const statuses: number[] = [];
    for (let i = 0; i < 100; i++) {
      const response = await heads(relay);
      statuses.push(response.status);
      if (response.status === 429) expect(response.headers.get('retry-after')).toBe('1');
      await response.body?.cancel();
    }
    expect(statuses.filter((status) => status === 200)).toHaveLength(60);
    expect(statuses.at(-1)).toBe(429);
    expect(relay.upstream.sent).toHaveLength(1);
    expect(relay.relay.metrics.snapshot().dropped.rate).toBe(40);
  });

  test('steps are sent again up to two MiB a minute, however often a client asks', async () => {
    const relay = relayOf();
    const first = await heads(relay);
    const since = relay.upstream.mine().hash;
    const chain = relay.relay.core.chains.get(31);
    await until(() => chain?.height() !== null);
    for (let i = 0; i < 200; i++) {
      relay.upstream.mine();
      chain?.poke();
      await until(() => chain?.height() === 1_001 + i + 1, { interval: 1 });
    }
    let bytes = 0;
    let maxSize = 0;
    for (let i = 0; i < 50; i++) {
      const response = await heads(relay, since);
      if (response.status !== 200) continue;
      const reader = (response.body as ReadableStream<Uint8Array>).getReader();
      let size = 0;
      // What is there at once.
      for (;;) {
        const part = await Promise.race([reader.read(), new Promise<undefined>((r) => setTimeout(r, 5))]);
        if (!part?.value) break;
        size += part.value.length;
      }
      await reader.cancel();
      bytes += size;
      maxSize = Math.max(maxSize, size);
    }
    expect(maxSize).toBeGreaterThan(100_000);
    expect(bytes).toBeLessThan(2 ** 21 + 2 * maxSize);
    expect((await heads(relay, since)).status).toBe(429);
    expect((await heads(relay)).status).toBe(200);
    await first.body?.cancel();
  });

  test('connections that are opened and closed are messages', async () => {
    const relay = relayOf({ limits: { messageBurst: 5, messagesPerSecond: 0.01 } });
    const statuses: number[] = [];
    for (let i = 0; i < 8; i++) {
      const decision = await relay.relay.upgrade(relay.request('/31'), { address: '203.0.113.9' });
      statuses.push(decision instanceof Response ? decision.status : 101);
      if (!(decision instanceof Response)) decision.open(outletOf().outlet).close();
    }
    expect(statuses).toEqual([101, 101, 101, 101, 101, 429, 429, 429]);
  });

  test('bodies that are no request count as messages, and above the limit none is read', async () => {
    const { post } = relayOf({ limits: { messageBurst: 5, messagesPerSecond: 0.01 } });
    const long = call('eth_call', { data: `0x${'00'.repeat(40_000)}` });
    const statuses: number[] = [];
    for (const body of ['{', '[]', long, '{"id":{}}', `0x${'00'.repeat(140_000)}`])
      statuses.push((await post(body)).status);
    expect(statuses).toEqual([400, 400, 413, 400, 413]);
    let pulled = 0;
    const body = new ReadableStream(
      {
        pull(controller) {
          pulled += 1;
          controller.enqueue(new Uint8Array(1_024));
        },
      },
      { highWaterMark: 0 },
    );
    expect((await post(body)).status).toBe(429);
    expect(pulled).toBe(0);
  });

  test('a sender that the service has refused is refused here for a minute, from whichever address', async () => {
    const { relay, request, post, upstream } = relayOf();
    const words = { code: -32010, message: "the sender account doesn't exist" };
    upstream.answers.eth_sendRawTransaction = () => {
      throw words;
    };
    const raws = await Promise.all([0, 1, 2].map((nonce) => sign({ chainId: 31, nonce })));
    expect((await post(call('eth_sendRawTransaction', raws[0]))).json.error).toEqual(words);
    for (const [i, raw] of raws.entries()) {
      const body = JSON.stringify(call('eth_sendRawTransaction', raw));
      const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body };
      const response = await relay.fetch(request('/31', init), { address: `198.51.100.${i}` });
      expect((await response.json()).error).toEqual(words);
    }
    expect(upstream.sent).toHaveLength(1);
    const body = JSON.stringify(call('eth_sendRawTransaction', await sign({ chainId: 31 }, bob)));
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body };
    await relay.fetch(request('/31', init), { address: '198.51.100.7' });
    expect(upstream.sent).toHaveLength(2);
  });

  test('one transaction that is sent ten times at once is one request', async () => {
    const { post, upstream } = relayOf({ limits: { sendBurst: 20 } });
    const raw = await sign({ chainId: 31 });
    const replies = await Promise.all(
      Array.from({ length: 10 }, () => post(call('eth_sendRawTransaction', raw))),
    );
    expect(new Set(replies.map(({ json }) => json.result))).toEqual(new Set(['0x1']));
    expect(upstream.sent).toHaveLength(1);
  });

  test('a refused transaction leaves no room for the next ones', async () => {
    const { post, upstream } = relayOf();
    upstream.answers.eth_sendRawTransaction = () => {
      throw { code: -32010, message: 'insufficient funds' };
    };
    const { privateKeyToAccount } = await import('viem/accounts');
    const statuses: number[] = [];
    for (let i = 1; i <= 10; i++) {
      const account = privateKeyToAccount(`0x${i.toString(16).padStart(64, '0')}`);
      statuses.push(
        (await post(call('eth_sendRawTransaction', await sign({ chainId: 31 }, account)))).status,
      );
    }
    expect(statuses.filter((status) => status === 429)).toHaveLength(9);
    expect(upstream.sent).toHaveLength(1);
  });

  test('a client whose share of the day is used up is answered from memory no more, and may still send', async () => {
    const upstream = createUpstream();
    const { post } = relayOf({
      networks: [{ chainId: 31, url: upstream.url, requestsPerDay: 400 }],
      fetch: upstream.fetch,
    });
    const read = async (i: number) =>
      (await post(call('eth_getBalance', `0x${i.toString(16).padStart(40, '0')}`, 'latest'))).status;
    const statuses: number[] = [];
    for (let i = 0; i < 30; i++) statuses.push(await read(i));
    // Nine tenths of a twentieth of 400.
    expect(statuses.filter((status) => status === 200)).toHaveLength(18);
    const send = await post(call('eth_sendRawTransaction', await sign({ chainId: 31 })));
    expect(send.json.result).toBe('0x1');
  });
});

describe('other paths', () => {
  test('health says height and age of the last poll', async () => {
    const { fetch, post } = relayOf({ networks: [{ chainId: 31, url: createUpstream().url }] });
    const before = await fetch('/health');
    expect([before.status, await before.json()]).toEqual([200, { height: null, age: null }]);
    await post(call('eth_getBlockByNumber', 'latest', false));
    const after = await (await fetch('/health')).json();
    expect(after).toMatchObject({ height: 1_000, age: expect.any(Number) });
  });

  test('health of several chains names each', async () => {
    const { fetch } = relayOf();
    expect(await (await fetch('/health')).json()).toEqual({
      chains: { 30: { height: null, age: null }, 31: { height: null, age: null } },
    });
    expect(await (await fetch('/30/health')).json()).toEqual({ height: null, age: null });
  });

  test('health is a message of its client, and not of others', async () => {
    const { relay, request, fetch, post } = relayOf({ limits: { messageBurst: 3, messagesPerSecond: 0.01 } });
    const statuses: number[] = [];
    for (const path of ['/health', '/31/health', '/health', '/health', '/30/health'])
      statuses.push((await fetch(path)).status);
    expect(statuses).toEqual([200, 200, 200, 429, 429]);
    expect((await fetch('/health')).headers.get('retry-after')).toBe('100');
    expect((await post(call('eth_chainId'))).status).toBe(429);
    expect((await relay.fetch(request('/health'), { address: '203.0.113.10' })).status).toBe(200);
  });

  test('metrics and status need the admin token', async () => {
    const adminToken = 'a-token-of-the-owner';
    const { fetch } = relayOf({ adminToken });
    for (const path of ['/metrics', '/status']) {
      expect((await fetch(path)).status).toBe(401);
      expect((await fetch(path, { headers: { authorization: `Bearer ${adminToken}x` } })).status).toBe(401);
      expect((await fetch(path, { headers: { authorization: `Bearer ${adminToken}` } })).status).toBe(200);
      expect((await relayOf().fetch(path)).status).toBe(404);
    }
  });

  test('unknown paths, chains and methods of HTTP are refused', async () => {
    const { fetch } = relayOf();
    const status = async (path: string, method = 'GET') => (await fetch(path, { method })).status;
    expect(await status('/99', 'POST')).toBe(404);
    expect(await status('/31/nothing')).toBe(404);
    expect(await status('/31/heads/more')).toBe(404);
    expect(await status('/031', 'POST')).toBe(404);
    expect(await status('/31')).toBe(426);
    expect(await status('/31', 'PUT')).toBe(405);
    expect(await status('/31/heads', 'POST')).toBe(405);
    expect(await status('/health', 'DELETE')).toBe(405);
  });
});

test('random bodies are answered with an error of JSON-RPC, and nothing of the key', async () => {
  const { post, upstream, relay } = relayOf({
    limits: { messageBurst: 100_000, messagesPerSecond: 100_000 },
    adminToken: 'a-token-of-the-owner',
  });
  const random = createRandom(11);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const good = JSON.stringify([call('eth_getLogs', { address, fromBlock: '0x1' }), call('eth_chainId')]);
  for (let i = 0; i < 600; i++) {
    const characters = [...good];
    for (let changes = 1 + random() * 6; changes > 0; changes--) {
      const at = Math.floor(random() * characters.length);
      characters.splice(
        at,
        Math.floor(random() * 3),
        pick([
          '{',
          '}',
          '[',
          ']',
          '"',
          '\\',
          '\u0000',
          '9',
          '-',
          'e',
          '__proto__',
          '\ud800',
          ',',
          ':',
          'null',
        ]),
      );
    }
    const { status, text, json } = await post(characters.join(''));
    expect([200, 400, 429]).toContain(status);
    expect(text).not.toContain(upstream.key);
    for (const each of Array.isArray(json) ? json : [json ?? {}])
      if (each.error) expect(each.error.code).toEqual(expect.any(Number));
  }
  expect(relay.metrics.text()).not.toContain(upstream.key);
});
