import { headless } from 'graft-kit/testing';
import { createMemoryStorage, createVolatileMemory, createWallet } from 'graft-wallet';

/**
 * Creates a wallet, unlocks it and signs a message, in whatever runs this file.
 *
 * @param {string} url of a service of chain 33
 * @param {{ durable: boolean }} options `durable`: in the browser's own storage
 * @returns the account, its signature of "hello", the number of the head, and for the unlock, as a part of its time, the
 *   longest that a timer had to wait
 */
export async function story(url, { durable }) {
  const wallet = createWallet({
    networks: [{ chainId: 33, url }],
    approver: () => headless(),
    ...(durable ? {} : { storage: createMemoryStorage(), memory: createVolatileMemory() }),
  });
  await wallet.create('a password');
  await wallet.lock();

  const start = performance.now();
  let last = start;
  let longest = 0;
  const timer = setInterval(() => {
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
  }, 5);
  await wallet.unlock('a password');
  const end = performance.now();
  clearInterval(timer);

  const { provider } = wallet;
  const [account] = await provider.request({ method: 'eth_requestAccounts' });
  const signature = await provider.request({ method: 'personal_sign', params: ['0x68656c6c6f', account] });
  const head = await provider.request({ method: 'eth_blockNumber' });
  wallet.destroy();
  return { account, signature, head, starved: Math.max(longest, end - last) / (end - start) };
}
