import { isPaymentToBridge } from '../assets/known-contracts.js';
import { revertReason } from '../rpc/core-errors.js';
import { hexToBytes, toQuantity } from '../rpc/hex.js';
import type { Hex } from '../rpc/schema.js';
import type { Service } from '../service/service.js';
import { estimationCap } from './measured-gas.js';
import { readQuantity } from './read-quantity.js';
import type { TransactionRequest } from './request.js';

/** Gas of a transaction before its first instruction. The node refuses a lower gas limit. */
export function intrinsicGas({ to, data, accessList = [] }: TransactionRequest): bigint {
  const bytes = hexToBytes(data);
  let gas = to === null ? 53_000n + 2n * BigInt(Math.ceil(bytes.length / 32)) : 21_000n;
  for (const byte of bytes) gas += byte === 0 ? 4n : 16n;
  // RSKIP-546: 80 for each byte of the list.
  for (const { storageKeys } of accessList) gas += 80n * BigInt(20 + 32 * storageKeys.length);
  return gas;
}

/**
 * The gas limit for an estimate. A plain payment gets exactly 21,000; a call gets a fifth more than its estimate, since the
 * state may change until it is mined.
 *
 * @param estimate `null` if the service gave none
 * @param limit the result's maximum
 */
export function gasLimit(
  request: TransactionRequest,
  estimate: bigint | null,
  chainId: number,
  limit: bigint,
): Hex {
  const candidates = [
    intrinsicGas(request),
    estimate ?? (request.data === '0x' ? 0n : revertingGas),
    isPaymentToBridge(chainId, request) ? bridgeGas : 0n,
  ];
  const needed = candidates.reduce((most, each) => (each > most ? each : most));
  const gas = needed <= 21_000n ? 21_000n : (needed * 6n) / 5n;
  return toQuantity(gas < limit ? gas : limit);
}

/** The highest gas limit of a transaction: the node's own, unless its blocks take less. */
export const maxGas = (blockGasLimit: Hex): bigint => {
  const limit = BigInt(blockGasLimit);
  return limit < estimationCap ? limit : estimationCap;
};

/**
 * Gas for a payment to the bridge. An estimate does not cover the release of bitcoin, which needs at most this much
 * (the Rootstock developer portal, "RBTC networks"). Unused gas is not paid.
 */
const bridgeGas = 100_000n;

/**
 * Reads an estimate. The call must not have `gas`: the node would return a limit that is too small as its estimate
 * (docs/notes/node.md#gas-estimates).
 */
export async function estimateGas(service: Service, call: object, signal?: AbortSignal): Promise<Hex> {
  try {
    return await readQuantity(service, 'eth_estimateGas', [call, 'latest'], signal);
  } catch (error) {
    // The node returns an error for a call that reverts; its reason comes from the dry run.
    if (revertReason(error) !== undefined) return toQuantity(revertingGas);
    throw error;
  }
}

/** Gas limit for a call that reverts and has no estimate, if the person sends it all the same. */
const revertingGas = 100_000n;
