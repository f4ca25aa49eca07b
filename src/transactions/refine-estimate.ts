import { own } from '../rpc/own.js';
import type { Hex } from '../rpc/schema.js';
import type { Service } from '../service/service.js';
import { estimationCap, type MeasuredGas, type SimulatedCall, unknownGas } from './measured-gas.js';

/**
 * Measures a call whose estimate is the node's maximum, which says nothing about a call that creates a contract
 * (docs/notes/node.md#gas-estimates). Any other estimate is returned as it is, without a request.
 *
 * @param call as estimated, without `gas`
 * @param limit the gas limit of blocks, if known: estimates from there on are measured as well
 */
export async function refineEstimate(
  service: Service,
  call: SimulatedCall,
  estimate: Hex,
  options: refineEstimate.Options = {},
): Promise<MeasuredGas> {
  const { block = 'latest', limit = estimationCap, signal } = own(options);
  const gas = BigInt(estimate);
  if (gas !== estimationCap && gas < limit) return { gas, minimum: gas, kind: 'measured' };
  const code = await import('./creation-gas.js').catch(() => null);
  return code === null ? unknownGas : code.measureGas(service, own(call), block, signal);
}

export declare namespace refineEstimate {
  interface Options {
    /** The block selector of the estimate. Default `latest`. */
    readonly block?: unknown;
    readonly limit?: bigint | undefined;
    readonly signal?: AbortSignal | undefined;
  }
}
