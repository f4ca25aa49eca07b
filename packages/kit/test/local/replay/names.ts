/**
 * Maps the recorded node's block hashes, filter ids and miner to those of the local service. The pairs are collected
 * from replies to the same request, and substituted in later requests and expected replies.
 */
export interface Names {
  /** Collects the pairs of two replies to the same request. */
  learn(recorded: unknown, ours: unknown): void;
  pair(recorded: string, ours: string): void;
  translate<T>(value: T): T;
}

/** Fields that depend on the time, the miner and the EVM's tries. */
const ownToEachChain =
  /^(blockHash|parentHash|transactionsRoot|stateRoot|receiptsRoot|hashForMergedMining|miner)$/;

/** Hex digits of a filter id, a word or an address. */
const token = /[0-9a-f]{72}|[0-9a-f]{64}|[0-9a-f]{40}/gi;
const bare = (text: string) => text.replace(/^0x/, '');

export function createNames(): Names {
  const ours = new Map<string, string>();

  function pair(recorded: string, own: string): void {
    if (recorded.length === own.length && !ours.has(bare(recorded))) ours.set(bare(recorded), bare(own));
  }

  function learn(recorded: unknown, own: unknown): void {
    if (!isTree(recorded) || !isTree(own)) return;
    for (const [key, value] of Object.entries(recorded)) {
      const other = own[key];
      const isName = ownToEachChain.test(key) || (key === 'hash' && 'parentHash' in recorded);
      if (isName && typeof value === 'string' && typeof other === 'string') pair(value, other);
      else learn(value, other);
    }
  }

  const translateText = (text: string) =>
    text.replace(token, (found) => {
      const own = ours.get(found.toLowerCase());
      if (own === undefined) return found;
      return found === found.toUpperCase() ? own.toUpperCase() : own;
    });

  return { learn, pair, translate: (value) => JSON.parse(translateText(JSON.stringify(value))) };
}

type Tree = Record<string, unknown>;
const isTree = (value: unknown): value is Tree => typeof value === 'object' && value !== null;
