import { keccak_256 } from '@noble/hashes/sha3.js';
import { hexToBytes } from './hex.js';
import type { Hex } from './schema.js';

/**
 * `logsBloom` (Yellow Paper §4.3.1): 2,048 bits, of which each log sets three for its address and three for
 * each topic. A missing bit proves absence; all set proves nothing.
 */

/** The three bits of an address or topic. */
export function bloomBits(value: Hex): readonly number[] {
  const hash = keccak_256(hexToBytes(value));
  return [0, 2, 4].map((at) => (((hash[at] as number) & 7) << 8) | (hash[at + 1] as number));
}

/** Whether `bloom` may hold the value with these bits. What is no bloom (pending, missing) may hold anything. */
export function bloomHas(bloom: Hex | null | undefined, bits: readonly number[]): boolean {
  return !isBloom(bloom) || bits.every((bit) => digit(bloom, bit) & (1 << (bit & 3)));
}

/** Whether the block surely has a log: not one bit is set in the bloom of a block without. */
export const bloomHasAny = (bloom: Hex | null | undefined): boolean =>
  isBloom(bloom) && /[^0]/.test(bloom.slice(2));

const isBloom = (bloom: unknown): bloom is Hex =>
  typeof bloom === 'string' && /^0x[0-9a-f]{512}$/i.test(bloom);

/** The digit that holds a bit; bit 0 is the last digit's lowest. */
const digit = (bloom: Hex, bit: number): number => Number.parseInt(bloom[513 - (bit >> 2)] as string, 16);
