import { badReply } from '../rpc/errors.js';
import { own } from '../rpc/own.js';
import { type BlockLink, type Blocks, heightOf, type MinedBlock, parentOf } from './blocks.js';

/** `removed` (newest first) leave before `added` (oldest first) join. */
export interface Path {
  readonly removed: readonly BlockLink[];
  readonly added: readonly MinedBlock[];
  /**
   * Heights (inclusive) between the two whose blocks were not asked for. What was told of blocks at these heights
   * may have left too.
   */
  readonly missed?: { readonly from: number; readonly to: number };
}

/**
 * The newest blocks are always asked for one by one, by parent hash: nodes behind one balancer may tell differently
 * of them, and a range that is read by height from one that lags would end early, unsaid. Below, all agree: 12 blocks
 * are what the chain's documentation has people wait for (docs/notes/node.md#confirmations-and-lag), so that no fork is deeper, and 12 more
 * (five minutes at 25 s) are more than a node may lag and still be asked. Each is a request.
 */
export const unsettledBlocks = 24;

/** The height of the newest block that stays. */
export const baseOf = ({ missed, added }: Path): number =>
  (missed?.from ?? heightOf(added[0] as MinedBlock)) - 1;

/** How to get from the chain we have told of to one that ends in `tip`, which is not in it and not below it. */
export async function findPath(tip: MinedBlock, options: findPath.Options): Promise<Path> {
  const { chain, older = [], blocks, walked, signal } = options;
  const [oldest, head] = [chain[0] as BlockLink, chain.at(-1) as BlockLink];
  const added = [tip];
  const all = [...older, ...chain];
  /** The newest of them that may still stand. */
  let fork = all.length - 1;
  for (let block = tip; ; added.push(block)) {
    const { parentHash } = block;
    const parent = chain.findLastIndex(({ hash }) => hash === parentHash);
    if (parent >= 0) {
      if (heightOf(chain[parent] as BlockLink) !== heightOf(block) - 1)
        throw badReply('eth_getBlockByNumber', 'a block is not one higher than its parent');
      return { removed: above(chain, parent), added: added.reverse() };
    }
    if (heightOf(block) <= heightOf(oldest)) {
      const below = await findFork(oldest, block, options);
      if (below || older.length === 0)
        return {
          removed: [...above(chain, -1), ...(below?.removed ?? [])],
          added: [...added, ...(below?.added ?? [])].reverse(),
        };
      fork = older.length - 1;
      break;
    }
    if (added.length >= walked && heightOf(block) > heightOf(head) + 1) break;
    block = await parentOf(block, blocks, signal);
  }

  // Too far behind to ask for each block: find where we still stand, and say what is skipped.
  let below: Path | null = null;
  let from = heightOf(all[0] as BlockLink);
  for (; fork >= 0; fork--) {
    const ours = all[fork] as BlockLink;
    const standing = await blocks.at(heightOf(ours), signal);
    // None at a height below the tip's: another node behind the balancer, that cannot tell yet.
    if (!standing) throw badReply('eth_getBlockByNumber', 'a block below its newest is missing');
    if (standing.hash === ours.hash) {
      from = heightOf(ours) + 1;
      break;
    }
    if (fork === 0) below = await findFork(ours, standing, options);
  }
  const removed = [...above(all, fork), ...(below?.removed ?? [])];
  from -= below?.removed.length ?? 0;
  const to = heightOf(added.at(-1) as MinedBlock) - 1;
  return { removed, added: added.reverse(), ...(from <= to && { missed: { from, to } }) };
}

export declare namespace findPath {
  interface Options {
    /** What we have told of, oldest first, each the parent of the next; never empty. */
    readonly chain: readonly BlockLink[];
    /** Of what we have told of before, with gaps between them and below the chain: oldest first. */
    readonly older?: readonly BlockLink[] | undefined;
    readonly blocks: Pick<Blocks, 'at' | 'parent'>;
    /** New blocks asked for one by one. Those that replace others are, however many. */
    readonly walked: number;
    /** How far below the chain a fork is looked for by parent hash. */
    readonly deepest: number;
    readonly signal: AbortSignal;
  }
}

const above = (chain: readonly BlockLink[], fork: number) => chain.slice(fork + 1).reverse();

/**
 * The blocks that left and joined below two of one height, newest first: who watches may know of blocks from
 * before we followed (logs of the past). Nodes keep blocks that left their chain; `null` where one has forgotten
 * ours, or the fork is deeper than `deepest`.
 */
async function findFork(
  ours: BlockLink,
  theirs: MinedBlock,
  { blocks, deepest, signal }: findPath.Options,
): Promise<Path | null> {
  const [removed, added]: [BlockLink[], MinedBlock[]] = [[], []];
  let [left, right]: [BlockLink, MinedBlock] = [ours, theirs];
  while (left.parentHash !== right.parentHash) {
    if (added.length >= deepest || heightOf(right) === 0) return null;
    const known = await blocks.parent(left, signal);
    if (!known) return null;
    left = known;
    right = await parentOf(right, blocks, signal);
    removed.push(left);
    added.push(right);
  }
  return { removed, added };
}

/**
 * Whether a fork ending in `a` outweighs one ending in `b`: by total difficulty, the chain's own rule, where the
 * service knows it for both (docs/notes/node.md#blocks: `0x0` where it does not); else the longer one.
 */
export function outweighs(a: BlockLink, b: BlockLink): boolean {
  const [workOfA, workOfB] = [own(a).totalDifficulty, own(b).totalDifficulty].map(quantity) as [
    bigint,
    bigint,
  ];
  return workOfA && workOfB && workOfA !== workOfB ? workOfA > workOfB : heightOf(a) > heightOf(b);
}

const quantity = (value: unknown): bigint =>
  typeof value === 'string' && /^0x[0-9a-f]+$/i.test(value) ? BigInt(value) : 0n;
