import { checkBlock } from '../rpc/results.js';
import type { Block, Hash, Hex } from '../rpc/schema.js';
import { parseSigned } from '../rpc/signed-transaction.js';
import type { Service } from '../service/service.js';
import { held, type Journal, released } from './journal.js';
import { type JournalEntry, maxClockDrift } from './journal-entry.js';

/**
 * Checks whether an entry may be sent automatically: its bytes are those that were signed, and the endpoint serves the
 * chain that it was signed for. If not, the reason is recorded in the journal.
 *
 * @throws ProviderRpcError as the service's request
 */
export function createSendCheck(options: createSendCheck.Options): (entry: JournalEntry) => Promise<boolean> {
  const { journal, service, since, now } = options;
  const { chainId } = service.network;
  /** Anchors that were found on this chain. */
  const known = new Set<Hash>();

  const isIntact = ({ raw, hash, nonce }: JournalEntry): boolean => {
    try {
      const parsed = parseSigned(raw, chainId, 'raw', true);
      return parsed.hash === hash && BigInt(parsed.transaction.nonce) === BigInt(nonce);
    } catch {
      return false;
    }
  };

  /**
   * A development chain that was reset has the same chain id, so the chain is recognised by the entry's anchor block:
   * `true` if a node has that block, `false` if the chain has another one at its height, `null` if unknown.
   */
  const isSameChain = async ({ anchor, createdAt }: JournalEntry): Promise<boolean | null> => {
    const isOfThisPage = createdAt >= since && createdAt <= now() + maxClockDrift;
    if (!anchor || isOfThisPage || known.has(anchor.hash)) return true;
    const read = async (method: string, selector: Hex) =>
      (await service.request(method, [selector, false], { check: checkBlock })) as Block | null;
    if ((await read('eth_getBlockByHash', anchor.hash)) !== null) {
      known.add(anchor.hash);
      return true;
    }
    // Without a block at that height the node may lag.
    return (await read('eth_getBlockByNumber', anchor.number)) === null ? null : false;
  };

  return async (entry) => {
    if (!isIntact(entry)) {
      await journal.change(entry, held('damaged'));
      return false;
    }
    const same = await isSameChain(entry);
    if (same === false) await journal.change(entry, held('other-chain'));
    if (same && entry.held && entry.held !== 'page') await journal.change(entry, released);
    return same === true;
  };
}

export declare namespace createSendCheck {
  interface Options {
    readonly journal: Journal;
    readonly service: Service;
    /** When this page was loaded, milliseconds since 1970: only older entries may be of another chain. */
    readonly since: number;
    /** Milliseconds since 1970. */
    readonly now: () => number;
  }
}
