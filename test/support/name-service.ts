import { decodeFunctionData, encodeFunctionResult, namehash, parseAbi } from 'viem';
import type { Hex } from '../../src/index.js';

const abi = parseAbi([
  'function resolver(bytes32 node) view returns (address)',
  'function addr(bytes32 node) view returns (address)',
  'function name(bytes32 node) view returns (string)',
]);
const zero = `0x${'00'.repeat(20)}` as const;
const resolver = `0x${'4e'.repeat(20)}` as const;
/** The registry of chain 31. */
const registry = '0x7d284aaac6e925aad802a53c0c69efe3764597b8';

/** The records of a name service: names with their address, and addresses with the name that they claim. */
export interface NameRecords {
  readonly names?: Readonly<Record<string, Hex>>;
  readonly claims?: Readonly<Record<Hex, string>>;
}

/**
 * What the registry and the resolver of a name service return to `eth_call`, encoded by viem; `undefined` for a call of
 * another contract.
 */
export function answerNames({ names = {}, claims = {} }: NameRecords) {
  const addresses = new Map(Object.entries(names).map(([name, address]) => [namehash(name), address]));
  const texts = new Map(
    Object.entries(claims).map(([address, name]) => [
      namehash(`${address.slice(2).toLowerCase()}.addr.reverse`),
      name,
    ]),
  );
  return ({ to, data }: { readonly to: Hex; readonly data: Hex }): Hex | undefined => {
    if (to !== registry && to !== resolver) return undefined;
    const { functionName, args } = decodeFunctionData({ abi, data });
    const node = args[0];
    switch (functionName) {
      case 'resolver': {
        const result = addresses.has(node) || texts.has(node) ? resolver : zero;
        return encodeFunctionResult({ abi, functionName, result });
      }
      case 'addr':
        return encodeFunctionResult({ abi, functionName, result: addresses.get(node) ?? zero });
      case 'name':
        return encodeFunctionResult({ abi, functionName, result: texts.get(node) ?? '' });
    }
  };
}
