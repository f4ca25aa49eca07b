/**
 * The recorded node's block hashes, filter ids and miner, and ours for the same things. They are learnt from pairs
 * of replies, once each, and put into later requests and into the replies that ours are compared with.
 */
export interface Names {
  /** From a reply of the node and ours to the same request. */
  learn(recorded: unknown, ours: unknown): void;
  pair(recorded: string, ours: string): void;
  translate<T>(value: T): T;
}

/** Fields that follow from the hour, the miner and the EVM's own tries. */
const ownToEachChain =
  /^(blockHash|parentHash|transactionsRoot|stateRoot|receiptsRoot|hashForMergedMining|miner)$/;

/** Bare digits of a filter's id, a word or an address. */
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
