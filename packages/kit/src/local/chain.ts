import type { Address, Block, Hash, Hex, Log, Transaction } from '../../../../src/rpc/schema.js';
import type { SignedTransaction } from './decode.js';
import type { Engine } from './engine.js';
import type { Pool } from './pool.js';

/** A block as the engine returns it, with full transactions, and its logs. */
export interface StoredBlock {
  readonly block: Block;
  readonly logs: readonly Log[];
}

/** An event for filters. `sibling` is a competing block at the head's height; `removed` is an orphaned block. */
export interface BlockEvent {
  readonly kind: 'added' | 'removed' | 'sibling';
  readonly stored: StoredBlock;
}

/** When blocks are mined: with each transaction, on demand, or every `interval` milliseconds. */
export type Mining = 'auto' | 'manual' | { readonly interval: number };

/** Options of a reorganisation. */
export interface ReorgOptions {
  /**
   * Treatment of the transactions of the orphaned blocks: `mined` (default) mines them in the first block of the new branch,
   * `pending` returns them to the pool after the new branch was mined without them, `dropped` loses them.
   */
  readonly transactions?: 'mined' | 'pending' | 'dropped' | undefined;
  /** Length of the new branch in blocks. Default `depth + 1`, so that it is the heavier branch. */
  readonly blocks?: number | undefined;
}

export declare namespace createChain {
  interface Options {
    readonly engine: Engine;
    readonly pool: Pool;
    readonly mining: Mining;
    /** Gives a block its hash and its proof of work. */
    readonly mineBlock: (block: Block) => Block;
    /** Get their events before the change that caused them resolves. Blocks are mined without events while they need none. */
    readonly filters: { onBlockEvent(event: BlockEvent): void; needsBlockEvents(): boolean };
    /** Awaited after blocks were added or replaced. `from` is the lowest block number that changed. */
    readonly onHeadChanged: (from: number) => Promise<void>;
  }
}

export type Chain = ReturnType<typeof createChain>;

/** The chain of this service. Changes are queued and run one at a time. */
export function createChain(options: createChain.Options) {
  const { engine, pool, filters } = options;
  const submitted = new Map<Hash, SignedTransaction>();
  const nonCanonical = new Map<Hash, StoredBlock>();
  let credits: { address: Address; wei: bigint; head: number }[] = [];
  let head = 0;
  let { mining } = options;
  let timer: NodeJS.Timeout | undefined;
  let lastChange: Promise<unknown> = Promise.resolve();
  let lastBranchSwitch: Promise<unknown> = lastChange;

  /** Runs one change at a time. A failed change does not stop the next. */
  function enqueue<T>(change: () => Promise<T>): Promise<T> {
    const next = lastChange.then(change, change);
    lastChange = next.catch(() => undefined);
    return next;
  }

  function enqueueBranchSwitch<T>(change: () => Promise<T>): Promise<T> {
    const next = enqueue(change);
    lastBranchSwitch = next.catch(() => undefined);
    return next;
  }

  const read = (number: number) => readStoredBlock(engine, number);

  async function append(count: number): Promise<void> {
    await pool.prune();
    await engine.mine(count);
    const first = head + 1;
    head += count;
    for (let number = first; number <= head; number++) {
      const isPoolEmpty = pool.pending().length === 0 && pool.queued().length === 0;
      if (isPoolEmpty && !filters.needsBlockEvents()) break;
      const stored = await read(number);
      await pool.removeMined(stored.block);
      filters.onBlockEvent({ kind: 'added', stored });
    }
    await options.onHeadChanged(first);
  }

  async function credit(address: Address, wei: bigint): Promise<void> {
    const balance = (await engine.request('eth_getBalance', [address, 'latest'])) as Hex;
    await engine.setBalance(address, BigInt(balance) + wei);
  }

  async function switchBranch(depth: number, reorgOptions: ReorgOptions): Promise<void> {
    if (!Number.isInteger(depth) || depth < 1 || depth > head)
      throw new RangeError(`reorg: depth must be 1 to ${head}`);
    const transactions = reorgOptions.transactions ?? 'mined';
    const orphaned: StoredBlock[] = [];
    for (let number = head; number > head - depth; number--) orphaned.push(await read(number));
    const pending = await pool.takePending();
    await engine.rollback(depth);
    head -= depth;
    await options.onHeadChanged(head + 1);
    // Credits are no transactions, so the new branch has to apply them again.
    for (const lost of credits.filter((each) => each.head > head)) {
      lost.head = head;
      await credit(lost.address, lost.wei);
    }
    for (const stored of orphaned) {
      nonCanonical.set(stored.block.hash as Hash, stored);
      filters.onBlockEvent({ kind: 'removed', stored });
    }
    const orphanedTransactions = orphaned
      .reverse()
      .flatMap(({ block }) => block.transactions.map((each) => submitted.get((each as Transaction).hash)))
      .filter((each) => each !== undefined);
    const blocks = reorgOptions.blocks ?? depth + 1;
    if (transactions === 'mined') await pool.restore(orphanedTransactions, true);
    if (blocks > 0) await append(blocks);
    if (transactions === 'pending') await pool.restore(orphanedTransactions, true);
    await pool.restore(pending, false);
    await options.onHeadChanged(head - blocks + 1);
  }

  function setMining(next: Mining): void {
    clearInterval(timer);
    mining = next;
    if (typeof next === 'object')
      timer = setInterval(() => void enqueue(() => append(1)).catch(() => undefined), next.interval);
  }
  setMining(mining);

  return {
    head: () => head,
    /** A block by hash that was orphaned or never canonical. The node keeps such blocks. */
    findNonCanonical: (hash: Hash) => nonCanonical.get(hash),
    setMining,
    /** Submits a transaction to a pool, by default the mining node's. @throws Failure -32010 */
    submit: (transaction: SignedTransaction, to = pool) =>
      enqueue(async () => {
        await to.admit(transaction);
        submitted.set(transaction.hash, transaction);
        if (mining === 'auto' && pool.find(transaction.hash)) await append(1);
      }),
    mine: (count = 1) => enqueue(() => append(count)),
    reorg: (depth: number, reorgOptions: ReorgOptions = {}) =>
      enqueueBranchSwitch(() => switchBranch(depth, reorgOptions)),
    /** Announces a competing block at the head's height with the same transactions, and returns its hash. */
    sibling: () =>
      enqueue(async () => {
        const stored = makeSibling(await read(head), options.mineBlock);
        const hash = stored.block.hash as Hash;
        nonCanonical.set(hash, stored);
        filters.onBlockEvent({ kind: 'sibling', stored });
        return hash;
      }),
    credit: (address: Address, wei: bigint) =>
      enqueue(async () => {
        credits.push({ address, wei, head });
        await credit(address, wei);
        if (mining !== 'manual') await append(1);
      }),
    /** Runs a change of engine or pool exclusively, then reads the head again. */
    runExclusive: <T>(change: () => Promise<T>) =>
      enqueueBranchSwitch(async () => {
        const result = await change();
        head = Number((await engine.request('eth_blockNumber', [])) as Hex);
        credits = credits.filter((each) => each.head <= head);
        await options.onHeadChanged(head + 1);
        return result;
      }),
    /** Resolves when no reorganisation is under way. Replies wait for it, because the node switches branches atomically. */
    branchSwitched: () => lastBranchSwitch,
    stop: () => clearInterval(timer),
  };
}

/** Reads a block of the engine's chain with full transactions and logs. */
export async function readStoredBlock(engine: Engine, number: number): Promise<StoredBlock> {
  const selector = `0x${number.toString(16)}`;
  const block = (await engine.request('eth_getBlockByNumber', [selector, true])) as Block;
  const logs =
    block.transactions.length === 0
      ? []
      : ((await engine.request('eth_getLogs', [{ blockHash: block.hash }])) as Log[]);
  return { block, logs };
}

/** A competing block: same height and transactions, another miner and hash. */
function makeSibling({ block, logs }: StoredBlock, mineBlock: (block: Block) => Block): StoredBlock {
  const sibling = mineBlock({ ...block, miner: '0x4e5dabc28e4a0f5e5b19fcb56b28c5a1989352c1' });
  const hash = sibling.hash as Hash;
  const inSibling = (entry: Hash | Transaction) =>
    typeof entry === 'object' ? { ...entry, blockHash: hash } : entry;
  return {
    block: { ...sibling, transactions: block.transactions.map(inSibling) },
    logs: logs.map((log) => ({ ...log, blockHash: hash })),
  };
}
