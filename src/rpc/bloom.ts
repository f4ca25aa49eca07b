import { bytesToHex, hexToBytes } from './hex.js';
import { keccak256 } from './keccak.js';
import type { Hex } from './schema.js';

/**
 * `logsBloom` (Yellow Paper §4.3.1): 2,048 bits, of which each log sets three for its address and three for each topic.
 * A bit that is not set proves that the value is absent; set bits prove nothing.
 */

/** The three bits of an address or topic. */
export function bloomBits(value: Hex): readonly number[] {
  const hash = keccak256(hexToBytes(value));
  return [0, 2, 4].map((at) => (((hash[at] as number) & 7) << 8) | (hash[at + 1] as number));
}

/** Whether the bloom may contain the value with these bits: true for a missing bloom, as of the pending block. */
export function bloomHas(bloom: Hex | null | undefined, bits: readonly number[]): boolean {
  return !isBloom(bloom) || bits.every((bit) => digit(bloom, bit) & (1 << (bit & 3)));
}

/** The bloom of a block whose logs have these addresses and topics. */
export function bloomOf(values: Iterable<Hex>): Hex {
  const bloom = new Uint8Array(256);
  for (const value of new Set(values))
    for (const bit of bloomBits(value)) (bloom[255 - (bit >> 3)] as number) |= 1 << (bit & 7);
  return bytesToHex(bloom);
}

/** Whether the block has at least one log: the bloom of a block without logs has no bit set. */
export const bloomHasAny = (bloom: Hex | null | undefined): boolean =>
  isBloom(bloom) && /[^0]/.test(bloom.slice(2));

export const isBloom = (bloom: unknown): bloom is Hex =>
  typeof bloom === 'string' && /^0x[0-9a-f]{512}$/i.test(bloom);

/** The digit that holds a bit; bit 0 is the last digit's lowest. */
const digit = (bloom: Hex, bit: number): number => Number.parseInt(bloom[513 - (bit >> 2)] as string, 16);
