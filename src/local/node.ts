import type { Address } from '../rpc/schema.js';
import type { Answer } from './answer.js';
import { createAnswer } from './answer.js';
import { createBlocks } from './blocks.js';
import type { Chain } from './chain.js';
import type { Context, SyncWord } from './context.js';
import type { Switches } from './dialect.js';
import type { Engine } from './engine.js';
import { createFaults, type FaultState } from './faults.js';
import type { Filters } from './filters.js';
import { type Listening, listen } from './http.js';
import { createMethods } from './methods/index.js';
import type { Pool } from './pool.js';
import type { Quota } from './quota.js';
import { createRecorder, type RequestLog } from './requests.js';

/** What every node of the chain has in common. */
export interface NodeSettings {
  readonly chainId: number;
  readonly miner: Address;
  readonly switches: Switches;
  readonly minimumGasPriceAt: (block: number) => bigint;
  readonly syncing: () => SyncWord;
  readonly now: () => number;
  readonly keys: ReadonlySet<string>;
  readonly origins: '*' | readonly string[];
  readonly batchLimit: number;
  readonly bodyLimit: number;
  readonly responseLimit: number;
  readonly timeout: number;
  readonly quota: Quota;
  readonly retryAfter: 'reset' | number | null;
  readonly faucet: ((body: unknown) => Promise<Answer>) | null;
}

/** What is a node's own: its port, its sight of the chain, its pool and its filters. */
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

/** Opens one node of the chain: JSON-RPC over HTTP on 127.0.0.1, with its own faults and its own log. */
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
    hashReply: faults.hashReply,
    transactionCount: faults.transactionCount,
  };
  const answer = createAnswer({ ...settings, methods: createMethods(), context });
  const front = await listen({
    ...settings,
    wire: switches.wire,
    port: parts.port,
    answer,
    faults,
    recorder,
  });
  return { front, faults, requests: recorder.log };
}
