import { privateKeyToAccount } from 'viem/accounts';
import { vi } from 'vitest';
import { createRelay, type Relay } from '../../packages/relay/src/handler.js';
import type { RelayOptions } from '../../packages/relay/src/options/config.js';
import type { Session } from '../../packages/relay/src/session.js';
import type { Hex } from '../../src/rpc/schema.js';
import '../../src/service/chain-check.js';
import { createRandom } from './random.js';
import { address, createSimulatedChain, word } from './simulated-chain.js';

/** What happened in a world, by counts of the node's requests and in milliseconds of the mocked clock. */
export interface WorldReport {
  /** Requests to the node, by method. */
  readonly sent: Readonly<Record<string, number>>;
  readonly total: number;
  /** Milliseconds that each request of the honest clients took, in order. */
  readonly waits: readonly number[];
  /** Requests of the honest clients that got an error. */
  readonly refused: number;
  /** Heads that the honest subscriber got. */
  readonly heads: number;
  /** Bytes of long results and of pushed data that the hostile client was sent, and of these the longest. */
  readonly received: number;
  readonly maxLength: number;
  /** What the hostile client did, by name. */
  readonly actions: Readonly<Record<string, number>>;
}

export interface WorldOptions {
  readonly seed: number;
  readonly seconds: number;
  /** Addresses of the hostile client; absent in a world without one. */
  readonly hostile?: 'one address' | 'a /64' | 'a /56' | 'a /48' | undefined;
  /** Whether somebody else is subscribed all the time. */
  readonly subscriber?: boolean;
  readonly requestsPerDay?: number;
  readonly limits?: RelayOptions['limits'];
  readonly engine?: RelayOptions['engine'];
}

const origin = 'https://app.example';
/** Milliseconds. */
const latency = 40;
const blockTime = 25;
const chainId = 31;

/** Signed transactions, of which the node accepts the first half: the senders of the others have no funds. */
const transactions = (async () => {
  const accounts = Array.from({ length: 24 }, (_, i) => privateKeyToAccount(word(i + 1)));
  const raws: Hex[] = [];
  // Of the last accounts only one has many.
  for (const [i, account] of accounts.entries())
    for (let nonce = 0; nonce < (i < 12 || i === 23 ? 8 : 2); nonce++)
      raws.push(
        await account.signTransaction({
          ...{ type: 'legacy', chainId, nonce, gasPrice: 65_000_000n, gas: 21_000n, value: 1n },
          to: address(9),
        }),
      );
  return raws;
})();

/** The relay's own handler before a node that counts, some honest clients, and a hostile one that does anything. */
export async function runWorld(options: WorldOptions): Promise<WorldReport> {
  const { seed, seconds, hostile, subscriber = true, requestsPerDay } = options;
  const raws = await transactions;
  vi.useFakeTimers({
    now: Date.UTC(2026, 10, 25, 12),
    toFake: ['Date', 'performance', 'setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'],
  });
  const chain = createSimulatedChain({ random: createRandom(seed), blockTime });
  const sent: Record<string, number> = {};
  const fetch: typeof globalThis.fetch = async (_url, init) => {
    const { id, method, params } = JSON.parse(String(init?.body));
    sent[method] = (sent[method] ?? 0) + 1;
    await new Promise((resolve) => setTimeout(resolve, latency));
    const reply = (body: object) => Response.json({ jsonrpc: '2.0', id, ...body });
    try {
      if (method === 'eth_sendRawTransaction') {
        if (raws.indexOf(params[0]) < 96) return reply({ result: word(1) });
        return reply({ error: { code: -32010, message: 'insufficient funds' } });
      }
      if (method === 'eth_chainId') return reply({ result: '0x1f' });
      if (method === 'eth_getBalance') return reply({ result: '0x5' });
      if (method === 'eth_call') return reply({ result: '0x' });
      return reply({ result: await chain.service.request(method, params) });
    } catch (error) {
      return reply({ error: { code: -32000, message: (error as Error).message } });
    }
  };
  const relay = createRelay({
    networks: [
      {
        chainId,
        url: 'https://node.example/key',
        ...(requestsPerDay !== undefined && { requestsPerDay }),
      },
    ],
    origins: [origin],
    fetch,
    ...(options.engine && { engine: options.engine }),
    ...(options.limits && { limits: options.limits }),
  });
  const waits: number[] = [];
  let refused = 0;
  let heads = 0;
  const honest = createPeer(relay, (text) => {
    if (text.includes('"parentHash"')) heads += 1;
  });
  const ask = async (from: string, method: string, ...params: unknown[]) => {
    const startedAt = Date.now();
    const at = waits.push(0) - 1;
    const { status, text } = await honest.post(from, call(method, ...params));
    waits[at] = Date.now() - startedAt;
    if (status !== 200 || text.includes('"error"')) refused += 1;
  };
  const villain = hostile && createHostile(relay, chain, createRandom(seed ^ 0x5eed), raws, hostile);

  try {
    // Modules that load with the first request take turns of the event loop, and its reply takes time of the mocked clock.
    let isWarm = false;
    void honest.post('203.0.113.1', call('eth_chainId')).then(() => {
      isWarm = true;
    });
    while (!isWarm) {
      await new Promise((resolve) => setImmediate(resolve));
      await vi.advanceTimersByTimeAsync(1);
    }
    if (subscriber) {
      const socket = await honest.connect('203.0.113.1');
      void socket?.receive(call('eth_subscribe', 'newHeads'));
      void socket?.receive(call('eth_subscribe', 'logs', { address: address(0xa) }));
    }
    for (let second = 0; second < seconds; second++) {
      if (second % blockTime === 0) chain.mine({ address: address(0xa + (second % 3)), topics: [word(1)] });
      if (subscriber && second % 7 === 3) void ask('203.0.113.2', 'eth_blockNumber');
      if (subscriber && second % 20 === 5)
        void ask('203.0.113.3', 'eth_getBalance', address(100 + second), 'latest');
      if (subscriber && second % 300 === 250)
        void ask('203.0.113.4', 'eth_sendRawTransaction', raws[second / 50 - 5]);
      villain?.act(second);
      await vi.advanceTimersByTimeAsync(1_000);
    }
    await vi.advanceTimersByTimeAsync(10_000);
    return {
      sent,
      total: Object.values(sent).reduce((sum, each) => sum + each, 0),
      waits,
      refused,
      heads,
      received: villain?.received() ?? 0,
      maxLength: villain?.maxLength() ?? 0,
      actions: villain?.actions ?? {},
    };
  } finally {
    await relay.close();
    vi.useRealTimers();
  }
}

const call = (method: string, ...params: unknown[]) =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });

/** Clients of the handler, by their addresses. */
function createPeer(relay: Relay, onText: (text: string) => void) {
  const request = (path: string, init: RequestInit = {}) =>
    new Request(`https://relay.example${path}`, {
      ...init,
      headers: { origin, ...(init.headers as Record<string, string>) },
    });
  return {
    async post(from: string, body: string, contentType = 'application/json') {
      const init = { method: 'POST', headers: { 'content-type': contentType }, body };
      const response = await relay.fetch(request('/31', init), { address: from });
      const text = await response.text();
      onText(text);
      return { status: response.status, text };
    },
    /** Opens a stream of events. Returns what ends it. */
    async stream(from: string, since?: string): Promise<() => void> {
      const init = since === undefined ? {} : { headers: { 'last-event-id': since } };
      const response = await relay.fetch(request('/31/heads', init), { address: from });
      const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
      void (async () => {
        for (let part = await reader?.read(); part && !part.done; part = await reader?.read())
          onText(part.value);
      })().catch(() => {});
      return () => void reader?.cancel().catch(() => {});
    },
    async connect(from: string): Promise<Session | undefined> {
      const decision = await relay.upgrade(request('/31'), { address: from });
      if (decision instanceof Response) return undefined;
      let isOpen = true;
      let session: Session | undefined;
      session = decision.open({
        send: (text) => isOpen && onText(text),
        close() {
          isOpen = false;
          session?.close();
        },
        buffered: () => 0,
      });
      return session;
    },
  };
}

/** Lengths of the long results in a reply, or of the data in events. Short ones and refusals are bounded by the messages. */
function answersIn(text: string): number[] {
  if (!/^[{[]/.test(text)) return [...text.matchAll(/^data: (.*)$/gm)].map(([, data = '']) => data.length);
  const replies: { result?: unknown; params?: unknown }[] = [JSON.parse(text)].flat();
  return replies
    .map(({ result, params }) => JSON.stringify(result ?? params ?? '').length)
    .filter((length) => length > 100);
}

/** A client that reads, sends, subscribes and leaves, at random; now and then as fast as it can, or not at all. */
function createHostile(
  relay: Relay,
  chain: ReturnType<typeof createSimulatedChain>,
  random: () => number,
  raws: readonly Hex[],
  addresses: NonNullable<WorldOptions['hostile']>,
) {
  let received = 0;
  let maxLength = 0;
  const peer = createPeer(relay, (text) => {
    for (const length of answersIn(text)) {
      received += length;
      maxLength = Math.max(maxLength, length);
    }
  });
  const below = (max: number) => Math.floor(random() * max);
  const pick = <T>(list: readonly T[]): T => list[below(list.length)] as T;
  const group = (max: number) => below(max).toString(16);
  const from = (): string => {
    const host = `${group(65_536)}:${group(65_536)}::${group(65_536)}`;
    if (addresses === 'one address')
      return pick(['198.51.100.7', '::ffff:198.51.100.7', '2002:c633:6407::1']);
    if (addresses === 'a /64') return `2001:db8:1:2:${host}`;
    return `2001:db8:1:${group(addresses === 'a /56' ? 256 : 65_536)}:${host}`;
  };
  const held: (() => void)[] = [];
  const sessions: Session[] = [];
  let unique = 1_000_000;
  const hex = (value: number) => `0x${value.toString(16)}`;
  const hashes = () => pick(chain.canonical()).hash;
  const receive = (text: string) => void pick(sessions)?.receive(text);
  const subscription = () =>
    pick([
      ['newHeads'],
      ['logs', {}],
      ['logs', { address: address(0xa + below(3)) }],
      ['logs', { topics: [word(below(3)), null] }],
      ['logs', { address: address(below(100)), topics: [[word(1), word(2)]] }],
      ['graft_steps'],
      ['graft_steps', { since: hashes() }],
      ['graft_steps', { since: word(below(1_000)) }],
    ]);

  const table: Readonly<Record<string, () => unknown>> = {
    read: () => peer.post(from(), call('eth_getBalance', address(++unique), 'latest')),
    again: () => peer.post(from(), call('eth_getBalance', address(7), 'latest')),
    head: () => peer.post(from(), call('eth_blockNumber')),
    latest: () => peer.post(from(), call('eth_getBlockByNumber', 'latest', false)),
    uncached: () => peer.post(from(), call('eth_getStorageAt', address(1), hex(below(5)), 'latest')),
    batch: () =>
      peer.post(
        from(),
        `[${Array.from({ length: 20 }, () => call('eth_call', { to: address(++unique) }, 'latest')).join(',')}]`,
      ),
    equal: () =>
      peer.post(from(), `[${new Array(20).fill(call('eth_getLogs', { blockHash: hashes() })).join(',')}]`),
    nonsense: () =>
      peer.post(from(), `[${Array.from({ length: 20 }, (_, i) => call(`eth_nothing${i}`)).join(',')}]`),
    chainId: () => peer.post(from(), call('eth_chainId')),
    garbage: () =>
      peer.post(from(), pick(['{', '[]', '"x"', '[1,2,3]', '', `{"a":"${'x'.repeat(70_000)}"}`])),
    type: () => peer.post(from(), '{}', 'text/plain'),
    logs: () => {
      const first = below(50);
      const range = { fromBlock: hex(first), toBlock: hex(first + pick([0, 1, 199, 1_999])) };
      return peer.post(from(), call('eth_getLogs', pick<object>([range, { blockHash: hashes() }])));
    },
    send: () => peer.post(from(), call('eth_sendRawTransaction', pick(raws))),
    unfunded: () => peer.post(from(), call('eth_sendRawTransaction', pick(raws.slice(96)))),
    resend: () => {
      const raw = pick(raws);
      for (let i = 0; i < 5; i++) void peer.post(from(), call('eth_sendRawTransaction', raw));
    },
    flash: () => peer.stream(from(), pick([undefined, hashes(), word(3)])).then((end) => end()),
    stream: () => peer.stream(from(), pick([undefined, hashes()])).then((end) => held.push(end)),
    leave: () => held.splice(below(held.length), 1)[0]?.(),
    connect: () => peer.connect(from()).then((session) => session && sessions.push(session)),
    subscribe: () => receive(call('eth_subscribe', ...subscription())),
    toggle: async () => {
      const session = await peer.connect(from());
      await session?.receive(call('eth_subscribe', ...subscription()));
      session?.close();
    },
    unsubscribe: () => {
      for (const session of sessions)
        for (const topic of ['newHeads']) receive(call('eth_unsubscribe', topic + session.topics().length));
    },
    disconnect: () => sessions.splice(below(sessions.length), 1)[0]?.close(),
    vanish: () => {
      for (const end of held.splice(0)) end();
      for (const session of sessions.splice(0)) session.close();
    },
  };
  const names = Object.keys(table);
  const actions: Record<string, number> = {};
  let mood = { until: 0, pace: 0, favourite: '' };
  return {
    actions: actions as Readonly<Record<string, number>>,
    received: () => received,
    maxLength: () => maxLength,
    /** What it does in one second. */
    act(second: number): void {
      if (second >= mood.until)
        mood = { until: second + 1 + below(120), pace: pick([0, 1, 3, 10, 25]), favourite: pick(names) };
      for (let i = 0; i < mood.pace; i++) {
        const name = random() < 0.4 ? mood.favourite : pick(names);
        actions[name] = (actions[name] ?? 0) + 1;
        void table[name]?.();
      }
    },
  };
}
