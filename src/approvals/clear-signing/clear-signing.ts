import { lazy } from '../../async/lazy.js';
import { typesOf } from '../../rpc/abi-parameters.js';
import { invalidParams } from '../../rpc/errors.js';
import type { CallContext, DescribeCall } from '../abi-calls.js';
import { type Descriptor, readDescriptor } from './descriptor.js';
import { copyJson } from './file.js';

/** A file of ERC-7730, as a bundler imports it. */
export interface ClearSigningDescriptor {
  /** A URL that ends in `erc7730-v2.schema.json`, or in that of a later minor version. */
  readonly $schema?: string | undefined;
  /** The contract, on each of its chains: `contract.deployments`. */
  readonly context?: object | undefined;
  /** `owner` and `contractName`; constants, enums and maps for the formats. */
  readonly metadata?: object | undefined;
  /** `formats` by the signature of a function; `definitions` that they share. */
  readonly display?: object | undefined;
}

/**
 * Explains the calls of your contracts in the dialog by ERC-7730 files, for `createWallet({ describeCall })`: the purpose of the
 * call, amounts with their token, recipients by name, times. Arguments that a file does not explain are shown as they are, and its
 * hash is among the details. A file holds for its chains and addresses only. Nothing is fetched.
 *
 * @example
 * declare const vault: ClearSigningDescriptor; // import vault from './calldata-vault.json';
 *
 * createWallet({ networks, describeCall: clearSigning([vault], abiCalls(['function stake(uint256 amount)'])) });
 *
 * @param descriptors files with a `context.contract`, of version 2 of the schema
 * @param otherwise describes the calls that no file does
 * @throws ProviderRpcError -32602 that names the first thing that is wrong: a version, a path that a function does not have, a
 * format that does not fit its value, a function that two files claim for one contract, `includes` that were not merged
 */
export function clearSigning(
  descriptors: readonly ClearSigningDescriptor[],
  otherwise?: DescribeCall,
): DescribeCall {
  const files = copyJson(descriptors, 'descriptors');
  if (!Array.isArray(files)) throw invalidParams('descriptors: expected an array of ERC-7730 files');
  if (otherwise !== undefined && typeof otherwise !== 'function')
    throw invalidParams('otherwise: expected a function');
  const contracts = new Map<string, Descriptor[]>();
  const claimed = new Set<string>();
  for (const [index, file] of files.entries()) {
    const descriptor = readDescriptor(file, `descriptors[${index}]`);
    for (const place of new Set(descriptor.deployments.map(placeOf))) {
      for (const { parsed } of descriptor.formats) {
        const claim = `${typesOf(parsed)} of ${place}`;
        if (claimed.has(claim))
          throw invalidParams(`descriptors[${index}]: another file claims ${claim.slice(0, 150)}`);
        claimed.add(claim);
      }
      contracts.set(place, [...(contracts.get(place) ?? []), descriptor]);
    }
  }
  const explainers = new Map(
    [...contracts].map(([place, ofPlace]) => [
      place,
      lazy(async () => (await import('./explain.js')).createExplainer(ofPlace)),
    ]),
  );
  return async (to, data, context) => {
    const explain = await explainers.get(placeOf({ chainId: context.chainId, address: to }))?.();
    return explain?.(to, data, context) ?? otherwise?.(to, data, context);
  };
}

const placeOf = ({ chainId, address }: Pick<CallContext, 'chainId'> & { readonly address: string }): string =>
  `${address.toLowerCase()} on chain ${chainId}`;
