import { privateKeyToAccount } from 'viem/accounts';

/** Milliseconds from a private key to the signature of a message. */
export type ViemAccountPage = (privateKey: `0x${string}`) => Promise<number>;

export const bench: ViemAccountPage = async (privateKey) => {
  const start = performance.now();
  await privateKeyToAccount(privateKey).signMessage({ message: { raw: '0x68656c6c6f' } });
  return performance.now() - start;
};
