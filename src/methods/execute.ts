import { canonicalData, canonicalQuantity } from '../rpc/canonical.js';
import { toQuantity } from '../rpc/hex.js';
import { optional, positions, type Reader } from '../rpc/params.js';
import type { BlockReference, BlockSelector, CallObject, Hex } from '../rpc/schema.js';
import { blockSelector, callObject } from '../rpc/selectors.js';
import { estimationCap } from '../transactions/measured-gas.js';
import { refineEstimate } from '../transactions/refine-estimate.js';
import { method } from './method.js';
import { atBlock, hashInMap } from './reading.js';

/** The return value of a simulated call. A revert rejects with code 3 and the revert data. */
export const eth_call = atBlock<[call: CallObject, block?: BlockReference], Hex>()(
  positions(callObject, optional(hashInMap, 'latest')),
  canonicalData,
);

/** Drops `gas`: the node would return an insufficient gas limit as its estimate (docs/notes/node.md#gas-estimates). */
const withoutGas: Reader<CallObject> = (value, path) => {
  const { gas: _gas, ...call } = callObject(value, path);
  return call;
};

type EstimateParams = [call: CallObject, block?: BlockSelector];
const estimateParams = positions(withoutGas, optional(blockSelector, 'latest'));
const estimate = atBlock<EstimateParams, Hex>()(estimateParams, canonicalQuantity);

/**
 * Gas of a simulated transaction. The service returns a number even for a call that fails, so the wallet runs
 * `eth_call` beside it when it signs (docs/notes/service.md#methods-with-full-parameter-and-result-shape). A call that
 * creates a contract is measured, because the node's estimate of it is its maximum (docs/notes/node.md#gas-estimates).
 */
export const eth_estimateGas = method<EstimateParams, Hex>()(
  estimateParams,
  async (context, read, request) => {
    const estimated = await estimate.handle(context, read as never, request);
    if (BigInt(estimated) !== estimationCap) return estimated;
    const [call, block] = read;
    const { signal } = request;
    return toQuantity((await refineEstimate(context.reads(), call, estimated, { block, signal })).gas);
  },
);
