import { toQuantity } from '../../rpc/hex.js';
import type { Block, Hash, Hex } from '../../rpc/schema.js';
import { type Context, type Method, type Methods, takes, takesOptionally } from '../context.js';
import { blockNotFound, Failure, invalidParam } from '../failure.js';
import { readBlockHash, readBoolean, readIndex, readSelector, type Selector } from '../params.js';

const invalidNumber = (given: string) => invalidParam(`invalid blocknumber ${given}`);
/** What the node says of a selector it cannot map differs from method to method (node-facts §4). */
export const readBlockNumber = (value: unknown) => readSelector(value, { refuse: invalidNumber });

/** The five methods of the seed's rule 6; the code the node keeps for it (node-facts §1.2). */
export function refusePending(at: Selector, { switches }: Context): void {
  if (at === 'pending' && switches.pendingTag === 'refused')
    throw new Failure(-32201, "The method don't support 'pending' as a parameter yet");
}

export const numberOf = (at: Exclude<Selector, 'pending'>, { chain }: Context): number =>
  at === 'latest' ? chain.head() : at === 'earliest' ? 0 : at;

const fullWish = (value: unknown) => (value === undefined ? false : readBoolean(value));

/** A count in a block that may be unknown: `null` in the seed, an error in the node (node-facts §0). */
async function counted(
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

const unclesByHash: Method['answer'] = ([value], context) => {
  const hash = readBlockHash(value);
  return counted(context, `with hash ${hash}`, context.blocks.byHash(hash, false), () => 0);
};

const unclesByNumber: Method['answer'] = ([value], context) => {
  const at = readBlockNumber(value);
  refusePending(at, context);
  if (at === 'pending') return '0x0';
  const number = numberOf(at, context);
  return counted(context, `with number ${number}`, context.blocks.byNumber(number, false), () => 0);
};

export const blockMethods: Methods = {
  eth_getBlockByHash: takesOptionally([1, 2], 2, ([hash, full], { blocks }) =>
    blocks.byHash(readBlockHash(hash), fullWish(full)),
  ),
  eth_getBlockByNumber: takesOptionally([1, 2], 2, ([value, full], context) => {
    const at = readBlockNumber(value);
    const wish = fullWish(full);
    refusePending(at, context);
    if (at === 'pending') return context.blocks.pending(wish);
    return context.blocks.byNumber(numberOf(at, context), wish);
  }),
  eth_getBlockTransactionCountByHash: takes(1, async ([value], { blocks }) => {
    const block = await blocks.byHash(readBlockHash(value), false);
    return block && toQuantity(block.transactions.length);
  }),
  eth_getBlockTransactionCountByNumber: takes(1, ([value], context) => {
    const at = readBlockNumber(value);
    if (at === 'pending') return toQuantity(context.pool.pending().length);
    const number = numberOf(at, context);
    const block = context.blocks.byNumber(number, false);
    return counted(context, `with number ${number}`, block, ({ transactions }) => transactions.length);
  }),
  eth_getUncleCountByBlockHash: takes(1, unclesByHash),
  eth_getUncleCountByBlockNumber: takes(1, unclesByNumber),
  /** This chain's blocks carry no uncles, so none is ever found (seed, Errors rule 1). */
  eth_getUncleByBlockHashAndIndex: takes(2, ([hash, index]) => {
    readBlockHash(hash);
    readIndex(index);
    return null;
  }),
  eth_getUncleByBlockNumberAndIndex: takes(2, ([value, index], context) => {
    refusePending(readBlockNumber(value), context);
    readIndex(index);
    return null;
  }),
  /** Not in the seed; in the node (node-facts §9.3). */
  eth_getBlocksByNumber: takes(1, async ([value], context) => {
    const number = numberOf(readSelector(value, { decimal: true }) as Exclude<Selector, 'pending'>, context);
    const block = await context.blocks.byNumber(number, false);
    return block
      ? [{ hash: block.hash as Hash, totalDifficulty: block.totalDifficulty, inMainChain: true }]
      : [];
  }),
};
