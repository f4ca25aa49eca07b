import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { alreadyKnown, outcomeUnknown } from '../../../src/service/errors/errors.js';
import type { Service } from '../../../src/service/service.js';
import { error, hang, later, reset, respond, result, type Script } from '../../support/scripted-service.js';
import { waitFor } from '../../support/wait-for.js';
import { clientOf, play, rejection } from './support.js';

const block = (service: ReturnType<typeof clientOf>) => service.request('eth_blockNumber', []);

describe('request', () => {
  test('asks once and hands the result on', async () => {
    const scripted = await play(result({ number: '0x1', minimumGasPrice: '0x0' }));
    const service = clientOf(scripted.url);
    const params = ['latest', false];
    expect(await service.request('eth_getBlockByNumber', params)).toEqual({
      number: '0x1',
      minimumGasPrice: '0x0',
    });
    expect(scripted.requests).toMatchObject([
      { method: 'eth_getBlockByNumber', params, path: `/v2/${scripted.key}` },
    ]);
    expect(service.usage()).toEqual({ sent: { eth_getBlockByNumber: 1 }, shared: 0 });
  });

  test('1,000 identical reads at once are one HTTP request', async () => {
    const scripted = await play(later(20, result('0x10')));
    const service = clientOf(scripted.url);
    const answers = await Promise.all(Array.from({ length: 1000 }, () => block(service)));
    expect(new Set(answers)).toEqual(new Set(['0x10']));
    expect(scripted.requests.length).toBe(1);
    expect(service.usage()).toEqual({ sent: { eth_blockNumber: 1 }, shared: 999 });
    await block(service);
    expect(scripted.requests.length).toBe(2);
  });

  test('a read after a send does not share one that was asked before it', async () => {
    const scripted = await play(later(60, result('0x1')), result('0xhash'), result('0x2'));
    const service = clientOf(scripted.url);
    const count = () => service.request('eth_getTransactionCount', ['0xa', 'pending']);
    const before = count();
    await waitFor(() => expect(scripted.requests.length).toBe(1));
    await service.request('eth_sendRawTransaction', ['0x00']);
    const [after, equal] = [count(), count()];
    expect(await Promise.all([before, after, equal])).toEqual(['0x1', '0x2', '0x2']);
    expect(scripted.requests.length).toBe(3);
  });

  test('those who share a request own their results, and their check sees their own', async () => {
    const original = { number: '0x1', transactions: [{ hash: '0xaa' }] };
    const scripted = await play(later(20, result(original)));
    const service = clientOf(scripted.url);
    type Block = typeof original;
    const checked: unknown[] = [];
    const read = (tamper: boolean) =>
      service.request('eth_getBlockByNumber', ['0x1', true], {
        check(value) {
          checked.push(structuredClone(value));
          if (tamper) (value as Block).number = '0x2';
        },
      }) as Promise<Block>;
    const first = read(true).then((own) => {
      own.transactions[0]!.hash = '0xbb';
      own.transactions.push({ hash: '0xcc' });
      return own;
    });
    const [tampered, second, third] = await Promise.all([first, read(false), read(false)]);
    expect(tampered).toEqual({ number: '0x2', transactions: [{ hash: '0xbb' }, { hash: '0xcc' }] });
    expect(checked).toEqual([original, original, original]);
    expect([second, third]).toEqual([original, original]);
    expect(second).not.toBe(third);
    expect(scripted.requests.length).toBe(1);
    expect(service.usage().shared).toBe(2);
  });

  test('a result is never shared for want of a copy', async () => {
    const scripted = await play(later(20, result({})));
    const service = clientOf(scripted.url);
    const overflow = vi.spyOn(globalThis, 'structuredClone').mockImplementation(() => {
      throw new RangeError('Maximum call stack size exceeded');
    });
    onTestFinished(() => overflow.mockRestore());
    const read = () => service.request('eth_getBlockByNumber', ['0x1', true]);
    const failures = await Promise.all([rejection(read()), rejection(read())]);
    expect(failures.map(({ code }) => code)).toEqual([-32700, -32700]);
    expect(await read()).toEqual({});
  });

  test('other params are another request', async () => {
    const scripted = await play(later(10, result('0x0')));
    const service = clientOf(scripted.url);
    await Promise.all(
      ['0x1', '0x2', '0x1'].map((number) => service.request('eth_getBlockByNumber', [number, false])),
    );
    expect(scripted.requests.length).toBe(2);
  });

  test.each(['eth_sendRawTransaction', 'eth_newFilter', 'eth_getFilterChanges', 'evm_snapshot'])(
    '%s is neither shared nor repeated',
    async (method) => {
      const scripted = await play(later(10, respond('', 502)));
      const service = clientOf(scripted.url);
      const settled = await Promise.allSettled([
        service.request(method, ['0x1']),
        service.request(method, ['0x1']),
      ]);
      expect(settled.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
      expect(scripted.requests.length).toBe(2);
      expect(service.usage()).toEqual({ sent: { [method]: 2 }, shared: 0 });
    },
  );

  test('check, a failure names the method and the rule and is not repeated', async () => {
    const scripted = await play(later(10, result('latest')));
    const service = clientOf(scripted.url);
    const check = () => {
      throw new Error('not a block number');
    };
    const [refused, taken] = await Promise.all([
      rejection(service.request('eth_blockNumber', [], { check })),
      block(service),
    ]);
    expect(refused.code).toBe(-32603);
    expect(refused.message).toBe("The service's reply to eth_blockNumber is wrong: not a block number");
    expect(taken).toBe('latest');
    expect(scripted.requests.length).toBe(1);
  });

  test('signal, one who leaves takes nothing from the others', async () => {
    const scripted = await play(later(60, result('0x10')));
    const service = clientOf(scripted.url);
    const leaving = new AbortController();
    const left = rejection(service.request('eth_blockNumber', [], { signal: leaving.signal }));
    const stayed = service.request('eth_blockNumber', [], { signal: new AbortController().signal });
    setTimeout(() => leaving.abort(), 20);
    const error = await left;
    expect(error).toMatchObject({ code: -32603, message: 'The request was aborted' });
    expect(await stayed).toBe('0x10');
    expect(scripted.requests.length).toBe(1);
  });

  test.each([0, 1])('signal, aborting one caller keeps the other, in either order (%i)', async (leaver) => {
    const scripted = await play(later(60, result('0x10')));
    const service = clientOf(scripted.url);
    const leaving = new AbortController();
    const asked = [0, 1].map((asker) =>
      service.request('eth_blockNumber', [], asker === leaver ? { signal: leaving.signal } : {}),
    );
    const left = rejection(asked[leaver] as Promise<unknown>);
    setTimeout(() => leaving.abort(), 20);
    expect(await left).toMatchObject({ code: -32603, message: 'The request was aborted' });
    expect(await asked[1 - leaver]).toBe('0x10');
    expect(scripted.requests.length).toBe(1);
  });

  test('signal, when all have left the HTTP request is cancelled and nothing is repeated', async () => {
    const scripted = await play(hang);
    const service = clientOf(scripted.url);
    const leaving = new AbortController();
    const left = [1, 2].map(() =>
      rejection(service.request('eth_blockNumber', [], { signal: leaving.signal })),
    );
    await expect.poll(() => scripted.requests.length).toBe(1);
    leaving.abort();
    expect((await Promise.all(left)).map(({ code }) => code)).toEqual([-32603, -32603]);
    await scripted.requests[0]?.cut;
    scripted.play(result('0x11'));
    expect(await block(service)).toBe('0x11');
    expect(scripted.requests.length).toBe(2);
    expect(service.reachable()).toBe(true);
  });

  test('signal, aborted before: nothing is sent', async () => {
    const scripted = await play(result('0x10'));
    const service = clientOf(scripted.url);
    const { code } = await rejection(service.request('eth_blockNumber', [], { signal: AbortSignal.abort() }));
    expect(code).toBe(-32603);
    expect(scripted.requests.length).toBe(0);
  });

  test('signal, during the wait before a retry', async () => {
    const scripted = await play(reset);
    const service = clientOf(scripted.url, { backoff: 500 });
    const leaving = new AbortController();
    const left = rejection(service.request('eth_blockNumber', [], { signal: leaving.signal }));
    await expect.poll(() => scripted.requests.length).toBe(1);
    leaving.abort();
    expect((await left).message).toContain('aborted');
    await new Promise((resolve) => setTimeout(resolve, 600));
    expect(scripted.requests.length).toBe(1);
  });

  test('requests in flight of one dapp leave no fewer to another, nor to the person', async () => {
    const scripted = await play(later(150, result('0x1')));
    const service = clientOf(scripted.url, { maxInFlight: 3, dapp: 'https://a.example' });
    const read = (at: number, payer?: Service.Payer) =>
      service.request('eth_getBlockByNumber', [at], payer && { payer });
    const all = Promise.allSettled([
      ...[1, 2, 3, 4].map((at) => read(at)),
      ...[5, 6, 7, 8].map((at) => read(at, { dapp: 'https://b.example' })),
      read(9, { dapp: null }),
    ]);
    const outcomes = (await all).map((each) =>
      each.status === 'rejected' ? each.reason.data.reason : 'done',
    );
    const three = ['done', 'done', 'done'];
    expect(outcomes).toEqual([...three, 'in-flight', ...three, 'in-flight', 'done']);
    expect(await read(4)).toBe('0x1');
  });

  test('a request that another dapp joins is charged to none from then on', async () => {
    const scripted = await play(later(50, result('0x1')));
    const service = clientOf(scripted.url, { dapp: 'https://a.example' });
    const payer = { dapp: 'https://a.example' };
    const first = service.request('eth_chainId', [], { payer });
    const joined = service.request('eth_chainId', [], { payer: { dapp: 'https://b.example' } });
    expect(payer.dapp).toBe(null);
    await Promise.all([first, joined]);
    expect(scripted.requests).toHaveLength(1);
  });

  test('maxInFlight, more is refused until one is done', async () => {
    const scripted = await play(later(50, result('0x10')));
    const service = clientOf(scripted.url, { maxInFlight: 20 });
    const ask = (number: number) => service.request('eth_getBlockByNumber', [number, false]);
    const first = Array.from({ length: 20 }, (_, number) => ask(number));
    const refused = await rejection(ask(20));
    expect(refused.code).toBe(-32005);
    expect(refused.message).toContain('too many');
    expect(await ask(0)).toBe('0x10');
    await Promise.all(first);
    expect(await ask(20)).toBe('0x10');
    expect(scripted.requests.length).toBe(21);
  });
});

describe('retries', () => {
  const faults: Record<string, Script> = {
    reset,
    'HTTP 503': respond('', 503),
    'HTTP 408': respond('', 408),
    'cut JSON': respond('{"jsonrpc'),
  };

  test.each(Object.keys(faults))('a read survives %s', async (name) => {
    const fault = faults[name]!;
    const scripted = await play(fault, fault, result('0x10'));
    const service = clientOf(scripted.url);
    expect(await block(service)).toBe('0x10');
    expect(scripted.requests.length).toBe(3);
    expect(new Set(scripted.requests.map(({ id }) => id)).size).toBe(3);
    expect(service.reachable()).toBe(true);
  });

  test('waits longer from one attempt to the next', async () => {
    const scripted = await play(reset);
    const service = clientOf(scripted.url, { backoff: 20, deadline: 1_000, random: () => 1 });
    await rejection(block(service));
    const at = scripted.requests.map((each) => each.at);
    const waits = at.slice(1).map((each, index) => each - at[index]!);
    expect(waits.length).toBeLessThan(8);
    for (const [index, wait] of waits.entries())
      expect(wait).toBeGreaterThan(20 * Math.min(10, 2 ** index) - 2);
  });

  test('12 reads in flight survive an outage that fails each of them and three tests of the endpoint', async () => {
    const out: Script = respond('', 503);
    const scripted = await play(...Array.from({ length: 21 }, () => out), (response, asked) =>
      result(asked.params[0] ?? '0x1f')(response, asked),
    );
    const service = clientOf(scripted.url, { deadline: 10_000 });
    const told: boolean[] = [];
    service.watch((reachable) => told.push(reachable));
    const reads = Array.from({ length: 12 }, (_, at) => `0x${at.toString(16)}`);
    expect(await Promise.all(reads.map((each) => service.request('eth_call', [each])))).toEqual(reads);
    expect(await service.request('eth_sendRawTransaction', ['0xabcdef'])).toBe('0xabcdef');
    expect(scripted.requests.filter(({ method }) => method === 'eth_sendRawTransaction')).toHaveLength(1);
    expect(scripted.requests.length).toBe(21 + 12 + 1);
    expect(told).toEqual([]);
  });

  test('deadline, holds for all attempts together', async () => {
    const scripted = await play(respond('', 503));
    const service = clientOf(scripted.url, { deadline: 300, backoff: 100, random: () => 1 });
    const started = performance.now();
    const { message } = await rejection(block(service));
    expect(performance.now() - started).toBeLessThan(3_000);
    expect(message).toBe('The service is not available (HTTP 503)');
    expect(scripted.requests.length).toBe(2);
  });

  test('Retry-After is waited out, also by those who come later', async () => {
    const scripted = await play(respond('', 429, { 'retry-after': '1' }), result('0x10'));
    const service = clientOf(scripted.url, { deadline: 3000 });
    const first = block(service);
    await expect.poll(() => scripted.requests.length).toBe(1);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(await Promise.all([first, service.request('eth_gasPrice', [])])).toEqual(['0x10', '0x10']);
    for (const { at } of scripted.requests.slice(1))
      expect(at - scripted.requests[0]!.at).toBeGreaterThan(990);
  });

  test('a Retry-After longer than the deadline fails at once, and so do the next', async () => {
    const date = new Date(Date.now() - 86_400_000);
    const later = new Date(date.getTime() + 20_000).toUTCString();
    const scripted = await play(respond('', 429, { 'retry-after': later, date: date.toUTCString() }));
    const service = clientOf(scripted.url);
    const started = performance.now();
    const first = await rejection(block(service));
    const second = await rejection(block(service));
    expect(first).toMatchObject({ code: -32005, data: { reason: 'rate', retryAfter: 20 } });
    expect(second).toMatchObject({ code: -32005, data: { reason: 'rate', retryAfter: 20 } });
    expect(performance.now() - started).toBeLessThan(5_000);
    expect(scripted.requests.length).toBe(1);
  });

  test('hardly one of 1,000 reads fails at a service that fails 3 times in 10', async () => {
    let seed = 7;
    const random = () => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed / 2_147_483_647;
    };
    const faulty: Script = (response, asked) => {
      const fault = [respond('', 503), reset, respond('<html>')][Math.floor(random() * 10)];
      return (fault ?? result(asked.params[0]))(response, asked);
    };
    const scripted = await play(faulty);
    const service = clientOf(scripted.url, { backoff: 1, deadline: 10_000, random });
    let failed = 0;
    const worker = async (first: number) => {
      for (let at = first; at < 1000; at += 20) {
        const number = `0x${at.toString(16)}`;
        const got = await service.request('eth_getBlockByNumber', [number]).catch(() => failed++);
        if (typeof got === 'string') expect(got).toBe(number);
      }
    };
    await Promise.all(Array.from({ length: 20 }, (_, first) => worker(first)));
    // Six attempts in a row fail once in 1,400 reads.
    expect(failed).toBeLessThan(10);
    expect(scripted.requests.length / 1000).toBeLessThan(1.7);
  });
});

describe('sends', () => {
  const send = 'eth_sendRawTransaction';

  test.each([
    ['lost reply', reset, true],
    ['HTTP 502', respond('', 502), true],
    ['garbage', respond('<html>'), true],
    ['the id of another', respond('{"jsonrpc":"2.0","id":0,"result":"0x1"}'), true],
    ['the time limit of the node', error(-32011, 'Execution has got timeout out.'), true],
    ['HTTP 401', respond('', 401), false],
    ['HTTP 429', respond('', 429), false],
    ['refused', error(-32010, 'transaction nonce too low'), false],
    ['an error that is no rule of the node', error(-32603, 'Internal server error'), true],
  ] as const)('outcomeUnknown after %s', async (_name, script, unknown) => {
    const scripted = await play(script);
    const failure = await rejection(clientOf(scripted.url).request(send, ['0x00']));
    expect(outcomeUnknown(failure)).toBe(unknown);
    expect(failure.code).not.toBe(-32603);
    expect(scripted.requests.length).toBe(1);
  });

  test('outcomeUnknown when the caller leaves', async () => {
    const scripted = await play(hang);
    const leaving = new AbortController();
    const left = rejection(clientOf(scripted.url).request(send, ['0x00'], { signal: leaving.signal }));
    await expect.poll(() => scripted.requests.length).toBe(1);
    leaving.abort();
    expect(outcomeUnknown(await left)).toBe(true);
    await scripted.requests[0]?.cut;
  });

  test.each([
    'pending transaction with same hash already exists',
    'queued transaction with same hash already exists',
    'already known',
    'Transaction with the same hash was already imported.',
    'known transaction: 0xabc',
    'AlreadyKnown',
  ])('alreadyKnown for "%s"', async (text) => {
    const scripted = await play(error(-32010, text));
    const failure = await rejection(clientOf(scripted.url).request(send, ['0x00']));
    expect(alreadyKnown(failure)).toBe(true);
    expect(failure).toMatchObject({ code: -32003, data: { serviceCode: -32010, serviceMessage: text } });
  });
});

describe('reachable', () => {
  test('is true until a request is given up, and again with the next answer', async () => {
    const scripted = await play(reset);
    let skipped = 0;
    const service = clientOf(scripted.url, { deadline: 100, now: () => performance.now() + skipped });
    const told: boolean[] = [];
    const stop = service.watch((reachable) => told.push(reachable));
    expect(service.reachable()).toBe(true);
    await rejection(block(service));
    await rejection(block(service));
    expect(service.reachable()).toBe(false);
    skipped += 1_000;
    scripted.play(error(-32601, 'method not found'));
    await rejection(block(service));
    expect(service.reachable()).toBe(true);
    stop();
    scripted.play(respond('', 401));
    await rejection(block(service));
    expect(service.reachable()).toBe(false);
    expect(told).toEqual([false, true]);
  });

  test('4900 at once when this device is offline', async () => {
    const scripted = await play(reset);
    const service = clientOf(scripted.url, { online: () => false });
    const failure = await rejection(block(service));
    expect(failure.code).toBe(4900);
    expect(failure.message).toContain('disconnected');
    expect(scripted.requests.length).toBe(1);
    expect(service.reachable()).toBe(false);
    scripted.play(result('0x10'));
    expect(await block(service)).toBe('0x10');
  });

  test('4901 at once when the service has failed for a whole deadline; one test after a pause', async () => {
    const scripted = await play(reset);
    let skipped = 0;
    const now = () => performance.now() + skipped;
    const service = clientOf(scripted.url, { now, deadline: 500, backoff: 100 });
    expect((await rejection(block(service))).code).toBe(-32002);
    skipped += 500;
    expect((await rejection(block(service))).code).toBe(-32002);
    const sent = scripted.requests.length;

    const failure = await rejection(block(service));
    expect(failure).toMatchObject({ code: 4901, data: { reason: 'circuit-open', retryAfter: 1 } });
    expect(failure.message).toContain('disconnected from chain 0x1f');
    expect(scripted.requests.length).toBe(sent);

    skipped += 5_000;
    const tests = [block(service), service.request('eth_gasPrice', [])].map(rejection);
    expect((await Promise.all(tests)).map(({ code }) => code)).toEqual([-32002, 4901]);
    expect(scripted.requests.length).toBe(sent + 1);

    skipped += 5_000;
    scripted.play(result('0x10'));
    expect(await block(service)).toBe('0x10');
    expect(await service.request('eth_gasPrice', [])).toBe('0x10');
  });
});

describe('several endpoints', () => {
  test('the second answers for the first, and for the requests after', async () => {
    const [first, second] = [await play(respond('', 503)), await play(result('0x2'))];
    let skipped = 0;
    const service = clientOf([first.url, second.url], {
      now: () => performance.now() + skipped,
      coolDown: 1000,
    });
    expect(await block(service)).toBe('0x2');
    expect(await block(service)).toBe('0x2');
    expect([first.requests.length, second.requests.length]).toEqual([1, 2]);

    first.play(result('0x1'));
    skipped += 1100;
    expect(await block(service)).toBe('0x1');
    expect(service.usage().sent).toEqual({ eth_blockNumber: 4 });
  });

  test.each([
    ['401', respond('', 401)],
    ['429', respond('', 429, { 'retry-after': '86400' })],
    ['a redirect', respond('', 307, { location: '/' })],
    ['a wrong id', respond('{"jsonrpc":"2.0","id":0,"result":"0x1"}')],
  ])('%s sends to the next without a wait', async (_name, script) => {
    const [first, second] = [await play(script), await play(result('0x2'))];
    const service = clientOf([first.url, second.url], { backoff: 10_000, random: () => 1 });
    expect(await block(service)).toBe('0x2');
    expect([first.requests.length, second.requests.length]).toEqual([1, 1]);
  });

  test('a hanging first leaves the second time to answer', async () => {
    const [first, second] = [await play(hang), await play(result('0x2'))];
    expect(await block(clientOf([first.url, second.url], { deadline: 2_000 }))).toBe('0x2');
    await first.requests[0]?.cut;
  });

  test('an answer that is an error is not asked elsewhere', async () => {
    const [first, second] = [await play(error(-32602, 'Invalid address')), await play(result('0x2'))];
    expect((await rejection(block(clientOf([first.url, second.url])))).code).toBe(-32602);
    expect(second.requests.length).toBe(0);
  });

  test('when all refuse, the last refusal', async () => {
    const [first, second] = [await play(respond('', 401)), await play(respond('', 403))];
    const failure = await rejection(block(clientOf([first.url, second.url])));
    expect(failure.message).toBe('The service refused us (HTTP 403)');
    expect([first.requests.length, second.requests.length]).toEqual([1, 1]);
  });
});

describe('verifyChain', () => {
  test('asks an endpoint once', async () => {
    const scripted = await play(result('0x1f'));
    const service = clientOf(scripted.url);
    await Promise.all([service.verifyChain(), service.verifyChain()]);
    await service.verifyChain();
    expect(scripted.requests.map(({ method }) => method)).toEqual(['eth_chainId']);
  });

  test('asks again, once for all, when the answer is older than a minute', async () => {
    const scripted = await play(result('0x1f'));
    let time = 0;
    const service = clientOf(scripted.url, { now: () => time });
    await service.verifyChain();
    time = 60_000;
    await service.verifyChain();
    expect(scripted.requests.length).toBe(1);
    time = 60_001;
    await Promise.all([service.verifyChain(), service.verifyChain()]);
    expect(scripted.requests.length).toBe(2);
    time = 120_001;
    await service.verifyChain();
    expect(scripted.requests.length).toBe(2);
  });

  test('4901 for an endpoint that serves another chain later', async () => {
    const scripted = await play(result('0x1f'));
    let time = 0;
    const service = clientOf(scripted.url, { now: () => time });
    await service.verifyChain();
    scripted.play(result('0x1'));
    time = 60_001;
    const failures = await Promise.all([1, 2].map(() => rejection(service.verifyChain())));
    expect(failures.map(({ code }) => code)).toEqual([4901, 4901]);
    expect((await rejection(service.verifyChain())).code).toBe(4901);
    expect(scripted.requests.map(({ method }) => method)).toEqual(['eth_chainId', 'eth_chainId']);
  });

  test('4901 names both chains, also for reads, until the cool-down ends', async () => {
    const scripted = await play(result('0x1'));
    let skipped = 0;
    const service = clientOf(scripted.url, { now: () => performance.now() + skipped, coolDown: 1000 });
    const failure = await rejection(service.verifyChain());
    expect(failure.code).toBe(4901);
    expect(failure.message).toBe('The service serves chain 1, and the wallet is configured for chain 31');
    expect(await rejection(block(service))).toBe(failure);
    expect(scripted.requests.length).toBe(1);
    scripted.play(result('0x1f'));
    skipped += 1100;
    await service.verifyChain();
    expect(scripted.requests.length).toBe(2);
  });

  test.each(['31', 31, null, '0x01f', '0x', '', {}])('-32603 for %j', async (value) => {
    const scripted = await play(result(value));
    const failure = await rejection(clientOf(scripted.url).verifyChain());
    expect(failure.code).toBe(-32603);
    expect(failure.message).toContain('eth_chainId');
  });

  test('an endpoint of another chain is passed over for one of ours', async () => {
    const [first, second] = [await play(result('0x1')), await play(result('0x1f'))];
    const service = clientOf([first.url, second.url]);
    await service.verifyChain();
    await block(service);
    expect([first.requests.length, second.requests.length]).toEqual([1, 2]);
  });

  test('after a failover the other endpoint is asked too', async () => {
    const [first, second] = [await play(result('0x1f')), await play(result('0x1'))];
    const service = clientOf([first.url, second.url]);
    await service.verifyChain();
    first.play(respond('', 503));
    await block(service);
    await service.verifyChain();
    expect(second.requests.map(({ method }) => method)).toEqual(['eth_blockNumber', 'eth_chainId']);
    expect((await rejection(block(service))).message).toContain('HTTP 503');
    expect(second.requests.length).toBe(2);
  });
});

describe('a method that one endpoint lacks', () => {
  const absent = error(-32601, 'the method eth_getLogs does not exist/is not available');
  const getLogs = (service: ReturnType<typeof clientOf>) => service.request('eth_getLogs', [{}]);

  test('is requested from another endpoint, and from then on only from that one', async () => {
    const [first, second] = [await play(absent), await play(result([]))];
    const service = clientOf([first.url, second.url]);
    for (let i = 0; i < 3; i++) expect(await getLogs(service)).toEqual([]);
    expect([first.requests.length, second.requests.length]).toEqual([1, 3]);
    first.play(result('0x1'));
    expect(await block(service)).toBe('0x1');
    expect(first.requests.length).toBe(2);
  });

  test('is refused without a request where all endpoints lack it, for five minutes', async () => {
    const [first, second] = [await play(absent), await play(absent)];
    let time = 0;
    const service = clientOf([first.url, second.url], { now: () => time });
    for (let i = 0; i < 3; i++)
      expect(await rejection(getLogs(service))).toMatchObject({
        code: -32601,
        data: { reason: 'method-not-found' },
      });
    expect([first.requests.length, second.requests.length]).toEqual([1, 1]);
    time += 300_001;
    first.play(result([]));
    expect(await getLogs(service)).toEqual([]);
  });
});

test('an attempt that the deadline cuts short does not hide why the service refused the one before', async () => {
  const scripted = await play(respond('', 429, { 'retry-after': '1' }), hang);
  const service = clientOf(scripted.url, { deadline: 1500 });
  await expect(block(service)).rejects.toMatchObject({ code: -32005, data: { reason: 'rate' } });
  expect(scripted.requests.length).toBe(2);
});

describe('a read that a gateway fails for the moment', () => {
  // biome-ignore format: one row, one line
  const texts = [
    [19, 'Temporary internal error. Please retry, trace-id: 5f'],
    [30, 'Request timeout on the free tier, please upgrade your tier to paid plans'],
  ] as const;
  const cases = texts.flatMap(([code, text]) =>
    [200, 402, 408, 500].map((status) => [code, status, text] as const),
  );
  const failing = (code: number, status: number, message: string) =>
    respond(`{"jsonrpc":"2.0","id":$ID,"error":${JSON.stringify({ code, message })}}`, status);

  test.each(cases)(
    'is asked for again, at the same endpoint: code %d, HTTP %d',
    async (code, status, text) => {
      const scripted = await play(failing(code, status, text), failing(code, status, text), result('0x10'));
      const service = clientOf(scripted.url);
      expect(await block(service)).toBe('0x10');
      expect(scripted.requests.length).toBe(3);
    },
  );

  test.each(cases)('is asked for elsewhere: code %d, HTTP %d', async (code, status, text) => {
    const [first, second] = [await play(failing(code, status, text)), await play(result('0x10'))];
    const service = clientOf([first.url, second.url]);
    expect(await block(service)).toBe('0x10');
    expect([first.requests.length, second.requests.length]).toEqual([1, 1]);
  });
});
