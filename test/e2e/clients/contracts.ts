import type { Failing } from './client.js';
import { reverterAbi, reverterCode } from './reverter.generated.js';

/** The contract of the matrix, `Reverter.sol`. JSON ABI: every library takes it. */
export const reverter = { abi: reverterAbi, code: reverterCode } as const;

/** Its failing functions: the views for `eth_call`, the others for an estimate and a transaction. */
export const failing = {
  string: { view: 'viewString', send: 'sendString' },
  panic: { view: 'viewPanic', send: 'sendPanic' },
  custom: { view: 'viewCustom', send: 'sendCustom' },
  empty: { view: 'viewEmpty', send: 'sendEmpty' },
} as const satisfies Readonly<Record<Failing, { readonly view: string; readonly send: string }>>;

/** The ways, in the order of the table. */
export const ways = ['string', 'panic', 'custom', 'empty'] as const satisfies readonly Failing[];
