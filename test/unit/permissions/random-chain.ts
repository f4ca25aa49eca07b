import { addressOf, sign } from '../../../src/keyring/signer.js';
import { ProviderRpcError } from '../../../src/rpc/errors.js';
import { hexToBytes, toQuantity } from '../../../src/rpc/hex.js';
import type { Address, Hash, Hex } from '../../../src/rpc/schema.js';
import { serialize, signingDigest, type UnsignedTransaction } from '../../../src/rpc/transaction.js';
import type { Network } from '../../../src/service/networks.js';
import type { Service } from '../../../src/service/service.js';

/** A chain of one account behind two nodes, with mempools, reorganisations, failures, and one node that may lie. */

export const chainId = 31;
const privateKey = hexToBytes(`0x${'2b'.repeat(32)}`);
export const account: Address = addressOf(privateKey);

/** A signed transaction of the account. */
export interface SignedTransaction extends UnsignedTransaction {
  readonly hash: Hash;
  readonly raw: Hex;
  /** As a node shows it. */
  readonly signature: { readonly v: Hex; readonly r: Hex; readonly s: Hex };
}

export function signWithKey(transaction: UnsignedTransaction): SignedTransaction {
  const signature = sign(signingDigest(transaction), privateKey);
  const { r, s, yParity } = signature;
  const v = 35 + 2 * chainId + yParity;
  const shown = { v: toQuantity(v), r: toQuantity(r), s: toQuantity(s) };
  return { ...transaction, ...serialize(transaction, signature), signature: shown };
}

/** A transaction in a block. */
export interface MinedTransaction {
  readonly transaction: SignedTransaction;
  readonly gasUsed: bigint;
  readonly hasSucceeded: boolean;
}

export interface ChainBlock {
  readonly height: number;
  readonly hash: Hash;
  readonly parent: ChainBlock | null;
  /** Unix seconds. */
  readonly time: number;
  readonly mined: readonly MinedTransaction[];
  /** The account's next nonce after it. */
  readonly count: number;
}

export interface ChainNode {
  /** Blocks by which it is behind. */
  lag: number;
  isDown: boolean;
  isLiar: boolean;
  readonly pool: Map<number, SignedTransaction>;
}

/**
 * @param upTo a random whole number from 0 to `max`
 * @param time of a block that is mined now, Unix seconds
 */
export function createChain(upTo: (max: number) => number, time: () => number) {
  const chance = (percent: number) => upTo(99) < percent;
  let made = 0;
  let latestTime = 0;
  const block = (parent: ChainBlock | null, mined: readonly MinedTransaction[]): ChainBlock => {
    // A block that takes the place of another one is mined later, so its time is equal or later.
    latestTime = Math.max(latestTime, (parent?.time ?? 0) + 1, time());
    return {
      height: parent ? parent.height + 1 : 0,
      hash: `0x${(++made).toString(16).padStart(64, 'b')}`,
      parent,
      time: latestTime,
      mined,
      count: (parent?.count ?? 0) + mined.length,
    };
  };
  let tip = block(null, []);
  const nodes: readonly [ChainNode, ChainNode] = [
    { lag: 0, isDown: false, isLiar: false, pool: new Map() },
    { lag: 0, isDown: false, isLiar: false, pool: new Map() },
  ];
  /** All that some node has had, by nonce. */
  const known = new Map<number, SignedTransaction[]>();

  function* blocksFrom(from: ChainBlock | null): Generator<ChainBlock> {
    for (let at = from; at; at = at.parent) yield at;
  }
  const tipOf = ({ lag }: ChainNode): ChainBlock => {
    let at = tip;
    for (let behind = 0; behind < lag && at.parent; behind++) at = at.parent;
    return at;
  };
  const blockAt = (from: ChainBlock, height: number): ChainBlock | undefined => {
    if (height > from.height) return undefined;
    let at = from;
    while (at.height > height) at = at.parent as ChainBlock;
    return at;
  };

  const mine = (parent: ChainBlock, pool: ReadonlyMap<number, SignedTransaction>): ChainBlock => {
    const mined: MinedTransaction[] = [];
    for (let nonce = parent.count; mined.length < 4 && !chance(15); nonce++) {
      const rivals = known.get(nonce) ?? [];
      const pooled = pool.get(nonce);
      // Another miner may have any of them.
      const transaction = chance(25) ? rivals[upTo(rivals.length - 1)] : pooled;
      if (!transaction) break;
      const gas = Number(transaction.gas);
      mined.push({
        transaction,
        gasUsed: chance(20) ? BigInt(gas) : BigInt(21_000 + upTo(gas - 21_000)),
        hasSucceeded: !chance(10),
      });
    }
    return block(parent, mined);
  };
  const somePool = () => (nodes[upTo(1)] as ChainNode).pool;

  const chain = {
    nodes,
    tip: () => tip,
    blocks: () => blocksFrom(tip),
    isKnown: (hash: string) => [...known.values()].some((some) => some.some((each) => each.hash === hash)),
    /** Whether no miner has a transaction that could come next. */
    isIdle: () => !known.get(tip.count)?.length,
    mine() {
      tip = mine(tip, somePool());
    },
    /**
     * Replaces the newest blocks by one more.
     * @param pooled which of their transactions nodes have afterwards. With none, no miner has them either
     * @returns the hashes of their transactions
     */
    reorganize(depth: number, pooled: 'all' | 'some' | 'none'): ReadonlySet<Hash> {
      let parent = tip;
      const dropped: SignedTransaction[] = [];
      for (let back = 0; back < depth && parent.parent; back++) {
        dropped.push(...parent.mined.map(({ transaction }) => transaction));
        parent = parent.parent;
      }
      for (const transaction of dropped) {
        const nonce = Number(transaction.nonce);
        if (pooled === 'none')
          known.set(
            nonce,
            (known.get(nonce) ?? []).filter(({ hash }) => hash !== transaction.hash),
          );
        else
          for (const { pool } of nodes)
            if (!pool.has(nonce) && (pooled === 'all' || chance(70))) pool.set(nonce, transaction);
      }
      const height = tip.height;
      while (parent.height <= height) parent = mine(parent, somePool());
      tip = parent;
      return new Set(dropped.map(({ hash }) => hash));
    },
    /** Offers bytes to a node, and sometimes to both. @returns whether it has taken them */
    submit(transaction: SignedTransaction, at: number, toAll: boolean): boolean {
      const nonce = Number(transaction.nonce);
      let isTaken = false;
      for (const [index, node] of nodes.entries()) {
        if ((index !== at && !toAll) || (node.isDown && !toAll)) continue;
        if (nonce < tipOf(node).count) continue;
        const before = node.pool.get(nonce);
        if (
          before &&
          before.hash !== transaction.hash &&
          BigInt(transaction.gasPrice) * 10n < BigInt(before.gasPrice) * 14n
        )
          continue;
        node.pool.set(nonce, transaction);
        isTaken = true;
      }
      if (!isTaken) return false;
      const rivals = known.get(nonce) ?? [];
      if (!rivals.some(({ hash }) => hash === transaction.hash)) known.set(nonce, [...rivals, transaction]);
      return true;
    },
    evict(at: number) {
      const { pool } = nodes[at as 0 | 1];
      const nonces = [...pool.keys()];
      const nonce = nonces[upTo(Math.max(0, nonces.length - 1))];
      if (nonce !== undefined) pool.delete(nonce);
    },
    pendingCount(at: number): number {
      const node = nodes[at as 0 | 1];
      let count = tipOf(node).count;
      while (node.pool.has(count)) count++;
      return count;
    },
    /** @param route the node that answers each request */
    service: (network: Network, route: () => number): Service => ({
      network,
      async request(method, params, { check } = {}) {
        const node = nodes[route() as 0 | 1];
        if (node.isDown) throw new ProviderRpcError(-32002, 'The service could not be reached');
        const truth = answer(node, method, params);
        const result = node.isLiar && chance(50) ? lie(node, method, params, truth) : truth;
        check?.(result);
        return result;
      },
      reachable: () => true,
      watch: () => () => {},
      usage: () => ({ sent: {}, shared: 0 }),
      async verifyChain() {
        if (nodes[route() as 0 | 1].isDown)
          throw new ProviderRpcError(-32002, 'The service could not be reached');
      },
    }),
  };

  const shownTransaction = (
    at: ChainBlock | null,
    index: number,
    { signature, ...fields }: SignedTransaction,
  ) => ({
    hash: fields.hash,
    nonce: fields.nonce,
    blockHash: at?.hash ?? null,
    blockNumber: at ? toQuantity(at.height) : null,
    transactionIndex: at ? toQuantity(index) : null,
    from: account,
    to: fields.to,
    gas: fields.gas,
    gasPrice: fields.gasPrice,
    value: fields.value,
    input: fields.data,
    ...signature,
  });
  const shownBlock = (at: ChainBlock | undefined, isFull: unknown) =>
    at
      ? {
          number: toQuantity(at.height),
          hash: at.hash,
          parentHash: at.parent?.hash ?? `0x${'00'.repeat(32)}`,
          timestamp: toQuantity(at.time),
          gasLimit: '0x67c280',
          gasUsed: '0x0',
          minimumGasPrice: '0x1',
          uncles: [],
          transactions: at.mined.map(({ transaction }, index) =>
            isFull ? shownTransaction(at, index, transaction) : transaction.hash,
          ),
        }
      : null;

  function placeOf(from: ChainBlock, hash: unknown) {
    for (const at of blocksFrom(from)) {
      const index = at.mined.findIndex(({ transaction }) => transaction.hash === hash);
      if (index >= 0) return { at, index, mined: at.mined[index] as MinedTransaction };
    }
    return undefined;
  }

  const receipt = (at: ChainBlock, index: number, hash: unknown, gasUsed: bigint, hasSucceeded: boolean) => ({
    transactionHash: hash,
    transactionIndex: toQuantity(index),
    blockHash: at.hash,
    blockNumber: toQuantity(at.height),
    from: account,
    to: account,
    gasUsed: toQuantity(gasUsed),
    cumulativeGasUsed: toQuantity(gasUsed),
    contractAddress: null,
    logs: [],
    logsBloom: '0x',
    status: hasSucceeded ? '0x1' : '0x0',
  });

  function answer(node: ChainNode, method: string, params: readonly unknown[]): unknown {
    const newest = tipOf(node);
    switch (method) {
      case 'eth_blockNumber':
        return toQuantity(newest.height);
      case 'eth_getBlockByNumber':
        return shownBlock(params[0] === 'latest' ? newest : blockAt(newest, Number(params[0])), params[1]);
      case 'eth_getTransactionCount': {
        if (params[1] === 'pending') return toQuantity(chain.pendingCount(nodes.indexOf(node)));
        if (params[1] === 'latest') return toQuantity(newest.count);
        const at = blockAt(newest, Number(params[1]));
        if (!at) throw new ProviderRpcError(-32001, 'unknown block');
        return toQuantity(at.count);
      }
      case 'eth_getTransactionReceipt': {
        const place = placeOf(newest, params[0]);
        if (!place) return null;
        const { gasUsed, hasSucceeded } = place.mined;
        return receipt(place.at, place.index, params[0], gasUsed, hasSucceeded);
      }
      case 'eth_getTransactionByHash': {
        const place = placeOf(newest, params[0]);
        if (place) return shownTransaction(place.at, place.index, place.mined.transaction);
        const pooled = [...node.pool.values()].find(({ hash }) => hash === params[0]);
        return pooled ? shownTransaction(null, 0, pooled) : null;
      }
      case 'eth_getBlockByHash':
        // Nothing here has Bitcoin's work: without the block there is no proof.
        return null;
      case 'eth_call':
        return '0x';
      default:
        throw new ProviderRpcError(-32601, `${method} does not exist`);
    }
  }

  /** Another answer than the truth, of a form that passes. */
  function lie(node: ChainNode, method: string, params: readonly unknown[], truth: unknown): unknown {
    const newest = tipOf(node);
    switch (method) {
      case 'eth_blockNumber':
        return toQuantity(newest.height + upTo(40));
      case 'eth_getBlockByNumber': {
        if (truth === null || params[1]) return truth ?? shownBlock(newest, params[1]);
        const { timestamp } = truth as { timestamp: Hex };
        const moved = Number(timestamp) + (upTo(20) - 10) * 43_200;
        return { ...(truth as object), timestamp: toQuantity(Math.max(1, moved)) };
      }
      case 'eth_getTransactionCount':
        return toQuantity(Math.max(0, newest.count + upTo(6) - 3));
      case 'eth_getTransactionReceipt': {
        const place = placeOf(newest, params[0]);
        const at = place?.at ?? blockAt(newest, Math.max(0, newest.height - upTo(20))) ?? newest;
        return chance(20) ? null : receipt(at, 0, params[0], BigInt(upTo(30_000)), chance(30));
      }
      case 'eth_getTransactionByHash':
        return chance(50) ? null : truth;
      default:
        return truth;
    }
  }

  return chain;
}
