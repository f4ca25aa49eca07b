import type { BlockHeader } from '../../proof/header.js';
import type { Leaf } from '../../proof/trie.js';
import type { Address, Block, Hash, Hex } from '../../rpc/schema.js';

/** A transaction in a block, as its bytes tell. */
export interface PlacedTransaction {
  readonly index: number;
  readonly to: Address | null;
  readonly gasPrice: Hex;
}

/** The contents of a block, which have its transactions root. */
export interface BlockBody {
  readonly header: BlockHeader;
  readonly transactions: ReadonlyMap<Hash, PlacedTransaction>;
}

/** The parts of a block that its hash is of and no header has as they are shown. */
type Shown = Pick<Block, 'logsBloom'>;

/** The newest blocks with work that replies have shown. */
export interface KnownBlocks {
  header(hash: string): BlockHeader | undefined;
  body(hash: string): BlockBody | undefined;
  bloom(hash: string): Shown['logsBloom'] | undefined;
  /** The receipt at an index of a block, to which nodes have led from the receipts root. */
  receipt(block: Hash, index: number): Leaf | undefined;
  /** Whether another block of the same height has as many known blocks on top of it. */
  isRivalled(header: BlockHeader): boolean;
  add(header: BlockHeader, shown: Shown): void;
  addBody(body: BlockBody): void;
  addReceipt(block: Hash, index: number, leaf: Leaf): void;
}

/** An hour of Rootstock: a header and its bloom take at most 20 kB, and 3 kB as miners make them. */
export const maxKnownHeaders = 144;
const maxBodies = 64;
const maxReceipts = 512;

export function createKnownBlocks(): KnownBlocks {
  const headers = new Map<string, BlockHeader>();
  const blooms = new Map<string, Shown['logsBloom']>();
  const bodies = new Map<string, BlockBody>();
  const receipts = new Map<string, Leaf>();
  const keyOf = (block: Hash, index: number) => `${block}:${index}`;

  /** The most known blocks on top of one. */
  function depthOf({ hash }: BlockHeader): number {
    const above = [...headers.values()].filter(({ parentHash }) => parentHash === hash);
    return Math.max(0, ...above.map((each) => 1 + depthOf(each)));
  }

  return {
    isRivalled(header) {
      const isRival = ({ number, hash }: BlockHeader) => number === header.number && hash !== header.hash;
      const rivals = [...headers.values()].filter(isRival);
      return rivals.some((rival) => depthOf(rival) >= depthOf(header));
    },
    header: (hash) => headers.get(hash.toLowerCase()),
    body: (hash) => bodies.get(hash.toLowerCase()),
    bloom: (hash) => blooms.get(hash.toLowerCase()),
    receipt: (block, index) => receipts.get(keyOf(block, index)),
    add(header, { logsBloom }) {
      keep(headers, header.hash, header, maxKnownHeaders);
      keep(blooms, header.hash, logsBloom, maxKnownHeaders);
    },
    addBody: (body) => keep(bodies, body.header.hash, body, maxBodies),
    addReceipt: (block, index, leaf) => keep(receipts, keyOf(block, index), leaf, maxReceipts),
  };
}

/** Keeps the newest entries. */
export function keep<Key, Value>(map: Map<Key, Value>, key: Key, value: Value, max: number): void {
  map.delete(key);
  map.set(key, value);
  for (const oldest of map.keys()) if (map.size > max) map.delete(oldest);
}
