import { describe, expect, test } from 'vitest';
import { settled } from '../../../test/support/fake-clock.js';
import { createRelayRig, noLimits } from '../../../test/support/relay-rig.js';
import { address, word } from '../../../test/support/simulated-chain.js';
import type { ClientLimits } from '../src/access/limits.js';
import type { Session } from '../src/session.js';

const emitted = { address: address(0xa), topics: [word(1)] };

const ask = async (session: Session, message: unknown) => {
  const { text, ...rest } = await session.receive(
    typeof message === 'string' ? message : JSON.stringify(message),
  );
  return { ...rest, reply: text === undefined ? undefined : JSON.parse(text) };
};

const request = (method: string, params: unknown = [], id: unknown = 1) => ({
  jsonrpc: '2.0',
  id,
  method,
  params,
});

describe('requests', () => {
  test('one request, its id as it was given, and its result', async () => {
    const { core, chain } = createRelayRig();
    const session = core.session(33, noLimits);
    for (const id of [7, 'seven', null])
      expect(await ask(session, request('eth_blockNumber', [], id))).toEqual({
        status: 200,
        reply: { jsonrpc: '2.0', id, result: chain.head().number },
      });
  });

  test('a request that the configuration can answer needs no request to the node', async () => {
    const { core, chain } = createRelayRig();
    const session = core.session(33, noLimits);
    expect((await ask(session, request('eth_chainId'))).reply.result).toBe('0x21');
    expect((await ask(session, request('net_version'))).reply.result).toBe('33');
    expect(chain.requests()).toBe(0);
  });

  test('a batch is answered in order, whatever fails in it', async () => {
    const { core, chain } = createRelayRig();
    const session = core.session(33, noLimits);
    const { reply, status } = await ask(session, [
      request('eth_nope', [], 1),
      request('eth_blockNumber', [], 2),
      5,
      request('eth_chainId', [], 'c'),
    ]);
    expect(status).toBe(200);
    expect(reply).toMatchObject([
      { id: 1, error: { code: -32601 } },
      { id: 2, result: chain.head().number },
      { id: null, error: { code: -32600 } },
      { id: 'c', result: '0x21' },
    ]);
  });

  test('a notification is not answered', async () => {
    const { core } = createRelayRig();
    const session = core.session(33, noLimits);
    expect(await ask(session, { jsonrpc: '2.0', method: 'eth_chainId' })).toEqual({ status: 204 });
    expect(await ask(session, [{ method: 'eth_chainId' }])).toEqual({ status: 204 });
    const { reply } = await ask(session, [{ method: 'eth_chainId' }, request('eth_chainId')]);
    expect(reply).toHaveLength(1);
  });

  test.each<[string, string, number, number]>([
    ['nothing', '', 400, -32700],
    ['half a request', '{"jsonrpc":', 400, -32700],
    ['deep nesting', `${'['.repeat(5_000)}${']'.repeat(5_000)}`, 400, -32700],
    ['a number', '1', 400, -32600],
    ['null', 'null', 400, -32600],
    ['no method', '{"id":1}', 400, -32600],
    ['a method that is no text', '{"id":1,"method":1}', 400, -32600],
    ['an id that is an object', '{"id":{},"method":"eth_chainId"}', 400, -32600],
    ['an empty batch', '[]', 400, -32600],
    ['21 requests', JSON.stringify(Array.from({ length: 21 }, () => request('eth_chainId'))), 400, -32600],
    ['params by name', '{"id":1,"method":"eth_call","params":{"to":"0x"}}', 200, -32602],
    ['too many characters', JSON.stringify(request('eth_call', ['x'.repeat(70_000)])), 413, -32005],
    ['far too many', 'x'.repeat(300_000), 413, -32005],
    ['an unknown method', JSON.stringify(request('debug_traceBlock')), 200, -32601],
    ['a filter of the server', JSON.stringify(request('eth_newFilter', [{}])), 200, -32601],
    ['a method of the prototype', JSON.stringify(request('constructor')), 200, -32601],
  ])('%s is refused, and costs nothing', async (_name, text, status, code) => {
    const { core, chain } = createRelayRig();
    const refused = await ask(core.session(33, noLimits), text);
    expect([refused.status, refused.reply.error.code]).toEqual([status, code]);
    expect(refused.reply.jsonrpc).toBe('2.0');
    expect(chain.requests()).toBe(0);
  });

  test('a prototype in the message changes nothing', async () => {
    const { core } = createRelayRig();
    const session = core.session(33, noLimits);
    const { reply } = await ask(session, '{"__proto__":{"id":1,"method":"eth_chainId"}}');
    expect(reply.error.code).toBe(-32600);
  });

  test('without a WebSocket there are no subscriptions', async () => {
    const { core } = createRelayRig();
    const { reply, status } = await ask(core.session(33, noLimits), request('eth_subscribe', ['newHeads']));
    expect([status, reply.error.code]).toEqual([200, -32601]);
  });
});

describe('limits', () => {
  const refusal = {
    error: { code: -32005, message: 'slower', data: { retryAfter: 2 } },
    status: 429,
    retryAfter: 2,
  };

  test('a refused message has the status and the pause', async () => {
    const { core, chain } = createRelayRig();
    const session = core.session(33, { ...noLimits, message: () => refusal });
    expect(await ask(session, request('eth_blockNumber'))).toEqual({
      status: 429,
      headers: { 'retry-after': '2' },
      reply: { jsonrpc: '2.0', id: 1, error: refusal.error },
    });
    expect(chain.requests()).toBe(0);
  });

  test('reads are charged and settled, subscriptions and local answers are not', async () => {
    const { core, connect } = createRelayRig();
    const charged: unknown[] = [];
    const limits: ClientLimits = {
      ...noLimits,
      read(cost) {
        charged.push(cost);
        return undefined;
      },
      settle(cost, outcome) {
        charged.push([cost, outcome]);
      },
    };
    await ask(core.session(33, limits), request('eth_chainId'));
    await connect(limits).call('eth_subscribe', 'newHeads');
    expect(charged).toEqual([]);
    await ask(core.session(33, limits), request('eth_blockNumber'));
    expect(charged).toMatchObject([1, [1, expect.any(String)]]);
    charged.length = 0;
    await ask(core.session(33, { ...limits, read: () => refusal }), request('eth_blockNumber'));
    expect(charged).toEqual([]);
  });

  test.each<[string, string]>([
    ['nothing', ''],
    ['half a request', '{"jsonrpc":'],
    ['a number', '1'],
    ['no method', '{"id":1}'],
    ['an empty batch', '[]'],
    ['21 requests', JSON.stringify(Array.from({ length: 21 }, () => request('eth_chainId')))],
    ['far too many characters', 'x'.repeat(300_000)],
    ['too many characters', JSON.stringify(request('eth_call', ['x'.repeat(70_000)]))],
    ['an unknown method', JSON.stringify(request('debug_traceBlock'))],
    ['a request', JSON.stringify(request('eth_chainId'))],
  ])('%s is one message, and refused as any other above the limit', async (_name, text) => {
    const { core } = createRelayRig();
    let messages = 0;
    const counting: ClientLimits = {
      ...noLimits,
      message() {
        messages += 1;
        return messages > 1 ? refusal : undefined;
      },
    };
    const session = core.session(33, counting);
    const first = await ask(session, text);
    expect([messages, first.status === 429]).toEqual([1, false]);
    expect((await ask(session, text)).status).toBe(429);
  });

  test('each entry of a batch is a message, also one that is not a request', async () => {
    const { core } = createRelayRig();
    let messages = 0;
    const counting: ClientLimits = {
      ...noLimits,
      message() {
        messages += 1;
        return undefined;
      },
    };
    await ask(core.session(33, counting), [1, {}, request('eth_chainId'), request('eth_nothing'), null]);
    expect(messages).toBe(5);
  });

  test('a subscription is taken like a read from memory, one with `since` only where steps may be sent again', async () => {
    const { connect } = createRelayRig();
    const since = word(7);
    const noStreams = connect({ ...noLimits, stream: () => refusal });
    await expect(noStreams.call('eth_subscribe', 'newHeads')).rejects.toMatchObject({ code: -32005 });
    const noReplays = connect({ ...noLimits, replay: () => refusal });
    await expect(noReplays.call('eth_subscribe', 'graft_steps', { since })).rejects.toMatchObject({
      code: -32005,
    });
    await noReplays.call('eth_subscribe', 'graft_steps');
  });

  test('a connection has so many subscriptions', async () => {
    const { connect } = createRelayRig();
    const client = connect({ ...noLimits, maxSubscriptions: 2 });
    const first = await client.call('eth_subscribe', 'newHeads');
    await client.call('eth_subscribe', 'newHeads');
    await expect(client.call('eth_subscribe', 'newHeads')).rejects.toMatchObject({ code: -32005 });
    await client.call('eth_unsubscribe', first);
    await client.call('eth_subscribe', 'newHeads');
  });

  test('a chain has so many different filters', async () => {
    const { connect } = createRelayRig();
    const client = connect({ ...noLimits, maxSubscriptions: 3_000 });
    const subscribe = (n: number) =>
      client.session.receive(JSON.stringify(request('eth_subscribe', ['logs', { address: address(n) }])));
    const replies = await Promise.all(Array.from({ length: 2_001 }, (_, n) => subscribe(n)));
    expect(replies.filter(({ text }) => JSON.parse(text ?? '').error)).toHaveLength(1);
    expect(JSON.parse(replies[2_000]?.text ?? '').error.code).toBe(-32005);
    client.session.close();
  });
});

describe('subscriptions', () => {
  test('equal ones have one id on all connections, a second one on the same connection a random one', async () => {
    const { chain, connect, tick } = createRelayRig();
    const [first, second] = [connect(), connect()];
    const id = await first.call('eth_subscribe', 'logs', { address: address(0xa) });
    expect(id).toMatch(/^0x[0-9a-f]{32}$/);
    expect(await second.call('eth_subscribe', 'logs', { address: [address(0xa)], topics: [] })).toBe(id);
    const other = await first.call('eth_subscribe', 'logs', { address: address(0xa) });
    expect(other).toMatch(/^0x[0-9a-f]{32}$/);
    expect(other).not.toBe(id);
    chain.mine(emitted);
    await tick();
    expect(first.logs(id)).toEqual(first.logs(other));
    expect(first.logs(id)).toHaveLength(1);
    expect(await first.call('eth_unsubscribe', id)).toBe(true);
    expect(await first.call('eth_unsubscribe', id)).toBe(false);
    chain.mine(emitted);
    await tick();
    expect(first.logs(id)).toHaveLength(1);
    expect(first.logs(other)).toHaveLength(2);
    expect(second.logs(id)).toHaveLength(2);
  });

  test('kinds that the relay does not have', async () => {
    const { connect } = createRelayRig();
    const client = connect();
    for (const kind of ['newPendingTransactions', 'syncing'])
      await expect(client.call('eth_subscribe', kind)).rejects.toMatchObject({ code: -32601 });
    await expect(client.call('eth_subscribe', 'logs', { address: '0x1' })).rejects.toMatchObject({
      code: -32602,
    });
  });

  test('nothing is pushed before the reply with the id', async () => {
    const { chain, connect, tick, advance } = createRelayRig();
    await connect().call('eth_subscribe', 'newHeads');
    const since = chain.mine();
    await tick();
    const next = chain.mine();
    await tick();
    const client = connect();
    const reply = client.session.receive(
      JSON.stringify(request('eth_subscribe', ['graft_steps', { since: since.hash }])),
    );
    await reply;
    expect(client.frames).toEqual([]);
    await advance(0);
    expect(client.frames).toMatchObject([{ result: { added: [next] } }]);
  });

  test('another session takes them up', async () => {
    const { chain, core, connect, tick } = createRelayRig();
    const first = connect();
    const ids = [
      await first.call('eth_subscribe', 'newHeads'),
      await first.call('eth_subscribe', 'newHeads'),
      await first.call('eth_subscribe', 'logs', { address: address(0xa) }),
    ];
    const topics = first.session.topics();
    expect(topics).toEqual([
      '["newHeads"]',
      `${ids[1]} ["newHeads"]`,
      `["logs",{"address":["${address(0xa)}"]}]`,
    ]);
    chain.mine();
    await tick();
    first.session.close();
    const missed = chain.mine(emitted);
    const second = connect();
    second.session.restore([...topics, 'nonsense']);
    await tick();
    expect(second.heads(ids[0])).toEqual([missed.hash]);
    expect(second.heads(ids[1])).toEqual([missed.hash]);
    expect(second.logs(ids[2])).toHaveLength(1);
    expect(second.session.topics()).toEqual(topics);
    expect(core.leads(33)).toBe(true);
  });

  test('a closed session answers nothing', async () => {
    const { connect } = createRelayRig();
    const { session } = connect();
    session.close();
    expect(await ask(session, request('eth_chainId'))).toEqual({ status: 503 });
  });
});

describe('slow clients', () => {
  test('more than 1 MiB unsent closes the connection with 4002', async () => {
    const { chain, connect, tick } = createRelayRig();
    const [slow, other] = [connect(), connect()];
    await slow.call('eth_subscribe', 'newHeads');
    await other.call('eth_subscribe', 'newHeads');
    slow.unsent = 2 ** 20 + 1;
    chain.mine();
    await tick();
    expect(slow.closedWith()).toBe(4002);
    expect(slow.texts).toEqual([]);
    expect(other.texts).toHaveLength(1);
  });

  test('a client that does not read replies is closed at the next message', async () => {
    const { connect } = createRelayRig();
    const slow = connect();
    slow.unsent = 2 ** 20 + 1;
    expect(await ask(slow.session, request('eth_chainId'))).toEqual({ status: 503 });
    expect(slow.closedWith()).toBe(4002);
  });

  test('only the newest of the heads that wait is sent; logs are all sent', async () => {
    const { chain, connect, tick, advance } = createRelayRig();
    const slow = connect();
    const heads = await slow.call('eth_subscribe', 'newHeads');
    const logs = await slow.call('eth_subscribe', 'logs', {});
    slow.unsent = 2 ** 19;
    for (let i = 0; i < 3; i++) {
      chain.mine(emitted);
      await tick();
    }
    expect(slow.heads(heads)).toEqual([]);
    expect(slow.logs(logs)).toHaveLength(3);
    slow.unsent = 0;
    await advance(1_000);
    expect(slow.heads(heads)).toEqual([chain.head().hash]);
    expect(slow.closedWith()).toBeUndefined();
  });

  test('1,000 subscribers get one text each, without much work', async () => {
    const { chain, connect, tick } = createRelayRig();
    const clients = Array.from({ length: 1_000 }, () => connect());
    await Promise.all(
      clients.map(({ session }) => session.receive(JSON.stringify(request('eth_subscribe', ['newHeads'])))),
    );
    await tick();
    await settled();
    chain.mine();
    const begun = performance.now();
    await tick();
    expect(clients.every(({ texts }) => texts.length === 1)).toBe(true);
    expect(performance.now() - begun).toBeLessThan(1_000);
  });
});
