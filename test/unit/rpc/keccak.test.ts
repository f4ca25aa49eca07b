import { keccak_256 } from '@noble/hashes/sha3.js';
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js';
import { expect, test } from 'vitest';
import { keccak256 } from '../../../src/rpc/keccak.js';
import { createRandom } from '../../support/random.js';

test.each([
  // The hash of nothing, and of "abc": https://keccak.team/archives.html, test vectors of the third round.
  ['', 'c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470'],
  ['616263', '4e03657aea45a94fc7d47ba826c8d667c0d1e6e33a64a036ec44f58fa12d6c45'],
])('the hash of 0x%s', (bytes, hash) => {
  expect(bytesToHex(keccak256(hexToBytes(bytes)))).toBe(hash);
});

test('it hashes as @noble/hashes does, at every length around three blocks and of any bytes', () => {
  const random = createRandom(7);
  for (let length = 0; length <= 420; length++)
    for (let time = 0; time < 3; time++) {
      const bytes = Uint8Array.from({ length }, () => Math.floor(random() * 256));
      expect(bytesToHex(keccak256(bytes)), `${length} bytes`).toBe(bytesToHex(keccak_256(bytes)));
    }
});

test('a part of a larger buffer is hashed alone, and left as it is', () => {
  const buffer = Uint8Array.from({ length: 300 }, (_, at) => at);
  const part = buffer.subarray(10, 200);
  expect(keccak256(part)).toEqual(keccak_256(part));
  expect(buffer).toEqual(Uint8Array.from({ length: 300 }, (_, at) => at));
});
