import type { Wallet } from '../../src/index.js';
import type { Check } from './checks.js';
import type { Counting } from './counting.js';

/** With an account that has coins: one wei to itself, and its receipt. */
export function sendChecks(options: {
  readonly wallet: Wallet;
  readonly key: `0x${string}`;
  readonly password: string;
  readonly counting: Counting;
  /** Milliseconds between two looks for the receipt. */
  readonly interval: number;
}): readonly Check[] {
  const { wallet, key, password, counting, interval } = options;
  const { provider } = wallet;
  return [
    {
      name: 'send: one wei to itself, until its receipt',
      async run() {
        const { address } = await wallet.importPrivateKey(key, { password });
        await provider.request({ method: 'eth_requestAccounts' });
        const hash = await provider.request({
          method: 'eth_sendTransaction',
          params: [{ from: address, to: address, value: '0x1' }],
        });
        // Two blocks of the chain's half minute are usual; what looks costs a request each.
        while (counting.left() > 5) {
          const receipt = await provider.request({ method: 'eth_getTransactionReceipt', params: [hash] });
          if (receipt) {
            if (receipt.status !== '0x1') throw new Error(`its status is ${receipt.status}`);
            return;
          }
          await new Promise((resolve) => setTimeout(resolve, interval));
        }
        throw new Error(`there is no receipt of ${hash} yet, and no request left to look`);
      },
    },
  ];
}
