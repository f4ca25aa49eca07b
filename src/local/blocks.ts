import { keccak_256 } from '@noble/hashes/sha3.js';
import { concatBytes } from '@noble/hashes/utils.js';
import { bytesToHex, hexToBytes, toQuantity } from '../rpc/hex.js';
import type { Block, Hash, Hex, Log, Receipt, Transaction } from '../rpc/schema.js';
import { intrinsicGas } from './admission.js';
import type { Chain } from './chain.js';
import type { Blocks } from './context.js';
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

const keptFees = 4096;

/** Blocks out of the engine, or from beside the chain, in the seed's shape. */
export function createBlocks({
  engine,
  chain,
  pool,
  switches,
  minimumGasPrice,
}: createBlocks.Options): Blocks {
  const fees = new Map<Hash, bigint>();
  const remascHeight = createRemascIndex();

  /** The sum over the block's receipts; blocks do not change, so it is asked for once. */
  async function paidFees(block: Block): Promise<bigint> {
    const hash = block.hash as Hash;
    if (block.transactions.length === 0 || chain.besideChain(hash)) return 0n;
    const seen = fees.get(hash);
    if (seen !== undefined) return seen;
    const receipts = ((await engine.request('eth_getBlockReceipts', [block.number])) ?? []) as Receipt[];
    const total = receipts.reduce(
      (sum, each) => sum + BigInt(each.gasUsed) * BigInt(each.effectiveGasPrice as Hex),
      0n,
    );
    if (fees.size >= keptFees) fees.clear();
    fees.set(hash, total);
    return total;
  }

  async function find(at: number | Hash): Promise<Block | null> {
    const engineBlock =
      typeof at === 'number'
        ? engine.request('eth_getBlockByNumber', [toQuantity(at), true])
        : engine.request('eth_getBlockByHash', [at, true]);
    const found = (await engineBlock) as Block | null;
    return found ?? (typeof at === 'string' ? (chain.besideChain(at)?.block ?? null) : null);
  }

  function transactionsOf(block: Block): Transaction[] {
    const all = (block.transactions as Transaction[]).map(shapeTransaction);
    return switches.remasc && block.number !== '0x0' ? [...all, remascTransaction(block)] : all;
  }

  async function shape(block: Block | null, full: boolean): Promise<Block | null> {
    if (block === null) return null;
    const transactions = transactionsOf(block);
    return shapeBlock(block, {
      minimumGasPrice: minimumGasPrice(Number(block.number)),
      paidFees: await paidFees(block),
      nodeFields: switches.nodeFields,
      blockNonce: switches.blockNonce,
      transactions: full ? transactions : transactions.map(({ hash }) => hash),
    });
  }

  /** What the next block would be: its hash stands for its parent and what waits in the pool. */
  async function candidate(): Promise<{ block: Block; waiting: Transaction[] }> {
    const found = (await engine.request('eth_getBlockByNumber', ['pending', false])) as Block;
    const pooled = pool.pending();
    const parts = [found.parentHash, ...pooled.map(({ hash }) => hash)];
    const hash = bytesToHex(keccak_256(concatBytes(...parts.map(hexToBytes))));
    const block = { ...found, hash, transactions: pooled.map((each) => each.hash) };
    const waiting = pooled.map((each, index) => ({
      ...shapePooled(each),
      blockHash: candidateHash(block),
      blockNumber: found.number,
      transactionIndex: toQuantity(index),
    }));
    return { block, waiting };
  }

  return {
    find,
    byNumber: async (number, full) =>
      shape(number < 0 || number > chain.head() ? null : await find(number), full),
    byHash: async (hash, full) => shape(await find(hash), full),
    pending: async (full) => {
      const { block, waiting } = await candidate();
      const remasc = switches.remasc ? [remascTransaction({ ...block, hash: candidateHash(block) })] : [];
      const transactions = [...waiting, ...remasc];
      return shapePendingBlock(block, {
        minimumGasPrice: minimumGasPrice(chain.head() + 1),
        paidFees: expectedFees(pool.pending(), BigInt(block.gasUsed)),
        nodeFields: switches.nodeFields,
        blockNonce: switches.blockNonce,
        transactions: full ? transactions : transactions.map(({ hash }) => hash),
      });
    },
    waiting: async (index) => (await candidate()).waiting[index] ?? null,
    logs: async (hash) => {
      const aside = chain.besideChain(hash);
      if (aside) return aside.logs;
      try {
        return (await engine.request('eth_getLogs', [{ blockHash: hash }])) as Log[];
      } catch {
        return [];
      }
    },
    ofRemasc: async (hash) => {
      const height = switches.remasc ? remascHeight(hash, chain.head()) : undefined;
      return height === undefined ? null : find(height);
    },
    transactionAt: (block, index) => transactionsOf(block)[index] ?? null,
  };
}

/** What the pool's transactions would pay. Gas above the basic cost is shared out by gas limits. */
function expectedFees(pending: readonly SignedTransaction[], gasUsed: bigint): bigint {
  const basic = pending.map(intrinsicGas);
  const sum = (values: readonly bigint[]) => values.reduce((total, each) => total + each, 0n);
  const spare = pending.map(({ gas }, index) => gas - (basic[index] as bigint));
  const extra = gasUsed > sum(basic) ? gasUsed - sum(basic) : 0n;
  const fees = pending.map(({ gasPrice }, index) => {
    const share = sum(spare) > 0n ? (extra * (spare[index] as bigint)) / sum(spare) : 0n;
    return ((basic[index] as bigint) + share) * gasPrice;
  });
  return sum(fees);
}
