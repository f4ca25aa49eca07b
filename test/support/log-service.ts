import { badReply, limitExceeded } from '../../src/rpc/errors.js';
import { toQuantity } from '../../src/rpc/hex.js';
import type { Block, Hash, Log } from '../../src/rpc/schema.js';
import type { Service } from '../../src/service/service.js';
import { address, word } from './simulated-chain.js';

/** Logs per block by height: what the figures of a range of 100,000 blocks are measured with. */
export const rangeBlocks = 100_000;
export const shapes = {
  even: () => 1,
  growing: (height: number) => (4 * height) / rangeBlocks,
  dense: () => 4,
  bursty: (height: number) => ((Math.floor(height / 1_000) * 48_271 + 7) % 97 < 24 ? 8 : 0),
} satisfies Record<string, (height: number) => number>;

/** A service with the seed's limits over blocks that hold so many logs each; answers wait for those before them. */
export function createLogService(options: createLogService.Options) {
  const { blocks, logsAt, always = 2_000, most = 10_000, pick = () => 0 } = options;
  const head = options.head ?? blocks - 1;
  const until = [0];
  let sum = 0;
  for (let height = 0; height < blocks; height++) {
    sum += logsAt(height);
    until.push(Math.round(sum));
  }
  const below = (height: number) => until[height] as number;
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
    /** Requests in steps that are always taken. */
    naive: Math.ceil(blocks / always),
    /** The fewest requests there can be: each as far as it may go. */
    fewest() {
      let requests = 0;
      for (let from = 0; from < blocks; requests++) {
        let next = Math.min(blocks, from + always);
        while (next < blocks && below(next + 1) - below(from) <= most) next++;
        from = next;
      }
      return requests;
    },
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
    readonly logsAt: (height: number) => number;
    /** The newest block; above it there are no logs. */
    readonly head?: number;
    readonly always?: number;
    readonly most?: number;
    /** Which of those that wait is answered next: 0 to 1. */
    readonly pick?: () => number;
    readonly onRequest?: (method: string, params: readonly unknown[]) => void;
  }
}
