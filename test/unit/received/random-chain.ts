import { encodeAbiParameters, keccak256, pad, toBytes, toEventSelector, toHex } from 'viem';
import { errorCode, ProviderRpcError } from '../../../src/rpc/errors.js';
import type { Address, Hash, Hex, Log } from '../../../src/rpc/schema.js';
import type { Service } from '../../../src/service/service.js';

/**
 * A chain that pays accounts in every way there is, and loses its newest blocks. Its logs are encoded by viem, and its balances are
 * kept by replaying transactions: none of it with the code under test.
 */

const transferTopic = toEventSelector('Transfer(address,address,uint256)');
const feeOf = 21_000n;

export interface Movement {
  readonly token: Address;
  readonly from: Address;
  readonly to: Address;
  readonly amount: bigint;
  readonly isCollectible?: boolean;
}

export interface PlayedTransaction {
  readonly hash: Hash;
  readonly from: Address;
  readonly to: Address;
  readonly value: bigint;
  readonly movements: readonly Movement[];
  /** Coins that contracts pay in it. */
  readonly inner: readonly { readonly to: Address; readonly value: bigint }[];
  readonly hasFailed?: boolean;
}

interface TraceQuery {
  readonly fromBlock: Hex;
  readonly toBlock: Hex;
  readonly toAddress?: readonly Address[];
  readonly fromAddress?: readonly Address[];
  readonly after: number;
  readonly count: number;
}

export interface PlayedBlock {
  readonly number: number;
  readonly hash: Hash;
  readonly parentHash: Hash;
  readonly timestamp: number;
  readonly transactions: readonly PlayedTransaction[];
  readonly balances: ReadonlyMap<Address, bigint>;
}

export function createRandomChain({
  random,
  hasTraces = true,
  maxRange = Number.POSITIVE_INFINITY,
}: createRandomChain.Options) {
  let count = 0;
  const hashOf = (what: string): Hash => keccak256(toBytes(`${what} ${count++}`));
  const blocks: PlayedBlock[] = [];
  /** How many of the newest blocks the node that answers next does not have. */
  let lag = () => 0;
  /** The oldest height whose state the node has kept. */
  let oldestState = 0;
  let requests = 0;
  const empty = new Set<Address>();
  const initial = (account: Address) => (empty.has(account) ? 0n : 10n ** 20n);
  let beforeRequest: (method: string) => void = () => {};

  const mine = (transactions: readonly PlayedTransaction[] = []): PlayedBlock => {
    const parent = blocks.at(-1);
    const balances = new Map(parent?.balances);
    const add = (account: Address, value: bigint) =>
      balances.set(account, (balances.get(account) ?? initial(account)) + value);
    for (const { from, to, value, inner, hasFailed } of transactions) {
      add(from, -feeOf);
      if (hasFailed) continue;
      add(from, -value);
      add(to, value);
      for (const payment of inner) add(payment.to, payment.value);
    }
    const block = {
      number: blocks.length,
      hash: hashOf('block'),
      parentHash: parent?.hash ?? `0x${'00'.repeat(32)}`,
      timestamp: (parent?.timestamp ?? 1_700_000_000) + 1 + Math.floor(random() * 50),
      transactions,
      balances,
    } as const;
    blocks.push(block);
    return block;
  };

  /** Takes the newest blocks off, and returns their transactions. */
  const remove = (depth: number): readonly PlayedTransaction[] =>
    blocks.splice(Math.max(1, blocks.length - depth)).flatMap(({ transactions }) => transactions);

  const logsOf = (block: PlayedBlock): readonly Log[] => {
    let index = 0;
    return block.transactions.flatMap(({ hash, movements, hasFailed }, at) =>
      (hasFailed ? [] : movements).map(({ token, from, to, amount, isCollectible }): Log => {
        const logIndex = toHex(index++);
        const topics = [transferTopic, pad(from), pad(to), ...(isCollectible ? [pad(toHex(amount))] : [])];
        const data = isCollectible ? '0x' : encodeAbiParameters([{ type: 'uint256' }], [amount]);
        const place = { blockNumber: toHex(block.number), blockHash: block.hash, transactionHash: hash };
        return { address: token, topics, data, ...place, transactionIndex: toHex(at), logIndex };
      }),
    );
  };

  /** The transaction, a call that makes the payments of contracts, and one that fails after the same payments. */
  const tracesOf = (
    block: PlayedBlock,
    { hash, from, to, value, inner, hasFailed }: PlayedTransaction,
    position: number,
  ) => {
    const trace = (path: readonly number[], action: object, isFailed = hasFailed) => ({
      action: { callType: 'call', gas: '0x0', input: '0x', ...action },
      ...{
        blockHash: block.hash,
        blockNumber: block.number,
        transactionHash: hash,
        transactionPosition: position,
      },
      ...{ type: 'call', subtraces: 0, traceAddress: path, result: isFailed ? null : {} },
      ...(isFailed && { error: 'Reverted' }),
    });
    const payments = (at: number) =>
      inner.map((each, i) => trace([at, i], { from: to, to: each.to, value: toHex(each.value) }, false));
    const call = (at: number, isFailed = hasFailed) => trace([at], { from: to, to, value: '0x0' }, isFailed);
    const calls = inner.length === 0 ? [] : [call(0), ...payments(0), call(1, true), ...payments(1)];
    return [trace([], { from, to, value: toHex(value) }), ...calls];
  };

  const refuse = (code: number, message: string, reason: string): never => {
    throw new ProviderRpcError(code, message, { reason });
  };

  const answer = (method: string, params: readonly unknown[], known: readonly PlayedBlock[]): unknown => {
    const head = known.at(-1) as PlayedBlock;
    switch (method) {
      case 'eth_getBlockByNumber': {
        const block = params[0] === 'latest' ? head : known[Number(params[0])];
        if (!block) return null;
        const { number, hash, parentHash, timestamp } = block;
        return {
          ...{ number: toHex(number), hash, parentHash, timestamp: toHex(timestamp), difficulty: '0x1' },
          ...{ logsBloom: `0x${'00'.repeat(256)}`, transactions: [], uncles: [] },
        };
      }
      case 'eth_getLogs': {
        const { fromBlock, toBlock, topics } = params[0] as {
          fromBlock: Hex;
          toBlock: Hex;
          topics: [Hash[], null, Hash[]];
        };
        const [from, to] = [Number(fromBlock), Number(toBlock)];
        if (to - from >= maxRange)
          refuse(errorCode.limitExceeded, `at most ${maxRange} blocks`, 'range-too-large');
        return known
          .slice(from, to + 1)
          .flatMap(logsOf)
          .filter((log) => topics[2].includes(log.topics[2] as Hash));
      }
      case 'eth_getBalance':
      case 'eth_call': {
        const height = Number(params[1]);
        const block = known[height];
        if (!block || height < oldestState) return refuse(errorCode.internal, 'missing trie node', 'node');
        const balanceOf = (account: Address) => block.balances.get(account) ?? initial(account);
        if (method === 'eth_getBalance') return toHex(balanceOf(params[0] as Address));
        // A program of balances: an address follows each PUSH20 (0x73) that BALANCE (0x31) comes after.
        const { data } = params[0] as { data: Hex };
        const accounts = [...data.matchAll(/73([0-9a-f]{40})31/g)].map(
          ([, digits]) => `0x${digits}` as Address,
        );
        return `0x${accounts.map((account) => balanceOf(account).toString(16).padStart(64, '0')).join('')}`;
      }
      case 'eth_getTransactionCount': {
        const upTo = known.slice(0, Number(params[1]) + 1).flatMap(({ transactions }) => transactions);
        return toHex(upTo.filter(({ from }) => from === params[0]).length);
      }
      case 'trace_filter': {
        if (!hasTraces) refuse(errorCode.methodNotFound, 'no such method', 'method-not-found');
        const query = params[0] as TraceQuery;
        const { fromBlock, toBlock, toAddress, fromAddress, after, count: size } = query;
        if (Number(toBlock) - Number(fromBlock) >= 2_000 || size > 100)
          throw new Error('more than the service takes');
        const traces = known
          .slice(Number(fromBlock), Number(toBlock) + 1)
          .flatMap((block) =>
            block.transactions.flatMap((each, position) =>
              (toAddress?.includes(each.to) ?? fromAddress?.includes(each.from))
                ? tracesOf(block, each, position)
                : [],
            ),
          );
        return traces.slice(after, after + size);
      }
      case 'eth_getTransactionReceipt': {
        const block = known.find(({ transactions }) => transactions.some(({ hash }) => hash === params[0]));
        if (!block) return null;
        const at = block.transactions.findIndex(({ hash }) => hash === params[0]);
        const { from, to, hasFailed } = block.transactions[at] as PlayedTransaction;
        return {
          ...{ transactionHash: params[0], blockHash: block.hash, blockNumber: toHex(block.number) },
          ...{ transactionIndex: toHex(at), from, to, contractAddress: null, gasUsed: '0x5208' },
          ...{
            cumulativeGasUsed: '0x5208',
            status: hasFailed ? '0x0' : '0x1',
            logsBloom: `0x${'00'.repeat(256)}`,
          },
          logs: logsOf(block).filter(({ transactionHash }) => transactionHash === params[0]),
        };
      }
      default:
        throw new Error(`nothing asks for ${method}`);
    }
  };

  const service: Pick<Service, 'network' | 'request'> = {
    network: { chainId: 31, currency: { name: 'Test', symbol: 'tRBTC', decimals: 18 } } as Service['network'],
    async request(method, params, options) {
      requests += 1;
      beforeRequest(method);
      const known = blocks.slice(0, Math.max(1, blocks.length - lag()));
      const result = answer(method, params, known);
      options?.check?.(result);
      return structuredClone(result);
    },
  };

  mine();
  return {
    service,
    blocks,
    mine,
    remove,
    feeOf,
    newHash: () => hashOf('transaction'),
    head: () => blocks.at(-1) as PlayedBlock,
    setLag(next: () => number) {
      lag = next;
    },
    /** Gives an account no coins at first. */
    setEmpty: (account: Address) => void empty.add(account),
    setOldestState(height: number) {
      oldestState = height;
    },
    onRequest(next: (method: string) => void) {
      beforeRequest = next;
    },
    /** The requests since the last call. */
    takeRequests() {
      const taken = requests;
      requests = 0;
      return taken;
    },
  };
}

export declare namespace createRandomChain {
  interface Options {
    readonly random: () => number;
    readonly hasTraces?: boolean;
    /** The most blocks of one request for logs. */
    readonly maxRange?: number;
  }
}
