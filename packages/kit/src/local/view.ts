import { toQuantity } from '../../../../src/rpc/hex.js';
import type { Block, Hex } from '../../../../src/rpc/schema.js';
import type { Chain } from './chain.js';
import type { Engine } from './engine.js';
import type { Pool } from './pool.js';

/** The index of the block selector in the parameters of state reads. */
const selectorIndex: { readonly [method: string]: number } = {
  eth_getBalance: 1,
  eth_getCode: 1,
  eth_getStorageAt: 2,
  eth_getTransactionCount: 1,
  eth_getProof: 2,
  eth_call: 1,
  eth_estimateGas: 1,
  debug_traceCall: 1,
};

/** Reads whose result names its block. The result is null while the node has not seen that block. */
const blockReads: readonly string[] = [
  'eth_getBlockByHash',
  'eth_getBlockByNumber',
  'eth_getTransactionByHash',
  'eth_getTransactionReceipt',
];

type InBlock = Partial<Record<'number' | 'blockNumber', Hex | null | undefined>> | null;

/**
 * The engine as seen by a node that has followed the chain only up to `head`. The node does not mine: its pool never
 * enters the engine, so reads of the pending state return the state at its head.
 */
export function viewEngine(engine: Engine, head: () => number): Engine {
  async function request(method: string, params: readonly unknown[]): Promise<unknown> {
    const position = selectorIndex[method];
    if (position !== undefined) {
      const atHead = params.map((param, index) =>
        index === position && (param === 'latest' || param === 'pending') ? toQuantity(head()) : param,
      );
      return engine.request(method, atHead);
    }
    if (method === 'eth_blockNumber') return toQuantity(head());
    if (method === 'eth_getBlockByNumber' && params[0] === 'pending') return candidate();
    if (method === 'eth_getLogs' && (await isUnseen(params[0] as { blockHash?: Hex }))) return [];
    const result = await engine.request(method, params);
    return blockReads.includes(method) && isBeyond(result as InBlock) ? null : result;
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

/** The chain as seen by that node. Submitted transactions enter its own pool. */
export const viewChain = (chain: Chain, pool: Pool, head: () => number): Chain => ({
  ...chain,
  head,
  submit: (transaction) => chain.submit(transaction, pool),
});
