import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { pursePath } from '../../../src/purse/path.js';

const origin = 'https://game.example';

test('the path of a purse is hardened throughout, and names the site by 31 bits of its digest', () => {
  const site = createHash('sha256').update(origin).digest().readUInt32BE(0) & 0x7fffffff;
  expect(pursePath(137, origin, 3)).toBe(`m/44'/137'/7715'/${site}'/3'`);
  expect(pursePath(137, 'https://other.example', 3)).not.toBe(pursePath(137, origin, 3));
});
