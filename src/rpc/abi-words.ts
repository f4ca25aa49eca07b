import { hexToBytes } from '@noble/hashes/utils.js';

/** Formats a value of one word; `must` refuses bits outside its type. */
export function spell(type: string, value: bigint, must: (holds: boolean) => void): string {
  const bits = Number(/\d+$/.exec(type)?.[0]);
  const hex = value.toString(16).padStart(64, '0');
  if (type === 'bool') {
    must(value <= 1n);
    return `${value === 1n}`;
  }
  if (type === 'address') {
    must(value >> 160n === 0n);
    return `0x${hex.slice(24)}`;
  }
  if (type.startsWith('bytes')) {
    must(BigInt.asUintN(256 - bits * 8, value) === 0n);
    return `0x${hex.slice(0, bits * 2)}`;
  }
  const number = type.startsWith('u') ? BigInt.asUintN(bits, value) : BigInt.asIntN(bits, value);
  must(BigInt.asUintN(256, number) === value);
  return `${number}`;
}

/** Decodes the bytes of a `string`. */
export const decodeAbiText = (hex: string) => new TextDecoder().decode(hexToBytes(hex));
