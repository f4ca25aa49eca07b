import { keccak256 } from 'viem';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { alice, clientOf, post, sign } from '../../../../test/support/local-client.js';
import { createLocalService, type LocalService } from '../../src/local/index.js';

let service: LocalService;
let client: ReturnType<typeof clientOf>;
let nonce = 0;
beforeAll(async () => {
  service = await createLocalService();
  client = clientOf(service);
  await service.controls.faucet(alice.address, 10n ** 18n);
});
afterEach(() => service.controls.clearFaults());
afterAll(() => service?.close());

const raw = () => sign({ nonce: nonce++ });

describe('lost and garbled replies', () => {
  test('dropReplies accepts a transaction and destroys the socket', async () => {
    service.controls.dropReplies(({ calls }) => calls[0]?.method === 'eth_sendRawTransaction');
    const sent = await raw();
    await expect(client.ask('eth_sendRawTransaction', sent)).rejects.toThrow();
    expect((await client.call('eth_getTransactionReceipt', keccak256(sent))).status).toBe('0x1');
    expect(service.requests.findLast(({ method }) => method === 'eth_sendRawTransaction')?.httpStatus).toBe(
      0,
    );
  });

  test('dropReplies affects the next n requests and can be undone', async () => {
    const undo = service.controls.dropReplies(2);
    await expect(client.ask('eth_chainId')).rejects.toThrow();
    undo();
    expect(await client.call('eth_chainId')).toBe('0x21');
  });

  test('garbleReplies garbles the actual reply in each way', async () => {
    service.controls.garbleReplies('garbage');
    const garbage = await client.ask('eth_chainId');
    expect([garbage.status, garbage.json]).toEqual([200, undefined]);
    service.controls.garbleReplies('truncated');
    expect((await client.ask('eth_chainId')).text).toBe('{"jsonrpc":"2.0","id');
    service.controls.garbleReplies('html', 2);
    for (let i = 0; i < 2; i++) {
      const page = await client.ask('eth_chainId');
      expect([page.status, page.headers.get('content-type')]).toEqual([502, 'text/html']);
    }
    service.controls.garbleReplies('empty');
    expect((await client.ask('eth_chainId')).text).toBe('');
    service.controls.garbleReplies({ status: 503, headers: { 'retry-after': '2' }, body: '{}' });
    const busy = await client.ask('eth_chainId');
    expect([busy.status, busy.headers.get('retry-after'), busy.text]).toEqual([503, '2', '{}']);
    expect(await client.call('eth_chainId')).toBe('0x21');
  });

  test('zeroHashReplies and wrongHashReplies accept the transaction', async () => {
    service.controls.zeroHashReplies();
    service.controls.wrongHashReplies();
    const [first, second, third] = [await raw(), await raw(), await raw()];
    expect(await client.call('eth_sendRawTransaction', first)).toBe(`0x${'0'.repeat(64)}`);
    expect(await client.call('eth_sendRawTransaction', second)).toBe(`0x${'ba'.repeat(32)}`);
    expect(await client.call('eth_sendRawTransaction', third)).toBe(keccak256(third));
    for (const sent of [first, second])
      expect((await client.call('eth_getTransactionReceipt', keccak256(sent))).status).toBe('0x1');
  });

  test('latency delays every reply', async () => {
    service.controls.latency(60);
    const began = performance.now();
    await client.call('eth_chainId');
    expect(performance.now() - began).toBeGreaterThan(55);
  });
});

describe('failSends', () => {
  const timedOut = { code: 30, message: 'Request timeout on the free tier' };
  const send = (sent: string) => client.ask('eth_sendRawTransaction', sent);
  const receipt = (sent: `0x${string}`) => client.call('eth_getTransactionReceipt', keccak256(sent));

  test('a send can be accepted and get an error with its own id', async () => {
    service.controls.failSends({ accepted: true, reply: { error: timedOut, status: 408 } });
    const sent = await raw();
    const { status, json } = await send(sent);
    expect([status, json]).toEqual([408, { jsonrpc: '2.0', id: 7, error: timedOut }]);
    expect((await receipt(sent)).status).toBe('0x1');
    expect((await send(await raw())).json.result).toMatch(/^0x/);
  });

  test('a send can get an error without reaching the pool', async () => {
    const refusal = { code: -32010, message: 'insufficient funds' };
    const undo = service.controls.failSends({ accepted: false, reply: { error: refusal } }, 2);
    const sent = await raw();
    for (let i = 0; i < 2; i++) expect((await send(sent)).json.error).toEqual(refusal);
    undo();
    expect(await client.call('eth_getTransactionByHash', keccak256(sent))).toBe(null);
    expect((await send(sent)).json.result).toBe(keccak256(sent));
  });

  test('a send can get a complete HTTP reply, and the predicate receives the raw transaction', async () => {
    const [first, second] = [await raw(), await raw()];
    const html = { status: 504, headers: { 'content-type': 'text/html' }, body: '<h1>Gateway Timeout</h1>' };
    service.controls.failSends({ accepted: true, reply: html }, (given) => given === second);
    expect((await send(first)).json.result).toBe(keccak256(first));
    const { status, text, headers } = await send(second);
    expect([status, text, headers.get('content-type')]).toEqual([504, html.body, 'text/html']);
    expect((await receipt(second)).status).toBe('0x1');
  });

  test('each call of a batch gets the error', async () => {
    service.controls.failSends({ accepted: true, reply: { error: timedOut } });
    const sent = await raw();
    const calls = [
      { jsonrpc: '2.0', id: 'a', method: 'eth_chainId', params: [] },
      { jsonrpc: '2.0', id: 'b', method: 'eth_sendRawTransaction', params: [sent] },
    ];
    const { json } = await post(service.url, JSON.stringify(calls));
    expect(json).toEqual(['a', 'b'].map((id) => ({ jsonrpc: '2.0', id, error: timedOut })));
    expect((await receipt(sent)).status).toBe('0x1');
  });
});

test('overrideTransactionCount overrides eth_getTransactionCount until clearFaults', async () => {
  const count = (block: string) => client.call('eth_getTransactionCount', alice.address, block);
  const truth = await count('latest');
  service.controls.overrideTransactionCount((true_, address, block) => {
    expect(address).toBe(alice.address.toLowerCase());
    return block === 'pending' ? true_ + 1n : true_;
  });
  expect([await count('latest'), Number(await count('pending'))]).toEqual([truth, Number(truth) + 1]);
  service.controls.clearFaults();
  expect(await count('pending')).toBe(truth);
});

describe('intercept', () => {
  test('hooks receive the calls, newest hook first, and may let them pass', async () => {
    const seen: unknown[] = [];
    service.controls.intercept(() => ({ body: 'never reached' }));
    const undo = service.controls.intercept(({ calls, body }) => {
      seen.push(calls, JSON.parse(body).id);
      return { body: 'scripted', status: 418 };
    });
    const reply = await client.ask('eth_getBalance', 'x');
    expect([reply.status, reply.text]).toEqual([418, 'scripted']);
    expect(seen).toEqual([[{ method: 'eth_getBalance', params: ['x'], id: 7 }], 7]);
    undo();
    expect((await client.ask('eth_chainId')).text).toBe('never reached');
    service.controls.clearFaults();
    expect(await client.call('eth_chainId')).toBe('0x21');
  });

  test('a hook can change the actual reply', async () => {
    service.controls.intercept(async (_, answer) => {
      const truth = await answer();
      return { ...truth, body: truth.body.replace('"id":7', '"id":8') };
    });
    expect((await client.ask('eth_chainId')).json).toEqual({ jsonrpc: '2.0', id: 8, result: '0x21' });
  });

  test('drop destroys the socket without processing', async () => {
    service.controls.intercept(({ calls }) =>
      calls[0]?.method === 'eth_sendRawTransaction' ? 'drop' : undefined,
    );
    const sent = await sign({ nonce });
    await expect(client.ask('eth_sendRawTransaction', sent)).rejects.toThrow();
    expect(await client.call('eth_getTransactionByHash', keccak256(sent))).toBe(null);
  });

  test('hang never replies', async () => {
    service.controls.intercept(() => 'hang');
    const signal = AbortSignal.timeout(50);
    const headers = { 'content-type': 'application/json' };
    await expect(fetch(service.url, { method: 'POST', body: '{}', headers, signal })).rejects.toThrow(
      /timeout/i,
    );
  });

  test('a hook can stream a body, or break it off', async () => {
    service.controls.intercept(() => ({
      body: (async function* () {
        for (const piece of ['{"jsonrpc":"2.0",', '"id":7,', '"result":"0x1"}']) {
          yield piece;
          await new Promise((resolve) => setTimeout(resolve, 5));
        }
      })(),
    }));
    expect((await client.ask('eth_chainId')).json.result).toBe('0x1');
    service.controls.intercept(() => ({
      body: (async function* () {
        yield '{"jsonrpc"';
        throw new Error('broken');
      })(),
    }));
    await expect(post(service.url, '{}')).rejects.toThrow();
  });
});
