import { keccak_256 } from '@noble/hashes/sha3.js';
import { concatBytes } from '@noble/hashes/utils.js';
import { encodeReceipt } from '../../../../src/proof/receipt.js';
import { encodeTransaction } from '../../../../src/proof/transaction.js';
import { bytesToHex, hexToBytes, toQuantity } from '../../../../src/rpc/hex.js';
import type { Block, Hash, Log, Transaction } from '../../../../src/rpc/schema.js';
import { intrinsicGas } from './admission.js';
import type { Chain } from './chain.js';
import type { SignedTransaction } from './decode.js';
import type { Switches } from './dialect.js';
import type { Engine } from './engine.js';
import { rootOf } from './mining.js';
import type { Pool } from './pool.js';
import { createRemascIndex, remascReceipt, remascTransaction } from './remasc.js';
import { candidateHash, shapeBlock, shapePendingBlock, shapePooled, shapeTransaction } from './shapes.js';

export declare namespace createBlocks {
  interface Options {
    readonly engine: Engine;
    readonly chain: Chain;
    readonly pool: Pool;
    readonly switches: Switches;
    readonly minimumGasPrice: (atBlock: number) => bigint;
    readonly difficulty: bigint;
  }
}

/** Reads of blocks in the seed's shape. */
export type Blocks = ReturnType<typeof createBlocks>;

/** Reads blocks from the engine, or non-canonical ones from the chain, in the seed's shape. */
export function createBlocks(options: createBlocks.Options) {
  const { engine, chain, pool, switches, minimumGasPrice, difficulty } = options;
  const remascHeight = createRemascIndex();

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

  const extras = (transactions: readonly Transaction[], full: boolean) => ({
    nodeFields: switches.nodeFields,
    blockNonce: switches.blockNonce,
    transactions: full ? transactions : transactions.map(({ hash }) => hash),
  });

  const shape = (block: Block | null, full: boolean): Block | null =>
    block && shapeBlock(block, extras(transactionsOf(block), full));

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
      const last = { ...block, hash: candidateHash(block) };
      const all = switches.remasc ? [...transactions, remascTransaction(last)] : transactions;
      const receiptsRoot =
        transactions.length > 0
          ? block.receiptsRoot
          : rootOf(switches.remasc ? [encodeReceipt(remascReceipt(last))] : []);
      return shapePendingBlock(
        { ...block, transactionsRoot: rootOf(all.map(encodeTransaction)), receiptsRoot },
        {
          ...extras(all, full),
          paidFees: fees,
          minimumGasPrice: minimumGasPrice(chain.head() + 1),
          difficulty,
        },
      );
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
