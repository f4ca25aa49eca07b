import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { readGreeting, readMessage } from '../../../src/bridge/protocol.js';
import { serve } from '../../../src/bridge/serve.js';
import { createMemoryStorage, createVolatileMemory, createWallet, type Wallet } from '../../../src/index.js';
import { createFakeNode, type FakeNode } from '../../support/fake-node.js';
import { origin, plantedSession, values } from '../../support/keys.js';
import { until } from '../../support/until.js';
import { waitFor } from '../../support/wait-for.js';

let node: FakeNode;
let wallet: Wallet;
let port: MessagePort;
let heard: Record<string, unknown>[];

beforeAll(async () => {
  node = await createFakeNode(31);
});
afterAll(() => node.stop());
afterEach(() => {
  port.close();
  wallet.destroy();
});

/** Serves a client that is this test. */
function open(options: Partial<serve.Options> = {}) {
  const memory = createVolatileMemory();
  memory.write(plantedSession(origin));
  const { port1, port2 } = new MessageChannel();
  port = port1;
  heard = [];
  port.onmessage = ({ data }) => heard.push(data);
  wallet = createWallet({
    networks: [{ chainId: 31, url: node.url }],
    origin,
    memory,
    storage: createMemoryStorage(),
  });
  return serve({ port: port2, nonce: 'the nonce', version: 1, wallet, windowMethods: [], ...options });
}

const answerTo = (id: unknown) =>
  until(() => heard.find((message) => message.t === 'response' && Object.is(message.id, id)));

const ask = (id: unknown, method: unknown = 'eth_chainId', json: unknown = '[]') =>
  port.postMessage({ t: 'request', id, method, json });

test('the first message repeats the nonce and tells the chain and the accounts of this origin, nothing else', async () => {
  open({ windowMethods: ['personal_sign'] });
  await until(() => heard.length > 0);
  const [welcome] = heard;
  expect(welcome).toEqual({
    t: 'welcome',
    v: 1,
    nonce: 'the nonce',
    session: { chainId: 31, accounts: [values.$A0], connected: false },
    features: [],
    methods: ['personal_sign'],
    paused: 0,
    limits: { size: 2 ** 20, inFlight: 1_000, pace: 2 ** 20 },
  });
});

test('an id is used once and counts up from 1', async () => {
  open();
  ask(1);
  expect(await answerTo(1)).toMatchObject({ json: '"0x1f"' });
  for (const id of [0, -1, 2 ** 53, '2', null, 1.5]) {
    ask(id);
    expect(await answerTo(id)).toMatchObject({ error: { code: -32600 } });
  }
  heard = [];
  ask(1);
  expect(await answerTo(1)).toMatchObject({ error: { code: -32600 } });
  ask(7);
  expect(await answerTo(7)).toMatchObject({ json: '"0x1f"' });
});

test('a message that is too large, too much or no text is refused, and the next request is answered', async () => {
  open();
  node.override('eth_blockNumber', () => {});
  ask(1, 'eth_chainId', `["${'x'.repeat(2 ** 20)}"]`);
  expect(await answerTo(1)).toMatchObject({ error: { code: -32005 } });
  ask(2, 'eth_chainId', ['x']);
  expect(await answerTo(2)).toMatchObject({ error: { code: -32600 } });
  ask(3, 'eth_chainId', 'no JSON');
  expect(await answerTo(3)).toMatchObject({ error: { code: -32700 } });
  ask(4, 'eth_chainId', `${'['.repeat(5_000)}${']'.repeat(5_000)}`);
  expect(await answerTo(4)).toMatchObject({ error: { code: -32602 } });
  ask(5, { toString: 'x' });
  expect(await answerTo(5)).toMatchObject({ error: { code: -32600 } });
  for (let id = 10; id < 1_010; id++) ask(id, 'eth_blockNumber');
  ask(1_010, 'eth_blockNumber');
  expect(await answerTo(1_010)).toMatchObject({ error: { code: -32005 } });
  for (let id = 10; id < 1_010; id++) port.postMessage({ t: 'cancel', id });
  await answerTo(1_009);
  ask(2_000);
  expect(await answerTo(2_000)).toMatchObject({ json: '"0x1f"' });
  node.reset();
});

test('invalid messages, messages of the other side and unknown ones are ignored', async () => {
  open();
  const { buffer } = new Uint8Array(8);
  structuredClone(buffer, { transfer: [buffer] });
  const passedOver = [
    ...[null, undefined, 7, 'request', true, [], [['t', 'request']], new Map([['t', 'request']]), new Date()],
    ...[new Uint8Array(4), /t/, {}, { t: 7 }, { t: ['request'] }, { t: 'constructor' }, { t: '__proto__' }],
    ...[
      { t: 'welcome', v: 1 },
      { t: 'response', id: 1, json: '1' },
      { t: 'state', chainId: 1 },
      { t: 'cancel' },
    ],
    JSON.parse('{"__proto__": {"t": "request", "id": 1, "method": "eth_chainId", "json": "[]"}}'),
  ];
  for (const message of passedOver) port.postMessage(message);
  ask(1);
  await answerTo(1);
  expect(heard.map(({ t }) => t)).toEqual(['welcome', expect.any(String), 'response']);
});

test('cancelling is for one’s own requests, and a closed line answers nothing', async () => {
  const serving = open();
  node.override('eth_blockNumber', () => {});
  ask(1, 'eth_blockNumber');
  await until(() => node.count('eth_blockNumber') > 0);
  port.postMessage({ t: 'cancel', id: 1 });
  expect(await answerTo(1)).toMatchObject({ error: { code: expect.any(Number) } });
  serving.close('idle');
  await until(() => heard.some(({ t }) => t === 'closing'));
  expect(heard.at(-1)).toEqual({ t: 'closing', reason: 'idle', last: 1, sending: [] });
  ask(2);
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(heard.at(-1)).toMatchObject({ t: 'closing' });
  node.reset();
});

test('messages are read without what a page adds to Object.prototype', () => {
  const polluted = Object.prototype as { t?: string; graft?: string };
  polluted.t = 'request';
  polluted.graft = 'bridge';
  try {
    expect([readMessage({}), readGreeting({ t: 'ready' }), readMessage([])]).toEqual([null, null, null]);
    expect(Object.getPrototypeOf(readMessage({ t: 'x' }))).toBeNull();
  } finally {
    delete polluted.t;
    delete polluted.graft;
  }
});

describe('a dapp that exceeds its pace', () => {
  const megabyte = JSON.stringify([`0x${'ab'.repeat(500_000)}`]);
  const begun: string[] = [];

  function openPaced() {
    begun.length = 0;
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    open();
    Object.assign(wallet.provider, {
      request: async ({ method }: { method: string }) => void begun.push(method),
    });
  }
  /** Resolves when the port has delivered what was sent. */
  const delivered = async () => {
    ask(2 ** 40, 1);
    await waitFor(() => expect(heard.some(({ id }) => id === 2 ** 40)).toBe(true), {
      interval: 1,
      timeout: 30_000,
    });
  };
  afterEach(() => void vi.useRealTimers());

  test('has the requests above 4 MiB delayed by a second for each MiB, in order', async () => {
    openPaced();
    for (let id = 1; id <= 8; id++) ask(id, `heavy${id}`, megabyte);
    ask(9, 'light');
    await delivered();
    const first = begun.length;
    expect(first).toBeLessThanOrEqual(5);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(begun.length).toBeLessThanOrEqual(first + 2);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(begun).toEqual([...Array.from({ length: 8 }, (_, at) => `heavy${at + 1}`), 'light']);
  });

  test('has requests refused that would wait longer than 30 s, and can cancel a waiting one', async () => {
    openPaced();
    for (let id = 1; id <= 60; id++) ask(id, `heavy${id}`, megabyte);
    port.postMessage({ t: 'cancel', id: 10 });
    await delivered();
    const refused = heard.filter(({ error }) => (error as { code?: number })?.code === -32005);
    expect(refused.length).toBeGreaterThan(20);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(begun).not.toContain('heavy10');
    expect(begun.length).toBe(60 - refused.length - 1);
  });

  test('is served at once after a pause', async () => {
    openPaced();
    for (let id = 1; id <= 4; id++) ask(id, 'heavy', megabyte);
    await delivered();
    await vi.advanceTimersByTimeAsync(5_000);
    ask(2 ** 40 + 1, 'light');
    await waitFor(() => expect(begun).toContain('light'), { interval: 1 });
  });
});
