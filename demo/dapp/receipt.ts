import type { Ask } from './eip1193.js';
import type { Live } from './live.js';

export interface Receipt {
  readonly status: string;
  readonly blockNumber: string;
  readonly contractAddress: string | null;
}

/** Asks for the receipt again with every block, until there is one. */
export function createReceipts(live: Live): (ask: Ask, hash: unknown) => Promise<Receipt> {
  const waiting = new Set<() => Promise<void>>();
  live.onBlock(() => {
    for (const look of waiting) void look();
  });

  return (ask, hash) =>
    new Promise((resolve, reject) => {
      const look = async () => {
        try {
          const receipt = (await ask('eth_getTransactionReceipt', [hash])) as Receipt | null;
          if (receipt === null) return;
          waiting.delete(look);
          if (receipt.status === '0x1') resolve(receipt);
          else reject(new Error('It was mined, but the contract refused it.'));
        } catch (error) {
          waiting.delete(look);
          reject(error);
        }
      };
      waiting.add(look);
      void look();
    });
}
