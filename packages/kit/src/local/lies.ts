import type { Block, Hash, Hex, Log, Receipt, Transaction } from '../../../../src/rpc/schema.js';

/**
 * A lie that a node tells until it is undone, in replies that look right:
 *
 * - `false-receipt`: receipts have the other outcome.
 * - `swapped-receipt`: a receipt is that of another transaction of its block, where there is one.
 * - `missing-log`: the last log of a receipt, and of each reply to `eth_getLogs`, is left out.
 * - `forged-header`: blocks have another state root, and the hash that they had.
 * - `cheap-fork`: the newest block and those after it are replaced by blocks of difficulty 1.
 * - `wrong-height`: a block that is asked for by its number is the one before it.
 * - `old-newest`: the newest block stays the newest, whatever is mined.
 */
export type Lie =
  | 'false-receipt'
  | 'swapped-receipt'
  | 'missing-log'
  | 'forged-header'
  | 'cheap-fork'
  | 'wrong-height'
  | 'old-newest';

/** The truth, as the node would tell it. */
export interface Truth {
  head(): number;
  block(number: number, full: boolean): Promise<Block | null>;
  /** The receipts of a block, in their order. */
  receipts(number: Hex): Promise<readonly Receipt[]>;
  /** Gives a block its hash and its proof of work. */
  mineBlock(block: Block): Block;
}

interface Call {
  readonly method: string;
  readonly params: unknown;
  readonly id: unknown;
}

type Change = (call: Call & { readonly params: readonly unknown[] }, result: unknown) => unknown;

/** Returns a function that tells the lie in the reply to some calls: it takes and returns the JSON text. */
export function tellLie(lie: Lie, truth: Truth): (calls: readonly Call[], body: string) => Promise<string> {
  const change = changes[lie](truth);
  return async (calls, body) => {
    const replies: unknown = JSON.parse(body);
    const changed = async (answer: { id: unknown; result?: unknown }): Promise<unknown> => {
      const call = calls.find(({ id }) => id === answer.id);
      if (!call || !Array.isArray(call.params) || (answer.result ?? null) === null) return answer;
      return { ...answer, result: await change({ ...call, params: call.params }, answer.result) };
    };
    const all = Array.isArray(replies)
      ? await Promise.all(replies.map(changed))
      : await changed(replies as { id: unknown });
    return JSON.stringify(all);
  };
}

const isReceiptCall = ({ method }: Pick<Call, 'method'>): boolean => method === 'eth_getTransactionReceipt';
const isBlockCall = ({ method }: Pick<Call, 'method'>): boolean =>
  /^eth_getBlockBy(Hash|Number)$/.test(method);

const changes: { readonly [lie in Lie]: (truth: Truth) => Change } = {
  'false-receipt': () => (call, result) => {
    if (!isReceiptCall(call)) return result;
    const receipt = result as Receipt;
    return { ...receipt, status: receipt.status === '0x1' ? '0x0' : '0x1' };
  },

  'swapped-receipt': (truth) => async (call, result) => {
    if (!isReceiptCall(call)) return result;
    const { transactionHash, transactionIndex, from, to, blockHash, blockNumber } = result as Receipt;
    const others = await truth.receipts(blockNumber);
    const other = others.find((each) => each.transactionIndex !== transactionIndex);
    return other ? { ...other, transactionHash, transactionIndex, from, to, blockHash } : result;
  },

  'missing-log': () => (call, result) => {
    if (call.method === 'eth_getLogs') return (result as readonly Log[]).slice(0, -1);
    if (!isReceiptCall(call)) return result;
    const receipt = result as Receipt;
    return { ...receipt, logs: receipt.logs.slice(0, -1) };
  },

  'forged-header': () => (call, result) => (isBlockCall(call) ? forged(result as Block) : result),

  'cheap-fork': (truth) => {
    const from = truth.head();
    const cheap = async (block: Block): Promise<Block> => {
      const number = Number(block.number);
      if (number < from) return block;
      const parent = number > from ? await truth.block(number - 1, false) : null;
      const parentHash = parent ? ((await cheap(parent)).hash as Hash) : block.parentHash;
      const mined = truth.mineBlock({ ...forged(block), parentHash, difficulty: '0x1' });
      const transactions = mined.transactions.map((each) =>
        typeof each === 'object' ? ({ ...each, blockHash: mined.hash } as Transaction) : each,
      );
      return { ...mined, transactions };
    };
    return (call, result) => (isBlockCall(call) ? cheap(result as Block) : result);
  },

  'wrong-height': (truth) => async (call, result) => {
    const [place, full] = call.params;
    if (call.method !== 'eth_getBlockByNumber' || !/^0x[1-9a-f]/i.test(String(place))) return result;
    return (await truth.block(Number(place) - 1, full === true)) ?? result;
  },

  'old-newest': (truth) => {
    const newest = truth.head();
    return (call, result) => {
      if (call.method === 'eth_blockNumber') return `0x${newest.toString(16)}`;
      if (call.method !== 'eth_getBlockByNumber' || call.params[0] !== 'latest') return result;
      return truth.block(newest, call.params[1] === true);
    };
  },
};

const forged = (block: Block): Block => ({ ...block, stateRoot: block.parentHash });
