import { toQuantity } from '../rpc/hex.js';
import { checkBlock } from '../rpc/results.js';
import type { Block, Hash } from '../rpc/schema.js';
import type { Service } from '../service/service.js';
import type { Journal } from '../transactions/journal.js';
import type { JournalEntry, LedgerMark } from '../transactions/journal-entry.js';
import { settledDepth } from './accounting.js';
import { type Ledger, minedTextOf } from './ledger.js';

/**
 * The transactions of an account that nodes have shown in blocks. A block may leave the chain later, so what was seen counts
 * under the head that it was seen with, and under the children of that head, whose chain has all that the parent's has.
 */
export interface Sightings {
  /** The transactions in the chains of the last heads, with their heights, by the hash of the head. */
  readonly chains: Map<Hash, ReadonlyMap<Hash, number>>;
  /** When each was seen last, in milliseconds since 1970. `Infinity` with twelve blocks on top: then it counts under each head. */
  readonly seenAt: Map<Hash, number>;
}

/** The part of a block that is noted. */
export type SeenBlock = Pick<Block, 'hash' | 'number' | 'transactions'>;

export const noSightings = (): Sightings => ({ chains: new Map(), seenAt: new Map() });

/** Whether a transaction counts under each head. */
export const isFinal = ({ seenAt }: Sightings, hash: Hash): boolean =>
  seenAt.get(hash) === Number.POSITIVE_INFINITY;

/** Whether a transaction was seen in the chain of a head; `null` asks whether it counts under each. */
export const isInChain = (seen: Sightings, hash: Hash, head: Hash | null): boolean =>
  isFinal(seen, hash) || (head !== null && seen.chains.get(head)?.has(hash) === true);

/**
 * Notes which of these transactions are in the chain of a head: those in the chain of its parent, those in its own block, and
 * those in blocks that a node has shown at the same time.
 * @param at milliseconds since 1970
 */
export function noteHead(
  seen: Sightings,
  head: Block,
  transactions: readonly Hash[],
  blocks: readonly SeenBlock[],
  at: number,
): void {
  const { chains, seenAt } = seen;
  const { hash, parentHash } = head;
  if (hash === null) return;
  const top = Number(head.number);
  const chain = new Map<Hash, number>([...(chains.get(parentHash) ?? []), ...(chains.get(hash) ?? [])]);
  for (const block of [...blocks, head]) {
    const height = Number(block.number);
    // Two nodes may show blocks of two branches.
    const isOther =
      (height === top && block.hash !== hash) || (height === top - 1 && block.hash !== parentHash);
    if (!isOther)
      for (const each of transactions)
        if (block.transactions.includes(each as never)) chain.set(each, height);
  }
  for (const [each, height] of chain)
    if (!isFinal(seen, each)) seenAt.set(each, top - height >= settledDepth ? Number.POSITIVE_INFINITY : at);
  chains.delete(hash);
  chains.set(hash, chain);
  for (const oldest of [...chains.keys()].slice(0, -maxChains)) chains.delete(oldest);
}

/** Chains that are remembered: sends that were prepared at once may know several heads. */
const maxChains = 8;

/** Blocks that are read at once. */
const maxBlocks = 64;

/**
 * Reads the blocks that these entries say they are in. The entries say where to look, and nothing more: any script of the origin
 * can write them.
 */
export async function readBlocks(service: Service, entries: readonly JournalEntry[]): Promise<Block[]> {
  const heights = [...new Set(entries.map(({ blockNumber }) => Number(blockNumber)))];
  const blocks = await Promise.all(
    heights
      .filter(Number.isSafeInteger)
      .slice(0, maxBlocks)
      .map((height) =>
        service.request('eth_getBlockByNumber', [toQuantity(height), false], { check: checkBlock }),
      ),
  );
  return blocks.filter((block): block is Block => block !== null);
}

/** Seals that marked entries were seen mined, for pages that come after this one. Never rejects: the next page asks the node. */
export const sealMined = (
  entries: readonly JournalEntry[],
  ledger: Pick<Ledger, 'seal'>,
  journal: Pick<Journal, 'change'>,
): Promise<unknown> =>
  Promise.all(
    entries.map(async (entry) => {
      const mined = await ledger.seal(minedTextOf(entry));
      await journal.change(entry, (current) =>
        current.ledger?.mac === entry.ledger?.mac
          ? { ...current, ledger: { ...(current.ledger as LedgerMark), mined } }
          : null,
      );
    }),
  ).catch(() => {});
