import { canonicalData, canonicalQuantity } from '../rpc/canonical.js';
import { callObject } from '../rpc/criteria.js';
import { optional, positions, type Reader } from '../rpc/params.js';
import { checkAnyData, checkNumber } from '../rpc/results.js';
import type { BlockReference, BlockSelector, CallObject, Hex } from '../rpc/schema.js';
import { blockSelector } from '../rpc/selectors.js';
import { atBlock, hashInMap } from './reading.js';

/** The return value of a simulated call. A revert rejects with code 3 and the revert data. */
export const eth_call = atBlock<[call: CallObject, block?: BlockReference], Hex>()(
  positions(callObject, optional(hashInMap, 'latest')),
  checkAnyData,
  canonicalData,
);

/** Drops `gas`: the node would return an insufficient gas limit as its estimate (docs/notes/node.md#gas-estimates). */
const withoutGas: Reader<CallObject> = (value, path) => {
  const { gas: _gas, ...call } = callObject(value, path);
  return call;
};

/**
 * Gas of a simulated transaction. The service returns a number even for a call that fails, so the wallet runs
 * `eth_call` beside it when it signs (docs/notes/service.md#methods-with-full-parameter-and-result-shape).
 */
export const eth_estimateGas = atBlock<[call: CallObject, block?: BlockSelector], Hex>()(
  positions(withoutGas, optional(blockSelector, 'latest')),
  checkNumber,
  canonicalQuantity,
);
