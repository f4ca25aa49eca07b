import { toQuantity } from '../../rpc/hex.js';
import type { Hex } from '../../rpc/schema.js';
import { type Context, type Methods, takes, takesOptionally } from '../context.js';
import { readAddress, readQuantity, readReference, readTopic } from '../params.js';
import { resolve } from '../reference.js';
import { refusePending } from './block.js';

const reference = (value: unknown) => (value === undefined ? 'latest' : readReference(value));

/** A read of the state at a block; null where the block is unknown and the seed says null. */
async function at(value: unknown, context: Context, method: string, ...params: unknown[]): Promise<unknown> {
  const selector = await resolve(reference(value), context);
  return selector === null ? null : context.engine.request(method, [...params, selector]);
}

export const stateMethods: Methods = {
  eth_getBalance: takes([1, 2], ([address, block], context) =>
    at(block, context, 'eth_getBalance', readAddress(address)),
  ),
  eth_getStorageAt: takes(3, ([address, position, block], context) =>
    at(block, context, 'eth_getStorageAt', readAddress(address), toQuantity(readQuantity(position))),
  ),
  eth_getTransactionCount: takesOptionally([1, 2], 2, async ([value, block], context) => {
    const address = readAddress(value);
    const where = reference(block);
    const selector = await resolve(where === 'pending' ? 'latest' : where, context);
    if (selector === null) return null;
    const count = (await context.engine.request('eth_getTransactionCount', [address, selector])) as Hex;
    const truth = where === 'pending' ? context.pool.nextNonce(address, BigInt(count)) : BigInt(count);
    return toQuantity(context.transactionCount(truth, address, block));
  }),
  /** The node answers `null` for a bare hash and for an unknown number (node-facts §4). */
  eth_getCode: takes(2, async ([value, block], context) => {
    const address = readAddress(value);
    const where = readReference(block);
    if (typeof where !== 'object') refusePending(where, context);
    const nodeOnly = context.switches.unknownBlock === 'refused';
    if (nodeOnly && typeof block === 'string' && typeof where === 'object') return null;
    if (typeof where === 'number' && where > context.chain.head()) return null;
    const selector = await resolve(where, context);
    return selector === null ? null : context.engine.request('eth_getCode', [address, selector]);
  }),
  eth_getProof: takes(3, async ([address, keys, block], context) => {
    const wanted = (Array.isArray(keys) ? keys : []).map(readTopic);
    const proof = (await at(block, context, 'eth_getProof', readAddress(address), wanted)) as Proof | null;
    if (proof === null) return null;
    const { storageProof, ...account } = proof;
    const quantity = (hex: Hex) => toQuantity(BigInt(hex));
    return {
      ...account,
      storageProof: storageProof.map((each) => ({
        key: quantity(each.key),
        value: quantity(each.value),
        proof: each.proof,
      })),
    };
  }),
};

interface Proof {
  readonly storageProof: readonly { key: Hex; value: Hex; proof: readonly Hex[] }[];
}
