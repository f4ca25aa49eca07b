import { type ByteArray, Bytes, encodeText, randomBytes, subtle, wipe } from '../builtins.js';
import { decodeBase64Url, encodeBase64Url, type Sealed } from './record.js';

/** AES-256-GCM, HKDF and key pairs of ECDH as the vault uses them. */

/** Encrypts under a new random IV. `aad` binds the ciphertext to its place. */
export async function encrypt(key: CryptoKey, plain: ByteArray, aad: string): Promise<Sealed> {
  const iv = randomBytes(12);
  const ct = await subtle.encrypt(gcm(iv, aad), key, plain);
  return { iv: encodeBase64Url(iv), ct: encodeBase64Url(new Bytes(ct)) };
}

/** The caller wipes the result. Rejects for another key, another `aad` and changed bytes. */
export async function decrypt(key: CryptoKey, sealed: Sealed, aad: string): Promise<ByteArray> {
  const { iv, ct } = decoded.get(sealed) ?? decode(sealed);
  return new Bytes(await subtle.decrypt(gcm(iv, aad), key, ct));
}

/** Ciphertexts as bytes: the payload of an open vault is decrypted for each signature. */
const decoded = new WeakMap<Sealed, { readonly iv: ByteArray; readonly ct: ByteArray }>();

function decode(sealed: Sealed): { readonly iv: ByteArray; readonly ct: ByteArray } {
  const bytes = { iv: decodeBase64Url(sealed.iv), ct: decodeBase64Url(sealed.ct) };
  decoded.set(sealed, bytes);
  return bytes;
}

const gcm = (iv: ByteArray, aad: string) => ({
  name: 'AES-GCM',
  iv,
  additionalData: encodeText(aad),
});

/** Key material for {@link deriveKey}, which cannot be read out. */
export const importMaterial = (bytes: ByteArray): Promise<CryptoKey> =>
  subtle.importKey('raw', bytes, 'HKDF', false, ['deriveKey']);

/** Derives a key that cannot be read out. `info` is a text for each purpose. */
export function deriveKey(
  material: CryptoKey,
  info: string,
  name: 'AES-GCM' | 'HMAC',
  salt: ByteArray = new Bytes(0),
): Promise<CryptoKey> {
  const hkdf = { name: 'HKDF', hash: 'SHA-256', salt, info: encodeText(info) };
  return name === 'HMAC'
    ? subtle.deriveKey(hkdf, material, { name, hash: 'SHA-256', length: 256 }, false, ['sign', 'verify'])
    : subtle.deriveKey(hkdf, material, { name, length: 256 }, false, ['encrypt', 'decrypt']);
}

const curve = { name: 'ECDH', namedCurve: 'P-256' };

/** A new key pair; the caller wipes `privateKey` (PKCS #8). `publicKey` is an uncompressed point, 65 bytes. */
export async function createPair(): Promise<{ publicKey: string; privateKey: ByteArray }> {
  const pair = (await subtle.generateKey(curve, true, ['deriveBits'])) as CryptoKeyPair;
  const privateKey = new Bytes(await subtle.exportKey('pkcs8', pair.privateKey));
  const publicKey = new Bytes(await subtle.exportKey('raw', pair.publicKey));
  return { publicKey: encodeBase64Url(publicKey), privateKey };
}

/** The key that the owner of one private key shares with the owner of the other. */
export async function agreeKey(
  privateKey: ByteArray,
  publicKey: string,
  info: string,
  salt: string,
): Promise<CryptoKey> {
  const ours = await subtle.importKey('pkcs8', privateKey, curve, false, ['deriveBits']);
  const theirs = await subtle.importKey('raw', decodeBase64Url(publicKey), curve, false, []);
  const shared = new Bytes(await subtle.deriveBits({ name: 'ECDH', public: theirs }, ours, 256));
  try {
    return await deriveKey(await importMaterial(shared), info, 'AES-GCM', decodeBase64Url(salt));
  } finally {
    wipe(shared);
  }
}

export const sameBytes = (a: Uint8Array, b: Uint8Array): boolean =>
  a.length === b.length && a.every((byte, index) => byte === b[index]);
