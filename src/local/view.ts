import { toQuantity } from '../rpc/hex.js';
import type { Block, Hex } from '../rpc/schema.js';
import type { Chain } from './chain.js';
import type { Engine } from './engine.js';
import type { Pool } from './pool.js';

/** Where the block selector stands in the parameters of the engine's reads of state. */
const selectorAt: { readonly [method: string]: number } = {
  eth_getBalance: 1,
  eth_getCode: 1,
  eth_getStorageAt: 2,
  eth_getTransactionCount: 1,
  eth_getProof: 2,
  eth_call: 1,
  eth_estimateGas: 1,
  debug_traceCall: 1,
};

/** Reads whose result names its block: null while this node has not seen that block. */
const ofOneBlock: readonly string[] = [
  'eth_getBlockByHash',
  'eth_getBlockByNumber',
  'eth_getTransactionByHash',
  'eth_getTransactionReceipt',
];

type InBlock = { readonly number?: Hex | null; readonly blockNumber?: Hex | null } | null;

/**
 * The engine as a node sees it that has followed the chain only up to `head`. It mines nothing: what its pool
 * holds never enters the engine, so reads of the pending state give the state at its head.
 */
export function viewEngine(engine: Engine, head: () => number): Engine {
  async function request(method: string, params: readonly unknown[]): Promise<unknown> {
    const at = selectorAt[method];
    if (at !== undefined) {
      const own = params.map((param, index) =>
        index === at && (param === 'latest' || param === 'pending') ? toQuantity(head()) : param,
      );
      return engine.request(method, own);
    }
    if (method === 'eth_blockNumber') return toQuantity(head());
    if (method === 'eth_getBlockByNumber' && params[0] === 'pending') return candidate();
    if (method === 'eth_getLogs' && (await isUnseen(params[0] as { blockHash?: Hex }))) return [];
    const result = await engine.request(method, params);
    return ofOneBlock.includes(method) && isBeyond(result as InBlock) ? null : result;
  }

  const isBeyond = (result: InBlock) => Number(result?.blockNumber ?? result?.number ?? 0) > head();

  const isUnseen = async ({ blockHash }: { blockHash?: Hex }) =>
    blockHash !== undefined &&
    isBeyond((await engine.request('eth_getBlockByHash', [blockHash, false])) as InBlock);

  async function candidate(): Promise<Block> {
    const best = (await engine.request('eth_getBlockByNumber', [toQuantity(head()), false])) as Block;
    const number = toQuantity(head() + 1);
    return { ...best, number, parentHash: best.hash ?? best.parentHash, transactions: [], gasUsed: '0x0' };
  }

  return { ...engine, request, submit: async () => undefined, drop: async () => undefined };
}

/** The chain as that node sees it; what is sent to it enters its own pool first. */
export const viewChain = (chain: Chain, pool: Pool, head: () => number): Chain => ({
  ...chain,
  head,
  submit: (transaction) => chain.submit(transaction, pool),
});
