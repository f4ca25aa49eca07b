import { lazy } from '../../async/lazy.js';
import { type AbiSource, readSignatures } from '../../rpc/abi-signatures.js';

/** Solidity errors: a signature, an item of an ABI, or a whole ABI. */
export type ErrorSource = AbiSource;

/** Describes a revert from its payload (hex); `undefined` if it cannot. */
export type DescribeRevert = (data: string) => Promise<string | undefined>;

/**
 * Describes the custom errors of contracts, for `createWallet({ describeRevert })`: the message of such a revert is
 * `execution reverted: TooLow(available: 1, required: 2)`, with the parameter names of the signatures. The decoder loads
 * at the first revert.
 *
 * @example
 * const describeRevert = solidityErrors(['error TooLow(uint256 available, uint256 required)']);
 * const wallet = createWallet({ networks, describeRevert });
 *
 * @param sources signatures (`error TooLow(uint256 available, uint256 required)`, with or without `error`), items
 * of a JSON ABI, or whole ABIs
 * @throws ProviderRpcError -32602 naming the first source that is not a signature of elementary types, arrays and tuples
 */
export function solidityErrors(sources: readonly ErrorSource[]): DescribeRevert {
  const signatures = readSignatures(sources, 'error');
  const decoder = lazy(async () => (await import('../../rpc/abi.js')).createErrorDecoder(signatures));
  return async (data) => (await decoder())(data);
}
