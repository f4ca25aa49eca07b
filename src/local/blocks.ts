import { toQuantity } from '../rpc/hex.js';
import type { Block, Hash, Hex, Log, Receipt, Transaction } from '../rpc/schema.js';
import type { Chain } from './chain.js';
import type { Blocks } from './context.js';
import type { Switches } from './dialect.js';
import type { Engine } from './engine.js';
import type { Pool } from './pool.js';
import { remascTransaction } from './remasc.js';
import { shapeBlock, shapePendingBlock, shapePooled, shapeTransaction } from './shapes.js';

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

  return {
    find,
    byNumber: async (number, full) => shape(number > chain.head() ? null : await find(number), full),
    byHash: async (hash, full) => shape(await find(hash), full),
    pending: async (full) => {
      const block = (await engine.request('eth_getBlockByNumber', ['pending', false])) as Block;
      const waiting = pool.pending().map(shapePooled);
      return shapePendingBlock(block, {
        minimumGasPrice: minimumGasPrice(chain.head() + 1),
        paidFees: 0n,
        nodeFields: switches.nodeFields,
        blockNonce: switches.blockNonce,
        transactions: full ? waiting : waiting.map(({ hash }) => hash),
      });
    },
    logs: async (hash) => {
      const aside = chain.besideChain(hash);
      if (aside) return aside.logs;
      try {
        return (await engine.request('eth_getLogs', [{ blockHash: hash }])) as Log[];
      } catch {
        return [];
      }
    },
    transactionAt: (block, index) => transactionsOf(block)[index] ?? null,
  };
}
