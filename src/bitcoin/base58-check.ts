import { Bytes, wipe } from '../keyring/builtins.js';

const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

/** Bytes of a checksum: the first ones of the double SHA-256 of what is before it. */
export const checksumLength = 4;

/**
 * The text of bytes in Bitcoin's base 58. It calls nothing that a page can replace, and leaves no copy of the bytes but the text,
 * because they may hold a private key.
 *
 * @param size number of bytes, which an array would be asked for by an accessor of the page
 */
export function encodeBase58(bytes: Uint8Array, size: number): string {
  let zeros = 0;
  while (zeros < size && bytes[zeros] === 0) zeros += 1;
  // Two digits hold more than a byte. The lowest one is first.
  const digits = new Bytes(2 * size);
  let length = 0;
  for (let at = zeros; at < size; at += 1) {
    let carry = bytes[at] as number;
    let digit = 0;
    for (; digit < length || carry > 0; digit += 1) {
      carry += 256 * (digits[digit] as number);
      digits[digit] = carry % 58;
      carry = (carry - (carry % 58)) / 58;
    }
    length = digit;
  }
  let text = '';
  for (let at = 0; at < zeros; at += 1) text += '1';
  for (let at = length - 1; at >= 0; at -= 1) text += alphabet[digits[at] as number];
  wipe(digits);
  return text;
}
