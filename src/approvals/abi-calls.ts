import { lazy } from '../async/lazy.js';
import { type AbiSource, readSignatures } from '../rpc/abi-signatures.js';
import { invalidParams } from '../rpc/errors.js';
import { own } from '../rpc/own.js';
import { type Address, type Hex, isAddress } from '../rpc/schema.js';
import type { DescribedContractCall } from './question.js';

/** Functions of any contract (a signature, an item of an ABI, or a whole ABI), or of the contract at one address. */
export type CallSource = AbiSource | ContractAbi;

/** The functions of one contract. Its calls are described by these only. */
export interface ContractAbi {
  /** The contract, with or without a checksum. */
  readonly address: string;
  /** Signatures, items of a JSON ABI, or whole ABIs. */
  readonly abi: readonly AbiSource[];
  /** The contract's name in the dialog: 1 to 40 visible characters. */
  readonly name?: string | undefined;
}

/** The transaction of a call that is described. */
export interface CallContext {
  /** The chain that it is for. */
  readonly chainId: number;
  /** The account that sends it. */
  readonly from: Address;
  /** wei */
  readonly value: Hex;
}

/** Describes a call of a contract; `undefined` if it cannot. */
export type DescribeCall = (
  to: Address,
  data: Hex,
  context: CallContext,
) => Promise<DescribedContractCall | undefined>;

/**
 * Decodes the calls of the page's contracts for the dialog, for `createWallet({ describeCall })`. The decoder loads at the
 * first call that the wallet does not know by itself.
 *
 * @example
 * createWallet({ networks, describeCall: abiCalls(['function stake(uint256 amount)', { address: token, abi, name: 'Vault' }]) });
 *
 * @param sources signatures (`function stake(uint256 amount)`, with or without `function` and what follows the
 * parameters), items of a JSON ABI, whole ABIs, or contracts with their address
 * @throws ProviderRpcError -32602 naming the first source that is not a signature of elementary types, arrays and tuples
 */
export function abiCalls(sources: readonly CallSource[]): DescribeCall {
  if (!Array.isArray(sources))
    throw invalidParams('calls: expected an array of signatures, ABIs or contracts');
  const contracts = new Map(
    sources.flatMap((source, index) => (isContract(source) ? [readContract(source, `calls[${index}]`)] : [])),
  );
  const anywhere = readSignatures(
    sources.filter((source: CallSource) => !isContract(source)),
    'function',
    'calls',
  );
  const decoders = lazy(async () => {
    const { createCallDecoder } = await import('../rpc/abi.js');
    return {
      anywhere: createCallDecoder(anywhere),
      at: new Map(
        [...contracts].map(([address, { signatures, name }]) => [
          address,
          { decode: createCallDecoder(signatures), name },
        ]),
      ),
    };
  });
  return async (to, data) => {
    const { anywhere: decode, at } = await decoders();
    const contract = at.get(to.toLowerCase());
    const decoded = contract ? contract.decode(data) : decode(data);
    return decoded && { ...decoded, contract: contract?.name };
  };
}

const isContract = (source: unknown): source is ContractAbi =>
  typeof source === 'object' && source !== null && Object.hasOwn(source, 'abi');

function readContract(given: ContractAbi, path: string) {
  const { address, abi, name } = own(given);
  if (!isAddress(address)) throw invalidParams(`${path}.address: expected an address`);
  if (name !== undefined && (typeof name !== 'string' || !/^\P{C}{1,40}$/u.test(name)))
    throw invalidParams(`${path}.name: expected 1 to 40 visible characters`);
  const signatures = readSignatures(abi, 'function', `${path}.abi`);
  return [address.toLowerCase(), { signatures, name }] as const;
}
