import type { Hex } from '../rpc/schema.js';
import { serialize, signingDigest, type UnsignedTransaction } from '../rpc/transaction.js';
import type { SignWith } from './sign.js';
import { sign } from './signer.js';

/** The signed transaction and its hash. @throws TypeError without a chain id */
export function signTransaction(transaction: UnsignedTransaction): SignWith<{ raw: Hex; hash: Hex }> {
  const { chainId } = transaction;
  // Without a chain id the transaction could be replayed on every chain, and the node would accept it.
  if (!Number.isSafeInteger(chainId) || chainId < 1) throw new TypeError('A transaction needs a chain id.');
  const digest = signingDigest(transaction);
  return (privateKey) => serialize(transaction, sign(digest, privateKey));
}
