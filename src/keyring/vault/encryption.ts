import { Bytes, encodeText, subtle, wipe } from '../builtins.js';
import { decodeBase64Url, encodeBase64Url, type Sealed } from './record.js';

/** AES-256-GCM, HKDF and key pairs of ECDH as the vault uses them. */

type Random = (length: number) => Uint8Array;

/** A cast for the types of WebCrypto, which exclude shared memory. */
export const unshared = (bytes: Uint8Array): Uint8Array<ArrayBuffer> => bytes as Uint8Array<ArrayBuffer>;

/** Encrypts under a new random IV. `aad` binds the ciphertext to its place. */
export async function encrypt(
  key: CryptoKey,
  plain: Uint8Array<ArrayBuffer>,
  aad: string,
  random: Random,
): Promise<Sealed> {
  const iv = unshared(random(12));
  const ct = await subtle.encrypt(gcm(iv, aad), key, plain);
  return { iv: encodeBase64Url(iv), ct: encodeBase64Url(new Bytes(ct)) };
}

/** The caller wipes the result. Rejects for another key, another `aad` and changed bytes. */
export async function decrypt(
  key: CryptoKey,
  { iv, ct }: Sealed,
  aad: string,
): Promise<Uint8Array<ArrayBuffer>> {
  return new Bytes(await subtle.decrypt(gcm(decodeBase64Url(iv), aad), key, decodeBase64Url(ct)));
}

const gcm = (iv: Uint8Array<ArrayBuffer>, aad: string) => ({
  name: 'AES-GCM',
  iv,
  additionalData: encodeText(aad),
});

/** Key material for {@link deriveKey}, which cannot be read out. */
export const importMaterial = (bytes: Uint8Array): Promise<CryptoKey> =>
  subtle.importKey('raw', unshared(bytes), 'HKDF', false, ['deriveKey']);

/** Derives a key that cannot be read out. `info` is a text for each purpose. */
export function deriveKey(
  material: CryptoKey,
  info: string,
  name: 'AES-GCM' | 'HMAC',
  salt: Uint8Array<ArrayBuffer> = new Bytes(0),
): Promise<CryptoKey> {
  const hkdf = { name: 'HKDF', hash: 'SHA-256', salt, info: encodeText(info) };
  return name === 'HMAC'
    ? subtle.deriveKey(hkdf, material, { name, hash: 'SHA-256', length: 256 }, false, ['sign', 'verify'])
    : subtle.deriveKey(hkdf, material, { name, length: 256 }, false, ['encrypt', 'decrypt']);
}

const curve = { name: 'ECDH', namedCurve: 'P-256' };

/** A new key pair; the caller wipes `privateKey` (PKCS #8). `publicKey` is an uncompressed point, 65 bytes. */
export async function createPair(): Promise<{ publicKey: string; privateKey: Uint8Array<ArrayBuffer> }> {
  const pair = (await subtle.generateKey(curve, true, ['deriveBits'])) as CryptoKeyPair;
  const privateKey = new Bytes(await subtle.exportKey('pkcs8', pair.privateKey));
  const publicKey = new Bytes(await subtle.exportKey('raw', pair.publicKey));
  return { publicKey: encodeBase64Url(publicKey), privateKey };
}

/** The key that the owner of one private key shares with the owner of the other. */
export async function agreeKey(
  privateKey: Uint8Array<ArrayBuffer>,
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
