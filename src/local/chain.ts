import type { Address, Block, Hash, Hex, Log, Transaction } from '../rpc/schema.js';
import type { SignedTransaction } from './decode.js';
import type { Engine } from './engine.js';
import type { Pool } from './pool.js';

/** A block as the engine gives it, transactions in full, and the logs it made. */
export interface StoredBlock {
  readonly block: Block;
  readonly logs: readonly Log[];
}

/** What filters hear of. `sibling` is a block beside the chain; `removed` one that left it. */
export interface BlockNews {
  readonly kind: 'added' | 'removed' | 'sibling';
  readonly stored: StoredBlock;
}

export type Mining = 'auto' | 'manual' | { readonly interval: number };

export interface ReorgOptions {
  /**
   * What becomes of the transactions of the blocks that leave: `mined` again in the new branch's first
   * block (default), `pending` in the pool while the new branch is empty, or `gone`.
   */
  readonly transactions?: 'mined' | 'pending' | 'gone';
  /** Length of the new branch; one more than `depth` unless told, so that it is the heavier. */
  readonly blocks?: number;
}

/** The chain as this service tells it: every change passes here, one after the other. */
export interface Chain {
  head(): number;
  /** Blocks that left the chain, or never were in it, by hash: the node still knows them. */
  besideChain(hash: Hash): StoredBlock | undefined;
  /** To the pool of the node that got it, the mining node's own unless told. @throws Failure -32010 */
  submit(transaction: SignedTransaction, to?: Pool): Promise<void>;
  mine(count?: number): Promise<void>;
  reorg(depth: number, options?: ReorgOptions): Promise<void>;
  /** Announces a block beside the head, with the same transactions (a future uncle). */
  sibling(): Promise<Hash>;
  credit(address: Address, wei: bigint): Promise<void>;
  setMining(mining: Mining): void;
  mining(): Mining;
  /** Runs a change of engine or pool while nothing else moves, then finds the head again. */
  alone<T>(change: () => Promise<T>): Promise<T>;
  /** Resolves when no branch is being exchanged: the node switches to another at once, not block by block. */
  settled(): Promise<unknown>;
  stop(): void;
}

export declare namespace createChain {
  interface Options {
    readonly engine: Engine;
    readonly pool: Pool;
    readonly mining: Mining;
    /** Awaited before the change that caused it resolves. Called only while `wanted`. */
    readonly onNews: (news: BlockNews) => void;
    readonly wanted: () => boolean;
    readonly makeSibling: (of: StoredBlock) => StoredBlock;
    /** Awaited after blocks were added or exchanged; `from` is the lowest number that changed. */
    readonly onMoved: (from: number) => Promise<void>;
  }
}

export function createChain(options: createChain.Options): Chain {
  const { engine, pool, onNews } = options;
  const known = new Map<Hash, SignedTransaction>();
  const beside = new Map<Hash, StoredBlock>();
  let credits: { address: Address; wei: bigint; head: number }[] = [];
  let head = 0;
  let mining: Mining = options.mining;
  let timer: NodeJS.Timeout | undefined;
  let last: Promise<unknown> = Promise.resolve();
  let exchanging: Promise<unknown> = last;

  /** One change at a time; a failed one does not stop the next. */
  function inTurn<T>(change: () => Promise<T>): Promise<T> {
    const next = last.then(change, change);
    last = next.catch(() => undefined);
    return next;
  }

  function exchange<T>(change: () => Promise<T>): Promise<T> {
    const next = inTurn(change);
    exchanging = next.catch(() => undefined);
    return next;
  }

  const read = (number: number) => readStoredBlock(engine, number);

  async function append(count: number): Promise<void> {
    await pool.prune();
    await engine.mine(count);
    const first = head + 1;
    head += count;
    for (let number = first; number <= head; number++) {
      const idle = pool.pending().length === 0 && pool.queued().length === 0;
      if (idle && !options.wanted()) break;
      const stored = await read(number);
      await pool.settle(stored.block.transactions.map((each) => (each as Transaction).hash));
      onNews({ kind: 'added', stored });
    }
    await options.onMoved(first);
  }

  async function credit(address: Address, wei: bigint): Promise<void> {
    const balance = (await engine.request('eth_getBalance', [address, 'latest'])) as Hex;
    await engine.setBalance(address, BigInt(balance) + wei);
  }

  async function branchOff(depth: number, wish: ReorgOptions): Promise<void> {
    if (!Number.isInteger(depth) || depth < 1 || depth > head)
      throw new RangeError(`reorg: depth must be 1 to ${head}`);
    const fate = wish.transactions ?? 'mined';
    const leaving: StoredBlock[] = [];
    for (let number = head; number > head - depth; number--) leaving.push(await read(number));
    const waiting = await pool.withdraw();
    await engine.rollback(depth);
    head -= depth;
    await options.onMoved(head + 1);
    for (const lost of credits.filter((each) => each.head > head)) {
      lost.head = head;
      await credit(lost.address, lost.wei);
    }
    for (const stored of leaving) {
      beside.set(stored.block.hash as Hash, stored);
      onNews({ kind: 'removed', stored });
    }
    const orphans = leaving
      .reverse()
      .flatMap(({ block }) => block.transactions.map((each) => known.get((each as Transaction).hash)))
      .filter((each) => each !== undefined);
    const blocks = wish.blocks ?? depth + 1;
    if (fate === 'mined') await pool.restore(orphans, true);
    if (blocks > 0) await append(blocks);
    if (fate === 'pending') await pool.restore(orphans, true);
    await pool.restore(waiting, false);
    await options.onMoved(head - blocks + 1);
  }

  function setMining(wish: Mining): void {
    clearInterval(timer);
    mining = wish;
    if (typeof wish === 'object')
      timer = setInterval(() => void inTurn(() => append(1)).catch(() => undefined), wish.interval);
  }
  setMining(options.mining);

  return {
    head: () => head,
    besideChain: (hash) => beside.get(hash),
    mining: () => mining,
    setMining,
    submit: (transaction, to = pool) =>
      inTurn(async () => {
        await to.admit(transaction);
        known.set(transaction.hash, transaction);
        if (mining === 'auto' && pool.find(transaction.hash)) await append(1);
      }),
    mine: (count = 1) => inTurn(() => append(count)),
    reorg: (depth, wish = {}) => exchange(() => branchOff(depth, wish)),
    sibling: () =>
      inTurn(async () => {
        const stored = options.makeSibling(await read(head));
        const hash = stored.block.hash as Hash;
        beside.set(hash, stored);
        onNews({ kind: 'sibling', stored });
        return hash;
      }),
    credit: (address, wei) =>
      inTurn(async () => {
        credits.push({ address, wei, head });
        await credit(address, wei);
        if (mining !== 'manual') await append(1);
      }),
    alone: (change) =>
      exchange(async () => {
        const answer = await change();
        head = Number((await engine.request('eth_blockNumber', [])) as Hex);
        credits = credits.filter((each) => each.head <= head);
        await options.onMoved(head + 1);
        return answer;
      }),
    settled: () => exchanging,
    stop: () => clearInterval(timer),
  };
}

/** A block of the engine's chain with its transactions in full and its logs. */
export async function readStoredBlock(engine: Engine, number: number): Promise<StoredBlock> {
  const selector = `0x${number.toString(16)}`;
  const block = (await engine.request('eth_getBlockByNumber', [selector, true])) as Block;
  const logs =
    block.transactions.length === 0
      ? []
      : ((await engine.request('eth_getLogs', [{ blockHash: block.hash }])) as Log[]);
  return { block, logs };
}
