import type { RequestFunction } from './eip1193.js';
import type { Live } from './live.js';

export interface Receipt {
  readonly status: string;
  readonly blockNumber: string;
  readonly contractAddress: string | null;
}

/** Waits for the receipt of a transaction, polling once per new block. Rejects when the transaction failed. */
export function createReceipts(live: Live): (request: RequestFunction, hash: unknown) => Promise<Receipt> {
  const waiting = new Set<() => Promise<void>>();
  live.onBlock(() => {
    for (const poll of waiting) void poll();
  });

  return (request, hash) =>
    new Promise((resolve, reject) => {
      const poll = async () => {
        try {
          const receipt = (await request('eth_getTransactionReceipt', [hash])) as Receipt | null;
          if (receipt === null) return;
          waiting.delete(poll);
          if (receipt.status === '0x1') resolve(receipt);
          else reject(new Error('It was mined, but the contract refused it.'));
        } catch (error) {
          waiting.delete(poll);
          reject(error);
        }
      };
      waiting.add(poll);
      void poll();
    });
}
