import { bloomOf } from '../../src/rpc/bloom.js';
import { badReply } from '../../src/rpc/core-errors.js';
import { errorCode, ProviderRpcError } from '../../src/rpc/errors.js';
import { remasc } from '../../src/rpc/remasc.js';
import type { Address, Hash, Hex, Log, LogFilter } from '../../src/rpc/schema.js';
import type { Service } from '../../src/service/service.js';
import { address, word } from './simulated-chain.js';

export interface NodeBlock {
  readonly number: Hex;
  readonly hash: Hash;
  readonly parentHash: Hash;
  readonly totalDifficulty: Hex;
  readonly logsBloom: Hex;
  readonly transactions: readonly Hash[];
  readonly logs: readonly Log[];
}

const quantity = (value: number): Hex => `0x${value.toString(16)}`;

/**
 * The {@link Service} port over nodes of one network behind one URL. Each has its own newest block; `route` says which
 * one answers. The balance of each account is the number of the block that it is read at.
 */
export function createBalancedNodes(options: createBalancedNodes.Options = {}) {
  const { count = 2, urls = ['https://service.example'], quota } = options;
  const blocks = new Map<Hash, NodeBlock>();
  const asked: { readonly method: string; readonly params: readonly unknown[]; readonly node: number }[] = [];
  let counter = 0;
  let intercept: ((method: string, params: readonly unknown[], node: number) => unknown) | undefined;
  let route: (method: string, params: readonly unknown[]) => number = () => 0;

  /** A block on top of another. Transactions are numbered; the last one pays the miners, and has no receipt. */
  function mine(parent: NodeBlock | undefined, given: createBalancedNodes.Mined = {}): NodeBlock {
    const { transactions = [], logs = [], work = 1 } = given;
    counter += 1;
    const hash = word(0xb10c_0000 + counter);
    const number = quantity(parent ? Number(parent.number) + 1 : 0);
    const listed = [...transactions.map(word), word(0xfee_0000 + counter)];
    const emitted = logs.map(
      (topic, at): Log => ({
        ...{ address: address(7), topics: [word(topic)], data: '0x', removed: false },
        ...{ blockNumber: number, blockHash: hash, transactionHash: listed[0] as Hash },
        ...{ transactionIndex: '0x0', logIndex: quantity(at) },
      }),
    );
    const block: NodeBlock = {
      number,
      hash,
      parentHash: parent?.hash ?? word(0),
      totalDifficulty: quantity(Number(parent?.totalDifficulty ?? 0) + work),
      logsBloom: bloomOf(emitted.flatMap((log) => [log.address, ...log.topics])),
      transactions: listed,
      logs: emitted,
    };
    blocks.set(hash, block);
    return block;
  }

  const genesis = mine(undefined);
  const tips: NodeBlock[] = Array.from({ length: count }, () => genesis);

  function chainOf(tip: NodeBlock): NodeBlock[] {
    const chain: NodeBlock[] = [];
    for (let at: NodeBlock | undefined = tip; at; at = blocks.get(at.parentHash)) chain.unshift(at);
    return chain;
  }

  const notFound = () => new ProviderRpcError(errorCode.resourceNotFound, 'Block not found');
  const receiptOf = (block: NodeBlock, transactionHash: Hash) => ({
    ...{ transactionHash, transactionIndex: quantity(block.transactions.indexOf(transactionHash)) },
    ...{ blockHash: block.hash, blockNumber: block.number, status: '0x1' },
    logs: block.transactions[0] === transactionHash ? block.logs : [],
  });
  const transactionOf = (block: NodeBlock, hash: Hash) => ({
    ...{ hash, nonce: '0x0', blockHash: block.hash, blockNumber: block.number },
    ...{
      from: address(block.transactions.at(-1) === hash ? 0 : 1),
      to: block.transactions.at(-1) === hash ? remasc : address(7),
    },
  });
  const shapeOf = ({ logs: _, ...block }: NodeBlock) => ({ ...block, uncles: [] });

  /** As a node answers whose newest block is `tip`. */
  function answer(tip: NodeBlock, method: string, params: readonly unknown[]): unknown {
    const chain = chainOf(tip);
    const at = (selector: unknown): NodeBlock | undefined => {
      const { blockHash, blockNumber } = Object(selector) as { blockHash?: Hash; blockNumber?: Hex };
      if (selector === undefined || selector === 'latest') return tip;
      const hash = blockHash ?? (`${selector}`.length === 66 ? (selector as Hash) : undefined);
      // Blocks that have left the chain are served by their hash.
      if (hash)
        return blocks.has(hash) && Number(blocks.get(hash)?.number) <= chain.length - 1
          ? blocks.get(hash)
          : undefined;
      return chain[Number(blockNumber ?? selector)];
    };
    const [first, second] = params;
    const inBlock = chain.find(({ transactions }) => transactions.includes(first as Hash));
    switch (method) {
      case 'eth_blockNumber':
        return tip.number;
      case 'eth_getBlockByNumber':
      case 'eth_getBlockByHash': {
        const block = at(first);
        return block ? shapeOf(block) : null;
      }
      case 'eth_getTransactionReceipt':
        return inBlock && inBlock.transactions.at(-1) !== first ? receiptOf(inBlock, first as Hash) : null;
      case 'eth_getTransactionByHash':
        return inBlock ? transactionOf(inBlock, first as Hash) : null;
      case 'eth_getTransactionByBlockHashAndIndex':
      case 'eth_getTransactionByBlockNumberAndIndex': {
        const block = at(first);
        const hash = block?.transactions[Number(second)];
        return block && hash ? transactionOf(block, hash) : null;
      }
      case 'eth_getBlockTransactionCountByNumber':
      case 'eth_getBlockTransactionCountByHash': {
        const block = at(first);
        return block ? quantity(block.transactions.length) : null;
      }
      case 'rsk_getRawBlockHeaderByNumber':
      case 'rsk_getRawBlockHeaderByHash':
        return at(first)?.hash ?? null;
      case 'trace_block': {
        const block = at(first);
        return block ? [{ blockHash: block.hash, blockNumber: Number(block.number) }] : null;
      }
      case 'eth_getCode':
        return at(second) ? `0x${Number(at(second)?.number).toString(16).padStart(8, '0')}` : null;
      case 'eth_getBalance':
      case 'eth_getTransactionCount':
      case 'eth_call':
      case 'eth_estimateGas':
      case 'eth_getStorageAt': {
        const selector = params[method === 'eth_getStorageAt' ? 2 : 1];
        if (method === 'eth_estimateGas' && typeof selector === 'object')
          throw new ProviderRpcError(errorCode.invalidParams, 'Invalid block input');
        const block = at(selector);
        if (!block) throw notFound();
        return block.number;
      }
      case 'eth_getLogs': {
        const { blockHash, fromBlock, toBlock, topics = [] } = first as LogFilter;
        const heightOf = (selector: unknown) => Number(at(selector)?.number ?? Number(selector));
        const range = blockHash
          ? [at(blockHash)].filter((block) => block !== undefined)
          : chain.slice(heightOf(fromBlock), heightOf(toBlock) + 1);
        const [wanted] = [topics[0] ?? []].flat();
        return range.flatMap(({ logs }) => logs).filter((log) => !wanted || log.topics[0] === wanted);
      }
      case 'eth_getBlockReceipts':
        throw new ProviderRpcError(errorCode.methodNotFound, 'The method does not exist / is not available');
      default:
        return '0x1';
    }
  }

  const service: Service = {
    network: {
      ...{ chainId: 33, name: 'Balanced', coinType: 37310, testnet: true, urls },
      currency: { name: 'Coin', symbol: 'COIN', decimals: 18 },
    },
    async request(method, params, { signal, check } = {}) {
      await Promise.resolve();
      signal?.throwIfAborted();
      const node = route(method, params);
      asked.push({ method, params, node });
      const intercepted = await intercept?.(method, params, node);
      const result = structuredClone(intercepted ?? answer(tips[node] as NodeBlock, method, params));
      const given = result === 'null' ? null : result;
      try {
        check?.(given);
      } catch (error) {
        throw badReply(method, (error as Error).message);
      }
      return given;
    },
    reachable: () => true,
    watch: () => () => {},
    usage: () => ({ sent: {}, shared: 0, ...(quota && { quota: { today: 1, perDay: 2, state: quota() } }) }),
    verifyChain: async () => {},
  };

  return {
    service,
    asked,
    tips,
    mine,
    chainOf,
    /** All blocks, also those that have left the chain. */
    all: () => [...blocks.values()],
    genesis,
    /** A chain of this many blocks, at which all nodes are. */
    grow(length: number, given?: createBalancedNodes.Mined): NodeBlock {
      let tip = tips[0] as NodeBlock;
      for (let i = 0; i < length; i++) tip = mine(tip, given);
      tips.fill(tip);
      return tip;
    },
    account: address(1) as Address,
    /** Says which node answers. */
    route(next: typeof route | readonly number[]): void {
      if (typeof next === 'function') route = next;
      else {
        // The last one answers all that follow.
        const queue = [...next];
        route = () => (queue.length > 1 ? (queue.shift() as number) : (queue[0] as number));
      }
    },
    /** Replies with what `reply` returns, unless that is undefined; the text `null` stands for `null`. */
    intercept(reply?: typeof intercept): void {
      intercept = reply;
    },
  };
}

export declare namespace createBalancedNodes {
  interface Options {
    readonly count?: number;
    readonly urls?: readonly string[];
    /** The state of the daily quota. */
    readonly quota?: () => NonNullable<Service.Usage['quota']>['state'];
  }
  interface Mined {
    readonly transactions?: readonly number[];
    /** The topic of each log, which its first transaction emits. */
    readonly logs?: readonly number[];
    readonly work?: number;
  }
}
