import { afterEach, describe, expect, test } from 'vitest';
import { createService } from '../../../src/service/client.js';
import { createFakeClock, settled } from '../../../test/support/fake-clock.js';
import { address, createSimulatedChain, word } from '../../../test/support/simulated-chain.js';
import { createRelayChain, outcomeOf } from '../src/chain.js';
import { createInProcessEngine } from '../src/engines/in-process.js';

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

/** A chain over HTTP, whose replies come from a simulated chain or from `answers`. */
function setUp(options: Partial<createRelayChain.Options> = {}) {
  const simulated = createSimulatedChain();
  const { clock, advance } = createFakeClock();
  const posted: { method: string; params: unknown[] }[] = [];
  const answers = new Map<string, (params: unknown[]) => unknown>();
  const reported: [string, number | 'failed'][] = [];
  const chain = createRelayChain({
    chainId: 33,
    urls: ['https://node.example/k3y-Planted0123456789'],
    interval: 6_000,
    clock,
    quotaStore: createInProcessEngine().quotaStore,
    upstream: (method, status) => void reported.push([method, status]),
    fetch: async (_url, init) => {
      const { id, method, params } = JSON.parse(`${init?.body}`);
      posted.push({ method, params });
      const answer = answers.get(method);
      try {
        const result = answer ? await answer(params) : await simulated.service.request(method, params);
        return Response.json({ jsonrpc: '2.0', id, result });
      } catch (error) {
        const { code = -32603, message } = error as { code?: number; message: string };
        return Response.json({ jsonrpc: '2.0', id, error: { code, message } });
      }
    },
    ...options,
  });
  ends.push(chain.close);
  const count = (method: string) => posted.filter((each) => each.method === method).length;
  return { chain, simulated, answers, posted, reported, count, clock, advance };
}

const balance = ['0x0000000000000000000000000000000000000001', 'latest'];

describe('reads', () => {
  test('a call that breaks the rules of its method is for the node to refuse, also while the head is known', async () => {
    const { chain, answers, count } = setUp();
    const refuse = () => {
      throw Object.assign(new Error('invalid argument'), { code: -32602 });
    };
    await chain.request('eth_getBlockByNumber', ['latest', false]);
    await chain.request('eth_getBlockByNumber', ['latest', false]);
    answers.set('eth_getLogs', refuse);
    answers.set('eth_blockNumber', refuse);
    const wrong = [
      { address: 'garbage' },
      { address: 5 },
      { topics: 'x' },
      { topics: ['0x12'] },
      { topics: [['0x12']] },
      { fromBlock: 'latest', toBlock: 'latest', address: '0x12' },
    ];
    for (const filter of wrong)
      await expect(chain.request('eth_getLogs', [filter])).rejects.toMatchObject({ code: -32602 });
    await expect(chain.request('eth_blockNumber', [1])).rejects.toMatchObject({ code: -32602 });
    expect(count('eth_getLogs')).toBe(wrong.length);
  });

  test('the outcome says how each was answered', async () => {
    const { chain, answers, count } = setUp();
    answers.set('eth_getBalance', () => '0x5');
    const both = await Promise.all([
      chain.request('eth_getBalance', balance),
      chain.request('eth_getBalance', balance),
    ]);
    expect(both).toEqual([
      { result: '0x5', outcome: 'upstream' },
      { result: '0x5', outcome: 'shared' },
    ]);
    // The head is read, since a repeated read was asked for; then it holds for all.
    for (let i = 0; i < 10; i++) await chain.request('eth_getBalance', balance);
    const before = count('eth_getBalance');
    expect(await chain.request('eth_getBalance', balance)).toEqual({ result: '0x5', outcome: 'hit' });
    expect(count('eth_getBalance')).toBe(before);
    expect(before).toBeLessThan(5);
  });

  test('equal reads under way are one below the cache, until a newer head is known or a transaction was sent', async () => {
    let asked = 0;
    const { chain, simulated, answers, count } = setUp({
      createClient(options) {
        const client = createService(options);
        return {
          ...client,
          request(method, ...call) {
            if (method === 'eth_getBalance') asked += 1;
            return client.request(method, ...call);
          },
        };
      },
    });
    let answer: (value: string) => void = () => {};
    answers.set('eth_getBalance', () => new Promise((resolve) => (answer = resolve as typeof answer)));
    await chain.request('eth_getBlockByNumber', ['latest', false]);
    const many = (length: number) => Array.from({ length }, () => chain.request('eth_getBalance', balance));
    const first = many(100);
    await until(() => count('eth_getBalance') > 0);
    const late = many(100);
    await settled();
    expect(asked).toBe(1);
    answer('0x5');
    const outcomes = (await Promise.all([...first, ...late])).map(({ outcome }) => outcome);
    expect(outcomes).toEqual(['upstream', ...Array.from({ length: 199 }, () => 'shared')]);

    const changes = [
      async () => {
        simulated.mine();
        await chain.request('eth_getBlockByNumber', ['latest', true]);
      },
      () => chain.request('eth_sendRawTransaction', ['0x00']).catch(() => {}),
    ];
    for (const [index, change] of changes.entries()) {
      answers.set('eth_getBalance', () => new Promise((resolve) => (answer = resolve as typeof answer)));
      const read = () => chain.request('eth_getBalance', [address(index), 'latest']);
      asked = 0;
      const before = read();
      await until(() => asked === 1);
      await change();
      const after = read();
      await until(() => asked === 2);
      answers.set('eth_getBalance', () => '0x6');
      answer('0x6');
      await Promise.all([before, after]);
    }
  });

  test('a rejection that equal reads share is an error of its own for each', async () => {
    const { chain, answers } = setUp();
    answers.set('eth_call', () => {
      throw Object.assign(new Error('VM Exception while processing transaction: revert no'), {
        code: -32015,
      });
    });
    const ask = () => chain.request('eth_call', [{ to: balance[0] }, 'latest']).catch((error) => error);
    const [one, other] = await Promise.all([ask(), ask()]);
    expect([outcomeOf(one), outcomeOf(other)]).toEqual(['upstream', 'shared']);
    expect(other).not.toBe(one);
    expect(other).toMatchObject({ code: one.code, message: one.message });
  });

  test('a rejected one has its outcome too', async () => {
    const { chain, answers } = setUp();
    const reverts = Object.assign(new Error('VM Exception while processing transaction: revert no'), {
      code: -32015,
    });
    answers.set('eth_call', () => {
      throw reverts;
    });
    const ask = () => chain.request('eth_call', [{ to: balance[0] }, 'latest']).catch((error) => error);
    expect(outcomeOf(await ask())).toBe('upstream');
    expect(outcomeOf(await ask())).toBe('hit');
  });

  test('results are checked before they are passed on or cached', async () => {
    const { chain, answers } = setUp();
    answers.set('eth_getBalance', () => 'much');
    await expect(chain.request('eth_getBalance', balance)).rejects.toMatchObject({ code: -32603 });
    answers.set('eth_getBalance', () => '0x5');
    expect((await chain.request('eth_getBalance', balance)).result).toBe('0x5');
  });

  test('a caller may change its result', async () => {
    const { chain, simulated } = setUp();
    const { hash } = simulated.mine();
    const ask = async () =>
      (await chain.request('eth_getBlockByHash', [hash, false])).result as { hash: unknown };
    (await ask()).hash = null;
    expect((await ask()).hash).toBe(hash);
  });

  test('each request upstream is reported with its status', async () => {
    const { chain, reported, answers } = setUp();
    answers.set('eth_gasPrice', () => '0x1');
    await chain.request('eth_gasPrice', []);
    expect(reported).toEqual([['eth_gasPrice', 200]]);
  });
});

describe('sends', () => {
  test('equal bytes under way are one', async () => {
    const { chain, answers, count } = setUp();
    let finish = () => {};
    answers.set(
      'eth_sendRawTransaction',
      () =>
        new Promise((resolve) => {
          finish = () => resolve(word(5));
        }),
    );
    const both = [
      chain.request('eth_sendRawTransaction', ['0xAB']),
      chain.request('eth_sendRawTransaction', ['0xab']),
    ];
    await settled();
    finish();
    expect(await Promise.all(both)).toEqual([
      { result: word(5), outcome: 'upstream' },
      { result: word(5), outcome: 'shared' },
    ]);
    expect(count('eth_sendRawTransaction')).toBe(1);
    answers.set('eth_sendRawTransaction', () => word(5));
    await chain.request('eth_sendRawTransaction', ['0xab']);
    expect(count('eth_sendRawTransaction')).toBe(2);
  });

  test('a send makes the answers of the head stale', async () => {
    const { chain, answers, count, advance } = setUp();
    answers.set('eth_getBalance', () => '0x5');
    answers.set('eth_sendRawTransaction', () => word(5));
    for (let i = 0; i < 5; i++) await chain.request('eth_getBalance', balance);
    const before = [count('eth_getBlockByNumber'), count('eth_getBalance')];
    await chain.request('eth_getBalance', balance);
    expect([count('eth_getBlockByNumber'), count('eth_getBalance')]).toEqual(before);
    await advance(10);
    await chain.request('eth_sendRawTransaction', ['0xab']);
    await advance(10);
    await chain.request('eth_getBalance', balance);
    expect(count('eth_getBlockByNumber') + count('eth_getBalance')).toBeGreaterThan(
      (before[0] ?? 0) + (before[1] ?? 0),
    );
  });
});

describe('the head', () => {
  test('a tick polls, also where a read has just polled', async () => {
    const { chain, simulated, advance, count } = setUp();
    const steps: unknown[] = [];
    chain.follow([]).watch((step) => void steps.push(step));
    await until(() => chain.height() !== null);
    await advance(5_500);
    const before = count('eth_getBlockByNumber');
    await chain.request('eth_blockNumber', []);
    await chain.request('eth_getBlockByNumber', ['latest', false]);
    expect(count('eth_getBlockByNumber')).toBe(before + 1);
    simulated.mine();
    await advance(500);
    await until(() => steps.length === 1);
    expect(count('eth_getBlockByNumber')).toBe(before + 2);
  });

  test('a poll of a read tells the follower at once, without another request', async () => {
    const { chain, simulated, advance, count } = setUp();
    const steps: unknown[] = [];
    chain.follow([]).watch((step) => void steps.push(step));
    await until(() => chain.height() !== null);
    await advance(5_900);
    simulated.mine();
    const before = count('eth_getBlockByNumber');
    for (let i = 0; i < 3; i++) await chain.request('eth_blockNumber', []);
    await until(() => steps.length > 0);
    expect(count('eth_getBlockByNumber')).toBe(before + 1);
  });

  test('clients that poll have each block within a second, whatever the interval is', async () => {
    const { chain, simulated, count, advance } = setUp({ requestsPerDay: null, requestsPerSecond: null });
    const height = async () => Number((await chain.request('eth_blockNumber', [])).result);
    await height();
    for (let i = 0; i < 5; i++) {
      simulated.mine();
      await advance(1_000);
      expect(await height()).toBe(Number(simulated.head().number));
    }
    const before = count('eth_getBlockByNumber') + count('eth_blockNumber');
    for (let i = 0; i < 20; i++) {
      await height();
      await advance(100);
    }
    // They share the poll of each second.
    expect(count('eth_getBlockByNumber') + count('eth_blockNumber') - before).toBeLessThanOrEqual(3);
  });

  test.each(['eth_getBalance', 'eth_getTransactionReceipt', 'eth_getLogs'])(
    '%s is asked once for each head, from the first poll on',
    async (method) => {
      const { chain, simulated, answers, count, advance } = setUp({
        requestsPerDay: null,
        requestsPerSecond: null,
      });
      const params = {
        eth_getBalance: () => balance,
        eth_getTransactionReceipt: () => [word(Number(simulated.head().number))],
        eth_getLogs: () => [{ fromBlock: simulated.head().number, toBlock: simulated.head().number }],
      }[method] as () => unknown[];
      const inHead = () => ({ blockHash: simulated.head().hash, blockNumber: simulated.head().number });
      answers.set('eth_getBalance', () => simulated.head().number);
      answers.set('eth_getTransactionReceipt', ([transactionHash]) => ({
        ...{ ...inHead(), transactionHash, transactionIndex: '0x0', logs: [], status: '0x1' },
        ...{
          from: balance[0],
          to: null,
          cumulativeGasUsed: '0x1',
          gasUsed: '0x1',
          logsBloom: `0x${'0'.repeat(512)}`,
        },
      }));
      for (let block = 0; block < 5; block++) {
        simulated.mine({ address: address(7), topics: [word(1)] });
        await advance(1_000);
        await chain.request('eth_blockNumber', []);
        await chain.request('eth_getBlockByNumber', ['latest', false]);
        const before = count(method);
        for (let second = 0; second < 9; second++) {
          await chain.request(method, params());
          await advance(1_000);
          await chain.request('eth_getBlockByNumber', ['latest', false]);
        }
        expect(count(method) - before).toBe(1);
      }
    },
  );

  test('height, age and interval', async () => {
    const { chain, advance } = setUp();
    expect([chain.height(), chain.age(), chain.interval(), chain.follower]).toEqual([
      null,
      null,
      6_000,
      undefined,
    ]);
    chain.follow([]).watch(() => {});
    await until(() => chain.height() !== null);
    await advance(100);
    expect([chain.height(), chain.age()]).toEqual([0, 100]);
  });
});

describe('the daily quota', () => {
  test('its rest is kept for heads and sends', async () => {
    const { chain, answers, simulated } = setUp({ requestsPerDay: 100, requestsPerSecond: null });
    answers.set('net_peerCount', () => '0x1');
    answers.set('eth_sendRawTransaction', () => word(5));
    expect(chain.quota()).toMatchObject({ today: 0, perDay: 100, state: 'normal' });
    let refused: { code?: number; data?: { retryAfter?: number } } | undefined;
    for (let i = 0; i < 100 && !refused; i++)
      await chain.request('net_peerCount', []).catch((error) => {
        refused = error;
      });
    expect(refused).toMatchObject({ code: -32005, data: { reason: 'quota' } });
    expect(refused?.data?.retryAfter).toBeGreaterThan(0);
    expect(chain.quota()?.today).toBe(90);
    await chain.request('eth_sendRawTransaction', ['0x01']);
    chain.follow([]).watch(() => {});
    await until(() => chain.height() !== null);
    expect(chain.quota()?.today).toBe(92);
    // From memory it is still answered.
    expect((await chain.request('eth_blockNumber', [])).result).toBe(simulated.head().number);
  });

  test('polls between two intervals take no more than an even share of it', async () => {
    const { chain, count, clock, advance } = setUp({ requestsPerDay: 24_000, requestsPerSecond: null });
    const even = () => (24_000 * 0.9 * clock.now()) / 86_400_000;
    let most = 0;
    for (let second = 0; second < 3_600; second++) {
      await chain.request('eth_blockNumber', []);
      most = Math.max(most, (chain.quota()?.today ?? 0) - even());
      await advance(1_000);
    }
    // The requests that the first minutes of the day have left are spent; then one poll for each interval.
    expect(most).toBeLessThanOrEqual(1);
    expect(count('eth_getBlockByNumber') + count('eth_blockNumber')).toBeGreaterThan(3_600 / 6);
  });

  test('a service on this machine has none, unless it is configured', () => {
    const urls = ['http://127.0.0.1:4444'];
    expect(setUp({ urls }).chain.quota()).toBeUndefined();
    expect(setUp({ urls, requestsPerDay: 10 }).chain.quota()).toMatchObject({ perDay: 10 });
    expect(setUp().chain.quota()).toMatchObject({ perDay: 25_000 });
    expect(setUp({ requestsPerDay: null }).chain.quota()).toMatchObject({ perDay: null });
  });

  test('a node on this machine spends none of it, beside a hosted one too', async () => {
    const { chain, answers, count } = setUp({
      urls: ['http://127.0.0.1:4444', 'https://node.example/k3y-Planted0123456789'],
    });
    answers.set('eth_getBalance', () => '0x1');
    await chain.request('eth_getBalance', balance);
    expect(count('eth_getBalance')).toBe(1);
    expect(chain.quota()?.today).toBe(0);
  });
});

describe('charges of a client', () => {
  test('each HTTP request is reported: repeated ones, and the poll that a read from memory begins', async () => {
    const { chain, answers, count, advance, posted } = setUp();
    answers.set('eth_getBalance', () => '0x5');
    const requestsFor = async (method: string, params: readonly unknown[]) => {
      let requests = 0;
      const onRequest = () => {
        requests += 1;
      };
      await chain.request(method, params, { onRequest }).catch(() => {});
      return requests;
    };
    const before = posted.length;
    let reported = 0;
    for (let i = 0; i < 30; i++) {
      reported += await requestsFor('eth_getBalance', balance);
      reported += await requestsFor('eth_blockNumber', []);
      await advance(1_000);
    }
    // A poll for each 5.4 s, and what is read before it pays.
    expect(count('eth_getBlockByNumber')).toBeGreaterThan(3);
    expect(reported).toBe(posted.length - before);
    let failures = 2;
    answers.set('eth_gasPrice', () => {
      if (failures-- > 0) throw Object.assign(new Error('temporary internal error'), { code: -32000 });
      return '0x1';
    });
    expect(await requestsFor('eth_gasPrice', [])).toBe(3);
  });

  test('a start reports each of its requests, and uses a poll that a read has just made', async () => {
    const { chain, simulated, count, advance } = setUp();
    let requests = 0;
    const start = () =>
      chain
        .follow([], {
          onRequest() {
            requests += 1;
          },
        })
        .watch(() => {});
    const stop = start();
    await until(() => chain.height() !== null);
    expect(requests).toBe(1);
    stop();
    await advance(10_000);
    simulated.mine();
    await chain.request('eth_blockNumber', []);
    await chain.request('eth_blockNumber', []);
    const before = count('eth_getBlockByNumber');
    start();
    await settled();
    expect(requests).toBe(1);
    expect(count('eth_getBlockByNumber')).toBe(before);
  });

  test('a follower that is stopped before it polls saves the poll', async () => {
    const { chain, count, advance } = setUp();
    let polls = 0;
    const follower = chain.follow([], {
      beforePoll() {
        polls += 1;
        if (polls === 3) follower.stop();
      },
    });
    follower.watch(() => {});
    for (let i = 0; i < 10; i++) {
      await settled();
      await advance(6_000);
    }
    expect([polls, count('eth_getBlockByNumber')]).toEqual([3, 2]);
  });

  test('a chain id is confirmed once a minute, and the request is reported to the client that causes it', async () => {
    const { chain, count, answers } = setUp();
    answers.set('eth_chainId', () => '0x21');
    let requests = 0;
    const ask = () =>
      chain.isConfirmed(() => {
        requests += 1;
      });
    expect(chain.wasConfirmed()).toBe(false);
    expect(await Promise.all([ask(), ask()])).toEqual([true, true]);
    expect(await ask()).toBe(true);
    expect([requests, count('eth_chainId'), chain.wasConfirmed()]).toEqual([1, 1, true]);
  });

  test('polls of the head leave the last 50th of the day to transactions', async () => {
    const { chain, answers, count, advance } = setUp({ requestsPerDay: 100, requestsPerSecond: null });
    answers.set('eth_sendRawTransaction', () => word(5));
    chain.follow([]).watch(() => {});
    for (let i = 0; i < 300; i++) await advance(96_000);
    expect(count('eth_getBlockByNumber')).toBe(98);
    await chain.request('eth_sendRawTransaction', ['0x01']);
    expect(chain.quota()?.today).toBe(99);
  });

  test('a refused transaction does not make the reads of others go to the service again', async () => {
    const { chain, answers, count } = setUp();
    answers.set('eth_getBalance', () => '0x5');
    answers.set('eth_sendRawTransaction', () => {
      throw Object.assign(new Error('insufficient funds'), { code: -32010 });
    });
    for (let i = 0; i < 4; i++) await chain.request('eth_getBalance', balance);
    const before = [count('eth_getBalance'), count('eth_getBlockByNumber')];
    await expect(chain.request('eth_sendRawTransaction', ['0x01'])).rejects.toMatchObject({ code: -32003 });
    expect((await chain.request('eth_getBalance', balance)).outcome).toBe('hit');
    expect([count('eth_getBalance'), count('eth_getBlockByNumber')]).toEqual(before);
  });

  test.each([
    ['eth_getStorageAt', ['0x0000000000000000000000000000000000000001', '0x0', 'latest'], '0x2a'],
    [
      'eth_getProof',
      ['0x0000000000000000000000000000000000000001', [], 'latest'],
      { accountProof: [], storageHash: word(1) },
    ],
    ['eth_getUncleByBlockNumberAndIndex', ['latest', '0x0'], null],
    ['eth_getUncleByBlockHashAndIndex', [word(9), '0x0'], null],
    ['rsk_getRawBlockHeaderByNumber', ['latest'], '0xab'],
    ['rsk_getRawBlockHeaderByHash', [word(9)], '0xab'],
  ])('a nonsensical reply to %s is neither passed on nor kept', async (method, params, result) => {
    const { chain, answers } = setUp();
    for (const nonsense of [{ html: 1 }, 'much', 7, ['0x'], true]) {
      answers.set(method, () => nonsense);
      for (let i = 0; i < 3; i++)
        await expect(chain.request(method, params)).rejects.toMatchObject({ code: -32603 });
    }
    answers.set(method, () => result);
    expect((await chain.request(method, params)).result).toEqual(result);
  });

  test('a result without a check is not kept', async () => {
    const { chain, answers, count } = setUp();
    answers.set('trace_block', () => 'anything');
    for (let i = 0; i < 5; i++) await chain.request('trace_block', ['0x0']);
    expect(count('trace_block')).toBe(5);
  });
});

describe("the node's announcements", () => {
  class FakeSocket {
    static opened: FakeSocket[] = [];
    readonly sent: string[] = [];
    closed = false;
    onopen?: () => void;
    onmessage?: (event: { data: string }) => void;
    onerror?: () => void;
    onclose?: () => void;
    constructor() {
      FakeSocket.opened.push(this);
    }
    send(text: string) {
      this.sent.push(text);
    }
    close() {
      this.closed = true;
    }
    confirm() {
      this.onopen?.();
      this.onmessage?.({ data: '{"jsonrpc":"2.0","id":1,"result":"0x1"}' });
    }
    announce(block: object) {
      const params = { subscription: '0x1', result: block };
      this.onmessage?.({ data: JSON.stringify({ jsonrpc: '2.0', method: 'eth_subscription', params }) });
    }
  }
  const socket = () => FakeSocket.opened.at(-1) as FakeSocket;
  const withSocket = () =>
    setUp({
      socket: 'wss://node.example/k3y-Planted0123456789',
      interval: undefined,
      WebSocket: FakeSocket as unknown as new (url: string) => WebSocket,
    });

  test('polls are rare while they come, and one poll follows each', async () => {
    const { chain, simulated, count, advance } = withSocket();
    expect(chain.interval()).toBe(6_000);
    const steps: { added: readonly { hash: string }[] }[] = [];
    const unwatch = chain.follow([]).watch((step) => void steps.push(step));
    await until(() => chain.height() !== null);
    socket().confirm();
    await until(() => count('eth_getBlockByNumber') === 2);
    // A confirmation is no head.
    expect(chain.interval()).toBe(6_000);
    const block = simulated.mine();
    socket().announce(block);
    await until(() => steps.length === 1);
    expect(steps[0]?.added[0]?.hash).toBe(block.hash);
    expect(chain.interval()).toBe(30_000);
    socket().announce(block);
    await advance(29_000);
    expect(count('eth_getBlockByNumber')).toBe(3);
    await advance(2_000);
    await until(() => count('eth_getBlockByNumber') === 4);
    unwatch();
    expect(socket().closed).toBe(true);
  });

  test('a block that the node does not have yet is polled for again', async () => {
    const { chain, simulated, advance } = withSocket();
    const steps: unknown[] = [];
    chain.follow([]).watch((step) => void steps.push(step));
    await until(() => chain.height() !== null);
    socket().confirm();
    await settled();
    socket().announce({ number: '0x1', hash: word(7) });
    await settled();
    simulated.mine();
    await advance(600);
    await until(() => steps.length === 1);
  });

  test('a node that no longer announces its blocks is connected to again', async () => {
    const { chain, simulated, advance } = withSocket();
    const steps: unknown[] = [];
    chain.follow([]).watch((step) => void steps.push(step));
    await until(() => chain.height() !== null);
    socket().confirm();
    await settled();
    const first = socket();
    for (const found of [1, 2]) {
      simulated.mine();
      await advance(30_000);
      await until(() => steps.length === found);
    }
    expect(first.closed).toBe(true);
    await advance(2_100);
    expect(socket()).not.toBe(first);
  });

  test('without the connection it polls as usual, and connects again', async () => {
    const { chain, simulated, advance } = withSocket();
    chain.follow([]).watch(() => {});
    await until(() => chain.height() !== null);
    socket().confirm();
    const first = socket();
    first.onclose?.();
    expect(chain.interval()).toBe(6_000);
    await advance(2_100);
    expect(socket()).not.toBe(first);
    socket().onerror?.();
    await advance(2_000);
    const third = socket();
    await advance(3_000);
    expect(socket()).not.toBe(third);
    socket().confirm();
    socket().announce(simulated.mine());
    await until(() => chain.interval() === 30_000);
    // Silence is a lost connection.
    await advance(181_000);
    expect(chain.interval()).toBe(6_000);
  });
});

async function until(isTrue: () => boolean): Promise<void> {
  for (let i = 0; i < 200 && !isTrue(); i++) await settled();
  expect(isTrue()).toBe(true);
}

test('the requests that are repeated for a failing read are of who asked first, not of those that join it', async () => {
  const { chain, answers, count, advance } = setUp({ deadline: 1_000 });
  answers.set('eth_getBalance', () => {
    throw Object.assign(new Error('please retry'), { code: -32603 });
  });
  const sent = [0, 0, 0];
  const bytes = [0, 0, 0];
  const asked = sent.map((_, i) =>
    chain
      .request('eth_getBalance', balance, {
        onRequest() {
          sent[i] = (sent[i] ?? 0) + 1;
        },
        onReply(length) {
          bytes[i] = (bytes[i] ?? 0) + length;
        },
      })
      .catch(() => {}),
  );
  let isOver = false;
  void Promise.all(asked).then(() => {
    isOver = true;
  });
  while (!isOver) {
    await settled();
    await advance(100);
  }
  expect(count('eth_getBalance')).toBeGreaterThan(1);
  expect(sent).toEqual([count('eth_getBalance'), 0, 0]);
  expect(bytes[0]).toBeGreaterThan(0);
  expect(bytes.slice(1)).toEqual([0, 0]);
});
