import { decodeBase58, sha256, toBeHex } from 'ethers';
import { expect, test } from 'vitest';
import { type BitcoinNetwork, bitcoinNetwork } from '../../../src/bitcoin/network.js';
import { encodeWif } from '../../../src/bitcoin/wif.js';
import { bytesToHex, hexToBytes } from '../../../src/rpc/hex.js';
import { fc } from '../../support/property.js';

const networkOf = (chainId: number) => bitcoinNetwork(chainId) as BitcoinNetwork;
const keyOne = hexToBytes(`0x${'1'.padStart(64, '0')}`);

test('key 1 has its published import format on each network', async () => {
  const formats = await Promise.all([30, 31, 33].map((chainId) => encodeWif(keyOne, networkOf(chainId))));
  expect(formats).toEqual([
    'KwDiBf89QgGbjEhKnhXJuH7LrciVrZi3qYjgd9M7rFU73sVHnoWn',
    'cMahea7zqjxrtgAbB7LSGbcQUr1uX1ojuat9jZodMN87JcbXMTcA',
    'cMahea7zqjxrtgAbB7LSGbcQUr1uX1ojuat9jZodMN87JcbXMTcA',
  ]);
});

test('another library reads the key, its mark and its checksum, and the key that was lent stays', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ minLength: 32, maxLength: 32 }), async (key) => {
      const lent = Uint8Array.from(key);
      const bytes = toBeHex(decodeBase58(await encodeWif(lent, networkOf(31))), 38);
      const payload = `0xef${bytesToHex(key).slice(2)}01`;
      expect(bytes).toBe(`${payload}${sha256(sha256(payload)).slice(2, 10)}`);
      expect(lent).toEqual(key);
    }),
    { numRuns: 50 },
  );
});
