import type { MinedBlock } from '../chain/blocks.js';
import { bloomHasAny } from '../rpc/bloom.js';
import { errorCode, isProviderRpcError, ProviderRpcError } from '../rpc/errors.js';
import { own } from '../rpc/own.js';
import { membersOf } from '../rpc/own-data.js';
import { checkBlockWithHash } from '../rpc/results.js';
import type { Hash, Log } from '../rpc/schema.js';
import { createBlockLogs } from '../service/logs/block-logs.js';
import { isOutOfReach } from '../service/logs/refusal.js';
import type { Service } from '../service/service.js';

/** All logs of a block, in order, each once. Concurrent callers share one request. */
export type LogsOf = (block: MinedBlock) => Promise<readonly Log[]>;

/**
 * One `eth_getLogs {blockHash}` without criteria serves every subscription and filter; {@link createBlockLogs} proves it by
 * the block's bloom. The newest blocks are cached. A block that cannot be read is tried again, ever less often, and later
 * blocks wait for it; one that stays unreadable while the service answers for others is a {@link isLogGap gap}, which is
 * reported once as an uncaught error of the page (docs/notes/security.md#nl-2-no-log-is-lost).
 */
export function createLogsOf(service: Service, now: () => number = Date.now): LogsOf {
  const recent = new Map<Hash, Promise<readonly Log[]>>();
  const failed = new Map<Hash, Failure>();
  const { ofBlock } = createBlockLogs(service);
  /** The newest block whose logs were read. */
  let readable: MinedBlock | undefined;

  /** Returns the error of a failed attempt: the gap, once there have been enough of them. */
  async function judge(block: MinedBlock, error: unknown): Promise<unknown> {
    if (!isProviderRpcError(error)) return error;
    const { hash } = block;
    const before = failed.get(hash) ?? { times: 0, wrong: 0, weight: 0, isReported: false };
    const isWrong = !isOutOfReach(error);
    const [times, wrong] = [before.times + 1, before.wrong + (isWrong ? 1 : 0)];
    const weight = before.weight + (isWrong ? weightOfWrong : 1);
    const pause = wrong < patience ? 0 : Math.min(maxPause, 1_000 * 2 ** wrong);
    const isGap = weight >= weightOfGap && (await isAlone(block, isWrong));
    const reported = isGap ? gapAt(block, error) : error;
    const until = isWrong || isGap ? now() + pause : 0;
    keep(failed, hash, {
      ...{ times, wrong, weight, until },
      error: reported,
      isReported: before.isReported || isGap,
    });
    if (isGap && !before.isReported) globalThis.reportError?.(reported);
    return reported;
  }

  /** Whether the service answers for the block itself, and with the logs of another one: it is no outage, and no lag. */
  async function isAlone({ hash }: MinedBlock, isWrong: boolean): Promise<boolean> {
    if (!readable && !isWrong) return false;
    try {
      const check = (result: unknown) => checkBlockWithHash(result, [hash]);
      const known = await service.request('eth_getBlockByHash', [hash, false], { check });
      if (known && readable) await ofBlock(readable);
      return known !== null;
    } catch {
      return false;
    }
  }

  return (block) => {
    const { hash } = block;
    const known = recent.get(hash);
    if (known) return known;
    const { until = 0, error = undefined, times = 0 } = failed.get(hash) ?? {};
    if (until > now()) return Promise.reject(error);
    const logs = ofBlock(block, { insist: times >= patience }).catch(async (error) => {
      throw await judge(block, error);
    });
    keep(recent, hash, logs);
    logs.then(
      () => {
        failed.delete(hash);
        if (bloomHasAny(block.logsBloom)) readable = block;
      },
      () => recent.delete(hash),
    );
    return logs;
  };
}

interface Failure {
  readonly times: number;
  /** Attempts that were answered wrongly; the others were not answered. */
  readonly wrong: number;
  readonly weight: number;
  readonly error?: unknown;
  /** Milliseconds since 1970. */
  readonly until?: number | undefined;
  readonly isReported: boolean;
}

/** Whether an error says that the logs of one block are left out, so that later ones need not wait. */
export const isLogGap = (error: unknown): error is ProviderRpcError =>
  isProviderRpcError(error) && membersOf(error.data).reason === 'gap';

const gapAt = ({ number, hash }: MinedBlock, { message }: ProviderRpcError) =>
  new ProviderRpcError(
    errorCode.internal,
    `The logs of block ${Number(number)} (${hash}) are not delivered, because no node has them: ${message} Later blocks go on; eth_getLogs with this blockHash reads them when a node has them again.`,
    own({ reason: 'gap', blockNumber: number, blockHash: hash }),
  );

function keep<T>(map: Map<Hash, T>, hash: Hash, value: T): void {
  map.delete(hash);
  map.set(hash, value);
  if (map.size > remembered) map.delete(map.keys().next().value as Hash);
}

/** Failures that a lagging node explains. */
const patience = 3;
/** A wrong answer weighs as much as four requests without an answer; a gap as much as five wrong answers. */
const weightOfWrong = 4;
const weightOfGap = 20;
/** Milliseconds. */
const maxPause = 300_000;

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
