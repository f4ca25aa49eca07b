import { expect, test } from 'vitest';
import type { MinedBlock } from '../../../../src/chain/blocks.js';
import { ProviderRpcError } from '../../../../src/rpc/errors.js';
import type { Log } from '../../../../src/rpc/schema.js';
import { createBlockLogs } from '../../../../src/service/logs/block-logs.js';
import { address, createSimulatedChain, type Emitted, word } from '../../../support/simulated-chain.js';
import { rejection } from '../support.js';

const emitted: readonly Emitted[] = [
  { address: address(1), topics: [word(1)] },
  { address: address(2), topics: [word(2), word(3)] },
  { address: address(1), topics: [word(4)] },
];

type Answer = (logs: readonly Log[], block: MinedBlock) => unknown;

function setUp(answer?: Answer) {
  const chain = createSimulatedChain();
  const block = chain.mine(...emitted);
  const logs = chain.logsOf(block);
  chain.intercept((method) => (method === 'eth_getLogs' ? answer?.(logs, block) : undefined));
  return { chain, block, logs, blockLogs: createBlockLogs(chain.service) };
}

const refuse = (code: number, data?: object) => () => {
  throw new ProviderRpcError(code, 'refused', data);
};

const wrong: readonly [what: string, answer: Answer][] = [
  ['without the logs of its first transaction', (logs) => logs.slice(1)],
  ['without the logs of its last transaction', (logs) => logs.slice(0, -1)],
  ['without logs', () => []],
  [
    'with a log of another contract in place of its own',
    ([log, ...others]) => [{ ...log, address: address(9) }, ...others],
  ],
  ['with another topic', ([log, ...others]) => [{ ...log, topics: [word(9)] }, ...others]],
  [
    'with a log too many',
    (logs) => [...logs, { ...logs[0], logIndex: '0x9', transactionIndex: '0x2', topics: [word(9)] }],
  ],
  ['with the logs of another block', (logs) => logs.map((log) => ({ ...log, blockHash: word(9) }))],
  ['with the logs of another height', (logs) => logs.map((log) => ({ ...log, blockNumber: '0x9' }))],
  ['as null', () => null],
  ['as an object', () => ({})],
  ['by an internal error', refuse(-32603)],
  ['by an error of its own', refuse(-32000)],
  ['by "not found"', refuse(-32001)],
  ['by a refusal of the size of the answer', refuse(-32005, { reason: 'too-large' })],
  ['by a time limit of the node', refuse(-32005, { reason: 'timeout' })],
  ['by a refusal of the method', refuse(-32601, { reason: 'method-not-found' })],
];

test.each(wrong)('a block answered %s is read from its receipts', async (_, answer) => {
  const { chain, block, logs, blockLogs } = setUp(answer);
  expect(await blockLogs.ofBlock(block)).toEqual(logs.map((log) => log));
  expect(chain.sent.eth_getTransactionReceipt).toBe(block.transactions.length);
});

test('a right list costs one request', async () => {
  const { chain, block, logs, blockLogs } = setUp();
  expect(await blockLogs.ofBlock(block)).toEqual(logs);
  expect(chain.requests()).toBe(1);
});

test('a list that another node gives right costs two requests', async () => {
  let asked = 0;
  const { chain, block, logs, blockLogs } = setUp(() => (asked++ === 0 ? [] : undefined));
  expect(await blockLogs.ofBlock(block)).toEqual(logs);
  expect(chain.requests()).toBe(2);
});

test('a node that lags costs four requests, and an error with a code', async () => {
  const { chain, block, blockLogs } = setUp();
  chain.intercept((method) =>
    method === 'eth_getLogs' ? [] : method === 'eth_getTransactionReceipt' ? null : undefined,
  );
  expect(await rejection(blockLogs.ofBlock(block))).toMatchObject({ code: -32603 });
  // The list twice, the receipts of the block, which this service does not have, and one receipt.
  expect(chain.requests()).toBe(4);
});

const unasked: readonly [what: string, code: number, data?: object][] = [
  ['that cannot be reached', -32002],
  ['that limits the rate', -32005, { reason: 'rate' }],
  ['whose quota is spent', -32005, { reason: 'quota' }],
  ['while the page is offline', 4900],
  ['of another chain', 4901],
];

test.each(unasked)(
  'a service %s is not asked for receipts, unless the caller insists',
  async (_, code, data) => {
    const { chain, block, logs, blockLogs } = setUp(refuse(code, data));
    expect(await rejection(blockLogs.ofBlock(block))).toMatchObject({ code });
    expect(chain.requests()).toBe(1);
    expect(await blockLogs.ofBlock(block, { insist: true })).toEqual(logs);
  },
);

test.each(['0', 'f'])(
  'on a chain whose blooms are always %s, a list counts that its receipts confirm',
  async (digit) => {
    const { block, logs, blockLogs } = setUp();
    expect(await blockLogs.ofBlock({ ...block, logsBloom: `0x${digit.repeat(512)}` })).toEqual(logs);
  },
);

test('logs of a block whose bloom is empty are a bad reply where its receipts have others', async () => {
  const { block, blockLogs } = setUp((logs) => logs.slice(1));
  const logsBloom = `0x${'0'.repeat(512)}` as const;
  expect(await rejection(blockLogs.ofBlock({ ...block, logsBloom }))).toMatchObject({ code: -32603 });
});

test('a list and receipts that lack the same log are a bad reply: the bloom has it', async () => {
  const { chain, block, logs, blockLogs } = setUp((all) => all.slice(1));
  const [first] = logs;
  chain.intercept((method, [hash]) => {
    if (method === 'eth_getLogs') return logs.slice(1);
    if (method !== 'eth_getTransactionReceipt' || hash !== first?.transactionHash) return undefined;
    const { blockHash, number: blockNumber } = { ...block, blockHash: block.hash };
    return {
      transactionHash: hash,
      transactionIndex: '0x0',
      blockHash,
      blockNumber,
      status: '0x1',
      logs: [],
    };
  });
  expect(await rejection(blockLogs.ofBlock(block))).toMatchObject({ code: -32603 });
});

test('a signal that has been aborted ends the reading', async () => {
  const { block, blockLogs } = setUp(() => []);
  const ended = new AbortController();
  ended.abort(new Error('left'));
  await expect(blockLogs.ofBlock(block, { signal: ended.signal })).rejects.toThrow('left');
});
