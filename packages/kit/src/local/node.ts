import type { Address } from '../../../../src/rpc/schema.js';
import { createBlocks } from './blocks.js';
import type { Chain } from './chain.js';
import type { Context, SyncStatus } from './context.js';
import type { Switches } from './dialect.js';
import type { Engine } from './engine.js';
import { createFaults, type FaultState } from './faults.js';
import type { Filters } from './filters.js';
import { type Listening, listen } from './http.js';
import { createMethods } from './methods/index.js';
import type { Pool } from './pool.js';
import type { Quota } from './quota.js';
import { createRecorder, type RequestLog } from './requests.js';
import type { HttpReply } from './rpc-handler.js';
import { createRpcHandler } from './rpc-handler.js';

/** Settings that all nodes of the chain share. */
export interface NodeSettings {
  readonly chainId: number;
  readonly miner: Address;
  readonly switches: Switches;
  readonly minimumGasPriceAt: (block: number) => bigint;
  readonly syncing: () => SyncStatus;
  readonly now: () => number;
  readonly keys: ReadonlySet<string>;
  readonly origins: '*' | readonly string[];
  /** Calls per batch. */
  readonly batchLimit: number;
  /** Bytes. */
  readonly bodyLimit: number;
  /** Bytes. */
  readonly responseLimit: number;
  /** Milliseconds per request body. */
  readonly timeout: number;
  readonly quota: Quota;
  readonly retryAfter: 'reset' | number | null;
  readonly faucet: ((body: unknown) => Promise<HttpReply>) | null;
}

/** The parts that each node has of its own: its port, its view of the chain, its pool and its filters. */
export interface NodeParts {
  readonly port: number;
  readonly engine: Engine;
  readonly chain: Chain;
  readonly pool: Pool;
  readonly filters: Filters;
}

export interface RunningNode {
  readonly front: Listening;
  readonly faults: FaultState;
  readonly requests: RequestLog;
}

/** Starts one node: JSON-RPC over HTTP on 127.0.0.1, with its own faults and request log. */
export async function openNode(settings: NodeSettings, parts: NodeParts): Promise<RunningNode> {
  const { switches, minimumGasPriceAt, now } = settings;
  const { engine, chain, pool, filters } = parts;
  const faults = createFaults();
  const recorder = createRecorder(now);
  const context: Context = {
    chainId: settings.chainId,
    miner: settings.miner,
    switches,
    engine,
    chain,
    pool,
    filters,
    blocks: createBlocks({ engine, chain, pool, switches, minimumGasPrice: minimumGasPriceAt }),
    minimumGasPrice: (atBlock = chain.head()) => minimumGasPriceAt(atBlock),
    syncing: settings.syncing,
    nextFakeHash: faults.nextFakeHash,
    transactionCount: faults.transactionCount,
  };
  const handle = createRpcHandler({ ...settings, methods: createMethods(), context });
  const front = await listen({
    ...settings,
    wire: switches.wire,
    port: parts.port,
    handle,
    faults,
    recorder,
  });
  return { front, faults, requests: recorder.log };
}
