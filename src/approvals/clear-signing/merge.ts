import { invalidParams } from '../../rpc/errors.js';
import { own } from '../../rpc/own.js';
import type { ClearSigningDescriptor } from './clear-signing.js';
import { copyJson, isJsonObject, membersIn } from './file.js';

/**
 * Merges an ERC-7730 file with the one that its `includes` names, as the format prescribes: where both have something, the
 * including file wins; fields of one path are merged, and the others of the including file come last. For `clearSigning`, or once
 * in a build.
 *
 * @example
 * declare const dollar: ClearSigningDescriptor; // import dollar from './calldata-dollar.json';
 * declare const erc20: ClearSigningDescriptor; // the file that its `includes` names
 *
 * createWallet({ networks, describeCall: clearSigning([mergeDescriptors(dollar, erc20)]) });
 *
 * @throws ProviderRpcError -32602 if one of them is no object, or the included file includes another one
 */
export function mergeDescriptors(
  including: ClearSigningDescriptor & { readonly includes?: string | undefined },
  included: ClearSigningDescriptor & { readonly includes?: string | undefined },
): ClearSigningDescriptor {
  const [over, under] = [including, included].map((file) => copyJson(file, 'file'));
  if (!isJsonObject(over) || !isJsonObject(under))
    throw invalidParams('expected the objects of two ERC-7730 files');
  if (membersIn(under).includes !== undefined)
    throw invalidParams('includes: merge the included file with its own first');
  const { includes: _includes, ...rest } = membersIn(over);
  return merged(rest, under, '') as ClearSigningDescriptor;
}

function merged(over: unknown, under: unknown, name: string): unknown {
  if (over === undefined) return under;
  if (name === 'fields' && Array.isArray(over) && Array.isArray(under)) return mergedFields(over, under);
  if (!isJsonObject(over) || !isJsonObject(under)) return over;
  const [first, second] = [membersIn(over), membersIn(under)];
  const result: Record<string, unknown> = own({});
  for (const each of new Set([...Object.keys(second), ...Object.keys(first)]))
    result[each] = merged(first[each], second[each], each);
  return result;
}

/** Each field of the included file takes along the first one of its path; the others come last. */
function mergedFields(over: readonly unknown[], under: readonly unknown[]): readonly unknown[] {
  const pathOf = (field: unknown) => membersIn(field).path;
  const left = [...over];
  const together = under.map((field) => {
    const at = left.findIndex((other) => pathOf(other) !== undefined && pathOf(other) === pathOf(field));
    return at < 0 ? field : merged(left.splice(at, 1)[0], field, '');
  });
  return [...together, ...left];
}
