import { badReply, limitExceeded } from '../../src/rpc/core-errors.js';
import { toQuantity } from '../../src/rpc/hex.js';
import type { Block, Hash, Log } from '../../src/rpc/schema.js';
import type { Service } from '../../src/service/service.js';
import { fewestRequests, type LogDensity, logLimits, logsBelow } from './log-density.js';
import { address, word } from './simulated-chain.js';

/**
 * The `Service` port over blocks with so many logs each and the service's limits. Replies are given one per turn of the
 * event loop, in the order of the requests unless `pick` chooses another.
 */
export function createLogService(options: createLogService.Options) {
  const { blocks, logsAt, always = logLimits.blocks, most = logLimits.logs, pick = () => 0 } = options;
  const head = options.head ?? blocks - 1;
  const sums = logsBelow(logsAt, blocks);
  const below = (height: number) => sums[height] as number;
  const asked: { readonly method: string; readonly params: readonly unknown[] }[] = [];
  const waiting: (() => void)[] = [];
  let fork = 0;

  const hashOf = (height: number): Hash => word(fork * 10_000_000 + height + 1);
  const blockOf = (height: number) =>
    ({
      number: toQuantity(height),
      hash: hashOf(height),
      parentHash: hashOf(height - 1),
      transactions: [],
    }) as unknown as Block;

  function logsOf(from: number, to: number): Log[] {
    const logs: Log[] = [];
    for (let height = from; height <= to; height++) {
      const [blockNumber, blockHash] = [toQuantity(height), hashOf(height)];
      for (let index = 0; index < below(height + 1) - below(height); index++) {
        const place = toQuantity(index);
        logs.push({
          ...{ address: address(1), topics: [], data: '0x', blockNumber, blockHash },
          ...{ transactionHash: blockHash, transactionIndex: '0x0', logIndex: place },
        });
      }
    }
    return logs;
  }

  function answer(method: string, [first]: readonly unknown[]): unknown {
    if (method !== 'eth_getLogs') {
      const height = first === 'latest' ? head : Number(first);
      return height <= head ? blockOf(height) : null;
    }
    const { fromBlock, toBlock } = first as { fromBlock: string; toBlock: string };
    const [from, to] = [Number(fromBlock), Math.min(head, Number(toBlock))];
    const isMany = below(Math.max(from, to + 1)) - below(from) > most;
    if (to - from >= always && isMany) throw limitExceeded('too many logs', { reason: 'range-too-large' });
    return logsOf(from, to);
  }

  function next(): void {
    const [turn] = waiting.splice(Math.floor(pick() * waiting.length), 1);
    turn?.();
    if (waiting.length > 0) setImmediate(next);
  }

  const service: Service = {
    network: { ...({} as Service['network']), chainId: 31, urls: [] },
    async request(method, params, { signal, check } = {}) {
      asked.push({ method, params });
      options.onRequest?.(method, params);
      await new Promise<void>((resolve) => {
        if (waiting.push(resolve) === 1) setImmediate(next);
      });
      signal?.throwIfAborted();
      const result = answer(method, params);
      try {
        check?.(result);
      } catch (error) {
        throw badReply(method, (error as Error).message);
      }
      return result;
    },
    reachable: () => true,
    watch: () => () => {},
    usage: () => ({ sent: {}, shared: 0 }),
    verifyChain: async () => {},
  };

  return {
    service,
    asked,
    total: below(blocks),
    /** Requests in steps of `always` blocks. */
    naive: Math.ceil(blocks / always),
    fewest: () => fewestRequests(sums, { blocks: always, logs: most }),
    logsOf,
    /** From now on every block has another hash. */
    reorganise(): void {
      fork++;
    },
  };
}

export declare namespace createLogService {
  interface Options {
    readonly blocks: number;
    readonly logsAt: LogDensity;
    /** The newest block; above it there are no logs. */
    readonly head?: number;
    /** Blocks that a request may always cover; 2,000 by default. */
    readonly always?: number;
    /** Logs that a request of more blocks may return; 10,000 by default. */
    readonly most?: number;
    /** Which of the waiting requests is answered next: 0 for the oldest, to below 1 for the newest. */
    readonly pick?: () => number;
    readonly onRequest?: (method: string, params: readonly unknown[]) => void;
  }
}
