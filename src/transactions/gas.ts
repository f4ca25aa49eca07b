import { isProviderRpcError } from '../rpc/errors.js';
import { hexToBytes, toQuantity } from '../rpc/hex.js';
import type { Hex } from '../rpc/schema.js';
import type { TransactionRequest } from './request.js';

/** What a transaction costs before its first instruction: the node refuses less. */
export function intrinsicGas({ to, data, accessList = [] }: TransactionRequest): bigint {
  const bytes = hexToBytes(data);
  let gas = to === null ? 53_000n + 2n * BigInt(Math.ceil(bytes.length / 32)) : 21_000n;
  for (const byte of bytes) gas += byte === 0 ? 4n : 16n;
  // RSKIP-546: 80 for each byte of the list.
  for (const { storageKeys } of accessList) gas += 80n * BigInt(20 + 32 * storageKeys.length);
  return gas;
}

/** A plain payment costs exactly its estimate; what runs code gets a fifth more, since state moves on. */
export function withMargin(estimate: bigint, limit: bigint): Hex {
  const gas = estimate <= 21_000n ? 21_000n : (estimate * 6n) / 5n;
  return toQuantity(gas < limit ? gas : limit);
}

/** Never given a `gas` hint: the node echoes one that is too small (docs/notes/node.md#gas-estimates). */
export async function estimateGas(
  quantity: (method: string, params: readonly unknown[]) => Promise<Hex>,
  call: object,
): Promise<Hex> {
  try {
    return await quantity('eth_estimateGas', [call, 'latest']);
  } catch (error) {
    // The node refuses a revert where the seed answers a number; the dry run tells the person why.
    if (isProviderRpcError(error) && error.code === 3) return toQuantity(revertingGas);
    throw error;
  }
}

/** Gas for a call that is known to revert and is sent all the same, when the service gives no number. */
const revertingGas = 100_000n;
