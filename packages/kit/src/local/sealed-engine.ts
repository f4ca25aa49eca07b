import { keccak_256 } from '@noble/hashes/sha3.js';
import { encodeHeader } from '../../../../src/proof/header.js';
import { encodeReceipt } from '../../../../src/proof/receipt.js';
import { encodeTransaction } from '../../../../src/proof/transaction.js';
import { bytesToHex, toQuantity } from '../../../../src/rpc/hex.js';
import type { Block, Hash, Hex, Receipt, Transaction } from '../../../../src/rpc/schema.js';
import type { Switches } from './dialect.js';
import type { Engine } from './engine.js';
import { type MiningRules, mineBlock, rootOf } from './mining.js';
import { remascReceipt, remascTransaction } from './remasc.js';
import { shapeTransaction, zeroHash } from './shapes.js';

export interface SealingRules extends MiningRules, Pick<Switches, 'remasc'> {
  /** The same for every block. */
  readonly difficulty: bigint;
  /** In wei, by height. */
  readonly minimumGasPrice: (block: number) => bigint;
}

/** A block of the engine, and the same one as Rootstock's miners seal it. */
interface Seal {
  readonly engineHash: Hash;
  readonly header: Block;
}

/** A transaction, a receipt with its logs, a log or a trace. */
interface InBlock {
  readonly blockHash: Hash | null;
  readonly logs?: readonly InBlock[];
}

/** How many blocks are read at once where many are not sealed yet. */
const readAtOnce = 64;

/**
 * An engine whose blocks have Rootstock's hashes, parent links, roots and proof of work, in all that it is asked and answers. A block
 * is sealed when it is first read, with all before it. The EVM itself keeps the hashes of the engine (`BLOCKHASH`).
 */
export function withRootstockHashes(engine: Engine, rules: SealingRules): Engine {
  if (engine.keepsHashes) return withFields(engine, rules);

  /** By the hash that the engine knows. */
  const seals = new Map<Hash, Seal>();
  const engineHashes = new Map<Hash, Hash>();
  let sealing: Promise<unknown> = Promise.resolve();

  /** One at a time, so that no block is sealed twice. */
  async function sealOf(engineHash: Hash): Promise<Seal> {
    const known = seals.get(engineHash);
    if (known) return known;
    const next = sealing.then(() => sealTo(engineHash));
    sealing = next.catch(() => undefined);
    return next;
  }

  async function sealTo(engineHash: Hash): Promise<Seal> {
    const blocks = await unsealed(engineHash);
    for (const block of blocks.reverse()) {
      const header = await seal(block);
      seals.set(block.hash as Hash, { engineHash: block.hash as Hash, header });
      engineHashes.set(header.hash as Hash, block.hash as Hash);
    }
    return seals.get(engineHash) as Seal;
  }

  /** The block and those before it, down to the last one that is sealed. */
  async function unsealed(engineHash: Hash): Promise<Block[]> {
    const found: Block[] = [];
    let wanted = engineHash;
    while (!seals.has(wanted) && wanted !== zeroHash) {
      const block = (await engine.request('eth_getBlockByHash', [wanted, true])) as Block | null;
      if (block === null) throw new BranchChanged();
      const number = Number(block.number);
      const below = Array.from({ length: Math.min(readAtOnce, number) }, (_, depth) => number - 1 - depth);
      const canonical =
        seals.has(block.parentHash) || number === 0
          ? []
          : await Promise.all(
              below.map(
                (each) =>
                  engine.request('eth_getBlockByNumber', [toQuantity(each), true]) as Promise<Block | null>,
              ),
            );
      for (const each of [block, ...canonical]) {
        if (each?.hash !== wanted || seals.has(wanted)) break;
        found.push(each);
        wanted = each.parentHash;
        if (Number(each.number) === 0) return found;
      }
    }
    return found;
  }

  async function seal(block: Block): Promise<Block> {
    const number = Number(block.number);
    const transactions = (block.transactions as Transaction[]).map(shapeTransaction);
    const receipts =
      transactions.length === 0
        ? []
        : ((await engine.request('eth_getBlockReceipts', [block.number])) as Receipt[] | null);
    if (receipts?.length !== transactions.length || receipts.some((each) => each.blockHash !== block.hash))
      throw new BranchChanged();
    const hasRemasc = rules.remasc && number > 0;
    const header: Block = {
      ...block,
      parentHash: seals.get(block.parentHash)?.header.hash ?? block.parentHash,
      transactionsRoot: rootOf(
        [...transactions, ...(hasRemasc ? [remascTransaction(block)] : [])].map(encodeTransaction),
      ),
      receiptsRoot: rootOf([...receipts, ...(hasRemasc ? [remascReceipt(block)] : [])].map(encodeReceipt)),
      ...fieldsOf(number, rules),
      paidFees: toQuantity(
        receipts.reduce(
          (sum, each) => sum + BigInt(each.gasUsed) * BigInt(each.effectiveGasPrice as Hex),
          0n,
        ),
      ),
    };
    return number === 0 ? first(header) : mineBlock(header, rules);
  }

  /** With Rootstock's hash in place of the engine's. */
  async function translated<T extends InBlock>(entry: T): Promise<T> {
    if (entry.blockHash === null) return entry;
    const blockHash = (await sealOf(entry.blockHash)).header.hash;
    return { ...entry, blockHash, ...(entry.logs && { logs: await translatedAll(entry.logs) }) };
  }

  const translatedAll = <T extends InBlock>(entries: readonly T[]): Promise<T[]> =>
    Promise.all(entries.map(translated));

  async function translatedBlock(block: Block): Promise<Block> {
    const { header } = await sealOf(block.hash as Hash);
    const transactions = block.transactions.map((each) =>
      typeof each === 'object' ? { ...each, blockHash: header.hash } : each,
    );
    return { ...header, transactions };
  }

  async function blockAt(method: string, [place, isFull]: readonly unknown[]): Promise<Block | null> {
    const at = method === 'eth_getBlockByHash' ? engineHashes.get(place as Hash) : place;
    if (at === undefined) return null;
    const block = (await engine.request(method, [at, isFull])) as Block | null;
    if (block === null) return null;
    if (place !== 'pending') return translatedBlock(block);
    return { ...block, parentHash: (await sealOf(block.parentHash)).header.hash as Hash };
  }

  async function logs([filter]: readonly unknown[]): Promise<unknown> {
    const { blockHash } = filter as { blockHash?: Hash };
    const ofEngine = blockHash === undefined ? {} : { blockHash: engineHashes.get(blockHash) ?? blockHash };
    const found = await engine.request('eth_getLogs', [{ ...(filter as object), ...ofEngine }]);
    return translatedAll(found as InBlock[]);
  }

  async function answer(method: string, params: readonly unknown[]): Promise<unknown> {
    if (method === 'eth_getBlockByHash' || method === 'eth_getBlockByNumber') return blockAt(method, params);
    if (method === 'eth_getLogs') return logs(params);
    const result = await engine.request(method, params);
    if (!namesBlock.has(method) || result === null) return result;
    return Array.isArray(result) ? translatedAll(result) : translated(result as InBlock);
  }

  async function request(method: string, params: readonly unknown[]): Promise<unknown> {
    try {
      return await answer(method, params);
    } catch (error) {
      if (error instanceof BranchChanged) return request(method, params);
      throw error;
    }
  }

  return { ...engine, request };
}

/** A block was replaced while it was read: what was asked is asked again. */
class BranchChanged extends Error {}

/** The engine's blocks as they are, with the fields that it lacks, and without work. */
function withFields(engine: Engine, rules: SealingRules): Engine {
  return {
    ...engine,
    async request(method, params) {
      const result = await engine.request(method, params);
      const isBlock = method === 'eth_getBlockByHash' || method === 'eth_getBlockByNumber';
      if (!isBlock || result === null) return result;
      const block = result as Block;
      return { ...unmined, paidFees: '0x0', ...block, ...fieldsOf(Number(block.number), rules) };
    },
  };
}

/** The fields that depend on the height alone. */
const fieldsOf = (number: number, { difficulty, minimumGasPrice, nodeFields: has }: SealingRules) => ({
  difficulty: toQuantity(difficulty),
  totalDifficulty: toQuantity(difficulty * BigInt(number + 1)),
  cumulativeDifficulty: toQuantity(difficulty),
  minimumGasPrice: toQuantity(minimumGasPrice(number)),
  uncles: [],
  ...(has && (number === 0 ? genesisFields : nodeFields)),
});

/** Methods whose results name their block. */
const namesBlock = new Set([
  'eth_getBlockReceipts',
  'eth_getTransactionByHash',
  'eth_getTransactionReceipt',
  'trace_transaction',
  'trace_filter',
]);

/** Further fields of the node's blocks. */
const nodeFields = {
  mixHash: zeroHash,
  /** Empty without RSKIP-144, under which transactions run in parallel lists and blocks have room for more gas. */
  rskPteEdges: [],
  baseEvent: null,
  /** RLP of a format number and the node's version. */
  extraData: '0xce018c534e415053484f542d646576',
};

const genesisFields = {
  mixHash: zeroHash,
  rskPteEdges: null,
  baseEvent: null,
  extraData: '0x686f727365',
  miner: `0x${'3'.repeat(40)}`,
  timestamp: '0x0',
} as const;

/** Fills in the merged-mining fields of the first block, which has no miner. */
function first(header: Block): Block {
  const block: Block = { ...header, ...unmined };
  return { ...block, hash: bytesToHex(keccak_256(encodeHeader(block, 0))) };
}

const unmined = {
  hashForMergedMining: zeroHash,
  bitcoinMergedMiningHeader: '0x00',
  bitcoinMergedMiningCoinbaseTransaction: '0x00',
  bitcoinMergedMiningMerkleProof: '0x00',
};
