import { afterEach, describe, expect, test, vi } from 'vitest';
import { createRandom } from '../../../test/support/random.js';
import { createRelayRig } from '../../../test/support/relay-rig.js';
import { address, createSimulatedChain, word } from '../../../test/support/simulated-chain.js';
import { createLimits, defaultLimits, type LimitOptions } from '../src/access/limits.js';
import type { Session } from '../src/session.js';

/**
 * Answers are charged by their bytes to the client that is sent them, whatever they cost the service.
 *
 * `RELAY_SEQUENCES=2000 npx vitest run --project unit packages/relay/test/session.bytes.test.ts` runs more sequences.
 */
const { RELAY_SEQUENCES: sequences = 40 } = process.env;

afterEach(() => {
  vi.restoreAllMocks();
});

const request = (method: string, params: unknown[] = [], id: unknown = 1) => ({
  jsonrpc: '2.0',
  id,
  method,
  params,
});
const batchOf = (count: number, method: string, params: unknown[] = []) =>
  Array.from({ length: count }, (_, id) => request(method, params, id));
const ask = async (session: Session, message: unknown) =>
  (await session.receive(JSON.stringify(message))).text ?? '';
const reasons = (text: string): unknown[] =>
  [JSON.parse(text)].flat().map(({ error }) => error?.data?.reason ?? 'none');

/** A relay whose service answers `web3_sha3` with as many characters as its param says. */
function setUp(given: LimitOptions = {}) {
  const simulated = createSimulatedChain();
  const written = { texts: 0, characters: 0 };
  const service = {
    ...simulated.service,
    async request(...[method, params, ...rest]: Parameters<typeof simulated.service.request>) {
      if (method !== 'web3_sha3') return simulated.service.request(method, params, ...rest);
      const characters = Number(params?.[0]);
      return {
        toJSON() {
          written.texts += 1;
          written.characters += characters;
          return 'x'.repeat(characters);
        },
      };
    },
  };
  const rig = createRelayRig({ chain: { ...simulated, service } });
  const clock = { now: 1_800_000_000_000 };
  const limits = createLimits({
    now: () => clock.now,
    limits: { messageBurst: 10_000, readBurst: 10_000, readsPerMinute: 10_000, ...given },
  });
  const open = (name = 'ip 203.0.113.9') => rig.core.session(33, limits.of(name, 33));
  return { ...rig, limits, clock, written, open, simulated };
}

describe('one text for each step', () => {
  test('equal requests of a batch share it, and each is charged for its bytes', async () => {
    const { open, written } = setUp({ answerBytesPerMinute: 100_000 });
    const text = await ask(open(), batchOf(20, 'web3_sha3', [5_000]));
    expect(written.texts).toBe(1);
    expect(reasons(text)).toEqual(new Array(20).fill('none'));
    expect(reasons(await ask(open(), request('web3_sha3', [1])))).toEqual(['rate']);
  });

  test('the rest of a batch is refused that is larger than the bytes that are left, and no text is made for it', async () => {
    const { open, written } = setUp({ answerBytesPerMinute: 12_000 });
    const text = await ask(open(), batchOf(20, 'web3_sha3', [5_000]));
    expect(reasons(text).filter((each) => each === 'none')).toHaveLength(3);
    expect(text.length).toBeLessThan(20_000);
    await ask(open(), batchOf(20, 'web3_sha3', [6_000]));
    expect(written.texts).toBe(1);
  });

  test('an answer in memory is neither read nor written again', async () => {
    const { open, simulated } = setUp();
    simulated.mine({ address: address(0xa), topics: [word(1)] });
    await ask(open(), request('eth_getBlockByNumber', ['latest', false]));
    const filter = { blockHash: simulated.head().hash };
    const first = await ask(open(), request('eth_getLogs', [filter]));
    await ask(open(), request('eth_getLogs', [filter]));
    const logs = JSON.stringify(JSON.parse(first).result);
    expect(logs.length).toBeGreaterThan(100);
    const parse = vi.spyOn(JSON, 'parse');
    const stringify = vi.spyOn(JSON, 'stringify');
    const texts = await Promise.all(
      [1, 2, 3].map(() =>
        open().receive(
          `[${new Array(5).fill(`{"jsonrpc":"2.0","id":1,"method":"eth_getLogs","params":[{"blockHash":"${filter.blockHash}"}]}`).join()}]`,
        ),
      ),
    );
    const read = parse.mock.calls.filter(([text]) => text === logs).length;
    const made = stringify.mock.results.filter(({ value }) => `${value}`.includes(logs)).length;
    vi.restoreAllMocks();
    expect([read, made]).toEqual([0, 0]);
    for (const { text } of texts) expect(JSON.parse(text ?? '')[4].result).toEqual(JSON.parse(logs));
  });
});

describe('bytes', () => {
  test('bytes of one client are one account, of POSTs and connections, on each chain', async () => {
    const { open, connect, limits } = setUp({ answerBytesPerMinute: 10_000 });
    await ask(open(), request('web3_sha3', [4_000]));
    await connect(limits.of('ip 203.0.113.9', 33)).call('web3_sha3', 7_000);
    expect(limits.of('ip 203.0.113.9', 30).full()).toMatchObject({ status: 429, retryAfter: 7 });
    expect(limits.of('ip 203.0.113.10', 33).full()).toBeUndefined();
  });

  test('come back with time: what was owed too', () => {
    const { limits, clock } = setUp({ answerBytesPerMinute: 60_000 });
    const client = limits.of('a');
    expect(client.answered(100_000)).toBe(true);
    expect(client.full()).toMatchObject({ retryAfter: 41 });
    clock.now += 41_000;
    expect(client.full()).toBeUndefined();
    expect(client.answered(130_000)).toBe(false);
  });

  test('bytes of errors count as well', async () => {
    const { open, limits } = setUp({ answerBytesPerMinute: 300 });
    for (let i = 0; i < 10; i++) await ask(open(), request('eth_nothing'));
    expect(limits.of('ip 203.0.113.9').full()).toBeDefined();
  });

  test('bytes that are pushed count as well: a connection ends where a whole minute is owed', async () => {
    const { connect, limits, simulated, advance } = setUp({ answerBytesPerMinute: 2_000 });
    const client = connect(limits.of('ip 203.0.113.9', 33));
    await client.call('eth_subscribe', 'newHeads');
    let blocks = 0;
    while (client.closedWith() === undefined && blocks < 20) {
      simulated.mine();
      blocks += 1;
      await advance(6_000);
    }
    const pushed = client.texts.reduce((sum, { length }) => sum + length, 0);
    expect(client.closedWith()).toBe(4004);
    expect(pushed).toBeLessThanOrEqual(2 * 2_000 + 2_000);
  });

  test('bytes that a connection has not read are counted for all of its client', async () => {
    const { connect, open, limits } = setUp({ unreadBytes: 1_000 });
    const client = connect(limits.of('ip 203.0.113.9', 33));
    client.unsent = 1_000;
    expect(reasons(await ask(open(), request('web3_sha3', [1])))).toEqual(['rate']);
    expect(reasons(await ask(open('ip 203.0.113.10'), request('web3_sha3', [1])))).toEqual(['none']);
    client.unsent = 999;
    expect(reasons(await ask(open(), request('web3_sha3', [1])))).toEqual(['none']);
    client.unsent = 1_000;
    client.session.close();
    expect(limits.of('ip 203.0.113.9').full()).toBeUndefined();
  });
});

describe.each([
  ['an address', ['ip 203.0.113.9'], 1],
  ['a /48', ['ip 2001:db8:1:1::/64', 'ip 2001:db8:1:2::/64', 'ip 2001:db8:1:ff00::/64'], 4],
] as const)('whatever %s asks', (_name, names, factor) => {
  test(`no more is written for it than its rate and one answer allow (${sequences} sequences)`, async () => {
    const perMinute = 20_000;
    for (let seed = 1; seed <= Number(sequences); seed++) {
      const random = createRandom(seed);
      const below = (max: number) => Math.floor(random() * max);
      const { open, clock, written } = setUp({ answerBytesPerMinute: perMinute });
      const startedAt = clock.now;
      let sent = 0;
      let largest = 0;
      for (let step = 0; step < 12; step++) {
        const asked = Array.from({ length: 1 + below(6) }, async () => {
          const size = below(3) === 0 ? below(15_000) : below(2_000);
          largest = Math.max(largest, size);
          const message =
            below(2) === 0
              ? batchOf(1 + below(20), 'web3_sha3', [size])
              : Array.from({ length: 1 + below(20) }, (_, i) =>
                  request('web3_sha3', [Math.max(0, size - i)]),
                );
          const text = await ask(open(names[below(names.length)]), message);
          for (const { result } of JSON.parse(text)) sent += result?.length ?? 0;
        });
        await Promise.all(asked);
        const allowed = factor * perMinute * (1 + (clock.now - startedAt) / 60_000) + largest;
        expect(sent, `seed ${seed}`).toBeLessThanOrEqual(allowed);
        expect(written.characters, `seed ${seed}`).toBeLessThanOrEqual(allowed);
        clock.now += below(30_000);
      }
      expect(reasons(await ask(open('ip 198.51.100.1'), request('web3_sha3', [9])))).toEqual(['none']);
    }
  });
});

test('a transaction beyond the limit is refused before it is read', async () => {
  const { open } = setUp({ sendBurst: 1 });
  const garbage = () => ask(open(), request('eth_sendRawTransaction', ['0xgarbage']));
  expect(JSON.parse(await garbage()).error.code).toBe(-32602);
  expect(JSON.parse(await garbage()).error.code).toBe(-32005);
  expect(defaultLimits.sendBurst).toBe(5);
});
