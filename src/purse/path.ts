import { sha256 } from '@noble/hashes/sha2.js';
import { utf8ToBytes } from '@noble/hashes/utils.js';

/**
 * The path of a site's purse. It is hardened throughout: with one key below a level that is not, and the public key above it, all
 * keys of that level would be known. The site is 31 bits of a digest, since a count would let two devices give two sites one key.
 *
 * @param count the site's earlier purses
 */
export function pursePath(coinType: number, origin: string, count: number): string {
  const [a = 0, b = 0, c = 0, d = 0] = sha256(utf8ToBytes(origin));
  const site = (((a & 0x7f) << 24) | (b << 16) | (c << 8) | d) >>> 0;
  return `m/44'/${coinType}'/7715'/${site}'/${count}'`;
}

/** Purses of a site. A node that lies could otherwise name ever more as used. */
export const maxPurses = 1_000;
