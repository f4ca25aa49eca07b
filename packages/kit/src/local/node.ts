import type { Hash, Receipt } from '../../../../src/rpc/schema.js';
import { createBlocks } from './blocks.js';
import type { Context } from './context.js';
import { createFaults } from './faults.js';
import { listen } from './http.js';
import { createMethods } from './methods/index.js';
import { mineBlock } from './mining.js';
import { createRecorder } from './requests.js';
import { createRpcHandler } from './rpc-handler.js';

/** Settings that all nodes of the chain share. */
export interface NodeSettings
  extends Pick<Context, 'chainId' | 'miner' | 'switches' | 'syncing'>,
    Pick<listen.Options, 'keys' | 'origins' | 'bodyLimit' | 'quota' | 'retryAfter' | 'faucet'>,
    Pick<createRpcHandler.Options, 'batchLimit' | 'timeout' | 'responseLimit' | 'now'> {
  readonly minimumGasPriceAt: (block: number) => bigint;
  readonly difficulty: bigint;
}

/** The parts that each node has of its own: its port, its view of the chain, its pool and its filters. */
export interface NodeParts
  extends Pick<listen.Options, 'port'>,
    Pick<Context, 'engine' | 'chain' | 'pool' | 'filters'> {}

/** Starts one node: JSON-RPC over HTTP on 127.0.0.1, with its own faults and request log. */
export async function openNode(settings: NodeSettings, { port: wanted, ...parts }: NodeParts) {
  const { switches, minimumGasPriceAt, difficulty, now, keys } = settings;
  const { chain, pool, filters } = parts;
  const faults = createFaults(() => ({
    head: chain.head,
    block: (number, full) => context.blocks.byNumber(number, full),
    receipts: async (number) =>
      (await parts.engine.request('eth_getBlockReceipts', [number])) as readonly Receipt[],
    mineBlock: (block) => mineBlock(block, switches),
  }));
  const recorder = createRecorder(now);
  const context: Context = {
    ...settings,
    ...parts,
    blocks: createBlocks({ ...parts, switches, difficulty, minimumGasPrice: minimumGasPriceAt }),
    minimumGasPrice: (atBlock = chain.head()) => minimumGasPriceAt(atBlock),
    nextFakeHash: faults.nextFakeHash,
    transactionCount: faults.transactionCount,
  };
  const handle = createRpcHandler({ ...settings, methods: createMethods(), context });
  const { wire } = switches;
  const { port, close } = await listen({ ...settings, wire, port: wanted, handle, faults, recorder });
  const [key] = keys;
  return {
    port,
    url: `http://127.0.0.1:${port}/${key}`,
    requests: recorder.log,
    controls: {
      ...faults.controls,
      evictPending: (hash?: Hash) => chain.runExclusive(() => pool.evict(hash)),
      restart() {
        filters.clear();
        return chain.runExclusive(pool.restart);
      },
    },
    close,
  };
}
