import { addressOfPublicKey, recoverUncompressed } from '../rpc/recover.js';
import type { Address, Hex } from '../rpc/schema.js';
import { type ParsedTransaction, parseSigned, signingDigest } from '../rpc/transaction.js';
import { compressKey, hashOfKey } from './address.js';

/** A signed transaction, with HASH160 of the public key that signed it. */
export interface SignedByAccount {
  readonly parsed: ParsedTransaction;
  /** 20 bytes. */
  readonly keyHash: Uint8Array;
}

/**
 * Reads a transaction that an account has signed, as the wallet keeps it. Returns `null` for damaged bytes, those of another transaction,
 * and the signature of another key: any script of the origin can write an entry.
 */
export function readSignedBy(
  account: Address,
  { raw, chainId, hash }: { readonly raw: Hex; readonly chainId: number; readonly hash: Hex },
): SignedByAccount | null {
  try {
    const parsed = parseSigned(raw, chainId, 'raw', true);
    if (parsed.hash !== hash) return null;
    const key = recoverUncompressed(signingDigest(parsed.transaction), parsed.signature);
    return addressOfPublicKey(key) === account ? { parsed, keyHash: hashOfKey(compressKey(key)) } : null;
  } catch {
    return null;
  }
}
