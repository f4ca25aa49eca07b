import type { MinedBlock } from '../chain/blocks.js';
import { badReply } from '../rpc/core-errors.js';
import { errorCode, isProviderRpcError, type ProviderRpcError } from '../rpc/errors.js';
import type { Hash, Log } from '../rpc/schema.js';
import { createBlockLogs } from '../service/logs/block-logs.js';
import type { Service } from '../service/service.js';

/** All logs of a block, in order, each once. Concurrent callers share one request. */
export type LogsOf = (block: MinedBlock) => Promise<readonly Log[]>;

/**
 * One `eth_getLogs {blockHash}` without criteria serves every subscription and filter. The reply can be checked: a node
 * that does not know the block returns `[]` (docs/notes/node.md#unknown-blocks-have-no-logs), which contradicts a bloom
 * with any bit set. The newest blocks are cached. Blocks whose logs no node had are cached as failures, for up to five
 * minutes with backoff; after two minutes the failure is reported as an uncaught error of the page
 * (docs/notes/security.md#nl-2-no-log-is-lost).
 */
export function createLogsOf(service: Service, now: () => number = Date.now): LogsOf {
  const recent = new Map<Hash, Promise<readonly Log[]>>();
  const missing = new Map<Hash, Missing>();

  const { ofBlock } = createBlockLogs(service);

  return (block) => {
    const { hash } = block;
    const known = recent.get(hash);
    if (known) return known;
    const { until = 0, error = undefined, times = 0 } = missing.get(hash) ?? {};
    if (until > now()) return Promise.reject(error);
    const logs = ofBlock(block, { insist: times >= patience });
    keep(recent, hash, logs);
    logs.then(
      () => missing.delete(hash),
      (error) => {
        recent.delete(hash);
        if (isProviderRpcError(error) && error.code === errorCode.internal) note(hash, error);
      },
    );
    return logs;
  };

  function note(hash: Hash, error: ProviderRpcError): void {
    const times = (missing.get(hash)?.times ?? 0) + 1;
    const pause = times < patience ? 0 : Math.min(longestPause, 1_000 * 2 ** times);
    keep(missing, hash, { times, error, until: now() + pause });
    if (times === announced)
      globalThis.reportError?.(
        badReply('eth_getLogs', `no node has the logs of block ${hash}; later events wait`),
      );
  }
}

interface Missing {
  readonly times: number;
  readonly error: ProviderRpcError;
  /** Milliseconds since 1970. */
  readonly until: number;
}

function keep<T>(map: Map<Hash, T>, hash: Hash, value: T): void {
  map.set(hash, value);
  if (map.size > remembered) map.delete(map.keys().next().value as Hash);
}

/** Failures that a lagging node explains, and failures after which it is reported. */
const patience = 3;
const announced = 7;
/** Milliseconds. */
const longestPause = 300_000;

/** Cached blocks: those of one poll and of a short reorganisation. */
const remembered = 16;

/** Groups logs by block hash, in the given order. */
export function byBlock(logs: readonly Log[]): ReadonlyMap<Hash, readonly Log[]> {
  const blocks = new Map<Hash, Log[]>();
  for (const log of logs) {
    const hash = log.blockHash as Hash;
    const known = blocks.get(hash);
    if (known) known.push(log);
    else blocks.set(hash, [log]);
  }
  return blocks;
}
