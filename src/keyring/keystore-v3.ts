import { keccak_256 } from '@noble/hashes/sha3.js';
import { bytesToHex, concatBytes, hexToBytes } from '@noble/hashes/utils.js';
import { excerpt } from '../rpc/core-errors.js';
import { invalidParams } from '../rpc/errors.js';
import { own } from '../rpc/own.js';
import {
  type ByteArray,
  Bytes,
  encodeText,
  normalizeText,
  partOf,
  randomBytes,
  setBytes,
  subtle,
  wipe,
} from './builtins.js';
import { checkKdf, type Kdf, stretch, strongKdf } from './kdf/kdf.js';
import { addressOf, isPrivateKey } from './signer.js';

/** Import and export of version 3 keystore files (Web3 Secret Storage). */

/**
 * The private key in a keystore file; the caller wipes the result (32 bytes). Variants that other wallets write are
 * accepted: `Crypto` for `crypto`, hexadecimal with or without `0x`, an IV with an odd number of digits, keys without
 * their leading zeros.
 *
 * @throws ProviderRpcError -32602 naming the part that is wrong, with one message for a wrong password and a damaged file
 */
export async function importKeystore(json: string, password: string): Promise<Uint8Array> {
  const { kdf, salt, iv, ciphertext, mac, address } = readKeystore(json);
  for (const attempt of new Set([password, normalizeText(password, 'NFKC')])) {
    const bytes = encodeText(attempt);
    const key = await stretch(kdf, bytes, salt);
    wipe(bytes);
    const matches = same(keccak_256(concatBytes(partOf(key, 16, 32), ciphertext)), mac);
    const plain = matches ? await crypt('decrypt', partOf(key, 0, 16), iv, ciphertext) : null;
    wipe(key);
    if (plain === null) continue;
    const privateKey = new Bytes(32);
    setBytes(privateKey, plain, 32 - plain.length);
    wipe(plain);
    if (!isPrivateKey(privateKey)) throw invalidParams('keystore: it does not hold a private key');
    if (address === null || addressOf(privateKey) === address) return privateKey;
    wipe(privateKey);
    throw invalidParams('keystore.address: it is not the address of the key');
  }
  throw invalidParams('keystore: wrong password, or the file is damaged');
}

/** A keystore file for `privateKey`, encrypted with scrypt: with the parameters of `chosen` if it is scrypt, else n = 2^17. */
export async function exportKeystore(
  privateKey: Uint8Array,
  password: string,
  chosen?: Kdf,
): Promise<string> {
  const kdf = chosen?.name === 'scrypt' ? chosen : strongKdf;
  const salt = randomBytes(32);
  const iv = randomBytes(16);
  const bytes = encodeText(password);
  const key = await stretch(kdf, bytes, salt);
  wipe(bytes);
  const ciphertext = await crypt('encrypt', partOf(key, 0, 16), iv, privateKey as ByteArray);
  const mac = keccak_256(concatBytes(partOf(key, 16, 32), ciphertext));
  wipe(key);
  return JSON.stringify({
    version: 3,
    id: uuid(randomBytes(16)),
    address: addressOf(privateKey).slice(2),
    crypto: {
      cipher: 'aes-128-ctr',
      cipherparams: { iv: bytesToHex(iv) },
      ciphertext: bytesToHex(ciphertext),
      kdf: 'scrypt',
      kdfparams: { n: kdf.N, r: kdf.r, p: kdf.p, dklen: 32, salt: bytesToHex(salt) },
      mac: bytesToHex(mac),
    },
  });
}

function readKeystore(json: string) {
  let file: unknown;
  try {
    file = JSON.parse(json);
  } catch {
    throw invalidParams('keystore: it is not JSON');
  }
  const top = object(file, 'keystore');
  if (top.version !== 3)
    throw invalidParams(`keystore.version: expected 3, received ${excerpt(top.version)}`);
  const crypto = object(top.crypto ?? top.Crypto, 'keystore.crypto');
  if (crypto.cipher !== 'aes-128-ctr')
    throw invalidParams(`keystore.crypto.cipher: expected aes-128-ctr, received ${excerpt(crypto.cipher)}`);
  const { kdf, salt } = readKdf(crypto.kdf, object(crypto.kdfparams, 'keystore.crypto.kdfparams'));
  const { iv } = object(crypto.cipherparams, 'keystore.crypto.cipherparams');
  return {
    kdf,
    salt,
    iv: readHex(iv, 'keystore.crypto.cipherparams.iv', 16, 16),
    ciphertext: readHex(crypto.ciphertext, 'keystore.crypto.ciphertext', 1, 32),
    mac: readHex(crypto.mac, 'keystore.crypto.mac', 32, 32),
    address: readAddress(top.address),
  };
}

function readKdf(name: unknown, parameters: Record<string, unknown>) {
  const path = 'keystore.crypto.kdfparams';
  if (name !== 'scrypt' && name !== 'pbkdf2')
    throw invalidParams(`keystore.crypto.kdf: expected scrypt or pbkdf2, received ${excerpt(name)}`);
  const { n, r, p, c, prf, dklen } = parameters;
  if (name === 'pbkdf2' && prf !== 'hmac-sha256')
    throw invalidParams(`${path}.prf: expected hmac-sha256, received ${excerpt(prf)}`);
  const kdf: Kdf =
    name === 'scrypt'
      ? { name, N: n as number, r: r as number, p: p as number }
      : { name: 'pbkdf2-sha256', c: c as number };
  checkKdf(kdf, path);
  // The first half is the key of the cipher, the second that of the MAC.
  if (dklen !== 32) throw invalidParams(`${path}.dklen: expected 32, received ${excerpt(dklen)}`);
  return { kdf, salt: readHex(parameters.salt, `${path}.salt`, 0, 1_024) };
}

function readAddress(value: unknown): string | null {
  if (value === undefined || value === null || value === '') return null;
  const digits = typeof value === 'string' ? /^(?:0x)?([0-9a-f]{40})$/i.exec(value)?.[1] : undefined;
  if (digits === undefined) throw invalidParams('keystore.address: expected 40 hexadecimal digits');
  return `0x${digits.toLowerCase()}`;
}

function object(value: unknown, path: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalidParams(`${path}: expected an object`);
  return own(value as Record<string, unknown>);
}

function readHex(value: unknown, path: string, min: number, max: number): ByteArray {
  const digits = typeof value === 'string' ? /^(?:0x)?([0-9a-f]*)$/i.exec(value)?.[1] : undefined;
  if (digits === undefined) throw invalidParams(`${path}: expected hexadecimal digits`);
  const bytes = hexToBytes(digits.length % 2 === 0 ? digits : `0${digits}`);
  if (bytes.length < min || bytes.length > max)
    throw invalidParams(`${path}: expected ${min === max ? min : `${min} to ${max}`} bytes`);
  return bytes;
}

async function crypt(
  direction: 'encrypt' | 'decrypt',
  keyBytes: ByteArray,
  iv: ByteArray,
  data: ByteArray,
): Promise<ByteArray> {
  const key = await subtle.importKey('raw', keyBytes, 'AES-CTR', false, [direction]);
  return new Bytes(await subtle[direction]({ name: 'AES-CTR', counter: iv, length: 128 }, key, data));
}

/** Compares in constant time. */
function same(a: Uint8Array, b: Uint8Array): boolean {
  let difference = a.length ^ b.length;
  for (let i = 0; i < a.length; i++) difference |= (a[i] as number) ^ (b[i] ?? 0);
  return difference === 0;
}

/** A UUID of version 4 (RFC 9562) from 16 random bytes, which it changes. */
function uuid(random: Uint8Array): string {
  random[6] = ((random[6] as number) & 0x0f) | 0x40;
  random[8] = ((random[8] as number) & 0x3f) | 0x80;
  return bytesToHex(random).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
