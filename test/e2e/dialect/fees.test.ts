import { expect, test } from 'vitest';
import type { Hex } from '../../../packages/kit/src/local/index.js';
import { hastenKdfOfFile } from '../../support/hasty-kdf-of-file.js';
import { alice, nobody } from '../../support/local-client.js';
import { failsWith, inBothDialects, type Row, returns, testRows } from './rows.js';

hastenKdfOfFile();

/** One gas price, one transaction type, and the pool's rules (docs/notes/node.md#transactions-and-fees). */

const both = (said: Row['seed']) => ({ seed: said, node: said });
const has = (fields: object) => returns(expect.objectContaining(fields));
const quantity = (value: bigint) => `0x${value.toString(16)}`;
const minimum = 59_240_000n;
const suggested = quantity((minimum * 11n) / 10n);
const absent = failsWith(-32601, 'method not found', { status: 200 });

testRows([
  {
    section: 'docs/notes/node.md#one-price',
    title: "eth_gasPrice is a tenth over the block's minimum",
    ask: ['eth_gasPrice'],
    ...both(returns(suggested)),
    page: returns(suggested),
  },
  {
    section: 'docs/notes/node.md#legacy-only',
    title: 'a block has no base fee, so that libraries send legacy transactions',
    ask: ['eth_getBlockByNumber', 'latest', false],
    ...both(returns(expect.not.objectContaining({ baseFeePerGas: expect.anything() }))),
    page: returns(expect.not.objectContaining({ baseFeePerGas: expect.anything() })),
  },
  {
    section: 'docs/notes/node.md#legacy-only',
    title: 'every transaction is of type 0 and names its chain in v',
    ask: ({ chain }) => ['eth_getTransactionByHash', chain.logging],
    ...both(has({ type: '0x0', v: expect.stringMatching(/^0x6[56]$/) })),
    page: has({ type: '0x0', v: expect.stringMatching(/^0x6[56]$/) }),
  },
  {
    section: 'docs/notes/node.md#one-price',
    title: 'the effective gas price is the offered one',
    ask: ({ chain }) => ['eth_getTransactionReceipt', chain.logging],
    ...both(has({ effectiveGasPrice: '0x3dfd240', type: '0x0' })),
    page: has({ effectiveGasPrice: '0x3dfd240', type: '0x0' }),
  },
  {
    section: 'docs/notes/node.md#pool-rules',
    title: 'a block has the gas limit of the network',
    ask: ['eth_getBlockByNumber', 'latest', false],
    ...both(has({ gasLimit: '0x67c280', minimumGasPrice: quantity(minimum) })),
    page: has({ gasLimit: '0x67c280', minimumGasPrice: quantity(minimum) }),
  },
  {
    section: 'docs/notes/node.md#one-price',
    title: 'eth_maxPriorityFeePerGas is answered by the wallet',
    ask: ['eth_maxPriorityFeePerGas'],
    ...both(absent),
    page: returns('0x0'),
  },
  ...['eth_createAccessList', 'eth_blobBaseFee', 'eth_getRawTransactionByHash', 'eth_simulateV1'].map(
    (method): Row => ({
      section: 'docs/notes/node.md#methods-it-lacks',
      title: `${method} is not supported`,
      ask: [method],
      ...both(absent),
      page: failsWith(-32601, /does not exist/),
    }),
  ),
  {
    section: 'docs/notes/node.md#methods-it-lacks',
    title: 'eth_feeHistory is computed from blocks',
    ask: ['eth_feeHistory', '0x1', 'latest', []],
    ...both(absent),
    page: has({ oldestBlock: '0x2' }),
  },
  {
    section: 'docs/notes/node.md#methods-it-lacks',
    title: 'eth_getBlockReceipts is assembled from single receipts',
    ask: ['eth_getBlockReceipts', '0x2'],
    ...both(absent),
    page: ({ chain }) =>
      returns(expect.arrayContaining([expect.objectContaining({ transactionHash: chain.logging })])),
  },
]);

inBothDialects({ account: true }, (page) => {
  const own = async () => ((await page().wallet.provider.request({ method: 'eth_accounts' })) as Hex[])[0];
  const pay = async (fields: object = {}) =>
    page().ask('eth_sendTransaction', { from: await own(), to: nobody, value: '0x1', ...fields });

  test('the price follows the minimum of the latest block (docs/notes/node.md#one-price)', async () => {
    const before = minimum * 3n;
    page().service.controls.setMinimumGasPrice(before);
    await page().service.controls.mine();
    expect(await page().ask('eth_gasPrice')).toEqual(returns(quantity((before * 11n) / 10n)));
    expect(await pay({ gasPrice: quantity(minimum) })).toEqual(failsWith(-32003, /less than block base fee/));
    page().service.controls.setMinimumGasPrice(minimum);
    await page().service.controls.mine();
  });

  test('a replacement must pay 40 % more, or it is rejected before the dialog (docs/notes/node.md#replacement)', async () => {
    const nonce = ((await page().ask('eth_getTransactionCount', await own(), 'pending')) as { result: Hex })
      .result;
    expect(await pay({ nonce, gasPrice: quantity(100_000_000n) })).toEqual(returns(expect.any(String)));
    const asked = page().approver.asked.length;
    expect(await pay({ nonce, gasPrice: quantity(139_999_999n) })).toEqual(
      failsWith(-32003, /^replacement transaction underpriced/),
    );
    expect(page().approver.asked.length).toBe(asked);
    expect(await pay({ nonce, gasPrice: quantity(140_000_000n) })).toEqual(returns(expect.any(String)));
    await page().service.controls.mine();
  });

  test('EIP-1559 fields become the gas price (docs/notes/node.md#legacy-only)', async () => {
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

  test('a transaction without a chain id, which the service would accept, is rejected (docs/notes/node.md#signatures-for-no-chain)', async () => {
    const count = await page().wire('eth_getTransactionCount', alice.address, 'pending');
    const nonce = Number((count as { result: Hex }).result);
    const payment = { nonce, to: nobody, value: 1n, gas: 21_000n, gasPrice: 65_000_000n } as const;
    const raw = await alice.signTransaction({ type: 'legacy', ...payment });
    expect(await page().ask('eth_sendRawTransaction', raw)).toEqual(failsWith(-32602, /chain/i));
    expect(await page().wire('eth_sendRawTransaction', raw)).toEqual(returns(expect.any(String)));
  });
});
