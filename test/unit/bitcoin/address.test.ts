import { encodeBase58 as ethersBase58, getBytes, ripemd160, sha256 } from 'ethers';
import { privateKeyToAccount } from 'viem/accounts';
import { expect, test } from 'vitest';
import { addressOfHash, compressKey, hashOfKey, scriptOfHash } from '../../../src/bitcoin/address.js';
import { encodeBase58 } from '../../../src/bitcoin/base58-check.js';
import { type BitcoinNetwork, bitcoinNetwork } from '../../../src/bitcoin/network.js';
import { compressedPublicKey } from '../../../src/keyring/signer.js';
import { bytesToHex, hexToBytes } from '../../../src/rpc/hex.js';
import { addressOfPublicKey, recoverUncompressed } from '../../../src/rpc/recover.js';
import type { Hex } from '../../../src/rpc/schema.js';
import { signingDigest } from '../../../src/rpc/transaction.js';
import { fc } from '../../support/property.js';
import { realPegOut } from './real-peg-out.js';

const networkOf = (chainId: number) => bitcoinNetwork(chainId) as BitcoinNetwork;
const keyOne = hexToBytes(`0x${'1'.padStart(64, '0')}`);

test('key 1 has its published address on each network', () => {
  const hash = hashOfKey(compressedPublicKey(keyOne));
  expect([30, 31, 33].map((chainId) => addressOfHash(hash, networkOf(chainId)))).toEqual([
    '1BgGZ9tcN4rm9KBzDn7KprQz87SZ26SAMH',
    'mrCDrCybB6J1vRfbwM5hemdJz73FwDBC8r',
    'mrCDrCybB6J1vRfbwM5hemdJz73FwDBC8r',
  ]);
});

test('chains without a bridge have no Bitcoin side', () => {
  expect([1, 0, 32, 300].map(bitcoinNetwork)).toEqual([null, null, null, null]);
});

test('the signature of a real peg-out of the testnet gives its sender and the address that the bridge has named', () => {
  const { transaction, signature, sender, destination } = realPegOut;
  const key = recoverUncompressed(signingDigest(transaction), signature);
  expect(addressOfPublicKey(key)).toBe(sender);
  expect(addressOfHash(hashOfKey(compressKey(key)), networkOf(31))).toBe(destination);
  expect(addressOfHash(hashOfKey(key), networkOf(31))).not.toBe(destination);
});

test('base 58 is that of another library, whatever the bytes are', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1, maxLength: 40 }), fc.nat(4), (bytes, zeros) => {
      const padded = Uint8Array.from([...Array<number>(zeros).fill(0), ...bytes]);
      let first = 0;
      while (first < padded.length && padded[first] === 0) first += 1;
      // Ethers reads the bytes as a number, whose zeros before it are no digits.
      const rest = padded.slice(first);
      const expected = '1'.repeat(first) + (rest.length > 0 ? ethersBase58(rest) : '');
      expect(encodeBase58(padded, padded.length)).toBe(expected);
    }),
  );
});

test('compressed keys and their addresses are those of other libraries', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (bytes) => {
      // Zero, and what is not below the order, would be no key.
      const key = Uint8Array.from(bytes, (byte, at) => (at === 0 ? byte % 255 : at === 31 ? byte | 1 : byte));
      const uncompressed = hexToBytes(privateKeyToAccount(bytesToHex(key)).publicKey);
      const compressed = compressKey(uncompressed);
      expect(compressed).toEqual(compressedPublicKey(key));
      const hash = hashOfKey(compressed);
      expect(bytesToHex(hash)).toBe(ripemd160(sha256(compressed)));
      const payload = `0x6f${bytesToHex(hash).slice(2)}` as Hex;
      const checksum = sha256(sha256(payload)).slice(2, 10);
      expect(addressOfHash(hash, networkOf(31))).toBe(ethersBase58(getBytes(`${payload}${checksum}`)));
    }),
    { numRuns: 20 },
  );
});

test('the output script pays to the hash of a key', () => {
  expect(scriptOfHash(new Uint8Array(20).fill(0xab))).toBe(`0x76a914${'ab'.repeat(20)}88ac`);
});
