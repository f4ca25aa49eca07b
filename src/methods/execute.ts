import { callObject } from '../rpc/criteria.js';
import { optional, positions } from '../rpc/params.js';
import { isData, isQuantityResult } from '../rpc/results.js';
import type { BlockReference, BlockSelector, CallObject, Hex } from '../rpc/schema.js';
import { blockReference, blockSelector } from '../rpc/selectors.js';
import { forwarded } from './method.js';

/** The return value of a call that changes nothing. A revert rejects with code 3 and its payload. */
export const eth_call = forwarded<[call: CallObject, block?: BlockReference], Hex>()(
  positions(callObject, optional(blockReference, 'latest')),
  isData,
);

/**
 * Gas of a simulated transaction. On this service it is a number even for a call that fails (seed, Endpoints
 * rule 1): where it matters the wallet runs `eth_call` beside it.
 */
export const eth_estimateGas = forwarded<[call: CallObject, block?: BlockSelector], Hex>()(
  positions(callObject, optional(blockSelector, 'latest')),
  isQuantityResult,
);
