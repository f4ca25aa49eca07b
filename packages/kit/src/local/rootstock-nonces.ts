import { toQuantity } from '../../../../src/rpc/hex.js';
import type { Address, Block, Hex, Receipt, Transaction } from '../../../../src/rpc/schema.js';
import type { Engine } from './engine.js';

/**
 * An engine whose contracts have the nonces of Rootstock's EVM: a contract that a transaction creates begins at 0, not at 1
 * (docs/notes/node.md#the-evm). It is corrected after the block, so contracts that its constructor created, or that other
 * transactions of the same block made it create, have the engine's addresses. An engine without `setNonce` is unchanged.
 */
export function withRootstockNonces(engine: Engine): Engine {
  const { setNonce } = engine;
  if (setNonce === undefined) return engine;

  async function correctHead(): Promise<void> {
    const block = (await engine.request('eth_getBlockByNumber', ['latest', true])) as Block;
    for (const { to, hash } of block.transactions as Transaction[]) {
      if (to !== null) continue;
      const receipt = (await engine.request('eth_getTransactionReceipt', [hash])) as Receipt | null;
      if (receipt?.status !== '0x1') continue;
      const contract = receipt.contractAddress as Address;
      const nonce = BigInt((await engine.request('eth_getTransactionCount', [contract, 'latest'])) as Hex);
      if (nonce > 0n) await setNonce?.(contract, toQuantity(nonce - 1n));
    }
  }

  return {
    ...engine,
    async mine(count) {
      if (count < 1) return;
      // The first block has all submitted transactions.
      await engine.mine(1);
      await correctHead();
      if (count > 1) await engine.mine(count - 1);
    },
  };
}
