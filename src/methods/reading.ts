import { canonicalQuantity } from '../rpc/canonical.js';
import { errorCode, isProviderRpcError, ProviderRpcError } from '../rpc/errors.js';
import { isHash } from '../rpc/fields.js';
import type { Json } from '../rpc/message.js';
import type { Reader } from '../rpc/params.js';
import { isQuantityOrNull } from '../rpc/results.js';
import type { BlockReference, Hash, Hex } from '../rpc/schema.js';
import { blockReference } from '../rpc/selectors.js';
import type { Service } from '../service/service.js';
import { forwarded, type Method, method } from './method.js';

/** Reads in which the service's two dialects differ (docs/notes/node.md#where-the-node-differs-from-the-description), answered in one form. */

/** As `forwarded`, with the result brought into its one form on the way to the caller. */
export const normalised =
  <Wire extends readonly unknown[], Result>() =>
  <Read extends readonly unknown[]>(
    params: (params: Json) => Read,
    check: (result: unknown, params: Read, service: Service) => void,
    form: (result: Result, params: Read) => Result,
  ): Method<Wire, Result> => {
    const plain = forwarded<Wire, Result>()(params, check);
    return method<Wire, Result>()(params, {
      access: 'public',
      handle: async (context, read, request) =>
        form(await plain.handle(context, read as never, request), read as Read),
    });
  };

/** Applies to what was found; `null` stays `null`. */
export const ifFound =
  <T, Params>(form: (found: T, params: Params) => T) =>
  (result: T | null, params: Params): T | null =>
    result === null ? null : form(result, params);

/**
 * A read of the state at a block, its last param. An unknown block is -32001: the node says so, the seed
 * answers `null` (Errors, rule 1), which no library takes for a balance. There is always a latest block, so
 * `null` for a tag is a wrong reply.
 */
export const atBlock =
  <Wire extends readonly unknown[], Result>() =>
  <Read extends readonly unknown[]>(
    params: (params: Json) => Read,
    check: (result: unknown, params: Read) => void,
    form: (result: Result) => Result = (result) => result,
  ): Method<Wire, Result> =>
    normalised<Wire, Result>()(
      params,
      (result, read) => {
        if (result !== null || nameOf(read.at(-1)) === null) check(result, read);
      },
      (result, read) => {
        if (result === null) throw blockNotFound(nameOf(read.at(-1)) as string);
        return form(result);
      },
    );

/** A count in a block: `null` where the block is unknown, which some methods of the node call an error (docs/notes/node.md#unknown-blocks). */
export const countIn =
  <Wire extends readonly unknown[]>() =>
  <Read extends readonly unknown[]>(params: (params: Json) => Read): Method<Wire, Hex | null> => {
    const plain = normalised<Wire, Hex | null>()(params, isQuantityOrNull, canonicalQuantity);
    return method<Wire, Hex | null>()(params, {
      access: 'public',
      handle: async (context, read, request) => {
        try {
          return await plain.handle(context, read as never, request);
        } catch (error) {
          if (isProviderRpcError(error) && error.code === errorCode.resourceNotFound) return null;
          throw error;
        }
      },
    });
  };

/**
 * A block reference in which a hash always stands in a map: as a string the node reads it as a number, and
 * knows no code and no state at it (docs/notes/node.md#block-hashes-in-reads).
 */
export const hashInMap: Reader<BlockReference> = (value, path) => {
  const reference = blockReference(value, path);
  return typeof reference === 'string' && isHash(reference) ? { blockHash: reference } : reference;
};

const blockNotFound = (name: string) =>
  new ProviderRpcError(errorCode.resourceNotFound, `Block with ${name} not found`);

/** The node's words for a block that is named; `null` for a tag. */
function nameOf(reference: unknown): string | null {
  const { blockHash, blockNumber } = Object(reference) as { blockHash?: Hash; blockNumber?: string };
  const named = blockHash ?? blockNumber ?? String(reference);
  if (!named.startsWith('0x')) return null;
  return isHash(named) ? `hash ${named}` : `number ${BigInt(named)}`;
}
