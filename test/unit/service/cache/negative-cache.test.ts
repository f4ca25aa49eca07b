import {
  type BaseError,
  ContractFunctionRevertedError,
  createPublicClient,
  custom,
  ExecutionRevertedError,
  encodeErrorResult,
  type Hex,
  type PublicClient,
  parseAbi,
} from 'viem';
import { describe, expect, test } from 'vitest';
import type { ProviderRpcError } from '../../../../src/rpc/errors.js';
import { solidityErrors } from '../../../../src/service/errors/solidity-errors.js';
import type { Service } from '../../../../src/service/service.js';
import {
  error,
  later,
  respond,
  result,
  type Script,
  type ScriptedService,
} from '../../../support/scripted-service.js';
import { clientOf, play, rejection } from '../support.js';

const abi = parseAbi(['error TooLow(uint256 available, uint256 required)', 'function withdraw() view']);
const payload = encodeErrorResult({ abi, errorName: 'TooLow', args: [1n, 2n] });
const reverted = error(-32015, 'VM Exception while processing transaction: transaction reverted', payload);
const call = { to: `0x${'11'.repeat(20)}`, data: '0x3ccfd60b' };
const run = (service: Service, ...params: unknown[]) =>
  rejection(service.request('eth_call', params.length > 0 ? params : [call, 'latest']));

/** Answers by method, and reverts every call. */
const chain =
  (answers: Readonly<Record<string, Script>> = {}): Script =>
  (response, asked) =>
    (answers[asked.method] ?? reverted)(response, asked);

async function clock(...scripts: readonly Script[]) {
  const scripted = await play(...scripts);
  const time = { now: 0 };
  return { scripted, time, service: clientOf(scripted.url, { now: () => time.now }) };
}
const calls = ({ requests: asked }: ScriptedService) =>
  asked.filter(({ method }) => method === 'eth_call').length;

describe('a revert', () => {
  test.each(['eth_call', 'eth_estimateGas'])('a revert of %s is cached for 1.5 s', async (method) => {
    const { scripted, time, service } = await clock(reverted);
    const ask = () => rejection(service.request(method, [call, 'latest']));
    const first = await ask();
    time.now = 1_499;
    const second = await ask();
    expect(second).toEqual(first);
    expect(second).toMatchObject({ code: 3, message: 'execution reverted', data: payload });
    expect(second.service).toEqual(first.service);
    expect(scripted.requests.length).toBe(1);
    time.now = 1_501;
    await ask();
    expect(scripted.requests.length).toBe(2);
    expect(service.usage()).toEqual({ sent: { [method]: 2 }, shared: 0 });
  });

  test('each caller gets its own copy of the error', async () => {
    const { scripted, service } = await clock(later(10, reverted), reverted);
    const [first, joined] = (await Promise.all([run(service), run(service)])) as [
      ProviderRpcError,
      ProviderRpcError,
    ];
    for (const each of [first, joined, await run(service)])
      Object.assign(each, { message: 'changed by the page', code: 1, data: '0x' });
    expect(await run(service)).toMatchObject({ code: 3, message: 'execution reverted', data: payload });
    expect(scripted.requests.length).toBe(1);
  });

  test('other params, another method and the pending block are requested', async () => {
    const { scripted, service } = await clock(reverted);
    await run(service);
    await run(service, { ...call, data: '0x' }, 'latest');
    await run(service, call, '0x1');
    await rejection(service.request('eth_estimateGas', [call, 'latest']));
    expect(scripted.requests.length).toBe(4);
    await run(service, call, 'pending');
    await run(service, call, 'pending');
    expect(scripted.requests.length).toBe(6);
  });

  test('another error is not cached', async () => {
    const { scripted, service } = await clock(error(-32000, 'out of gas'));
    await run(service);
    await run(service);
    expect(scripted.requests.length).toBe(2);
  });

  test.each([
    ['accepted', result(`0x${'ab'.repeat(32)}`)],
    ['refused', error(-32010, 'transaction nonce too low')],
    ['lost', respond('', 502)],
  ])('a send that is %s invalidates it', async (_how, answer) => {
    const { scripted, time, service } = await clock(chain({ eth_sendRawTransaction: answer }));
    await run(service);
    await service.request('eth_sendRawTransaction', ['0x00']).catch(() => {});
    // The pause after a failure.
    time.now = 200;
    await run(service);
    expect(calls(scripted)).toBe(2);
  });

  test('a revert requested before a send and answered after it is not cached', async () => {
    const { scripted, service } = await clock(
      chain({ eth_call: later(40, reverted), eth_sendRawTransaction: result('0x') }),
    );
    const early = run(service);
    await service.request('eth_sendRawTransaction', ['0x00']);
    await early;
    await run(service);
    expect(calls(scripted)).toBe(2);
  });

  const block = { number: '0x11', hash: `0x${'11'.repeat(32)}`, transactions: [] };
  test.each([
    ['eth_blockNumber', '0x11'],
    ['eth_getBlockByNumber', block],
    ['eth_getTransactionReceipt', { blockNumber: '0x11' }],
    ['eth_getTransactionByHash', { blockNumber: '0x11' }],
    ['eth_getLogs', [{ blockNumber: '0x2' }, { blockNumber: '0x11' }]],
  ])('a new block in the result of %s invalidates it, and an old block does not', async (method, answer) => {
    const { scripted, service } = await clock(
      chain({ [method]: result(answer), eth_blockNumber: result('0x10') }),
    );
    if (method !== 'eth_blockNumber') await service.request('eth_blockNumber', []);
    else scripted.play(chain({ eth_blockNumber: result('0x11') }));
    await run(service);
    await service.request(method, []);
    await run(service);
    expect(calls(scripted)).toBe(2);
    await service.request(method, []);
    await run(service);
    expect(calls(scripted)).toBe(2);
  });

  test.each([
    ['eth_gasPrice', '0xffffffff'],
    ['eth_getTransactionReceipt', null],
    ['eth_getTransactionByHash', { blockNumber: null }],
    ['eth_getLogs', []],
    ['eth_getFilterChanges', [`0x${'ab'.repeat(32)}`]],
  ])('%s with result %j does not show a new block', async (method, answer) => {
    const { scripted, service } = await clock(chain({ [method]: result(answer) }));
    await run(service);
    await service.request(method, []);
    await run(service);
    expect(calls(scripted)).toBe(1);
  });

  test('at most 32 reverts are cached, and none with a long request', async () => {
    const { scripted, service } = await clock(reverted);
    const ask = (index: number) => run(service, { ...call, gas: `0x${index}` }, 'latest');
    for (let index = 1; index <= 33; index++) await ask(index);
    await ask(33);
    expect(scripted.requests.length).toBe(33);
    await ask(1);
    expect(scripted.requests.length).toBe(34);
    for (const _ of [1, 2]) await run(service, { ...call, data: `0x${'00'.repeat(2 ** 15)}` }, 'latest');
    expect(scripted.requests.length).toBe(36);
  });

  test('the cached error contains the redacted text of describeRevert', async () => {
    const scripted = await play(reverted);
    const decode = solidityErrors([abi]);
    const describeRevert = async (data: string) => `${await decode(data)} at ${scripted.key}`;
    const service = clientOf(scripted.url, { describeRevert });
    for (const _ of [1, 2]) {
      const { code, message, data } = await run(service);
      expect({ code, data }).toEqual({ code: 3, data: payload });
      expect(message).toBe('execution reverted: TooLow(available: 1, required: 2) at [redacted]');
    }
    expect(scripted.requests.length).toBe(1);
  });

  test.each([
    ['fails', () => Promise.reject(new Error('no chunk'))],
    [
      'throws',
      () => {
        throw new Error('a page’s own');
      },
    ],
    ['says nothing', async () => undefined],
    ['says no text', async () => 7 as unknown as string],
    ['never ends', () => new Promise<never>(() => {})],
  ])('a describeRevert that %s only loses its description', async (_how, describeRevert) => {
    const scripted = await play(reverted);
    const { code, message, data } = await run(clientOf(scripted.url, { describeRevert }));
    expect({ code, message, data }).toEqual({ code: 3, message: 'execution reverted', data: payload });
  });

  const word = (value: number) => value.toString(16).padStart(64, '0');
  test.each([
    ['Error(string)', `0x08c379a0${word(32)}${word(2)}6e6f${'0'.repeat(60)}`, { reason: 'no' }],
    [
      'Panic',
      `0x4e487b71${word(0x12)}`,
      { reason: 'Division or modulo by zero (e.g. `5 / 0` or `23 % 0`).' },
    ],
    ['a custom error', payload, { data: { errorName: 'TooLow', args: [1n, 2n] } }],
    ['no data', '0x', { data: undefined }],
  ])('the four requests of viem cost one: %s', async (_kind, data, decoded) => {
    const contract = { abi, address: call.to as Hex, functionName: 'withdraw' } as const;
    const raw = { to: call.to as Hex, data: call.data as Hex, gas: 50_000n };
    const acts: ((client: PublicClient) => Promise<unknown>)[] = [
      (client) => client.readContract(contract),
      (client) => client.simulateContract({ ...contract, account: call.to as Hex }),
      (client) => client.call(raw),
      (client) => client.estimateGas(raw),
    ];
    const took = await Promise.all(
      acts.map(async (act) => {
        const scripted = await play(error(-32015, 'VM Exception while processing transaction: x', data));
        const service = clientOf(scripted.url);
        let tries = 0;
        const request = ({ method, params }: { method: string; params?: unknown[] }) => {
          tries++;
          return service.request(method, params ?? []);
        };
        const failure = await rejection(act(createPublicClient({ transport: custom({ request }) })));
        return { failure: failure as unknown as BaseError, tries, requests: scripted.requests.length };
      }),
    );
    expect(took.map(({ tries, requests }) => [tries, requests])).toEqual(acts.map(() => [4, 1]));
    for (const { failure } of took.slice(0, 2))
      expect(failure.walk((each) => each instanceof ContractFunctionRevertedError)).toMatchObject(decoded);
    for (const { failure } of took.slice(2))
      expect(failure.walk((each) => each instanceof ExecutionRevertedError)).not.toBeNull();
  });
});

describe('a method that the service does not have', () => {
  const missing = error(-32601, 'the method trace_block does not exist/is not available');
  const probe = (service: Service, method = 'trace_block', params: unknown[] = ['latest']) =>
    rejection(service.request(method, params));

  test('is refused for five minutes without a request, whatever the params', async () => {
    const { scripted, time, service } = await clock(missing);
    const first = await probe(service);
    expect(first.code).toBe(-32601);
    time.now = 299_999;
    expect(await probe(service, 'trace_block', ['0x1'])).toEqual(first);
    expect(scripted.requests.length).toBe(1);
    await probe(service, 'trace_filter');
    expect(scripted.requests.length).toBe(2);
    time.now = 300_001;
    scripted.play(result([]));
    expect(await service.request('trace_block', ['latest'])).toEqual([]);
  });

  test.each([
    ['a send', 'eth_sendRawTransaction', missing],
    ['what the wallet lives by', 'eth_blockNumber', missing],
    ['the params', 'eth_getCode', error(-32601, 'the tag "pending" is not supported')],
    [
      'the params, by number',
      'eth_getProof',
      error(-32201, "The method don't support 'pending' as a parameter yet"),
    ],
    ['wrong params', 'eth_getProof', error(-32602, 'method parameters invalid')],
    ['a timeout', 'debug_traceTransaction', error(-32011, 'Execution has got timeout out.')],
  ])('%s is requested again', async (_what, method, answer) => {
    const { scripted, service } = await clock(answer);
    await probe(service, method);
    await probe(service, method);
    expect(scripted.requests.length).toBe(2);
  });

  test('the request goes to another endpoint, and not again to the first one', async () => {
    const [first, second] = [await play(missing), await play(result([]))];
    const time = { now: 0 };
    const service = clientOf([first.url, second.url], { now: () => time.now, coolDown: 1_000 });
    await probe(service);
    await probe(service);
    expect([first.requests.length, second.requests.length]).toEqual([1, 0]);
    first.play(respond('', 401));
    await service.request('eth_chainId', []);
    expect(await service.request('trace_block', ['latest'])).toEqual([]);
    time.now = 1_001;
    await probe(service);
    expect([first.requests.length, second.requests.length]).toEqual([2, 2]);
  });

  test('an endpoint that was unreachable is tried again', async () => {
    const { scripted, service } = await clock(missing);
    await probe(service);
    scripted.play(respond('', 401));
    await rejection(service.request('eth_chainId', []));
    scripted.play(missing);
    await probe(service);
    expect(scripted.requests.length).toBe(3);
  });
});

describe('a spent quota', () => {
  test.each([
    ['the hosted provider', error(-32600, 'Monthly capacity limit exceeded.'), 30],
    [
      'the service, with a time',
      respond('{"error":{"code":429,"message":"Your app has exceeded its daily request limit."}}', 429, {
        'retry-after': '20',
      }),
      20,
    ],
  ])('%s is avoided for a cool-down, and the next endpoint is used', async (_who, answer, seconds) => {
    const { scripted, time, service } = await clock(answer);
    const first = await rejection(service.request('eth_gasPrice', []));
    expect(first).toMatchObject({ code: -32005, data: { reason: 'quota' } });
    const second = await rejection(service.request('eth_gasPrice', []));
    expect(second).toMatchObject({ code: -32005, data: { reason: 'quota', retryAfter: seconds } });
    expect(second.message).toBe(`The service's quota is spent; try again in ${seconds} s`);
    expect(scripted.requests.length).toBe(1);
    time.now = seconds * 1000 + 1;
    scripted.play(result('0x1'));
    expect(await service.request('eth_gasPrice', [])).toBe('0x1');

    const spare = await play(result('0x2'));
    scripted.play(answer);
    expect(await clientOf([scripted.url, spare.url]).request('eth_gasPrice', [])).toBe('0x2');
  });
});
