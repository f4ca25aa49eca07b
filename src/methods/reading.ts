import { canonicalQuantity } from '../rpc/canonical.js';
import { errorCode, isProviderRpcError, ProviderRpcError } from '../rpc/errors.js';
import type { Json } from '../rpc/message.js';
import { membersOf } from '../rpc/own-data.js';
import type { Reader } from '../rpc/params.js';
import { isHash } from '../rpc/results.js';
import type { BlockReference, Hash, Hex } from '../rpc/schema.js';
import { blockReference } from '../rpc/selectors.js';
import { forwarded, type Method, method } from './method.js';

/**
 * Forms of results that differ between the node and its description
 * (docs/notes/node.md#where-the-node-differs-from-the-description).
 */

/** Applies `form` to a result; `null` stays `null`. */
export const ifFound =
  <T, Params>(form: (found: T, params: Params) => T) =>
  (result: T | null, params: Params): T | null =>
    result === null ? null : form(result, params);

/**
 * Defines a read of the state at a block, the last param. An unknown block is -32001, as on the node; the description
 * specifies `null`, which no library accepts as a balance.
 */
export const atBlock =
  <Wire extends readonly unknown[], Result>() =>
  <Read extends readonly unknown[]>(
    params: (params: Json) => Read,
    form: (result: Result) => Result = (result) => result,
  ): Method<Wire, Result> =>
    forwarded<Wire, Result>()(params, (result, read) => {
      const name = nameOf(read.at(-1));
      if (result === null && name !== null) throw blockNotFound(name);
      return form(result);
    });

/**
 * Defines a count of items in a block. `null` for an unknown block, for which some methods of the node return an error
 * (docs/notes/node.md#unknown-blocks).
 */
export const countIn =
  <Wire extends readonly unknown[]>() =>
  <Read extends readonly unknown[]>(params: (params: Json) => Read): Method<Wire, Hex | null> => {
    const plain = forwarded<Wire, Hex | null>()(params, canonicalQuantity);
    return method<Wire, Hex | null>()(params, async (context, read, request) => {
      try {
        return await plain.handle(context, read as never, request);
      } catch (error) {
        if (isProviderRpcError(error) && error.code === errorCode.resourceNotFound) return null;
        throw error;
      }
    });
  };

/**
 * Reads a block reference and puts a hash into an object, because the node would read a hash string as a block number
 * (docs/notes/node.md#block-hashes-in-reads).
 */
export const hashInMap: Reader<BlockReference> = (value, path) => {
  const reference = blockReference(value, path);
  return typeof reference === 'string' && isHash(reference) ? { blockHash: reference } : reference;
};

const blockNotFound = (name: string) =>
  new ProviderRpcError(errorCode.resourceNotFound, `Block with ${name} not found`);

/** The block in the words of the node's error; `null` for a tag. */
function nameOf(reference: unknown): string | null {
  const { blockHash, blockNumber } = membersOf(reference) as { blockHash?: Hash; blockNumber?: string };
  const named = blockHash ?? blockNumber ?? String(reference);
  if (!named.startsWith('0x')) return null;
  return isHash(named) ? `hash ${named}` : `number ${BigInt(named)}`;
}
