import { toQuantity } from '../../../../../src/rpc/hex.js';
import type { Hex } from '../../../../../src/rpc/schema.js';
import { type Context, type Methods, takes, takesOptionally } from '../context.js';
import { invalidParam } from '../failure.js';
import { readAddress, readQuantity, readTopic } from '../params.js';
import {
  blockNumberOf,
  isTag,
  type Reference,
  readIdentifierOrMap,
  readReference,
  resolve,
} from '../reference.js';
import { refusePending } from './block.js';

const latest: Reference = { at: 'latest', named: 'latest' };
const reference = (value: unknown) => (value === undefined ? latest : readReference(value));

/** Reads the state at a block; null for an unknown block in the seed dialect. */
async function at(value: unknown, context: Context, method: string, ...params: unknown[]): Promise<unknown> {
  const selector = await resolve(reference(value), context);
  return selector === null ? null : context.engine.request(method, [...params, selector]);
}

/** The block of `eth_getCode`. The node reads a hash as a number by its lowest 64 bits, and does not find that block. */
function readCodeBlock(value: unknown, { switches }: Context): Reference {
  const read = readIdentifierOrMap(value);
  if (typeof read !== 'string') return read;
  if (isTag(read) || switches.unknownBlock === 'null') return readReference(read);
  if (!read.startsWith('0x')) throw invalidParam(`invalid blocknumber ${read}`);
  return { at: blockNumberOf(read), named: read };
}

export const stateMethods: Methods = {
  eth_getBalance: takes([1, 2], ([address, block], context) =>
    at(block, context, 'eth_getBalance', readAddress(address)),
  ),
  eth_getStorageAt: takes(3, ([address, position, block], context) =>
    at(block, context, 'eth_getStorageAt', readAddress(address), toQuantity(readQuantity(position))),
  ),
  eth_getTransactionCount: takesOptionally(2, async ([value, block], context) => {
    const address = readAddress(value);
    const where = reference(block);
    const selector = await resolve(where.at === 'pending' ? latest : where, context);
    if (selector === null) return null;
    const count = (await context.engine.request('eth_getTransactionCount', [address, selector])) as Hex;
    const truth = where.at === 'pending' ? context.pool.nextNonce(address, BigInt(count)) : BigInt(count);
    return toQuantity(context.transactionCount(truth, address, block));
  }),
  eth_getCode: takes(2, async ([value, block], context) => {
    const address = readAddress(value);
    const where = readCodeBlock(block, context);
    refusePending(where, context);
    const { at: place } = where;
    if (typeof place === 'number' && (place < 0 || place > context.chain.head())) {
      if (typeof block === 'object' && context.switches.unknownBlock === 'refused')
        throw invalidParam('Invalid block input');
      return null;
    }
    const selector = await resolve(where, context);
    return selector === null ? null : context.engine.request('eth_getCode', [address, selector]);
  }),
  eth_getProof: takes(3, async ([address, keys, block], context) => {
    const slots = (Array.isArray(keys) ? keys : []).map(readTopic);
    const proof = (await at(block, context, 'eth_getProof', readAddress(address), slots)) as Proof | null;
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
