import { limitExceeded } from '../../rpc/core-errors.js';
import { invalidParams } from '../../rpc/errors.js';
import { type ByteArray, Bytes, subtle } from '../builtins.js';
import { scryptInWorker } from './thread.js';

/** The derivation of a 32-byte key from a password (docs/notes/security.md#password-stretching). */
export type Kdf =
  | { readonly name: 'scrypt'; readonly N: number; readonly r: number; readonly p: number }
  | { readonly name: 'pbkdf2-sha256'; readonly c: number };

/** Takes 128 MiB and about one second in a worker. */
export const strongKdf: Extract<Kdf, { name: 'scrypt' }> = { name: 'scrypt', N: 131_072, r: 8, p: 1 };
/** Used if 128 MiB cannot be allocated. The vault is rekeyed with the strong one at the next unlock that can. */
export const weakKdf: Kdf = { name: 'pbkdf2-sha256', c: 900_000 };

/**
 * Limits the cost of untrusted parameters.
 * @param path of the parameters, for errors
 * @throws ProviderRpcError -32602
 */
export function checkKdf(kdf: Kdf, path: string): void {
  const refuse = (rule: string) => invalidParams(`${path}: ${rule}`);
  const isCount = (value: unknown) => Number.isSafeInteger(value) && (value as number) > 0;
  if (kdf.name === 'pbkdf2-sha256') {
    if (!isCount(kdf.c)) throw refuse('c must be a positive integer');
    if (kdf.c > 10_000_000) throw refuse('too expensive: c is over 10,000,000');
    return;
  }
  const { N, r, p } = kdf;
  if (!isCount(N) || !isCount(r) || !isCount(p)) throw refuse('n, r and p must be positive integers');
  if (N > 2 ** 20 || r > 32 || p > 16 || N * r > 2 ** 23 || N * r * p > 2 ** 24)
    throw refuse('too expensive: over 1 GiB of memory, or 16 times the work of n = 2^17, r = 8, p = 1');
  if (N < 2 || (N & (N - 1)) !== 0) throw refuse('n must be a power of two');
}

/**
 * Derives 32 bytes from a password; the caller wipes both. Neither derivation blocks the page: scrypt runs in a worker,
 * and PBKDF2 is the platform's own.
 *
 * @throws ProviderRpcError -32005 if the memory for scrypt cannot be allocated
 */
export async function stretch(kdf: Kdf, password: ByteArray, salt: ByteArray): Promise<ByteArray> {
  if (kdf.name === 'scrypt') {
    try {
      return await scryptInWorker(kdf, password, salt);
    } catch (error) {
      if (error instanceof RangeError)
        throw limitExceeded('There is not enough memory to stretch the password.');
      throw error;
    }
  }
  const key = await subtle.importKey('raw', password, 'PBKDF2', false, ['deriveBits']);
  const parameters = { name: 'PBKDF2', hash: 'SHA-256', salt, iterations: kdf.c };
  return new Bytes(await subtle.deriveBits(parameters, key, 256));
}
