import { recoverAddress } from '../../../../src/rpc/recover.js';
import type { Address } from '../../../../src/rpc/schema.js';
import type { ParsedTransaction } from '../../../../src/rpc/signed-transaction.js';
import { signingDigest } from '../../../../src/rpc/transaction.js';

/**
 * Recovers the sender of a signed transaction, in some milliseconds; `undefined` for a signature that no key has made.
 *
 * @example
 * senderOf(parseSigned(raw, 31, 'params[0]', true)); // '0x19e7e376e7c213b7e7e7e46cc70a5dd086daff2a'
 */
export function senderOf({ transaction, signature }: ParsedTransaction): Address | undefined {
  try {
    return recoverAddress(signingDigest(transaction), signature);
  } catch {
    return undefined;
  }
}
