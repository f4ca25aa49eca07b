import { badReply } from '../rpc/core-errors.js';
import { own } from '../rpc/own.js';
import type { Hash } from '../rpc/schema.js';
import { type BlockLink, type Blocks, heightOf, isParent, type MinedBlock, parentOf } from './blocks.js';

/** How a chain changes: blocks `removed` (newest first), then blocks `added` (oldest first). */
export interface ReorgPath {
  readonly removed: readonly BlockLink[];
  readonly added: readonly MinedBlock[];
  /**
   * Heights (inclusive) between the two whose blocks were not read. Blocks delivered earlier at these heights may
   * have been removed too.
   */
  readonly missed?: { readonly from: number; readonly to: number } | undefined;
}

/**
 * How many of the newest blocks are always read one by one, by parent hash. Nodes behind a balancer may disagree about
 * them, and a range of heights read from a lagging node would silently end early. 12 blocks are the recommended number
 * of confirmations, so that no fork is deeper (docs/notes/node.md#confirmations-and-lag); 12 more (5 minutes at 25 s)
 * are more than a node lags behind the others. Each costs a request.
 */
export const walkedBlocks = 24;

/** Height of the newest block that stays. */
export function baseOf({ removed, missed, added }: Partial<ReorgPath>): number {
  const lowest = [removed?.at(-1), added?.[0]].map((block) =>
    block ? heightOf(block) : Number.POSITIVE_INFINITY,
  );
  return Math.min(missed?.from ?? Number.POSITIVE_INFINITY, ...lowest) - 1;
}

/** Finds reorg paths. */
export interface PathFinder {
  /** Known headers, by hash: those read on a path that could not be finished, with which the next try starts, and others. */
  readonly headers: Map<Hash, MinedBlock>;
  /** `null` where the nodes do not have it. */
  parent(block: BlockLink, signal: AbortSignal): Promise<MinedBlock | null>;
  /** The path from the known chain to one that ends in `tip`, which is not part of it and not below it. */
  pathTo(tip: MinedBlock, options: PathFinder.Options): Promise<ReorgPath>;
}

export declare namespace PathFinder {
  interface Options {
    /** The known chain, oldest first, each block the parent of the next; never empty. */
    readonly chain: readonly BlockLink[];
    /** Known blocks below the chain, oldest first, with gaps between them. */
    readonly older?: readonly BlockLink[] | undefined;
    /** Most new blocks that are read one by one. Those that replace known blocks all are. */
    readonly walked: number;
    readonly signal: AbortSignal;
  }
}

export function createPathFinder(options: createPathFinder.Options): PathFinder {
  const { blocks, maxDepth, onMissing } = own(options);
  const headers = new Map<Hash, MinedBlock>();

  async function parent(block: BlockLink, signal: AbortSignal): Promise<MinedBlock | null> {
    const { parentHash } = block;
    // Only the hash is known of a block up to which the past alone was delivered.
    if (!parentHash) return null;
    const kept = headers.get(parentHash);
    // Headers read by height may contradict each other. Heights must descend, or the walk would never end.
    const found = kept && isParent(kept, block) ? kept : await blocks.parent(block, signal);
    if (found) headers.set(parentHash, found);
    else onMissing?.(parentHash);
    return found;
  }

  return {
    headers,
    parent,
    async pathTo(tip, settings) {
      const { chain, older, walked, signal } = own(settings);
      await prefetchHeaders(tip, chain.at(-1) as BlockLink, { walked, blocks, headers, signal });
      return findPath(tip, { chain, older, walked, maxDepth, signal, blocks: { at: blocks.at, parent } });
    },
  };
}

export declare namespace createPathFinder {
  interface Options {
    readonly blocks: Pick<Blocks, 'at' | 'parent'>;
    /** Most blocks below the known chain that are read to find a fork. */
    readonly maxDepth: number;
    /** Called for a parent that no node has; what it throws ends the search. */
    readonly onMissing?: ((hash: Hash) => void) | undefined;
  }
}

/**
 * Reads the newest blocks between `head` and `tip` by height, several at once, where following parent hashes would
 * wait for one request after another. A block of another fork may be among them, or one may be missing: the caller
 * goes by hash and requests what is not there.
 *
 * @param options `headers` by hash, to which those that are read are added
 */
export async function prefetchHeaders(
  tip: BlockLink,
  head: BlockLink,
  options: Pick<FindOptions, 'walked' | 'signal'> & {
    headers: Map<Hash, MinedBlock>;
    blocks: Pick<Blocks, 'at'>;
  },
): Promise<void> {
  const { walked, blocks, headers, signal } = options;
  const from = Math.max(heightOf(head), heightOf(tip) - walked) + 1;
  if (heightOf(tip) - from < minPrefetched) return;
  const known = new Set([...headers.values()].map(heightOf));
  let next = heightOf(tip) - 1;
  const read = async (): Promise<void> => {
    for (let height = next--; height >= from && !signal.aborted; height = next--) {
      const block = known.has(height) ? null : await blocks.at(height, signal);
      if (block) headers.set(block.hash, block);
    }
  };
  // A failure is repeated, and reported, by the caller's own request for that block.
  await Promise.allSettled(Array.from({ length: parallel }, read));
}

/** Requests at once. */
const parallel = 6;
/** Blocks. Fewer are as fast one by one, and a request by hash is shared with the other tabs. */
const minPrefetched = 32;

type FindOptions = PathFinder.Options & Omit<createPathFinder.Options, 'onMissing'>;

async function findPath(tip: MinedBlock, options: FindOptions): Promise<ReorgPath> {
  const { chain, older = [], blocks, walked, signal } = options;
  const [oldest, head] = [chain[0] as BlockLink, chain.at(-1) as BlockLink];
  const added = [tip];
  const all = [...older, ...chain];
  /** Index of the newest of them that may still be on the chain. */
  let fork = all.length - 1;
  for (let block = tip; ; added.push(block)) {
    const { parentHash } = block;
    const parent = chain.findLastIndex(({ hash }) => hash === parentHash);
    if (parent >= 0) {
      if (heightOf(chain[parent] as BlockLink) !== heightOf(block) - 1)
        throw badReply('eth_getBlockByNumber', 'a block is not one higher than its parent');
      return { removed: above(chain, parent), added: added.reverse(), missed: undefined };
    }
    if (heightOf(block) <= heightOf(oldest)) {
      const below = await findFork(oldest, block, options);
      if (below || older.length === 0)
        return {
          removed: [...above(chain, -1), ...(below?.removed ?? [])],
          added: [...added, ...(below?.added ?? [])].reverse(),
          missed: undefined,
        };
      fork = older.length - 1;
      break;
    }
    if (added.length >= walked && heightOf(block) > heightOf(head) + 1) break;
    block = await parentOf(block, blocks, signal);
  }

  // Too many new blocks to read each: find the newest known block that is still on the chain, and skip those between.
  let below: ReorgPath | null = null;
  let from = heightOf(all[0] as BlockLink);
  for (; fork >= 0; fork--) {
    const known = all[fork] as BlockLink;
    const current = await blocks.at(heightOf(known), signal);
    // No block below the tip: a lagging node behind the balancer has answered.
    if (!current) throw badReply('eth_getBlockByNumber', 'a block below its newest is missing');
    if (current.hash === known.hash) {
      from = heightOf(known) + 1;
      break;
    }
    if (fork === 0) below = await findFork(known, current, options);
  }
  const removed = [...above(all, fork), ...(below?.removed ?? [])];
  from -= below?.removed.length ?? 0;
  const to = heightOf(added.at(-1) as MinedBlock) - 1;
  return { removed, added: added.reverse(), missed: from <= to ? { from, to } : undefined };
}

const above = (chain: readonly BlockLink[], fork: number) => chain.slice(fork + 1).reverse();

/**
 * The blocks that differ below two blocks of one height, newest first: a subscriber may have had logs of blocks from
 * before the known chain. `null` where the nodes no longer have a removed block, or the fork is deeper than `maxDepth`.
 */
async function findFork(
  ours: BlockLink,
  theirs: MinedBlock,
  { blocks, maxDepth, signal }: FindOptions,
): Promise<ReorgPath | null> {
  const removed: BlockLink[] = [];
  const added: MinedBlock[] = [];
  let left = ours;
  let right = theirs;
  while (left.parentHash !== right.parentHash) {
    if (added.length >= maxDepth || heightOf(right) === 0) return null;
    const known = await blocks.parent(left, signal);
    if (!known) return null;
    left = known;
    right = await parentOf(right, blocks, signal);
    removed.push(left);
    added.push(right);
  }
  return { removed, added, missed: undefined };
}

/**
 * Whether a fork ending in `a` outweighs one ending in `b`: by total difficulty, the chain's own rule, where the service
 * gives it for both (`0x0` where it does not know: docs/notes/node.md#blocks); else by length.
 */
export function outweighs(a: BlockLink, b: BlockLink): boolean {
  const workOfA = quantity(own(a).totalDifficulty);
  const workOfB = quantity(own(b).totalDifficulty);
  return workOfA && workOfB && workOfA !== workOfB ? workOfA > workOfB : heightOf(a) > heightOf(b);
}

const quantity = (value: unknown): bigint =>
  typeof value === 'string' && /^0x[0-9a-f]+$/i.test(value) ? BigInt(value) : 0n;
