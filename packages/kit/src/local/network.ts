import { type Chain, readStoredBlock } from './chain.js';
import type { LocalNode, NodeOptions } from './controls.js';
import type { SignedTransaction } from './decode.js';
import type { Engine } from './engine.js';
import { Failure } from './failure.js';
import type { Filters } from './filters.js';
import { type NodeSettings, openNode } from './node.js';
import type { Pool } from './pool.js';
import { viewChain, viewEngine } from './view.js';

export declare namespace createNetwork {
  interface Options {
    readonly engine: Engine;
    readonly chain: () => Chain;
    /** The pool of the mining node. */
    readonly miningPool: () => Pool;
    readonly settings: () => NodeSettings;
    readonly newFilters: () => Filters;
    readonly newPool: (
      engine: Engine,
      head: () => number,
      onPending: (transaction: SignedTransaction) => Promise<void>,
    ) => Pool;
  }
}

interface Peer extends Pick<LocalNode, 'close'> {
  readonly pool: Pool;
  readonly isConnected: () => boolean;
  /** Processes the blocks up to the node's head. `from` is the lowest block number that changed since the last call. */
  readonly follow: (from: number) => Promise<void>;
}

/**
 * The nodes other than the mining one. Each follows the same chain, `lag` blocks behind its head, with its own pool and
 * filters. Transactions are relayed between the pools.
 */
export function createNetwork(options: createNetwork.Options) {
  const peers = new Set<Peer>();

  /** Submits a transaction that became pending at one node to the pools of the others, ignoring rejections. */
  async function relay(transaction: SignedTransaction, from: Pool): Promise<void> {
    const connected = [...peers].filter(({ isConnected }) => isConnected()).map(({ pool }) => pool);
    for (const pool of [options.miningPool(), ...connected]) {
      if (pool === from) continue;
      await pool.admit(transaction).catch((error: unknown) => {
        if (!(error instanceof Failure)) throw error;
      });
    }
  }

  /** Starts a node. */
  async function add({ lag: initialLag = 0, port = 0 }: NodeOptions = {}): Promise<LocalNode> {
    const chain = options.chain();
    let lag = readLag(initialLag);
    let gossips = true;
    let ownHead = Math.max(0, chain.head() - lag);
    const head = () => ownHead;
    const engine = viewEngine(options.engine, head);
    const filters = options.newFilters();
    const pool = options.newPool(engine, head, async (transaction) => {
      filters.onPendingTransaction(transaction.hash);
      if (gossips) await relay(transaction, pool);
    });
    const follow = async (from: number) => {
      ownHead = Math.min(ownHead, Math.max(0, from - 1));
      while (ownHead < chain.head() - lag) {
        const stored = await readStoredBlock(options.engine, ownHead + 1);
        ownHead += 1;
        await pool.removeMined(stored.block);
        filters.onBlockEvent({ kind: 'added', stored });
      }
    };
    const { controls, ...opened } = await openNode(options.settings(), {
      port,
      engine,
      chain: viewChain(chain, pool, head),
      pool,
      filters,
    });
    const close = async () => {
      peers.delete(peer);
      await opened.close();
    };
    const peer: Peer = { pool, follow, close, isConnected: () => gossips };
    peers.add(peer);
    return {
      ...opened,
      controls: {
        ...controls,
        setLag(blocks) {
          lag = readLag(blocks);
          return chain.runExclusive(async () => undefined);
        },
        setGossip(on) {
          gossips = on;
        },
      },
      close,
      [Symbol.asyncDispose]: close,
    };
  }

  return {
    relay,
    add,
    /** Makes every node process the blocks it now sees. `from` is the lowest block number that changed. */
    async follow(from: number): Promise<void> {
      for (const { follow } of peers) await follow(from);
    },
    close: () => Promise.all([...peers].map((peer) => peer.close())),
  };
}

function readLag(blocks: number): number {
  if (!Number.isInteger(blocks) || blocks < 0)
    throw new RangeError('lag: a whole number of blocks, 0 or more');
  return blocks;
}
