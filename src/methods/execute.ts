import { canonicalQuantity } from '../rpc/canonical.js';
import { callObject } from '../rpc/criteria.js';
import { optional, positions, type Reader } from '../rpc/params.js';
import { isData, isQuantityResult } from '../rpc/results.js';
import type { BlockReference, BlockSelector, CallObject, Hex } from '../rpc/schema.js';
import { blockSelector } from '../rpc/selectors.js';
import { atBlock, hashInMap } from './reading.js';

/** The return value of a call that changes nothing. A revert rejects with code 3 and its payload. */
export const eth_call = atBlock<[call: CallObject, block?: BlockReference], Hex>()(
  positions(callObject, optional(hashInMap, 'latest')),
  isData,
);

/** The node answers a gas limit that does not suffice as its estimate (docs/notes/node.md#gas-estimates): none is sent. */
const withoutGas: Reader<CallObject> = (value, path) => {
  const { gas: _gas, ...call } = callObject(value, path);
  return call;
};

/**
 * Gas of a simulated transaction. On this service it is a number even for a call that fails (docs/notes/service.md#methods-with-full-parameter-and-result-shape): where it matters the wallet runs `eth_call` beside it.
 */
export const eth_estimateGas = atBlock<[call: CallObject, block?: BlockSelector], Hex>()(
  positions(withoutGas, optional(blockSelector, 'latest')),
  isQuantityResult,
  canonicalQuantity,
);
