import { addressOfPublicKey, recoverUncompressed } from '../rpc/recover.js';
import type { Address, Hex } from '../rpc/schema.js';
import { type ParsedTransaction, parseSigned } from '../rpc/signed-transaction.js';
import { signingDigest } from '../rpc/transaction.js';
import { compressKey, hashOfKey } from './address.js';

/** A transaction as the wallet keeps it. */
interface SignedTransaction {
  readonly raw: Hex;
  readonly chainId: number;
  readonly hash: Hex;
}

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
  { raw, chainId, hash }: SignedTransaction,
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

/** Sources of an account's public key. */
export interface KeySources {
  /** Reads the compressed key from the keyring. */
  readonly publicKey: (account: Address) => Promise<Uint8Array>;
  /** Reads transactions that the account has signed. */
  readonly signed: () => Promise<readonly SignedTransaction[]>;
}

/**
 * HASH160 of an account's public key, which the keyring tells or, while that is locked, a signature of the account.
 * @throws as `publicKey`, if no signature tells it
 */
export async function keyHashOf(account: Address, { publicKey, signed }: KeySources): Promise<Uint8Array> {
  try {
    return hashOfKey(await publicKey(account));
  } catch (error) {
    for (const each of await signed()) {
      const read = readSignedBy(account, each);
      if (read) return read.keyHash;
    }
    throw error;
  }
}
