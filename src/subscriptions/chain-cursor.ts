import { type BlockLink, createBlocks, heightOf, linkOf, type MinedBlock } from '../chain/blocks.js';
import { baseOf, createPathFinder, outweighs, type ReorgPath } from '../chain/reorg-path.js';
import { badReply } from '../rpc/core-errors.js';
import { toQuantity } from '../rpc/hex.js';
import type { Hash } from '../rpc/schema.js';
import type { Service } from '../service/service.js';
import type { Progress } from './durable/cursor-store.js';

/** Up to which block a page got the events of the chain, independent of where the follower is. */
export interface ChainCursor {
  head(): Pick<BlockLink, 'number' | 'hash'> | undefined;
  /** Begins here: nothing below is delivered. */
  start(at: Pick<Progress, 'links' | 'reached'>): void;
  /**
   * The reorg path from this cursor to the end of a follower's step, whose own blocks are not read again; `null` if the cursor is
   * there already, or if the step ends at a lagging node's block.
   * @throws ProviderRpcError as the service's requests, and for a lower fork that may not last
   */
  pathTo(step: ReorgPath): Promise<ReorgPath | null>;
  /** Goes back to the {@link baseOf} the path. */
  rewind(path: ReorgPath): void;
  /** Moves on to the next delivered block. */
  advance(block: MinedBlock): void;
  /** Moves on to the last of a range of blocks delivered without their headers. */
  reach(block: Pick<BlockLink, 'number' | 'hash'>): void;
  /** For storage: of the blocks further down only some, enough to find a fork among them. */
  links(): Pick<Progress, 'links' | 'reached'>;
}

export function createChainCursor(options: createChainCursor.Options): ChainCursor {
  const { walked, ringSize, signal, delivered } = options;
  const blocks = createBlocks(options.service);
  const paths = createPathFinder({ blocks, maxDepth: ringSize });
  let links: readonly BlockLink[] = [];
  let reached: Progress['reached'];
  /** Consecutive steps that ended at a lower fork. */
  let unproven = 0;

  /** Whether our head was removed, though `end` is not the heavier block; else a lagging node gave `end`. */
  async function isRemoved(oldest: BlockLink, head: BlockLink, end: MinedBlock): Promise<boolean> {
    // Below all known blocks: a node that is far behind, unless that block is younger than our newest.
    if (heightOf(end) < heightOf(oldest) && !(Number(end.timestamp) > Number(head.timestamp))) return false;
    const current = await blocks.at(heightOf(head), signal);
    if (current) return current.hash !== head.hash;
    // As in the follower: a development chain may have been set back. Further steps decide.
    unproven += 1;
    if (unproven < pollsToBelieve) throw badReply('eth_getBlockByNumber', 'a lower fork, which may not last');
    return true;
  }

  const chain = () => (reached ? [...links, reached as BlockLink] : links);

  /**
   * Where all known blocks are removed, those below them whose events were delivered may be, too: finds the newest of them
   * that stays.
   */
  async function withDelivered(path: ReorgPath, oldest: BlockLink): Promise<ReorgPath> {
    if (!path.removed.some(({ hash }) => hash === oldest.hash)) return path;
    const base = baseOf(path);
    const lower = delivered().filter((block) => heightOf(block) <= base);
    const removed: BlockLink[] = [];
    for (const block of lower.reverse()) {
      if ((await hashAt(heightOf(block))) === block.hash) break;
      removed.push(block as BlockLink);
    }
    const lowest = removed.at(-1);
    if (!lowest) return path;
    const to = path.missed?.to ?? base;
    return { ...path, removed: [...path.removed, ...removed], missed: { from: heightOf(lowest), to } };
  }

  /**
   * Names the parent of the lowest removed block, to go on from, where no more than that block's hash was known: the block
   * that is below it now.
   */
  async function withBase(path: ReorgPath): Promise<ReorgPath> {
    const [base, lowest] = [baseOf(path), path.removed.at(-1)];
    if (!path.missed || !lowest || lowest.parentHash || base < 0) return path;
    const parentHash = await hashAt(base);
    return { ...path, removed: [...path.removed.slice(0, -1), { ...lowest, parentHash }] };
  }

  async function hashAt(height: number): Promise<Hash> {
    const block = await blocks.at(height, signal);
    if (!block) throw badReply('eth_getBlockByNumber', 'a block below its newest is missing');
    return block.hash;
  }

  /** Reads the blocks between a fork and the kept links above it. Returns whether there were any. */
  async function fillAbove({ removed, added, missed }: ReorgPath): Promise<boolean> {
    const addedHashes = new Set(added.map(({ hash }) => hash));
    const filled: BlockLink[] = [];
    let link = removed.at(-1);
    while (link && !missed && heightOf(link) > baseOf({ added }) + 1) {
      const below: MinedBlock | null = await paths.parent(link, signal);
      if (below) filled.unshift(linkOf(below));
      link = below && !addedHashes.has(below.hash) ? below : undefined;
    }
    const at = links.findIndex((each) => heightOf(each) > heightOf(filled[0] ?? each));
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
      if (paths.headers.size > ringSize + walked) paths.headers.clear();
      for (const block of added) paths.headers.set(block.hash, block);
      if (known.some(({ hash }) => hash === end.hash)) return null;
      const isFollowed = removed.some(({ hash }) => hash === head.hash);
      if (!isFollowed && !outweighs(end, head) && !(await isRemoved(oldest, head, end))) return null;
      const find = () =>
        paths.pathTo(end, { chain: chain(), walked: Math.max(walked, added.length), signal });
      const found = await find();
      const filled = (await fillAbove(found)) ? await find() : found;
      const path = await withBase(await withDelivered(filled, oldest));
      unproven = 0;
      return path;
    },

    rewind(path) {
      const base = baseOf(path);
      const below = path.missed ? path.removed.at(-1)?.parentHash : path.added[0]?.parentHash;
      links = links.filter((link) => heightOf(link) <= base);
      if (reached && heightOf(reached) <= base) return;
      // All known blocks may be removed: the cursor goes on from the block below them.
      if (links.length > 0) reached = undefined;
      else if (below) reached = { number: toQuantity(Math.max(0, base)), hash: below };
    },

    advance(block) {
      const { hash, parentHash } = block;
      const link = linkOf(block);
      const isNext = links.at(-1)?.hash === parentHash;
      const lowest = heightOf(block) - ringSize;
      links = isNext ? [...links.filter((each) => heightOf(each) > lowest), link] : [link];
      reached = undefined;
      paths.headers.delete(hash);
    },

    reach(block) {
      reached = { number: block.number, hash: block.hash };
    },

    links() {
      const head = Number(links.at(-1)?.number ?? 0);
      const isKept = (link: BlockLink) =>
        head - heightOf(link) < denseLinks || heightOf(link) % linkSpacing === 0 || link === links[0];
      return { links: links.filter(isKept), reached };
    },
  };
}

/** Consecutive steps that must show a lower fork before it is believed. */
const pollsToBelieve = 3;
/** Newest blocks of which every link is stored; further down, one link is stored per this many blocks. */
const denseLinks = 32;
const linkSpacing = 32;

export declare namespace createChainCursor {
  interface Options {
    readonly service: Service;
    /** Most new blocks that are read one by one after a gap. */
    readonly walked: number;
    /** Blocks: the deepest reorg that can be undone. */
    readonly ringSize: number;
    readonly signal: AbortSignal;
    /** The blocks whose events were delivered, oldest first: what is known of the chain below the links. */
    readonly delivered: () => readonly Pick<BlockLink, 'number' | 'hash'>[];
  }
}
