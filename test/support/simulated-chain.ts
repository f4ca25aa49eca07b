import type { MinedBlock } from '../../src/chain/blocks.js';
import { bloomBits } from '../../src/rpc/bloom.js';
import { badReply } from '../../src/rpc/core-errors.js';
import { ProviderRpcError } from '../../src/rpc/errors.js';
import { remasc } from '../../src/rpc/remasc.js';
import type { Address, Hash, Hex, Log } from '../../src/rpc/schema.js';
import type { Service } from '../../src/service/service.js';

/** What a transaction of the simulated chain emits. */
export interface Emitted {
  readonly address: Address;
  readonly topics?: readonly Hash[];
}

export interface Faults {
  /** Share of requests that fail. */
  errors: number;
  /** Share of replies that are malformed. */
  garbage: number;
  /** Each request is answered from a view that is up to this many changes of the chain old. */
  lag: number;
}

const quantity = (value: number): Hex => `0x${value.toString(16)}`;
export const word = (value: number): Hash => `0x${value.toString(16).padStart(64, '0')}`;
export const address = (value: number): Address => `0x${value.toString(16).padStart(40, '0')}`;

interface Filter {
  readonly blockHash?: Hash;
  readonly fromBlock?: Hex;
  readonly toBlock?: Hex;
  readonly address?: Address | readonly Address[];
  readonly topics?: readonly (Hash | readonly Hash[] | null)[];
}

const matches = ({ address, topics = [] }: Filter, log: Log): boolean =>
  (!address || [address].flat().includes(log.address)) &&
  topics.every((wanted, at) => wanted === null || [wanted].flat().includes(log.topics[at] as Hash));

/** The `Service` port over a chain in memory that grows, reorganises, lags, fails and sends malformed replies on demand. */
export function createSimulatedChain(options: createSimulatedChain.Options = {}) {
  const { random = Math.random, blockTime = 25, urls = [], difficulty = 0, logsFrom = 'logs' } = options;
  const faults: Faults = { errors: 0, garbage: 0, lag: 0 };
  const blocks = new Map<Hash, { block: MinedBlock; logs: readonly Log[]; since: number }>();
  /** The head after each change of the chain; the index is the version. */
  const heads: Hash[] = [];
  const sent: Record<string, number> = {};
  const asked: { method: string; params: readonly unknown[] }[] = [];
  let counter = 0;
  let intercept: ((method: string, params: readonly unknown[]) => unknown) | undefined;

  let filters = new Map<Hex, Hash[]>();
  let blockFilters = new Map<Hex, Hash[]>();
  let withFilters = true;
  let pool: Hash[] = [];
  let syncing: unknown = false;

  const get = (hash: Hash) => blocks.get(hash) as { block: MinedBlock; logs: readonly Log[]; since: number };

  function append(parent: Hash | null, emitted: readonly Emitted[]): Hash {
    counter += 1;
    const number = parent ? Number(get(parent).block.number) + 1 : 0;
    const hash = word(0xb10c_0000_0000 + counter);
    // Where logs are read from receipts, forks have some transactions in common, as those of a real chain do.
    const first = 0x7_0000_0000 + (logsFrom === 'logs' ? counter : number) * 1000;
    const logs = emitted.map(
      (each, at): Log => ({
        address: each.address,
        topics: each.topics ?? [],
        data: '0x',
        blockNumber: quantity(number),
        blockHash: hash,
        transactionHash: word(first + at),
        transactionIndex: quantity(at),
        logIndex: quantity(at),
      }),
    );
    const bloom = new Uint8Array(256);
    for (const log of logs)
      for (const value of [log.address, ...log.topics])
        for (const bit of bloomBits(value)) (bloom[255 - (bit >> 3)] as number) |= 1 << (bit & 7);
    const block: MinedBlock = {
      number: quantity(number),
      hash,
      parentHash: parent ?? word(0),
      logsBloom: `0x${Buffer.from(bloom).toString('hex')}`,
      timestamp: quantity(1_700_000_000 + number * blockTime),
      gasLimit: '0x67c280',
      gasUsed: '0x0',
      miner: address(1),
      minimumGasPrice: '0x3938700',
      paidFees: '0x0',
      totalDifficulty: quantity(difficulty * number),
      transactions: [
        ...logs.map((log) => log.transactionHash as Hash),
        // A transaction without logs, and REMASC's, of which the service has no receipt.
        ...(logsFrom === 'logs' ? [] : [word(first + 900), word(first + 901)]),
      ],
      uncles: [],
    };
    blocks.set(hash, { block, logs, since: heads.length });
    return hash;
  }

  const head = () => heads.at(-1) as Hash;

  /** As the node's block filters do: of a fork, only the newest block is reported. */
  function change(tip: Hash): void {
    heads.push(tip);
    for (const changes of blockFilters.values()) changes.push(tip);
  }

  /** The blocks from the first to `tip`. */
  function chainOf(tip: Hash): MinedBlock[] {
    const chain: MinedBlock[] = [];
    for (let at = blocks.get(tip); at; at = blocks.get(at.block.parentHash)) chain.push(at.block);
    return chain.reverse();
  }

  function ancestor(depth: number): Hash {
    let at = head();
    for (let i = 0; i < depth; i++) at = get(at).block.parentHash;
    return at;
  }

  /** The receipts of a block in the order of its transactions. */
  const receiptsOf = ({ number, hash, transactions }: MinedBlock) =>
    (logsFrom === 'logs' ? transactions : transactions.slice(0, -1)).map((transactionHash, at) => ({
      ...{ transactionHash, transactionIndex: quantity(at), blockHash: hash, blockNumber: number },
      status: '0x1',
      // Log indexes count from the transaction's first log, as on older nodes.
      logs: get(hash)
        .logs.filter((log) => log.transactionHash === transactionHash)
        .map((log) => ({ ...log, logIndex: '0x0' })),
    }));

  const absent = (method: string) =>
    new ProviderRpcError(-32601, `The method ${method} does not exist / is not available`, {
      reason: 'method-not-found',
    });

  function answer(method: string, params: readonly unknown[]): unknown {
    const version = Math.max(0, heads.length - 1 - Math.floor(random() * (faults.lag + 1)));
    const tip = heads[version] as Hash;
    const knows = (hash: Hash) => (blocks.get(hash)?.since ?? Number.POSITIVE_INFINITY) <= version;
    const [first] = params;
    switch (method) {
      case 'eth_blockNumber':
        return get(tip).block.number;
      case 'eth_getBlockByNumber': {
        if (first === 'pending') {
          const transactions = pool.map((hash) => ({ hash, nonce: '0x0', to: address(2) }));
          return { ...get(tip).block, number: null, hash: null, transactions };
        }
        if (first === 'latest') return get(tip).block;
        return chainOf(tip)[Number(first)] ?? null;
      }
      case 'eth_getBlockByHash':
        return knows(first as Hash) ? get(first as Hash).block : null;
      case 'eth_getLogs': {
        if (logsFrom !== 'logs') throw absent(method);
        const filter = first as Filter;
        if (filter.blockHash) return knows(filter.blockHash) ? get(filter.blockHash).logs : [];
        const range = chainOf(tip).slice(Number(filter.fromBlock), Number(filter.toBlock) + 1);
        if (range.length > 2_000)
          throw new ProviderRpcError(-32005, 'Cannot query more than 2000 blocks at once', {
            reason: 'range-too-large',
          });
        return range.flatMap((block) => get(block.hash).logs).filter((log) => matches(filter, log));
      }
      case 'eth_getTransactionReceipt': {
        const block = chainOf(tip).find(({ transactions }) => transactions.includes(first as Hash));
        return (block && receiptsOf(block).find(({ transactionHash }) => transactionHash === first)) ?? null;
      }
      case 'eth_getTransactionByHash': {
        const block = chainOf(tip).find(({ transactions }) => transactions.includes(first as Hash));
        if (!block) return null;
        const isReward = logsFrom !== 'logs' && block.transactions.at(-1) === first;
        return { hash: first, nonce: '0x0', from: address(0), to: isReward ? remasc : address(1) };
      }
      case 'eth_getBlockReceipts':
        if (logsFrom !== 'block receipts') throw absent(method);
        return knows(first as Hash) ? receiptsOf(get(first as Hash).block) : null;
      case 'eth_syncing':
        return syncing;
      case 'eth_newPendingTransactionFilter': {
        if (!withFilters) throw new ProviderRpcError(-32601, 'method not found');
        counter += 1;
        filters.set(quantity(counter), []);
        return quantity(counter);
      }
      case 'eth_newBlockFilter': {
        if (!withFilters) throw new ProviderRpcError(-32601, 'method not found');
        counter += 1;
        blockFilters.set(quantity(counter), []);
        return quantity(counter);
      }
      case 'eth_getFilterChanges': {
        const changes = filters.get(first as Hex) ?? blockFilters.get(first as Hex);
        if (!changes) throw new ProviderRpcError(-32000, 'filter not found');
        return changes.splice(0);
      }
      case 'eth_uninstallFilter':
        return filters.delete(first as Hex) || blockFilters.delete(first as Hex);
      default:
        throw absent(method);
    }
  }

  /** A malformed reply, which a reader can tell from a valid one. */
  function garble(reply: unknown): unknown {
    const kinds = [null, {}, 'nonsense', [{}], 7, []];
    const kind = kinds[Math.floor(random() * kinds.length)];
    if (kind !== 7) return kind;
    if (Array.isArray(reply)) return reply.map((log) => ({ ...log, blockHash: word(7) }));
    return { ...(reply as object), hash: null, blockHash: word(7) };
  }

  async function reply(method: string, params: readonly unknown[], signal?: AbortSignal): Promise<unknown> {
    sent[method] = (sent[method] ?? 0) + 1;
    asked.push({ method, params });
    await Promise.resolve();
    signal?.throwIfAborted();
    const intercepted = await intercept?.(method, params);
    if (intercepted !== undefined) return intercepted;
    if (random() < faults.errors) throw new ProviderRpcError(-32002, 'The service could not be reached');
    const truth = answer(method, params);
    return structuredClone(random() < faults.garbage ? garble(truth) : truth);
  }

  const service: Service = {
    network: {
      chainId: 33,
      name: 'Simulated',
      currency: { name: 'Simulated coin', symbol: 'SIM', decimals: 18 },
      coinType: 37310,
      testnet: true,
      urls,
    },
    async request(method, params, { signal, check } = {}) {
      const result = await reply(method, params, signal);
      try {
        check?.(result);
      } catch (error) {
        throw badReply(method, (error as Error).message);
      }
      return result;
    },
    reachable: () => true,
    watch: () => () => {},
    usage: () => ({ sent, shared: 0 }),
    verifyChain: async () => {},
  };

  heads.push(append(null, []));

  return {
    service,
    faults,
    sent,
    asked,
    requests: () => asked.length,
    head: () => get(head()).block,
    /** The blocks from the first to the head, without faults. */
    canonical: () => chainOf(head()),
    logsOf: (block: { hash: Hash | null }) => get(block.hash as Hash).logs,
    mine(...emitted: readonly Emitted[]): MinedBlock {
      const hash = append(head(), emitted);
      change(hash);
      return get(hash).block;
    },
    /** Replaces the newest `depth` blocks by others, one for each list of logs. */
    reorg(depth: number, ...branch: readonly (readonly Emitted[])[]): void {
      let at = ancestor(depth);
      for (const emitted of branch) at = append(at, emitted);
      change(at);
    },
    /** Replies with what `reply` returns, unless that is undefined; it may throw, or return a promise. */
    intercept(reply?: (method: string, params: readonly unknown[]) => unknown): void {
      intercept = reply;
    },
    submit(...hashes: readonly Hash[]): void {
      pool.push(...hashes);
      for (const changes of filters.values()) changes.push(...hashes);
    },
    restart(): void {
      filters = new Map();
      blockFilters = new Map();
      pool = [];
    },
    filterCount: () => filters.size,
    blockFilterCount: () => blockFilters.size,
    /** A block beside the chain, of the head's height, and never part of the chain. */
    sibling: () => get(append(get(head()).block.parentHash, [])).block,
    withoutFilters(): void {
      withFilters = false;
    },
    setSyncing(status: unknown): void {
      syncing = status;
    },
  };
}

export declare namespace createSimulatedChain {
  interface Options {
    readonly random?: () => number;
    /** Seconds between timestamps. */
    readonly blockTime?: number;
    readonly urls?: readonly string[];
    /** The difficulty of each block; 0 (the default) gives `totalDifficulty: 0x0`, as where it is unknown. */
    readonly difficulty?: number;
    /** Where the service has logs: in `eth_getLogs`, or only in the receipts of transactions or of blocks. */
    readonly logsFrom?: 'logs' | 'receipts' | 'block receipts';
  }
}

export type SimulatedChain = ReturnType<typeof createSimulatedChain>;
