import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { clientOf, nobody, post, word } from '../../../../test/support/local-client.js';
import { createLocalService, type LocalService } from '../../src/local/index.js';

/** JSON-RPC framing, the same in both dialects (docs/notes/node.md#replies). */
let service: LocalService;
let send: (body: unknown) => ReturnType<typeof post>;
beforeAll(async () => {
  service = await createLocalService();
  send = (body) => post(service.url, typeof body === 'string' ? body : JSON.stringify(body));
});
afterAll(() => service?.close());

const call = (method: string, params: unknown = [], rest: object = { id: 1 }) => ({
  jsonrpc: '2.0',
  method,
  params,
  ...rest,
});
const failed = (code: number, message: string, id: unknown = 1) => ({
  jsonrpc: '2.0',
  id,
  error: { code, message },
});

describe('framing errors', () => {
  const unexpected = { error: { code: -32099, message: 'Unexpected error' } };
  const cases: [string, unknown, number, unknown][] = [
    ['not JSON', '{"jsonrpc":', 400, failed(-32700, 'JSON parse error', 'null')],
    ['a scalar', '7', 400, failed(-32600, 'invalid request', 'null')],
    ['null', 'null', 400, failed(-32600, 'invalid request', 'null')],
    ['an empty body', '', 200, unexpected],
    ['an unknown method', call('eth_nothing'), 200, failed(-32601, 'method not found')],
    ['a name of every object', call('constructor'), 200, failed(-32601, 'method not found')],
    ['no method', { jsonrpc: '2.0', id: 1 }, 200, failed(-32601, 'method not found')],
    ['eth_subscribe', call('eth_subscribe', ['newHeads']), 200, failed(-32601, 'method not found')],
    ['too many params', call('eth_chainId', [1]), 400, failed(-32602, 'method parameters invalid')],
    ['too few params', call('eth_getBalance'), 400, failed(-32602, 'method parameters invalid')],
    ['named params', call('eth_chainId', { a: 1 }), 400, failed(-32602, 'method parameters invalid')],
    ['params that are a string', call('eth_chainId', 'x'), 200, unexpected],
    ['an id that is a boolean', call('eth_chainId', [], { id: true }), 200, unexpected],
    ['an id that is an object', call('eth_chainId', [], { id: {} }), 200, unexpected],
    [
      'an object where a text belongs',
      call('web3_sha3', [{}]),
      400,
      failed(-32700, 'JSON parse error', 'null'),
    ],
    [
      'an object where an address belongs, of which the parser sees the first character',
      call('eth_getBalance', [{}, 'latest']),
      400,
      failed(-32602, 'Invalid address: null, empty or invalid hex value.'),
    ],
  ];
  test.each(cases)('%s', async (_, body, status, expected) => {
    const reply = await send(body);
    expect([reply.status, reply.json]).toEqual([status, expected]);
    expect(reply.headers.get('content-type')).toBe('application/json');
  });

  test('more than 1000 nested arrays are an invalid request', async () => {
    const reply = await send('['.repeat(1001) + ']'.repeat(1001));
    expect([reply.status, reply.json]).toEqual([
      400,
      { error: { code: -32600, message: 'Invalid request' } },
    ]);
  });
});

describe('ids', () => {
  test.each([7, -1, 1.5, 'text', ''])('%j is echoed', async (id) => {
    expect((await send(call('eth_chainId', [], { id }))).json).toEqual({
      jsonrpc: '2.0',
      id,
      result: '0x21',
    });
  });

  test('an id over 64 bits is echoed truncated', async () => {
    const { json } = await send('{"jsonrpc":"2.0","id":99999999999999999999,"method":"eth_chainId"}');
    expect(json.id).toBe(1_661_992_959);
  });

  test('jsonrpc is optional and echoed', async () => {
    expect((await send({ id: 1, method: 'eth_chainId' })).json).toEqual({
      jsonrpc: '2.0',
      id: 1,
      result: '0x21',
    });
    expect((await send({ jsonrpc: '1.0', id: 1, method: 'eth_chainId' })).json.jsonrpc).toBe('1.0');
  });

  test('a notification gets no reply, unless its method is unknown', async () => {
    for (const rest of [{}, { id: null }]) {
      const reply = await send(call('eth_chainId', [], rest));
      expect([reply.status, reply.text]).toEqual([200, '']);
    }
    expect((await send(call('eth_getBalance', ['bad'], {}))).text).toBe('');
    const unknown = await send(call('eth_nothing', [], {}));
    expect(unknown.json).toEqual({ jsonrpc: '2.0', error: { code: -32601, message: 'method not found' } });
  });
});

describe('batches', () => {
  test('replies are in the order of the requests, with errors among results, as HTTP 200', async () => {
    const reply = await send([
      call('eth_chainId'),
      call('eth_nothing', [], { id: 2 }),
      call('net_version', [], {}),
    ]);
    expect(reply.status).toBe(200);
    expect(reply.json).toEqual([
      { jsonrpc: '2.0', id: 1, result: '0x21' },
      failed(-32601, 'method not found', 2),
      null,
    ]);
  });

  test('an empty batch gets an empty batch', async () => {
    expect((await send([])).json).toEqual([]);
  });

  test('elements that are not requests get an error each', async () => {
    expect((await send([7, call('eth_chainId', [], { id: true })])).json).toEqual([
      failed(-32600, 'invalid request', 'null'),
      failed(-32700, 'JSON parse error', 'null'),
    ]);
  });

  test('more than 50 calls are rejected, nested ones included', async () => {
    const many = (count: number) => Array.from({ length: count }, () => call('eth_chainId'));
    expect((await send(many(50))).json).toHaveLength(50);
    const message = 'Cannot dispatch batch requests. 50 is the max number of supported batch requests';
    for (const body of [many(51), [many(25), many(26)]]) {
      const reply = await send(body);
      expect([reply.status, reply.json]).toEqual([400, { error: { code: -32600, message } }]);
    }
  });

  test('a timeout and an oversized reply are one error without id for the whole batch', async () => {
    let now = 0;
    await using slow = await createLocalService({ now: () => (now += 30), timeout: 100, responseLimit: 300 });
    const late = await post(slow.url, JSON.stringify(Array.from({ length: 9 }, () => call('eth_chainId'))));
    expect(late.json).toEqual({ error: { code: -32011, message: 'Execution has got timeout out.' } });
    const large = await clientOf(slow).ask('eth_getBlockByNumber', 'latest', false);
    const message = 'Response size limit of 300 bytes exceeded';
    expect([large.status, large.json]).toEqual([200, { error: { code: -32011, message } }]);
  });
});

describe('parameters', () => {
  const address = 'Invalid address: null, empty or invalid hex value.';
  const index = (given: string) => `Invalid argument "${given}": param should be a hex value string.`;
  const cases: [method: string, params: unknown[], message: string][] = [
    ['eth_getBalance', ['0x12', 'latest'], address],
    ['eth_getBalance', [`0X${'11'.repeat(20)}`, 'latest'], 'Invalid address format: invalid hex value.'],
    ['eth_getBalance', [`0x${'zz'.repeat(20)}`, 'latest'], 'Invalid address format: invalid hex value.'],
    ['eth_getBalance', [nobody, 'LATEST'], "Invalid block identifier 'LATEST'"],
    ['eth_getBalance', [nobody, 'safe'], "Invalid block identifier 'safe'"],
    ['eth_getBalance', [nobody, 7], 'Invalid input'],
    ['eth_getBalance', [nobody, {}], 'Invalid block input'],
    [
      'eth_getBalance',
      [nobody, { blockHash: `0x${word(1)}`, requireCanonical: 'yes' }],
      'Invalid input: requireCanonical must be a String "true" or "false"',
    ],
    ['eth_getBlockByHash', ['0x12', false], 'Invalid block hash: incorrect length.'],
    ['eth_getBlockByHash', [`0x${'z'.repeat(64)}`, false], 'Invalid block hash format: invalid hex value'],
    ['eth_getTransactionByHash', ['0x12'], 'Invalid transaction hash: incorrect length.'],
    [
      'eth_getTransactionReceipt',
      [`0x${'z'.repeat(64)}`],
      'Invalid transaction hash format: invalid hex value',
    ],
    ['eth_getLogs', [{ topics: ['0x12'] }], 'Invalid topic: incorrect length.'],
    ['eth_getLogs', [{ topics: [[`0x${'z'.repeat(64)}`]] }], 'Invalid topic format: invalid hex value'],
    ['eth_getLogs', [{ fromBlock: null }], "Invalid block identifier 'null'"],
    ['eth_getLogs', [{ blockHash: null }], 'Invalid block hash: incorrect length.'],
    [
      'eth_getLogs',
      [{ blockHash: `0x${word(1)}`, fromBlock: '0x0' }],
      'Cannot specify both blockHash and fromBlock/toBlock',
    ],
    ['eth_call', [{ to: nobody, data: '0xzz' }, 'latest'], 'Invalid data format: invalid hex value.'],
    [
      'eth_call',
      [{ to: nobody, value: 'much' }, 'latest'],
      'Invalid param much: value must be a valid hex or string number.',
    ],
    [
      'eth_call',
      [{ to: nobody, gas: `0x${'1'.repeat(65)}` }, 'latest'],
      `Invalid param: 0x${'1'.repeat(64)}...`,
    ],
    ['eth_call', [{ to: nobody }, 'safe'], "Invalid block identifier 'safe'"],
    ['eth_call', [{ to: nobody }, ''], "Invalid block identifier ''"],
    ['eth_getBlockByNumber', ['safe', false], 'invalid blocknumber safe'],
    ['eth_getBlockTransactionCountByNumber', ['finalized'], 'invalid blocknumber finalized'],
    ['eth_getTransactionByBlockNumberAndIndex', ['latest', '0xA'], index('0xA')],
    ['eth_getTransactionByBlockNumberAndIndex', ['latest', 1], index('1')],
    [
      'eth_getTransactionByBlockNumberAndIndex',
      ['latest', '0xffffffff'],
      'Invalid index param: value must be a valid hex number.',
    ],
    [
      'eth_estimateGas',
      [{}, 'safe'],
      "Unsupported block specifier 'safe'. Can only be either 'earliest', 'latest', 'pending' or a specific block number (either hex - prepending '0x' or decimal).",
    ],
    ['web3_sha3', ['68656c6c6f'], "Parameter must be hexadecimal encoded with the '0x' prefix."],
    ['web3_sha3', ['0x'], "Parameter must be hexadecimal encoded with the '0x' prefix."],
    ['eth_sendRawTransaction', ['0xzz'], 'Invalid data format: invalid hex value.'],
  ];
  test.each(cases)('%s %j', async (method, params, message) => {
    expect(await clientOf(service).refusal(method, ...params)).toEqual({
      status: 400,
      code: -32602,
      message,
    });
  });

  const internals: [method: string, params: unknown[]][] = [
    ['eth_getBalance', [nobody, { blockHash: `0x${word(1)}`, requireCanonical: true }]],
    ['eth_getBlockByNumber', ['latest', null]],
    ['eth_call', [{ to: nobody }, `0x${'5e'.repeat(32)}`]],
    ['eth_getBalance', [null, 'latest']],
    ['eth_getBalance', [nobody, null]],
    ['eth_call', [{ to: nobody }, null]],
    ['eth_getBlockByNumber', [null, false]],
    ['eth_sendRawTransaction', [null]],
    ['eth_getLogs', [{ fromBlock: 'safe' }]],
    ['eth_getLogs', [{ toBlock: '12' }]],
  ];
  test.each(internals)('%s %j is an internal error', async (method, params) => {
    const message = 'Internal server error';
    expect(await clientOf(service).refusal(method, ...params)).toEqual({
      status: 200,
      code: -32603,
      message,
    });
  });

  test('unusual params that the node accepts are accepted', async () => {
    const { call: ask } = clientOf(service);
    expect(await ask('eth_getBalance', nobody.slice(2))).toBe('0x0');
    expect(
      await ask('eth_getBalance', nobody.toUpperCase().replace('0X', '0x'), { blockNumber: '0x0' }),
    ).toBe('0x0');
    expect(await ask('eth_call', { to: nobody, data: '0x1', unknownKey: 1, maxFeePerGas: '0x1' }, '0')).toBe(
      '0x',
    );
    expect(await ask('eth_getLogs', { address: null, topics: null })).toEqual([]);
  });
});
