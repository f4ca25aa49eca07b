import { BrowserProvider } from 'ethers';
import { createPublicClient, custom } from 'viem';
import { describe, expect, test } from 'vitest';
import type { Transaction } from '../../../src/rpc/schema.js';
import { word } from '../../support/local-client.js';
import { openPage, type Page } from './page.js';
import { inBothDialects, type Row, returns, testRows } from './rows.js';

/** Objects are forwarded as received, except for fields that libraries would misread (docs/notes/node.md#objects). */

const zeroHash = `0x${word(0)}`;
const has = (fields: object) => returns(expect.objectContaining(fields));
const lacks = (field: string) => returns(expect.not.objectContaining({ [field]: expect.anything() }));
const remasc = '0x0000000000000000000000000000000001000008';

testRows([
  {
    section: 'docs/notes/node.md#blocks',
    title: 'a block has no nonce, or zeros',
    ask: ['eth_getBlockByNumber', '0x2', false],
    seed: lacks('nonce'),
    node: has({ nonce: '0x0000000000000000', mixHash: zeroHash, rskPteEdges: [], baseEvent: null }),
    page: ({ dialect }) => (dialect === 'seed' ? lacks('nonce') : has({ nonce: '0x0000000000000000' })),
  },
  {
    section: 'docs/notes/node.md#blocks',
    title: "Rootstock's own fields of a block are kept",
    ask: ['eth_getBlockByNumber', '0x2', false],
    seed: has({ minimumGasPrice: '0x387ee40', bitcoinMergedMiningHeader: expect.stringMatching(/^0x/) }),
    node: has({ minimumGasPrice: '0x387ee40', bitcoinMergedMiningHeader: expect.stringMatching(/^0x/) }),
    page: has({
      minimumGasPrice: '0x387ee40',
      bitcoinMergedMiningHeader: expect.stringMatching(/^0x/),
      paidFees: expect.stringMatching(/^0x/),
      cumulativeDifficulty: expect.stringMatching(/^0x/),
    }),
  },
  {
    section: 'docs/notes/node.md#where-the-node-differs-from-the-description',
    title: 'the additional _id of a by-index lookup is kept',
    ask: ({ chain }) => ['eth_getTransactionByBlockHashAndIndex', chain.block, '0x0'],
    seed: has({ _id: expect.any(String), blockNumber: '0x2' }),
    node: lacks('_id'),
    page: ({ dialect, chain }) =>
      has({ hash: chain.logging, ...(dialect === 'seed' && { _id: expect.any(String) }) }),
  },
  {
    section: 'docs/notes/node.md#remasc',
    title: 'the REMASC transaction has no price and no signature',
    ask: ['eth_getTransactionByBlockNumberAndIndex', '0x2', '0x1'],
    seed: returns(null),
    node: has({ to: remasc, gas: '0x0', gasPrice: '0x0', v: '0x0', r: '0x0', s: '0x0' }),
    page: ({ dialect }) => (dialect === 'seed' ? returns(null) : has({ to: remasc, gas: '0x0', v: '0x0' })),
  },
  {
    section: 'docs/notes/node.md#where-the-node-differs-from-the-description',
    title: 'the all-zero block hash of a pending transaction becomes null',
    ask: ['eth_pendingTransactions'],
    seed: returns([expect.objectContaining({ blockHash: zeroHash, blockNumber: null, nonce: '0x8' })]),
    node: returns([]),
    page: ({ dialect }) =>
      returns(
        dialect === 'seed'
          ? [expect.objectContaining({ blockHash: null, blockNumber: null, nonce: '0x8' })]
          : [],
      ),
  },
  {
    section: 'docs/notes/node.md#transactions',
    title: 'a pending transaction is found by hash',
    ask: ({ chain }) => ['eth_getTransactionByHash', chain.waiting],
    seed: has({ blockHash: null, blockNumber: null, transactionIndex: null }),
    node: has({ blockHash: null, blockNumber: null, transactionIndex: null }),
    page: has({ blockHash: null, blockNumber: null, transactionIndex: null, type: '0x0' }),
  },
  {
    section: 'docs/notes/node.md#receipts',
    title: 'a receipt has status by default',
    ask: ({ chain }) => ['eth_getTransactionReceipt', chain.logging],
    seed: has({ status: '0x1', type: '0x0', contractAddress: null }),
    node: has({ status: '0x1', type: '0x0', contractAddress: null }),
    page: has({ status: '0x1', type: '0x0', contractAddress: null }),
  },
  ...notFound(),
]);

/** Lookups of unknown objects. The node differs from the seed only for counts and state (docs/notes/service.md#errors). */
function notFound(): Row[] {
  const missing = `0x${word(0x5ead)}`;
  const questions: Row['ask'][] = [
    ['eth_getBlockByHash', missing, false],
    ['eth_getBlockByNumber', '0xff', false],
    ['eth_getBlockTransactionCountByHash', missing],
    ['eth_getBlockTransactionCountByNumber', '0xff'],
    ['eth_getUncleCountByBlockHash', missing],
    ['eth_getUncleCountByBlockNumber', '0xff'],
    ['eth_getTransactionByHash', missing],
    ['eth_getTransactionByBlockHashAndIndex', missing, '0x0'],
    ['eth_getTransactionByBlockNumberAndIndex', '0xff', '0x0'],
    ['eth_getTransactionReceipt', missing],
    ['eth_getUncleByBlockHashAndIndex', missing, '0x0'],
    ['eth_getUncleByBlockNumberAndIndex', '0xff', '0x0'],
  ];
  const errors = ['eth_getBlockTransactionCountByNumber', 'eth_getUncleCountByBlockHash'];
  errors.push('eth_getUncleCountByBlockNumber');
  return questions.map((ask) => {
    const [method] = ask as [string];
    const unknown = expect.objectContaining({ code: -32600, status: 400 });
    return {
      section: 'docs/notes/node.md#unknown-blocks',
      title: `${method} of an unknown object is null`,
      ask,
      seed: returns(null),
      node: errors.includes(method) ? unknown : returns(null),
      page: returns(null),
    };
  });
}

const padded = (hex: string) => `0x000${hex.slice(2).toUpperCase()}`;
type Fields = Record<string, unknown>;
const pad = (fields: Fields, ...names: string[]): Fields => ({
  ...fields,
  ...Object.fromEntries(names.map((name) => [name, padded(fields[name] as string)])),
});

const inBlock = ['nonce', 'gas', 'gasPrice', 'value', 'blockNumber', 'transactionIndex', 'v', 'type'];
const receiptFields = ['status', 'type', 'gasUsed', 'cumulativeGasUsed', 'blockNumber', 'transactionIndex'];
const blockFields = ['number', 'gasLimit', 'gasUsed', 'timestamp', 'size', 'minimumGasPrice', 'difficulty'];

/** Requests, with results that have leading zeros and capital letters. */
const questions: readonly [
  method: string,
  ask: (page: Page) => unknown[],
  distort: (truth: never) => unknown,
][] = [
  ['eth_getBalance', ({ chain }) => [chain.emitter, 'latest'], padded],
  ['eth_getTransactionCount', ({ chain }) => [chain.emitter, 'latest'], padded],
  ['eth_estimateGas', ({ chain }) => [{ to: chain.emitter }], padded],
  ['eth_blockNumber', () => [], padded],
  ['eth_getBlockTransactionCountByNumber', () => ['0x2'], padded],
  ['eth_getStorageAt', ({ chain }) => [chain.emitter, '0x0', 'latest'], () => '0x0'],
  ['eth_getTransactionByHash', ({ chain }) => [chain.logging], (truth: Fields) => pad(truth, ...inBlock)],
  [
    'eth_getTransactionByBlockHashAndIndex',
    ({ chain }) => [chain.block, '0x0'],
    (truth: Fields) => pad(truth, ...inBlock),
  ],
  [
    'eth_getTransactionReceipt',
    ({ chain }) => [chain.logging],
    (truth: Fields & { logs: Fields[] }) => ({
      ...pad(truth, ...receiptFields),
      logs: truth.logs.map((log) => pad(log, 'logIndex', 'blockNumber', 'transactionIndex')),
    }),
  ],
  [
    'eth_getBlockByNumber',
    () => ['0x2', true],
    (truth: Fields & { transactions: Fields[] }) => ({
      ...pad(truth, ...blockFields),
      transactions: truth.transactions.map((each) => pad(each, ...inBlock)),
    }),
  ],
];

inBothDialects({}, (page) => {
  test.each(questions)('a QUANTITY in its longest form: %s', async (method, ask, distort) => {
    const params = ask(page());
    const truth = await page().ask(method, ...params);
    const undo = page().distort(method, distort as (truth: unknown) => unknown);
    expect(await page().ask(method, ...params)).toEqual(truth);
    undo();
  });

  test('JSON numbers in a receipt become QUANTITY strings, because libraries compare with "0x1"', async () => {
    const undo = page().distort('eth_getTransactionReceipt', (truth) => ({
      ...(truth as object),
      status: 1,
      type: 0,
      gasUsed: 30_000,
    }));
    expect(await page().ask('eth_getTransactionReceipt', page().chain.logging)).toEqual(
      has({ status: '0x1', type: '0x0', gasUsed: '0x7530' }),
    );
    undo();
  });

  test('a balance as a JSON number has one meaning', async () => {
    const undo = page().distort('eth_getBalance', () => 1_000_005);
    expect(await page().ask('eth_getBalance', `0x${'99'.repeat(20)}`, 'latest')).toEqual({
      result: '0xf4245',
    });
    undo();
  });

  test.each([
    ['eth_getBalance', [`0x${'99'.repeat(20)}`, 'latest'], -5],
    ['eth_getBalance', [`0x${'99'.repeat(20)}`, 'latest'], null],
    ['eth_getBalance', [`0x${'99'.repeat(20)}`, 'latest'], '0x'],
    ['eth_getBalance', [`0x${'99'.repeat(20)}`, 'latest'], '0X5'],
    ['eth_call', [{}, 'latest'], null],
    ['eth_pendingTransactions', [], [null]],
  ] as const)('a result of the wrong kind is -32603: %s, %j: %j', async (method, params, reply) => {
    const undo = page().distort(method, () => reply);
    expect(await page().ask(method, ...params)).toMatchObject({
      code: -32603,
      message: expect.stringContaining(method),
    });
    undo();
  });

  test('viem and ethers read blocks, transactions, receipts and logs', async () => {
    const { chain, wallet } = page();
    const viem = createPublicClient({ transport: custom(wallet.provider) });
    const ethers = new BrowserProvider(wallet.provider);
    const block = await viem.getBlock({ blockNumber: 2n, includeTransactions: true });
    expect(block.transactions[0]).toMatchObject({ hash: chain.logging, blockNumber: 2n, type: 'legacy' });
    expect((await ethers.getBlock(2, true))?.getPrefetchedTransaction(0).hash).toBe(chain.logging);
    expect(await viem.getTransactionReceipt({ hash: chain.logging })).toMatchObject({ status: 'success' });
    expect((await ethers.getTransactionReceipt(chain.logging))?.status).toBe(1);
    expect(await viem.getLogs({ fromBlock: 1n, toBlock: 2n })).toHaveLength(1);
    expect(await ethers.getLogs({ fromBlock: 1, toBlock: 2 })).toMatchObject([{ removed: false }]);
    expect((await ethers.getTransaction(chain.waiting))?.blockHash).toBe(null);
    ethers.destroy();
  });
});

describe.each(['seed', 'node'] as const)('%s', (dialect) => {
  test('an all-zero block hash is null wherever a transaction comes from', async () => {
    const unmined = (each: object) => ({ ...each, blockHash: zeroHash, blockNumber: null });
    // A page that was not shown the blocks of these transactions.
    const page = await openPage(dialect);
    const { chain } = page;
    const undo = [
      page.distort('eth_getTransactionByHash', (truth) => unmined(truth as object)),
      page.distort('eth_getTransactionByBlockHashAndIndex', (truth) => unmined(truth as object)),
      page.distort('eth_getBlockByNumber', (truth) => ({
        ...(truth as object),
        transactions: (truth as { transactions: object[] }).transactions.map(unmined),
      })),
    ];
    const found = [
      await page.ask('eth_getTransactionByHash', chain.logging),
      await page.ask('eth_getTransactionByBlockHashAndIndex', chain.block, '0x0'),
    ] as { result: Transaction }[];
    const block = (await page.ask('eth_getBlockByNumber', '0x2', true)) as {
      result: { transactions: Transaction[] };
    };
    for (const each of [...found.map(({ result }) => result), ...block.result.transactions])
      expect(each).toMatchObject({ blockHash: null, blockNumber: null, nonce: expect.any(String) });
    for (const end of undo) end();
    await page.close();
  });

  test('a receipt with root is kept, and no library reads it as a failure (docs/notes/node.md#where-the-node-differs-from-the-description)', async () => {
    const page = await openPage(dialect, { service: { switches: { receiptRoot: true } } });
    const { chain, wallet } = page;
    const root = expect.stringMatching(/^0x[0-9a-f]{64}$/);
    expect(await page.ask('eth_getTransactionReceipt', chain.logging)).toEqual(has({ root }));
    expect(await page.ask('eth_getTransactionReceipt', chain.logging)).toEqual(lacks('status'));
    const viem = createPublicClient({ transport: custom(wallet.provider) });
    const receipt = await viem.waitForTransactionReceipt({ hash: chain.logging });
    expect(receipt).toMatchObject({ status: null, root });
    const ethers = new BrowserProvider(wallet.provider);
    const waited = await ethers.waitForTransaction(chain.logging);
    expect(waited).toMatchObject({ hash: chain.logging, status: undefined });
    ethers.destroy();
    await page.close();
  });
});
