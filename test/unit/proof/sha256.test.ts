import { _SHA256, sha256 as reference } from '@noble/hashes/sha2.js';
import { expect, test } from 'vitest';
import { sha256 } from '../../../src/proof/sha256.js';
import { fc } from '../../support/property.js';

test('bytes of every length have the hash that @noble/hashes gives them', () => {
  for (let length = 0; length < 260; length++) {
    const bytes = Uint8Array.from({ length }, (_, at) => (at * 31 + length) & 0xff);
    expect(sha256(bytes)).toEqual(reference(bytes));
  }
});

class Open extends _SHA256 {
  words = (): Int32Array => Int32Array.from(this.get());
}

test('it goes on from the state after any number of whole blocks', () => {
  fc.assert(
    fc.property(fc.nat(12), fc.uint8Array({ maxLength: 300 }), (blocks, rest) => {
      const start = Uint8Array.from({ length: 64 * blocks }, (_, at) => (at * 7) & 0xff);
      const { words } = new Open().update(start) as Open;
      expect(sha256(rest, words(), start.length)).toEqual(reference(Uint8Array.of(...start, ...rest)));
    }),
  );
});
