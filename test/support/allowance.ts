import type { Address } from '../../src/index.js';

/** A request of permission to pay a recipient, for a day, on the testnet. `amount` is in wei, fees included: 0.001 by default. */
export const allowanceFor = (account: Address, payee: string, amount = 10n ** 15n) => ({
  chainId: '0x1f',
  to: account,
  permission: {
    type: 'native-token-allowance',
    isAdjustmentAllowed: false,
    data: { allowanceAmount: `0x${amount.toString(16)}` },
  },
  rules: [
    { type: 'expiry', data: { timestamp: Math.floor(Date.now() / 1_000) + 86_400 } },
    { type: 'payee', data: { addresses: [payee] } },
  ],
});
