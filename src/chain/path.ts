import { badReply } from '../rpc/errors.js';
import { type BlockLink, type Blocks, heightOf, type MinedBlock, parentOf } from './blocks.js';

/** `removed` (newest first) leave before `added` (oldest first) join. */
export interface Path {
  readonly removed: readonly BlockLink[];
  readonly added: readonly MinedBlock[];
  /** Heights (inclusive) between the two that were too many to ask for. */
  readonly missed?: { readonly from: number; readonly to: number };
}

/**
 * How to get from the chain we have told of (oldest first, linked, never empty) to one that ends in `tip`,
 * which is not in it and not below it.
 */
export async function findPath(
  chain: readonly BlockLink[],
  tip: MinedBlock,
  blocks: Pick<Blocks, 'at' | 'parent'>,
  maxGap: number,
  signal: AbortSignal,
): Promise<Path> {
  const [oldest, head] = [chain[0] as BlockLink, chain.at(-1) as BlockLink];
  const added = [tip];
  for (let block = tip; ; added.push(block)) {
    const { parentHash } = block;
    const fork = chain.findLastIndex(({ hash }) => hash === parentHash);
    if (fork >= 0) {
      if (heightOf(chain[fork] as BlockLink) !== heightOf(block) - 1)
        throw badReply('eth_getBlockByNumber', 'a block is not one higher than its parent');
      return { removed: above(chain, fork), added: added.reverse() };
    }
    if (heightOf(block) <= heightOf(oldest)) {
      const below = await findFork(oldest, block, blocks, maxGap, signal);
      return {
        removed: [...above(chain, -1), ...below.removed],
        added: [...added, ...below.added].reverse(),
      };
    }
    if (added.length >= maxGap && heightOf(block) > heightOf(head) + 1) break;
    block = await parentOf(block, blocks, signal);
  }

  // Too far behind to ask for each block: find where we still stand, and say what is skipped.
  let fork = chain.length - 1;
  for (; fork >= 0; fork--) {
    const ours = chain[fork] as BlockLink;
    const standing = await blocks.at(heightOf(ours), signal);
    // None at a height below the tip's: another node behind the balancer, that cannot tell yet.
    if (!standing) throw badReply('eth_getBlockByNumber', 'a block below its newest is missing');
    if (standing.hash === ours.hash) break;
  }
  const from = fork < 0 ? heightOf(oldest) : heightOf(chain[fork] as BlockLink) + 1;
  added.reverse();
  return {
    removed: above(chain, fork),
    missed: { from, to: heightOf(added[0] as MinedBlock) - 1 },
    added,
  };
}

const above = (chain: readonly BlockLink[], fork: number) => chain.slice(fork + 1).reverse();

/**
 * The blocks that left and joined below two of one height, newest first: who watches may know of blocks from
 * before we followed (logs of the past). Nodes keep blocks that left their chain; where one has forgotten ours, or
 * the fork is deeper than `maxGap`, it is not known, and nothing is said of what is below.
 */
async function findFork(
  ours: BlockLink,
  theirs: MinedBlock,
  blocks: Pick<Blocks, 'parent'>,
  maxGap: number,
  signal: AbortSignal,
): Promise<Path> {
  const [removed, added]: [BlockLink[], MinedBlock[]] = [[], []];
  let [left, right]: [BlockLink, MinedBlock] = [ours, theirs];
  while (left.parentHash !== right.parentHash) {
    if (added.length >= maxGap || heightOf(right) === 0) return unknownFork;
    const known = await blocks.parent(left, signal);
    if (!known) return unknownFork;
    left = known;
    right = await parentOf(right, blocks, signal);
    removed.push(left);
    added.push(right);
  }
  return { removed, added };
}

const unknownFork: Path = { removed: [], added: [] };

/**
 * Whether a fork ending in `a` outweighs one ending in `b`: by total difficulty, the chain's own rule, where the
 * service knows it for both (node-facts §10: `0x0` where it does not); else the longer one.
 */
export function outweighs(a: BlockLink, b: BlockLink): boolean {
  const [workOfA, workOfB] = [a.totalDifficulty, b.totalDifficulty].map(quantity) as [bigint, bigint];
  return workOfA && workOfB && workOfA !== workOfB ? workOfA > workOfB : heightOf(a) > heightOf(b);
}

const quantity = (value: unknown): bigint =>
  typeof value === 'string' && /^0x[0-9a-f]+$/i.test(value) ? BigInt(value) : 0n;
