import { readAhead } from '../chain/prefetch-headers.js';
import {
  type BlockLink,
  createBlocks,
  heightOf,
  isParent,
  linkOf,
  type MinedBlock,
} from '../chain/blocks.js';
import { baseOf, findPath, outweighs, type Path } from '../chain/reorg-path.js';
import { badReply } from '../rpc/errors.js';
import { toQuantity } from '../rpc/hex.js';
import type { Hash } from '../rpc/schema.js';
import type { Service } from '../service/service.js';
import type { Progress } from './durable/cursor-store.js';

/** Up to where a page has been told of the chain, wherever the follower is. */
export interface Position {
  head(): Pick<BlockLink, 'number' | 'hash'> | undefined;
  /** From here on; nothing below is told. */
  start(at: Partial<Pick<Progress, 'reached'>> & Pick<Progress, 'links'>): void;
  /**
   * The way from here to the end of a step, whose own blocks need not be asked for; `null` where there is none to
   * go: it has been told, or is another node's, that lags.
   * @throws ProviderRpcError as the service's requests, and for a fork that may not last.
   */
  pathTo(step: Path): Promise<Path | null>;
  /** What is above the {@link baseOf} the path has left. */
  leave(path: Path): void;
  /** The next block was told. */
  join(block: MinedBlock): void;
  /** The past was told up to this block. */
  reach(block: Pick<BlockLink, 'number' | 'hash'>): void;
  /** As it is kept: of the blocks further down, enough to find a fork among them. */
  links(): Pick<Progress, 'links' | 'reached'>;
}

export function createPosition(options: createPosition.Options): Position {
  const { walked, ringSize, signal } = options;
  const blocks = createBlocks(options.service);
  let links: readonly BlockLink[] = [];
  let reached: Progress['reached'];
  /** Blocks that were read, or seen, on a way that was not gone to its end. */
  const read = new Map<Hash, MinedBlock>();
  let unproven = 0;

  async function parent(block: BlockLink): Promise<MinedBlock | null> {
    // Of a block that the past was told up to, no more is known than its hash.
    if (!block.parentHash) return null;
    const before = read.get(block.parentHash);
    const known = before && isParent(before, block) ? before : await blocks.parent(block, signal);
    if (known) read.set(known.hash, known);
    return known;
  }

  /** Whether the head has left for a fork that is not the heavier one: else `end` is a lagging node's. */
  async function hasLeft(oldest: BlockLink, head: BlockLink, end: MinedBlock): Promise<boolean> {
    // Below all that we know: a node that is far behind, unless that block is younger than our newest.
    if (heightOf(end) < heightOf(oldest) && !(Number(end.timestamp) > Number(head.timestamp))) return false;
    const standing = await blocks.at(heightOf(head), signal);
    if (standing) return standing.hash !== head.hash;
    // As in the follower: a chain that was cut (a development node was set back), or not. Time will tell.
    unproven += 1;
    if (unproven < proofs) throw badReply('eth_getBlockByNumber', 'a lower fork, which may not last');
    return true;
  }

  const chain = () => (reached ? [...links, reached as BlockLink] : links);

  /** Of the blocks told further down not every one is kept: those above a fork are asked for. @returns false where none is. */
  async function fillAbove({ removed, added, missed }: Path): Promise<boolean> {
    const theirs = new Set(added.map(({ hash }) => hash));
    const filled: BlockLink[] = [];
    for (let own = removed.at(-1); own && !missed && heightOf(own) > baseOf({ removed, added }) + 1; ) {
      const below: MinedBlock | null = await parent(own);
      if (below) filled.unshift(linkOf(below));
      own = below && !theirs.has(below.hash) ? below : undefined;
    }
    const at = links.findIndex((link) => heightOf(link) > heightOf(filled[0] ?? link));
    if (filled.length > 0) links = [...links.slice(0, at), ...filled, ...links.slice(at)];
    return filled.length > 0;
  }

  return {
    head: () => reached ?? links.at(-1),

    start(at) {
      links = at.links;
      reached = at.reached;
    },

    async pathTo({ removed, added }) {
      const known = chain();
      const [oldest, head] = [known[0], known.at(-1)] as [BlockLink, BlockLink];
      const end = added.at(-1) as MinedBlock;
      if (read.size > ringSize + walked) read.clear();
      for (const block of added) read.set(block.hash, block);
      if (known.some(({ hash }) => hash === end.hash)) return null;
      const followed = removed.some(({ hash }) => hash === head.hash);
      if (!followed && !outweighs(end, head) && !(await hasLeft(oldest, head, end))) return null;
      const walk = { walked: Math.max(walked, added.length), signal };
      await readAhead(end, head, { ...walk, blocks, read });
      const find = () =>
        findPath(end, { ...walk, chain: chain(), blocks: { at: blocks.at, parent }, deepest: ringSize });
      const found = await find();
      const path = (await fillAbove(found)) ? await find() : found;
      unproven = 0;
      return path;
    },

    leave(path) {
      const base = baseOf(path);
      const below = path.missed ? path.removed.at(-1)?.parentHash : path.added[0]?.parentHash;
      links = links.filter((link) => heightOf(link) <= base);
      if (reached && heightOf(reached) <= base) return;
      // All that was known may have left: we go on from below it.
      if (links.length > 0) reached = undefined;
      else if (below) reached = { number: toQuantity(Math.max(0, base)), hash: below };
    },

    join(block) {
      const { hash, parentHash } = block;
      const link = linkOf(block);
      const isNext = links.at(-1)?.hash === parentHash;
      const lowest = heightOf(block) - ringSize;
      links = isNext ? [...links.filter((each) => heightOf(each) > lowest), link] : [link];
      reached = undefined;
      read.delete(hash);
    },

    reach(block) {
      reached = { number: block.number, hash: block.hash };
    },

    links() {
      const head = Number(links.at(-1)?.number ?? 0);
      const isKept = (link: BlockLink) =>
        head - heightOf(link) < allKept || heightOf(link) % sparseKept === 0 || link === links[0];
      return { links: links.filter(isKept), reached };
    },
  };
}

/** Looks in a row that must show a lower fork before it is believed. */
const proofs = 3;
/** Blocks of which each is kept; of those below, every so many. */
const allKept = 32;
const sparseKept = 32;

export declare namespace createPosition {
  interface Options {
    readonly service: Service;
    /** Blocks asked for one by one after a gap that is longer than that. */
    readonly walked: number;
    /** How deep a reorganisation can be undone. */
    readonly ringSize: number;
    readonly signal: AbortSignal;
  }
}
