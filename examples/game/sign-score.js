const url = import.meta.env.VITE_SERVICE_URL ?? 'https://public-node.testnet.rsk.co';
let wallet;

/** Resolves with the player's account and the signature. Loads the wallet when it is first called. */
export async function signScore(message) {
  const { createWallet } = await import('graft-wallet');
  wallet ??= createWallet({ networks: [{ chainId: 31, url }] });
  const { provider } = wallet;
  const [account] = await provider.request({ method: 'eth_requestAccounts' });
  const signature = await provider.request({ method: 'personal_sign', params: [message, account] });
  return { account, signature };
}
