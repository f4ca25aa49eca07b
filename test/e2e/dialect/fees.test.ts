import { expect, test } from 'vitest';
import type { Hex } from '../../../src/local/index.js';
import { alice, nobody } from '../../support/local-client.js';
import { gives, inBothDialects, type Row, refuses, rowsHold } from './rows.js';

/** docs/notes/node.md#transactions-and-fees: one price, one type of transaction, and a pool with rules of its own. */

const both = (said: Row['seed']) => ({ seed: said, node: said });
const has = (fields: object) => gives(expect.objectContaining(fields));
const quantity = (value: bigint) => `0x${value.toString(16)}`;
const minimum = 59_240_000n;
const suggested = quantity((minimum * 11n) / 10n);
const absent = refuses(-32601, 'method not found', { status: 200 });

rowsHold([
  {
    section: 'docs/notes/node.md#one-price',
    what: "eth_gasPrice is a tenth over the block's minimum",
    ask: ['eth_gasPrice'],
    ...both(gives(suggested)),
    page: gives(suggested),
  },
  {
    section: 'docs/notes/node.md#legacy-only',
    what: 'no base fee in a block, by which libraries would send another type',
    ask: ['eth_getBlockByNumber', 'latest', false],
    ...both(gives(expect.not.objectContaining({ baseFeePerGas: expect.anything() }))),
    page: gives(expect.not.objectContaining({ baseFeePerGas: expect.anything() })),
  },
  {
    section: 'docs/notes/node.md#legacy-only',
    what: 'every transaction is of type 0 and names its chain in v',
    ask: ({ chain }) => ['eth_getTransactionByHash', chain.logging],
    ...both(has({ type: '0x0', v: expect.stringMatching(/^0x6[56]$/) })),
    page: has({ type: '0x0', v: expect.stringMatching(/^0x6[56]$/) }),
  },
  {
    section: 'docs/notes/node.md#one-price',
    what: 'what was paid is what was offered',
    ask: ({ chain }) => ['eth_getTransactionReceipt', chain.logging],
    ...both(has({ effectiveGasPrice: '0x3dfd240', type: '0x0' })),
    page: has({ effectiveGasPrice: '0x3dfd240', type: '0x0' }),
  },
  {
    section: 'docs/notes/node.md#pool-rules',
    what: 'the gas limit of a block',
    ask: ['eth_getBlockByNumber', 'latest', false],
    ...both(has({ gasLimit: '0x67c280', minimumGasPrice: quantity(minimum) })),
    page: has({ gasLimit: '0x67c280', minimumGasPrice: quantity(minimum) }),
  },
  {
    section: 'docs/notes/node.md#one-price',
    what: 'no tips: worked out here',
    ask: ['eth_maxPriorityFeePerGas'],
    ...both(absent),
    page: gives('0x0'),
  },
  ...['eth_createAccessList', 'eth_blobBaseFee', 'eth_getRawTransactionByHash', 'eth_simulateV1'].map(
    (method): Row => ({
      section: 'docs/notes/node.md#methods-it-lacks',
      what: `${method}, which nobody has`,
      ask: [method],
      ...both(absent),
      page: refuses(-32601, /does not exist/),
    }),
  ),
  {
    section: 'docs/notes/node.md#methods-it-lacks',
    what: 'eth_feeHistory, worked out from the blocks',
    ask: ['eth_feeHistory', '0x1', 'latest', []],
    ...both(absent),
    page: has({ oldestBlock: '0x2' }),
  },
  {
    section: 'docs/notes/node.md#methods-it-lacks',
    what: 'eth_getBlockReceipts, put together',
    ask: ['eth_getBlockReceipts', '0x2'],
    ...both(absent),
    page: ({ chain }) =>
      gives(expect.arrayContaining([expect.objectContaining({ transactionHash: chain.logging })])),
  },
]);

inBothDialects({ account: true }, (page) => {
  const own = async () => ((await page().wallet.provider.request({ method: 'eth_accounts' })) as Hex[])[0];
  const pay = async (fields: object = {}) =>
    page().ask('eth_sendTransaction', { from: await own(), to: nobody, value: '0x1', ...fields });

  test('docs/notes/node.md#one-price the price follows the minimum of the latest block', async () => {
    const before = minimum * 3n;
    page().service.controls.setMinimumGasPrice(before);
    await page().service.controls.mine();
    expect(await page().ask('eth_gasPrice')).toEqual(gives(quantity((before * 11n) / 10n)));
    expect(await pay({ gasPrice: quantity(minimum) })).toEqual(refuses(-32003, /less than block base fee/));
    page().service.controls.setMinimumGasPrice(minimum);
    await page().service.controls.mine();
  });

  test('docs/notes/node.md#replacement a replacement pays 40 % more, or is refused before a person is asked', async () => {
    const nonce = ((await page().ask('eth_getTransactionCount', await own(), 'pending')) as { result: Hex })
      .result;
    expect(await pay({ nonce, gasPrice: quantity(100_000_000n) })).toEqual(gives(expect.any(String)));
    const asked = page().approver.asked.length;
    expect(await pay({ nonce, gasPrice: quantity(139_999_999n) })).toEqual(
      refuses(-32003, /^replacement transaction underpriced/),
    );
    expect(page().approver.asked.length).toBe(asked);
    expect(await pay({ nonce, gasPrice: quantity(140_000_000n) })).toEqual(gives(expect.any(String)));
    await page().service.controls.mine();
  });

  test('docs/notes/node.md#legacy-only EIP-1559 fields become the one price', async () => {
    const { result: hash } = (await pay({
      maxFeePerGas: quantity(minimum * 2n),
      maxPriorityFeePerGas: '0x1',
      type: '0x2',
    })) as { result: Hex };
    expect(await page().ask('eth_getTransactionByHash', hash)).toEqual(
      has({ gasPrice: suggested, type: '0x0' }),
    );
    await page().service.controls.mine();
  });

  test('docs/notes/node.md#signatures-for-no-chain a signature for no chain in particular, which the service would take', async () => {
    const count = await page().wire('eth_getTransactionCount', alice.address, 'pending');
    const nonce = Number((count as { result: Hex }).result);
    const payment = { nonce, to: nobody, value: 1n, gas: 21_000n, gasPrice: 65_000_000n } as const;
    const raw = await alice.signTransaction({ type: 'legacy', ...payment });
    expect(await page().ask('eth_sendRawTransaction', raw)).toEqual(refuses(-32602, /chain/i));
    expect(await page().wire('eth_sendRawTransaction', raw)).toEqual(gives(expect.any(String)));
  });
});
