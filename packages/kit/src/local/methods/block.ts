import { toQuantity } from '../../../../../src/rpc/hex.js';
import type { Block, Hash, Hex } from '../../../../../src/rpc/schema.js';
import { type Context, type Methods, takes, takesOptionally } from '../context.js';
import { blockNotFound, Failure } from '../failure.js';
import { readBlockHash, readBoolean, readIndex, readNumber, readText, refuseNull } from '../params.js';
import { parseIdentifier, type Reference, readBlock } from '../reference.js';

/** Rejects the tag `pending`, for the five methods of the seed's rule 6, with the node's code (docs/notes/node.md#protocol-errors). */
export function refusePending({ at }: Reference, { switches }: Context): void {
  if (at === 'pending' && switches.pendingTag === 'refused')
    throw new Failure(-32201, "The method don't support 'pending' as a parameter yet");
}

/** The block number or hash of a reference, as `Blocks` takes it. */
export function placeOf({ at }: Reference, { chain }: Context): number | Hash {
  if (at === 'latest' || at === 'pending') return chain.head();
  if (at === 'earliest') return 0;
  return typeof at === 'number' ? at : at.hash;
}

/** Reads the place of a block where the node takes a String. */
export const readPlace = (value: unknown, context: Context): number | Hash =>
  placeOf(parseIdentifier(readText(value) ?? ''), context);

/** Reads a canonical or non-canonical block; for `pending`, the candidate block. */
function read(reference: Reference, full: boolean, context: Context): Promise<Block | null> {
  const { blocks } = context;
  if (reference.at === 'pending') return blocks.pending(full);
  const place = placeOf(reference, context);
  return typeof place === 'number' ? blocks.byNumber(place, full) : blocks.byHash(place, full);
}

const readFull = (value: unknown) => (value === undefined ? false : readBoolean(value));

/** A count from a block. For an unknown block: `null` in the seed, an error in the node (docs/notes/node.md#unknown-blocks). */
async function countIn(
  context: Context,
  name: string,
  block: Promise<Block | null>,
  count: (block: Block) => number,
): Promise<Hex | null> {
  const found = await block;
  if (found !== null) return toQuantity(count(found));
  if (context.switches.unknownBlock === 'null') return null;
  throw blockNotFound(name);
}

export const blockMethods: Methods = {
  eth_getBlockByHash: takesOptionally(2, ([hash, full], { blocks }) => {
    refuseNull(hash, 'blockHash');
    return blocks.byHash(readBlockHash(hash), readFull(full));
  }),
  eth_getBlockByNumber: takesOptionally(2, ([value, full], context) => {
    const reference = readBlock(value);
    const isFull = readFull(full);
    refusePending(reference, context);
    return read(reference, isFull, context);
  }),
  eth_getBlockTransactionCountByHash: takes(1, async ([value], { blocks }) => {
    const block = await blocks.byHash(readBlockHash(value), false);
    return block && toQuantity(block.transactions.length);
  }),
  eth_getBlockTransactionCountByNumber: takes(1, ([value], context) => {
    const reference = readBlock(value);
    if (reference.at === 'pending') return toQuantity(context.pool.pending().length);
    const block = read(reference, false, context);
    return countIn(context, reference.named, block, ({ transactions }) => transactions.length);
  }),
  eth_getUncleCountByBlockHash: takes(1, ([value], context) => {
    const hash = readBlockHash(value);
    return countIn(context, `with hash ${hash.slice(2)}`, context.blocks.byHash(hash, false), () => 0);
  }),
  eth_getUncleCountByBlockNumber: takes(1, ([value], context) => {
    const reference = readBlock(value);
    refusePending(reference, context);
    if (reference.at === 'pending') return '0x0';
    return countIn(context, reference.named, read(reference, false, context), () => 0);
  }),
  /** Blocks of this chain have no uncles, so the result is always null (docs/notes/service.md#errors). */
  eth_getUncleByBlockHashAndIndex: takes(2, ([hash, index]) => {
    readBlockHash(hash);
    readIndex(index);
    return null;
  }),
  eth_getUncleByBlockNumberAndIndex: takes(2, ([value, index], context) => {
    refusePending(readBlock(value), context);
    readIndex(index);
    return null;
  }),
  /** The node has this method, although its documentation does not list it (docs/notes/node.md#undocumented-methods). */
  eth_getBlocksByNumber: takes(1, async ([value], context) => {
    const number = readNumber(value, 'blocknumber');
    const block = await context.blocks.byNumber(Number(BigInt.asIntN(64, number)), false);
    return block
      ? [{ hash: block.hash as Hash, totalDifficulty: block.totalDifficulty, inMainChain: true }]
      : [];
  }),
};
