import { keccak_256 } from '@noble/hashes/sha3.js';
import { concatBytes } from '@noble/hashes/utils.js';
import { bytesToHex, hexToBytes, toQuantity } from '../../../../src/rpc/hex.js';
import type { Block, Hash, Hex, Log, Receipt, Transaction } from '../../../../src/rpc/schema.js';
import { intrinsicGas } from './admission.js';
import type { Chain } from './chain.js';
import type { SignedTransaction } from './decode.js';
import type { Switches } from './dialect.js';
import type { Engine } from './engine.js';
import type { Pool } from './pool.js';
import { createRemascIndex, remascTransaction } from './remasc.js';
import { candidateHash, shapeBlock, shapePendingBlock, shapePooled, shapeTransaction } from './shapes.js';

export declare namespace createBlocks {
  interface Options {
    readonly engine: Engine;
    readonly chain: Chain;
    readonly pool: Pool;
    readonly switches: Switches;
    readonly minimumGasPrice: (atBlock: number) => bigint;
  }
}

/** Reads of blocks in the seed's shape. */
export type Blocks = ReturnType<typeof createBlocks>;

/** The maximum number of blocks whose fees are cached. */
const maxCachedFees = 4096;

/** Reads blocks from the engine, or non-canonical ones from the chain, in the seed's shape. */
export function createBlocks({ engine, chain, pool, switches, minimumGasPrice }: createBlocks.Options) {
  const fees = new Map<Hash, bigint>();
  const remascHeight = createRemascIndex();

  /** The sum of the fees in the block's receipts, cached because a block does not change. */
  async function paidFees(block: Block): Promise<bigint> {
    const hash = block.hash as Hash;
    if (block.transactions.length === 0 || chain.findNonCanonical(hash)) return 0n;
    const cached = fees.get(hash);
    if (cached !== undefined) return cached;
    const receipts = ((await engine.request('eth_getBlockReceipts', [block.number])) ?? []) as Receipt[];
    const total = receipts.reduce(
      (sum, each) => sum + BigInt(each.gasUsed) * BigInt(each.effectiveGasPrice as Hex),
      0n,
    );
    if (fees.size >= maxCachedFees) fees.clear();
    fees.set(hash, total);
    return total;
  }

  async function find(at: number | Hash): Promise<Block | null> {
    const engineBlock =
      typeof at === 'number'
        ? engine.request('eth_getBlockByNumber', [toQuantity(at), true])
        : engine.request('eth_getBlockByHash', [at, true]);
    const found = (await engineBlock) as Block | null;
    return found ?? (typeof at === 'string' ? (chain.findNonCanonical(at)?.block ?? null) : null);
  }

  function transactionsOf(block: Block): Transaction[] {
    const all = (block.transactions as Transaction[]).map(shapeTransaction);
    return switches.remasc && block.number !== '0x0' ? [...all, remascTransaction(block)] : all;
  }

  const extras = (number: number, paidFees: bigint, transactions: readonly Transaction[], full: boolean) => ({
    minimumGasPrice: minimumGasPrice(number),
    paidFees,
    nodeFields: switches.nodeFields,
    blockNonce: switches.blockNonce,
    transactions: full ? transactions : transactions.map(({ hash }) => hash),
  });

  async function shape(block: Block | null, full: boolean): Promise<Block | null> {
    if (block === null) return null;
    const paid = await paidFees(block);
    return shapeBlock(block, extras(Number(block.number), paid, transactionsOf(block), full));
  }

  /** The candidate block. Its hash is derived from its parent and the pending transactions, to identify its contents. */
  async function candidate(): Promise<{ block: Block; transactions: Transaction[] }> {
    const found = (await engine.request('eth_getBlockByNumber', ['pending', false])) as Block;
    const pooled = pool.pending();
    const contents = [found.parentHash, ...pooled.map(({ hash }) => hash)];
    const hash = bytesToHex(keccak_256(concatBytes(...contents.map(hexToBytes))));
    const block = { ...found, hash, transactions: pooled.map((each) => each.hash) };
    const transactions = pooled.map((each, index) => ({
      ...shapePooled(each),
      blockHash: candidateHash(block),
      blockNumber: found.number,
      transactionIndex: toQuantity(index),
    }));
    return { block, transactions };
  }

  return {
    /** The block as the engine has it, or a non-canonical one; null when unknown. */
    find,
    byNumber: async (number: number, full: boolean) =>
      shape(number < 0 || number > chain.head() ? null : await find(number), full),
    byHash: async (hash: Hash, full: boolean) => shape(await find(hash), full),
    async pending(full: boolean): Promise<Block> {
      const { block, transactions } = await candidate();
      const fees = expectedFees(pool.pending(), BigInt(block.gasUsed));
      const remasc = switches.remasc ? [remascTransaction({ ...block, hash: candidateHash(block) })] : [];
      return shapePendingBlock(block, extras(chain.head() + 1, fees, [...transactions, ...remasc], full));
    },
    /** The pending transaction at an index of the candidate block. */
    pooled: async (index: number) => (await candidate()).transactions[index] ?? null,
    async logs(hash: Hash): Promise<readonly Log[]> {
      const nonCanonical = chain.findNonCanonical(hash);
      if (nonCanonical) return nonCanonical.logs;
      try {
        return (await engine.request('eth_getLogs', [{ blockHash: hash }])) as Log[];
      } catch {
        return [];
      }
    },
    /** The canonical block whose REMASC transaction has this hash. */
    async byRemascHash(hash: Hash): Promise<Block | null> {
      const height = switches.remasc ? remascHeight(hash, chain.head()) : undefined;
      return height === undefined ? null : find(height);
    },
    transactionAt: (block: Block, index: number) => transactionsOf(block)[index] ?? null,
  };
}

/** The estimated fees of the candidate block. Gas above the intrinsic gas is divided in proportion to the gas limits. */
function expectedFees(pending: readonly SignedTransaction[], gasUsed: bigint): bigint {
  const intrinsic = pending.map(intrinsicGas);
  const sum = (values: readonly bigint[]) => values.reduce((total, each) => total + each, 0n);
  const spare = pending.map(({ gas }, index) => gas - (intrinsic[index] as bigint));
  const extra = gasUsed > sum(intrinsic) ? gasUsed - sum(intrinsic) : 0n;
  const fees = pending.map(({ gasPrice }, index) => {
    const share = sum(spare) > 0n ? (extra * (spare[index] as bigint)) / sum(spare) : 0n;
    return ((intrinsic[index] as bigint) + share) * gasPrice;
  });
  return sum(fees);
}
