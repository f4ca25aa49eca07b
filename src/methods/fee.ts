import { canonicalQuantity } from '../rpc/canonical.js';
import { invalidParams } from '../rpc/errors.js';
import type { Json } from '../rpc/message.js';
import { noParams } from '../rpc/no-params.js';
import { own } from '../rpc/own.js';
import { optional, positions, quantity, refuse } from '../rpc/params.js';
import { isQuantityResult } from '../rpc/results.js';
import type { BlockSelector, FeeHistory, Hex } from '../rpc/schema.js';
import { blockSelector } from '../rpc/selectors.js';
import { hasBaseFee } from './base-fee.js';
import { method } from './method.js';
import { normalised } from './reading.js';

/**
 * One price and no tip (docs/notes/node.md#one-price): a block's base fee is its `minimumGasPrice`, which the BASEFEE opcode
 * returns too (RSKIP-412), and base fee + tip is `eth_gasPrice` for a client that adds them up.
 */

/** wei per gas. */
export const eth_gasPrice = normalised<[], Hex>()(noParams, isQuantityResult, canonicalQuantity);

/** Answered here, `0x0`: there are no tips. The service is asked once a block has shown that there are. */
export const eth_maxPriorityFeePerGas = method<[], Hex>()(noParams, {
  access: 'public',
  handle: (context, params, request) =>
    hasBaseFee(context.service()) ? tip.handle(context, params as never, request) : '0x0',
});

const tip = normalised<[], Hex>()(noParams, isQuantityResult, canonicalQuantity);

/**
 * Worked out from the blocks, which the service has, since it has no such method. `pending` is `latest`: what
 * the candidate will have used is not known yet. Fewer blocks may come back than were asked for, as
 * `oldestBlock` tells (geth does the same). -32001 for a newest block that does not exist.
 */
export const eth_feeHistory = method<
  [
    blockCount: Hex | number | `${bigint}`,
    newestBlock: BlockSelector,
    percentiles?: readonly number[] | null,
  ],
  FeeHistory
>()(positions(blockCount, blockSelector, optional(percentiles, [])), {
  access: 'public',
  handle: async (context, [count, newest, percentiles], { signal }) => {
    const service = context.service();
    const { readFeeHistory } = await import('./fee-history.js');
    return readFeeHistory(own({ service, count, newest, percentiles, ...(signal && { signal }) }));
  },
});

/** QUANTITY; a number or a decimal string too, as geth takes it and libraries send it. */
function blockCount(value: Json, path: string): number {
  const isDecimal =
    (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) ||
    (typeof value === 'string' && /^[0-9]{1,15}$/.test(value));
  const count = Number(isDecimal ? value : quantity(value, path));
  if (count < 1) throw refuse(path, 'a number of blocks, at least 1', value);
  return count;
}

const mostPercentiles = 100;

function percentiles(value: Json, path: string): readonly number[] {
  if (!Array.isArray(value)) throw refuse(path, 'an array of percentiles', value);
  if (value.length > mostPercentiles)
    throw invalidParams(`${path}: more than ${mostPercentiles} percentiles`);
  return value.map((each, i) => {
    const at = `${path}[${i}]`;
    if (typeof each !== 'number' || !(each >= 0 && each <= 100))
      throw refuse(at, 'a percentile from 0 to 100', each);
    if (i > 0 && each <= value[i - 1]) throw refuse(at, 'percentiles in ascending order', each);
    return each;
  });
}
