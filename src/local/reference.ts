import { toQuantity } from '../rpc/hex.js';
import type { Hex } from '../rpc/schema.js';
import type { Context } from './context.js';
import { blockNotFound, Failure } from './failure.js';
import type { Reference } from './params.js';

/** The engine's selector for a block reference, or null when the block is unknown and the seed says null. */
export async function resolve(
  reference: Reference,
  context: Context,
): Promise<Hex | 'latest' | 'pending' | null> {
  const { chain, blocks, switches } = context;
  const unknown = (what: string) => {
    if (switches.unknownBlock === 'null') return null;
    throw blockNotFound(what);
  };
  if (reference === 'latest' || reference === 'pending') return reference;
  if (reference === 'earliest') return '0x0';
  if (typeof reference === 'number')
    return reference > chain.head() ? unknown(`with number ${reference}`) : toQuantity(reference);
  const { blockHash, canonical } = reference;
  if (chain.besideChain(blockHash)) {
    if (canonical)
      throw new Failure(-32600, `Block with hash ${blockHash} is not canonical and it is required`);
    return unknown(`with hash ${blockHash}`);
  }
  const block = await blocks.find(blockHash);
  return block === null ? unknown(`with hash ${blockHash}`) : block.number;
}
