import type { ChainToAdd, Seen } from './client.js';

/** What is the same in every adapter because it is not the library's: what its hooks told, and EIP-3085's words. */

/** Notes what reaches a library's own hooks. */
export function createHeard() {
  const accounts: (readonly string[])[] = [];
  const chains: number[] = [];
  const blocks: number[] = [];
  const stored: string[] = [];
  return {
    accounts,
    chains,
    blocks,
    stored,
    /** A copy: what comes later does not change it. */
    seen: async (): Promise<Seen> => ({
      accounts: accounts.map((each) => [...each]),
      chains: [...chains],
      blocks: [...blocks],
      stored: [...stored],
    }),
  };
}

/** What `wallet_addEthereumChain` takes. */
export const chainParameter = ({ chainId, name, url }: ChainToAdd) => ({
  chainId: `0x${chainId.toString(16)}`,
  chainName: name,
  nativeCurrency: { name: 'Rootstock Bitcoin', symbol: 'tRBTC', decimals: 18 },
  rpcUrls: [url],
});
