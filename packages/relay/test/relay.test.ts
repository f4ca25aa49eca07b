import { expect, test } from 'vitest';
import { createRelayRig, noLimits } from '../../../test/support/relay-rig.js';
import { createPolicy } from '../src/access/policy.js';
import { createRelayCore } from '../src/relay.js';

test('a chain that is not configured', () => {
  const { core } = createRelayRig();
  expect(() => core.session(30, noLimits)).toThrow('30 is not configured');
  expect([...core.chains.keys()]).toEqual([33]);
});

test('health is ok without clients, and with clients as long as polls succeed', async () => {
  const { core, chain, connect, tick, advance } = createRelayRig();
  expect(core.health(33)).toEqual({ ok: true, height: null, age: null });
  expect(core.leads(33)).toBe(false);
  const client = connect();
  await client.call('eth_subscribe', 'newHeads');
  expect(core.leads(33)).toBe(true);
  chain.mine();
  await tick();
  expect(core.health(33)).toMatchObject({ ok: true, height: 1 });
  chain.faults.errors = 1;
  await advance(15_000);
  expect(core.health(33).ok).toBe(true);
  await advance(6_000);
  expect(core.health(33)).toMatchObject({ ok: false, height: 1 });
  expect(core.health(33).age).toBeGreaterThan(18_000);
  chain.faults.errors = 0;
  await advance(60_000);
  expect(core.health(33).ok).toBe(true);
  client.session.close();
  await advance(600_000);
  expect(core.health(33)).toMatchObject({ ok: true, height: 1 });
});

test('a passive relay polls only when poll() is called, and leaves no timer', async () => {
  const { core, chain, connect, advance, next } = createRelayRig({ passive: true });
  const client = connect();
  const heads = await client.call('eth_subscribe', 'newHeads');
  await client.call('eth_subscribe', 'graft_steps');
  const requests = chain.requests();
  const block = chain.mine();
  await advance(60_000);
  expect([chain.requests() - requests, next()]).toEqual([0, undefined]);
  await core.poll(33);
  expect(client.heads(heads)).toEqual([block.hash]);
  expect(client.frames).toHaveLength(2);
  await advance(15_000);
  await core.poll(33);
  expect(client.frames.at(-1)?.result).toMatchObject({ removed: [], added: [], interval: 6_000 });
  expect(next()).toBeUndefined();
  client.session.close();
  const before = chain.requests();
  await core.poll(33);
  expect(chain.requests()).toBe(before);
});

test('closed, it requests nothing more', async () => {
  const { core, chain, connect, tick, next } = createRelayRig();
  await connect().call('eth_subscribe', 'graft_steps');
  await connect().call('eth_subscribe', 'logs', {});
  await core.close();
  const requests = chain.requests();
  await tick(5);
  expect(chain.requests()).toBe(requests);
  expect(next()).toBeUndefined();
});

test('nothing that a client gets has the key, whatever the service does', async () => {
  const key = 'k3y-Planted0123456789abcdef';
  const url = `http://127.0.0.1:9/v2/${key}`;
  const replies: ((id: number) => Response | Promise<Response>)[] = [
    () => Promise.reject(new TypeError(`fetch failed: ${url}`)),
    () => new Response(`<html>${url}</html>`, { status: 502 }),
    () => new Response(`{"error": "${key}"}`, { status: 403 }),
    () => new Response(null, { status: 302, headers: { location: url } }),
    (id) =>
      Response.json({
        jsonrpc: '2.0',
        id,
        error: { code: -32000, message: `${url} `.repeat(20), data: url },
      }),
    (id) => Response.json({ jsonrpc: '2.0', id, error: { code: 3, message: key, data: { [key]: [key] } } }),
    (id) => Response.json({ jsonrpc: '2.0', id, result: { key } }),
    () => new Response(key),
  ];
  for (const reply of replies) {
    const core = createRelayCore({
      chains: [
        {
          chainId: 33,
          urls: [url],
          deadline: 200,
          fetch: async (_url, init) => reply(JSON.parse(`${init?.body}`).id),
        },
      ],
      policy: createPolicy({ chains: [33] }),
    });
    const texts: string[] = [];
    const session = core.session(33, noLimits, {
      send: (text) => void texts.push(text),
      close() {},
      buffered: () => 0,
    });
    for (const method of [
      'eth_gasPrice',
      'eth_getBlockByNumber',
      'eth_call',
      'eth_getLogs',
      'eth_subscribe',
    ]) {
      const params = {
        eth_getBlockByNumber: ['latest', false],
        eth_subscribe: ['newHeads'],
        eth_gasPrice: [],
      };
      const { text, headers } = await session.receive(
        JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: params[method as 'eth_gasPrice'] ?? [{}] }),
      );
      texts.push(text ?? '', JSON.stringify(headers ?? {}));
    }
    expect(texts.join('\n')).not.toContain(key);
    await core.close();
  }
});
