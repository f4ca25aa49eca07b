import { canonicalQuantity } from '../rpc/canonical.js';
import { invalidParams } from '../rpc/errors.js';
import { type Json, noParams } from '../rpc/message.js';
import { optional, positions, quantity, refuse } from '../rpc/params.js';
import type { BlockSelector, FeeHistory, Hex } from '../rpc/schema.js';
import { blockSelector } from '../rpc/selectors.js';
import { hasShownFeeMarket } from './fee-market.js';
import { forwarded, method } from './method.js';

/**
 * The chain has one gas price and no tips. A block's base fee is its `minimumGasPrice`, which the BASEFEE opcode returns
 * too (RSKIP-412), so that base fee + tip is `eth_gasPrice` (docs/notes/node.md#one-price).
 */

/** The suggested gas price, wei per gas. */
export const eth_gasPrice = forwarded<[], Hex>()(noParams, canonicalQuantity);

/** `0x0`, since there are no tips. Forwarded once a block with a base fee has been read. */
export const eth_maxPriorityFeePerGas = method<[], Hex>()(noParams, (context, params, request) =>
  hasShownFeeMarket(context.reads()) ? tip.handle(context, params as never, request) : '0x0',
);

const tip = forwarded<[], Hex>()(noParams, canonicalQuantity);

/**
 * Computed from blocks, since the service has no such method. `pending` counts as `latest`, because the gas used by a
 * pending block is unknown. The result may have fewer blocks than requested, starting at `oldestBlock` (as in geth).
 * -32001 for a newest block that does not exist.
 */
export const eth_feeHistory = method<
  [
    blockCount: Hex | number | `${bigint}`,
    newestBlock: BlockSelector,
    percentiles?: readonly number[] | null,
  ],
  FeeHistory
>()(
  positions(blockCount, blockSelector, optional(percentiles, [])),
  async (context, [count, newest, percentiles], { signal }) => {
    const service = context.reads();
    const { readFeeHistory } = await import('./fee-history.js');
    return readFeeHistory({ service, count, newest, percentiles, signal });
  },
);

/** Reads a QUANTITY, a number or a decimal string, which geth accepts and libraries send. */
function blockCount(value: Json, path: string): number {
  const isDecimal =
    (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) ||
    (typeof value === 'string' && /^[0-9]{1,15}$/.test(value));
  const count = Number(isDecimal ? value : quantity(value, path));
  if (count < 1) throw refuse(path, 'a number of blocks, at least 1', value);
  return count;
}

const maxPercentiles = 100;

function percentiles(value: Json, path: string): readonly number[] {
  if (!Array.isArray(value)) throw refuse(path, 'an array of percentiles', value);
  if (value.length > maxPercentiles) throw invalidParams(`${path}: more than ${maxPercentiles} percentiles`);
  return value.map((each, i) => {
    const at = `${path}[${i}]`;
    if (typeof each !== 'number' || !(each >= 0 && each <= 100))
      throw refuse(at, 'a percentile from 0 to 100', each);
    if (i > 0 && each <= value[i - 1]) throw refuse(at, 'percentiles in ascending order', each);
    return each;
  });
}
