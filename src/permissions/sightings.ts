import { toQuantity } from '../rpc/hex.js';
import { checkBlock } from '../rpc/results.js';
import type { Block, Hash } from '../rpc/schema.js';
import type { Service } from '../service/service.js';
import type { Journal } from '../transactions/journal.js';
import type { JournalEntry, LedgerMark } from '../transactions/journal-entry.js';
import { type Ledger, minedTextOf } from './ledger.js';

/** Transactions with the heights of the blocks that they are in, as a node shows its chain now. */
export type Sightings = readonly (readonly [Hash, number])[];

/** Blocks that are read at once. */
const maxBlocks = 64;

/**
 * Reads which of these entries' transactions are in blocks now. The entries say where to look, and nothing more: any script of the
 * origin can write them.
 */
export async function readSightings(service: Service, entries: readonly JournalEntry[]): Promise<Sightings> {
  const found: [Hash, number][] = [];
  const heights = [...new Set(entries.map(({ blockNumber }) => Number(blockNumber)))];
  await Promise.all(
    heights
      .filter(Number.isSafeInteger)
      .slice(0, maxBlocks)
      .map(async (height) => {
        const block = (await service.request('eth_getBlockByNumber', [toQuantity(height), false], {
          check: checkBlock,
        })) as Block | null;
        for (const { hash } of entries)
          if (block?.transactions.includes(hash as never)) found.push([hash, height]);
      }),
  );
  return found;
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
