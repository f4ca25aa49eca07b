import { bytesToHex, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import { hashMessage } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { describe, expect, test } from 'vitest';
import { encodeSignature, messageDigest, recoverMessage } from '../../../src/keyring/message.js';
import { sign } from '../../../src/keyring/signer.js';
import type { Hex } from '../../../src/rpc/schema.js';
import { fc } from '../../support/property.js';
import { eip191 as vector } from '../../support/vectors.js';

const hex = (bytes: Uint8Array): Hex => `0x${bytesToHex(bytes)}`;
const bytes = (text: string) => hexToBytes(text.slice(2));

describe('messageDigest', () => {
  test('the published vector', () => {
    const digest = messageDigest(utf8ToBytes(vector.message));
    expect(hex(digest)).toBe(vector.digest);
    expect(encodeSignature(sign(digest, bytes(vector.privateKey)))).toBe(vector.signature);
  });

  test.each(['', '🦊', 'é', 'a'.repeat(10_000), '\u0000'])('the length is in bytes, %#', (text) => {
    expect(hex(messageDigest(utf8ToBytes(text)))).toBe(hashMessage(text));
  });

  test('any bytes and key sign as viem signs them', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ maxLength: 300 }),
        fc.uint8Array({ minLength: 32, maxLength: 32 }).filter((key) => key.some((byte) => byte !== 0)),
        async (message, key) => {
          fc.pre((key[0] as number) < 255);
          const signature = encodeSignature(sign(messageDigest(message), key));
          const account = privateKeyToAccount(hex(key));
          expect(signature).toBe(await account.signMessage({ message: { raw: hex(message) } }));
          expect(recoverMessage(hex(message), signature)).toBe(account.address.toLowerCase());
        },
      ),
      { numRuns: 50 },
    );
  });
});

describe('recoverMessage', () => {
  const message = hex(utf8ToBytes(vector.message));
  const withV = (v: string) => `${vector.signature.slice(0, -2)}${v}` as Hex;

  test('recovering the signer', () => {
    expect(recoverMessage(message, vector.signature)).toBe(vector.address);
  });

  test('v as 27/28 or 0/1', () => {
    expect(recoverMessage(message, withV('01'))).toBe(vector.address);
    expect(recoverMessage(message, withV('1b'))).toBe(recoverMessage(message, withV('00')));
  });

  test('a high s recovers too, with the other v', () => {
    const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
    const high = (order - BigInt(`0x${vector.signature.slice(66, 130)}`)).toString(16).padStart(64, '0');
    expect(recoverMessage(message, `${vector.signature.slice(0, 66)}${high}1b` as Hex)).toBe(vector.address);
  });

  test.each([
    ['message-011', '0x00', '65'],
    ['message-012', withV('63'), 'signature'],
    ['v of an EIP-155 transaction', withV('60'), 'signature'],
    ['r and s of zero', `0x${'00'.repeat(64)}1b`, 'signature'],
    ['r over the order', `0x${'ff'.repeat(64)}1b`, 'signature'],
    ['66 bytes', `${vector.signature}00`, '65'],
  ])('%s', (_name, signature, includes) => {
    expect(() => recoverMessage(message, signature as Hex)).toThrow(
      expect.objectContaining({ code: -32602, message: expect.stringContaining(includes) }),
    );
    expect(() => recoverMessage(message, signature as Hex, 'params[7]')).toThrow('params[7]');
  });
});
