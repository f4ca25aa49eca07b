import { privateKeyToAccount } from 'viem/accounts';

const account = privateKeyToAccount(`0x${'46'.repeat(32)}`);

/** Signs, as viem's own account does. */
export const bench = {
  message: (raw: `0x${string}`) => account.signMessage({ message: { raw } }),
  typedData: (json: string) => account.signTypedData(JSON.parse(json)),
};
