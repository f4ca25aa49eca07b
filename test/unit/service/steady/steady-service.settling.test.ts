import { describe, expect, test } from 'vitest';
import { ProviderRpcError } from '../../../../src/rpc/errors.js';
import { createSettling } from '../../../../src/service/steady/settling.js';
import { createSteadyService } from '../../../../src/service/steady/steady-service.js';
import { word } from '../../../support/simulated-chain.js';
import { setup } from './setup.js';

const receipt = (tx = 42) => ['eth_getTransactionReceipt', [word(tx)]] as const;
const latest = ['eth_getBlockByNumber', ['latest', false]] as const;
const behind = { code: -32603, data: { reason: 'behind' } };
const sum = (counts: readonly string[], method: string) => counts.filter((each) => each === method).length;

describe('the head', () => {
  test('does not go back: the number of a node that is behind costs one question', async () => {
    const { nodes, ahead, request, methods } = setup();
    const { number } = await ahead();
    nodes.route([1, 0]);
    expect(await request('eth_blockNumber', [])).toBe(number);
    expect(methods()).toEqual(['eth_blockNumber', 'eth_getBlockByNumber']);
  });

  test('needs no question while nodes differ and it was shown less than 3 s ago', async () => {
    const { nodes, ahead, request, methods, time } = setup();
    const { number } = await ahead();
    nodes.route([1, 0]);
    await request('eth_blockNumber', []);
    nodes.route([1]);
    nodes.asked.length = 0;
    await time.advance(2_900);
    expect(await request('eth_blockNumber', [])).toBe(number);
    expect(methods()).toEqual(['eth_blockNumber']);
    await time.advance(200);
    nodes.route([1, 0]);
    expect(await request('eth_blockNumber', [])).toBe(number);
    expect(methods().slice(1)).toEqual(['eth_blockNumber', 'eth_getBlockByNumber']);
  });

  test('is the block itself where latest is behind', async () => {
    const { nodes, ahead, request, methods } = setup();
    const { hash } = await ahead();
    nodes.route([1, 0]);
    expect(await request(...latest)).toMatchObject({ hash });
    expect(methods()).toHaveLength(2);
  });

  test('is an error where latest is behind and no node has the block, but the number stays', async () => {
    const { nodes, ahead, request } = setup();
    const { number } = await ahead();
    nodes.route([1]);
    await expect(request(...latest)).rejects.toMatchObject(behind);
    expect(await request('eth_blockNumber', [])).toBe(number);
  });

  test('each caller gets a block of its own, which it may change', async () => {
    const { nodes, ahead, time, steady } = setup();
    const { hash } = await ahead();
    nodes.route((_, [selector]) => (selector === 'latest' ? 1 : 0));
    const [first, second] = (await time.until(
      Promise.all([steady.request(...latest), steady.request(...latest)]),
    )) as { hash: unknown }[];
    if (first) first.hash = 'changed';
    expect(second).toMatchObject({ hash });
    expect(await time.until(steady.request(...latest))).toMatchObject({ hash });
  });

  test('an answer to a request from before the top rose costs nothing and shows nothing', async () => {
    const { nodes, ahead, time, steady, request, methods } = setup();
    let release = () => {};
    const held = new Promise<undefined>((resolve) => {
      release = () => resolve(undefined);
    });
    nodes.intercept((method) => (method === 'eth_blockNumber' ? held.then(() => '0xa') : undefined));
    const early = steady.request('eth_blockNumber', []);
    await time.advance(10);
    nodes.intercept();
    const { number } = await ahead();
    release();
    expect(await time.until(early)).toBe(number);
    expect(methods()).toEqual([]);
    await time.advance(2_500);
    await request('eth_getBalance', [nodes.account, 'latest']);
    expect(nodes.asked.map(({ params }) => params[1])).toEqual(['latest']);
  });

  test('a rival of the same height and work does not replace it, one with more work does', async () => {
    const { nodes, ahead, request, methods } = setup();
    const shown = await ahead();
    const [parent] = nodes.chainOf(shown).slice(-2);
    nodes.tips[1] = nodes.mine(parent);
    nodes.route([1, 0]);
    expect(await request(...latest)).toMatchObject({ hash: shown.hash });
    nodes.tips[1] = nodes.mine(parent, { work: 2 });
    nodes.route([1]);
    nodes.asked.length = 0;
    expect(await request(...latest)).toMatchObject({ hash: nodes.tips[1].hash });
    expect(methods()).toHaveLength(1);
  });
});

describe('a reorganisation', () => {
  test('a reorganisation that a higher block proves is passed on at once', async () => {
    const { nodes, ahead, reorganise, request, methods } = setup();
    await ahead();
    const tip = reorganise();
    nodes.route([0]);
    expect(await request(...latest)).toMatchObject({ hash: tip.hash });
    expect(methods()).toHaveLength(1);
    expect(await request(...receipt())).toBeNull();
    expect(methods()).toHaveLength(2);
  });

  test('a reorganisation that a receipt shows first takes two reads and five questions, 750 ms', async () => {
    const { nodes, ahead, reorganise, request, methods, now } = setup();
    await ahead();
    reorganise();
    nodes.route([0]);
    const startedAt = now();
    expect(await request(...receipt())).toBeNull();
    expect(sum(methods(), 'eth_getBlockByNumber')).toBe(5);
    expect(sum(methods(), 'eth_getTransactionReceipt')).toBe(3);
    expect(now() - startedAt).toBe(750);
  });

  test('is proven by four answers of eight where the others are null', async () => {
    const { nodes, ahead, request } = setup({ count: 3 });
    const shown = await ahead();
    nodes.tips[2] = nodes.mine(nodes.tips[1]);
    let asks = 0;
    nodes.route((method) => (method === 'eth_getBlockByNumber' ? 1 + (asks++ % 2) : 1));
    expect(await request(...receipt())).toBeNull();
    expect(asks).toBe(8);
    expect(shown.number).toBe(nodes.tips[2].number);
  });

  test('is not believed with three answers of eight', async () => {
    const { nodes, ahead, request } = setup({ count: 3 });
    await ahead();
    nodes.tips[2] = nodes.mine(nodes.tips[1]);
    let asks = 0;
    nodes.route((method) => (method === 'eth_getBlockByNumber' ? (asks++ < 3 ? 2 : 1) : 1));
    await expect(request(...receipt())).rejects.toMatchObject(behind);
  });

  test('a reorganisation to a lower head, of a chain that was set back, is believed after 20 s without the top', async () => {
    const { nodes, ahead, request, time } = setup();
    const { number } = await ahead();
    nodes.tips[0] = nodes.tips[1] as never;
    nodes.route([0]);
    expect(await request('eth_blockNumber', [])).toBe(number);
    await time.advance(10_000);
    // A page that polls does not keep the lost head alive.
    expect(await request('eth_blockNumber', [])).toBe(number);
    await time.advance(10_000);
    expect(await request('eth_blockNumber', [])).toBe('0xa');
    expect(await request(...latest)).toMatchObject({ number: '0xa' });
    expect(await request(...receipt())).toBeNull();
  });

  test('a reorganisation to a lower head at a single endpoint on this machine is believed at once: eight questions, 630 ms', async () => {
    const { nodes, ahead, request, now, methods } = setup({ urls: ['http://127.0.0.1:1'] });
    await ahead();
    nodes.tips[0] = nodes.tips[1] as never;
    const startedAt = now();
    expect(await request('eth_blockNumber', [])).toBe('0xa');
    expect(sum(methods(), 'eth_getBlockByNumber')).toBe(8);
    expect(now() - startedAt).toBe(630);
  });

  test.each([['two endpoints on this machine', ['http://127.0.0.1:1', 'http://127.0.0.1:2']]])(
    'a reorganisation to a lower head is not believed at once at %s',
    async (_name, urls) => {
      const { nodes, ahead, request } = setup({ urls });
      const { number } = await ahead();
      nodes.tips[0] = nodes.tips[1] as never;
      expect(await request('eth_blockNumber', [])).toBe(number);
    },
  );

  test('a reorganisation by evm_revert through the wallet is believed without a question', async () => {
    const { nodes, ahead, request, methods } = setup({ urls: ['http://127.0.0.1:1'] });
    await ahead();
    nodes.tips[0] = nodes.tips[1] as never;
    await request('evm_revert', ['0x1']);
    expect(await request('eth_blockNumber', [])).toBe('0xa');
    expect(await request(...receipt())).toBeNull();
    expect(methods().slice(0, 3)).toEqual(['evm_revert', 'eth_blockNumber', 'eth_getTransactionReceipt']);
    // Where requests cost nothing, the transactions of the newest block are read.
    expect(methods().slice(3)).toEqual(['eth_getBlockByNumber']);
  });
});

describe('the budget', () => {
  test('eight reads, where the block stands and no node has the receipt', async () => {
    const { nodes, ahead, request, methods, now } = setup();
    await ahead();
    nodes.route((method) => (method === 'eth_getTransactionReceipt' ? 1 : 0));
    const startedAt = now();
    await expect(request(...receipt())).rejects.toMatchObject(behind);
    expect(sum(methods(), 'eth_getTransactionReceipt')).toBe(8);
    expect(now() - startedAt).toBeLessThanOrEqual(3_200);
  });

  test('a receipt that was shown is answered from memory then', async () => {
    const { nodes, ahead, request } = setup();
    const { hash } = await ahead();
    const shown = await request(...receipt());
    nodes.route((method) => (method === 'eth_getTransactionReceipt' ? 1 : 0));
    expect(await request(...receipt())).toEqual(shown);
    expect(shown).toMatchObject({ blockHash: hash });
  });

  test('halves while the daily quota runs out', async () => {
    const { nodes, ahead, request, methods } = setup({ quota: () => 'saving' });
    await ahead();
    nodes.route((method) => (method === 'eth_getTransactionReceipt' ? 1 : 0));
    await expect(request(...receipt())).rejects.toMatchObject(behind);
    expect(sum(methods(), 'eth_getTransactionReceipt')).toBe(4);
    nodes.route([1]);
    nodes.asked.length = 0;
    await expect(request(...receipt())).rejects.toMatchObject(behind);
    expect(sum(methods(), 'eth_getBlockByNumber')).toBeLessThanOrEqual(4);
  });

  test('a second, for which unknown blocks are not asked about again', async () => {
    const { nodes, ahead, request, methods, time } = setup();
    await ahead();
    nodes.route([1]);
    await expect(request(...receipt())).rejects.toMatchObject(behind);
    expect(sum(methods(), 'eth_getBlockByNumber')).toBe(8);
    await expect(request('eth_getTransactionByHash', [word(42)])).rejects.toMatchObject(behind);
    expect(sum(methods(), 'eth_getBlockByNumber')).toBe(8);
    await time.advance(1_000);
    await expect(request(...receipt())).rejects.toMatchObject(behind);
    expect(sum(methods(), 'eth_getBlockByNumber')).toBe(16);
  });

  test('ends at the deadline of ten seconds, counted from the first request', async () => {
    const { nodes, ahead, time, steady, now } = setup();
    await ahead();
    nodes.route([1]);
    const slow = () =>
      new Promise<undefined>((resolve) => time.clock.setTimeout(() => resolve(undefined), 2_000));
    nodes.intercept(slow);
    const startedAt = now();
    const answer = steady.request(...receipt()).catch((error) => ({ error, at: now() }));
    expect(await time.until(answer)).toMatchObject({ error: behind });
    expect((await answer) as { at: number }).toMatchObject({ at: startedAt + 10_000 });
  });

  test('concurrent reads share the questions', async () => {
    const { nodes, ahead, time, steady, methods } = setup();
    await ahead();
    nodes.route([1]);
    const reads = Array.from({ length: 10 }, () =>
      steady.request(...receipt()).catch((error) => error.data.reason),
    );
    expect(await time.until(Promise.all(reads))).toEqual(Array(10).fill('behind'));
    expect(sum(methods(), 'eth_getBlockByNumber')).toBe(8);
  });

  test('a caller that leaves ends its own wait, and the questions end with the last caller', async () => {
    const { nodes, ahead, time, steady, methods } = setup();
    await ahead();
    nodes.route([1]);
    const [first, second] = [new AbortController(), new AbortController()];
    const reads = [first, second].map(({ signal }) =>
      steady.request(...receipt(), { signal }).catch((error) => error.message),
    );
    await time.advance(400);
    first.abort();
    expect(await time.until(reads[0] as Promise<unknown>)).toBe('The request was aborted');
    await time.advance(400);
    const asked = methods().length;
    expect(asked).toBeGreaterThan(5);
    second.abort();
    expect(await time.until(reads[1] as Promise<unknown>)).toBe('The request was aborted');
    await time.advance(10_000);
    expect(methods().length).toBe(asked);
    expect(time.next()).toBeUndefined();
  });

  test('an outage is no contradiction: its error is passed on', async () => {
    const { nodes, ahead, request } = setup();
    await ahead();
    nodes.intercept(() => {
      throw new ProviderRpcError(-32002, 'The service could not be reached');
    });
    await expect(request(...receipt())).rejects.toMatchObject({ code: -32002 });
    nodes.intercept((method) => {
      if (method === 'eth_getBlockByNumber')
        throw new ProviderRpcError(-32002, 'The service could not be reached');
    });
    nodes.route([1]);
    await expect(request(...receipt())).rejects.toMatchObject({ code: -32002 });
    nodes.intercept();
    nodes.route([0]);
    expect(await request(...receipt())).not.toBeNull();
  });

  test('reads after the first go to another endpoint, and the questions keep priority, payer and id', async () => {
    const { nodes, ahead, steady, time } = setup();
    await ahead();
    nodes.route([1]);
    const seen: unknown[] = [];
    const { request } = nodes.service;
    nodes.service.request = (method, params, { elsewhere, priority, asked } = {}) => {
      seen.push([method, elsewhere ?? false, priority, asked]);
      return request(method, params);
    };
    await time.until(steady.request(...receipt(), { priority: 'background', asked: 7 }).catch(() => {}));
    expect(seen.slice(0, 3)).toEqual([
      ['eth_getTransactionReceipt', false, 'background', 7],
      ['eth_getTransactionReceipt', true, 'background', 7],
      ['eth_getBlockByNumber', true, 'background', 7],
    ]);
  });
});

describe('transactions', () => {
  test('transactions of a shown block are placed, so that a node behind cannot answer null', async () => {
    const { nodes, ahead, request } = setup();
    const { hash } = await ahead({ transactions: [41, 42, 43] });
    for (const transaction of [41, 42, 43]) {
      nodes.route([1, 0]);
      expect(await request(...receipt(transaction))).toMatchObject({ blockHash: hash });
    }
  });

  test('transactions that logs have shown are placed', async () => {
    const { nodes, request } = setup();
    const block = nodes.mine(nodes.tips[0], { transactions: [42], logs: [1] });
    nodes.tips[0] = block;
    nodes.route([0]);
    await request('eth_getLogs', [{ fromBlock: block.number, toBlock: 'latest' }]);
    nodes.route([1, 0]);
    expect(await request(...receipt())).toMatchObject({ blockHash: block.hash });
  });

  test('transactions in a block that was not shown may be null or pending', async () => {
    const { nodes, request, methods } = setup();
    nodes.tips[0] = nodes.mine(nodes.tips[0], { transactions: [42] });
    nodes.route([1]);
    await request(...latest);
    expect(await request(...receipt())).toBeNull();
    expect(methods()).toHaveLength(2);
  });

  test('while nodes differ null is checked against the newest six blocks, once for each block', async () => {
    const { nodes, ahead, request, methods } = setup();
    await ahead();
    nodes.route([1, 0]);
    await request('eth_blockNumber', []);
    const block = nodes.mine(nodes.tips[0], { transactions: [77] });
    nodes.tips[0] = block;
    nodes.route([0]);
    await request('eth_blockNumber', []);
    nodes.route([1, 0]);
    expect(await request(...receipt(77))).toMatchObject({ blockHash: block.hash });
    nodes.asked.length = 0;
    nodes.route([1]);
    expect(await request(...receipt(78))).toBeNull();
    expect(methods()).toEqual(['eth_getTransactionReceipt']);
  });

  test('a receipt of another block than the shown one is settled', async () => {
    const { nodes, ahead, request } = setup();
    const shown = await ahead();
    const [parent] = nodes.chainOf(shown).slice(-2);
    nodes.tips[1] = nodes.mine(parent, { transactions: [42, 99] });
    nodes.route([1, 0]);
    expect(await request(...receipt())).toMatchObject({ blockHash: shown.hash });
    // In a block that was not shown itself, on a branch that was not shown.
    nodes.route([1, 0, 0]);
    expect(await request(...receipt(99))).toBeNull();
  });

  test('the last one of a block may have no receipt: eight reads the first time, one from then on', async () => {
    const { nodes, ahead, request, methods } = setup();
    const { transactions } = await ahead();
    const last = ['eth_getTransactionReceipt', [transactions.at(-1)]] as const;
    nodes.route([0]);
    expect(await request(...last)).toBeNull();
    expect(sum(methods(), last[0])).toBe(8);
    expect(await request(...last)).toBeNull();
    expect(sum(methods(), last[0])).toBe(9);
    // The transaction itself has an answer, which stays.
    const placed = ['eth_getTransactionByHash', last[1]] as const;
    expect(await request(...placed)).not.toBeNull();
    nodes.route([1, 0]);
    expect(await request(...placed)).not.toBeNull();
    nodes.route([0]);
    expect(await request(...last)).toBeNull();
  });

  test('transactions that the journal knows as mined are never null, and are null after their block has left', async () => {
    const { nodes, request } = setup();
    const block = nodes.mine(nodes.tips[0], { transactions: [42] });
    nodes.tips[0] = block;
    const place = { height: Number(block.number), hash: block.hash };
    nodes.route([1, 0]);
    expect(await request(...receipt(), { place })).toMatchObject({ blockHash: block.hash });
    nodes.route([0]);
    expect(await request(...receipt(43), { place: { ...place, hash: word(1) } })).toBeNull();
  });
});

describe('a transaction of the journal in a block that nothing here has shown', () => {
  const inBlock = { height: 20, hash: word(7) };

  test('is not null before the first answer', async () => {
    const { request } = setup();
    await expect(request(...receipt(), { place: inBlock })).rejects.toMatchObject(behind);
  });

  test('is null once no node has had a block there for 20 s, also while the chain grows', async () => {
    const { nodes, request, time } = setup();
    await request('eth_blockNumber', []);
    await expect(request(...receipt(), { place: inBlock })).rejects.toMatchObject(behind);
    await time.advance(10_000);
    nodes.grow(1);
    await request('eth_blockNumber', []);
    await expect(request(...receipt(), { place: inBlock })).rejects.toMatchObject(behind);
    await time.advance(10_000);
    nodes.grow(1);
    await request('eth_blockNumber', []);
    expect(await request(...receipt(), { place: inBlock })).toBeNull();
  });

  test('is null at once at a single endpoint on this machine', async () => {
    const { request } = setup({ urls: ['http://127.0.0.1:1'] });
    expect(await request(...receipt(), { place: inBlock })).toBeNull();
  });

  test('is found as soon as a node has its block', async () => {
    const { nodes, request, time } = setup();
    const block = nodes.mine(nodes.tips[0], { transactions: [42] });
    const place = { height: Number(block.number), hash: block.hash };
    await expect(request(...receipt(), { place })).rejects.toMatchObject(behind);
    await time.advance(20_000);
    nodes.tips[0] = block;
    expect(await request(...receipt(), { place })).toMatchObject({ blockHash: block.hash });
  });
});

describe('a clock that is set back', () => {
  test('does not keep a lost head alive', async () => {
    const { nodes, time } = setup();
    let offset = 0;
    const now = () => time.clock.now() + offset;
    const steady = createSteadyService({ service: nodes.service, clock: time.clock, now, createSettling });
    const request = (...call: Parameters<typeof steady.request>) => time.until(steady.request(...call));
    const before = nodes.tips[1] as never;
    nodes.grow(1);
    expect(await request('eth_blockNumber', [])).toBe('0xb');
    offset = -3_600_000;
    nodes.tips.fill(before);
    await time.advance(1_000);
    expect(await request('eth_blockNumber', [])).toBe('0xa');
  });
});

describe('a wrong answer', () => {
  test('is no head far above the top on this machine, where tests mine as many blocks', async () => {
    const { nodes, ahead, request } = setup({ urls: ['http://127.0.0.1:1'] });
    await ahead();
    nodes.grow(1_500);
    expect(await request('eth_getBalance', [nodes.account, 'latest'])).toBe(nodes.tips[0]?.number);
  });

  test('a head far above the top counts only once a second answer has shown it', async () => {
    const { nodes, ahead, request } = setup();
    const { number } = await ahead();
    nodes.intercept((method) => (method === 'eth_blockNumber' ? '0xfffff' : undefined));
    expect(await request('eth_blockNumber', [])).toBe('0xfffff');
    nodes.intercept();
    nodes.asked.length = 0;
    expect(await request('eth_blockNumber', [])).toBe(number);
    expect(nodes.asked).toHaveLength(1);
    nodes.intercept((method) => (method === 'eth_blockNumber' ? '0xfffff' : undefined));
    await request('eth_blockNumber', []);
    expect(await request('eth_blockNumber', [])).toBe('0xfffff');
    nodes.intercept();
    expect(await request('eth_blockNumber', [])).toBe('0xfffff');
  });

  test('a much higher head after hours without a read is right: as many blocks may have been mined', async () => {
    const { nodes, ahead, request, time } = setup();
    await ahead();
    const old = nodes.tips[1] as never;
    await time.advance(12 * 3_600_000);
    nodes.grow(1_500);
    const number = await request('eth_blockNumber', []);
    nodes.tips[1] = old;
    nodes.route([1, 1, 0]);
    expect(await request('eth_blockNumber', [])).toBe(number);
  });

  test.each<[string, unknown]>([
    ['an empty object', {}],
    ['a text', 'nonsense'],
    ['a list of objects', [{}]],
    ['a block without hash', { number: '0xff', hash: null, parentHash: word(1) }],
    ['a block whose number is none', { number: 'high', hash: word(9) }],
  ])('%s in place of a block is passed to the caller, and nothing is noted', async (_name, reply) => {
    const { nodes, ahead, request } = setup();
    const { hash } = await ahead();
    nodes.intercept(() => reply);
    await request('eth_getBlockByNumber', ['0x20', false]).catch(() => {});
    nodes.intercept();
    nodes.asked.length = 0;
    expect(await request(...latest)).toMatchObject({ hash });
    expect(nodes.asked).toHaveLength(1);
  });
});
