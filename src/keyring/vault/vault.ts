import { Bytes, encodeText, normalizeText, subtle, wipe } from '../../builtins.js';
import { unauthorized } from '../../rpc/errors.js';
import { type Kdf, stretch, strongKdf, weakKdf } from '../kdf/kdf.js';
import { type Contents, decodeContents, encodeContents } from './contents.js';
import {
  canonical,
  decodeBase64Url,
  encodeBase64Url,
  isPasswordWrap,
  type PasswordWrap,
  type VaultRecord,
  type Wrap,
} from './record.js';

/**
 * Encrypts and decrypts vault records. A random data key is encrypted with a key derived from the password; one key for
 * the payload and one for the header are derived from the data key (docs/notes/security.md#vault-format).
 */

/** An opened record. Its keys are not extractable. */
export interface OpenVault {
  readonly record: VaultRecord;
  readonly keys: DataKeys;
}

interface DataKeys {
  readonly payload: CryptoKey;
  readonly header: CryptoKey;
}

export interface VaultOptions {
  readonly random: (length: number) => Uint8Array;
  /** Key derivation for new passwords. Default: `strongKdf`, or `weakKdf` if its memory cannot be allocated. */
  readonly kdf?: Kdf;
}

/** One error for a wrong password and a changed record, which cannot be distinguished. */
const refused = () => unauthorized('Wrong password, or the vault is damaged.');

/** Encrypts the contents under a new salt and a new data key. */
export async function sealVault(
  contents: Contents,
  password: string,
  header: { readonly vaultId: string; readonly gen: number; readonly createdAt: number },
  options: VaultOptions,
): Promise<OpenVault> {
  const dataKey = unshared(options.random(32));
  try {
    const keys = await dataKeys(dataKey);
    const wrap = await wrapWithPassword(dataKey, password, header, options);
    return await seal(contents, { ...header, wraps: [wrap] }, keys, options);
  } finally {
    wipe(dataKey);
  }
}

/** Encrypts the next generation of an open vault with the same data key, without the password. */
export function resealVault(vault: OpenVault, contents: Contents, options: VaultOptions): Promise<OpenVault> {
  const { vaultId, gen, createdAt, wraps } = vault.record;
  return seal(contents, { vaultId, gen: gen + 1, createdAt, wraps }, vault.keys, options);
}

/** @throws ProviderRpcError 4100, with one message for a wrong password and a damaged record */
export async function openVault(record: VaultRecord, password: string): Promise<OpenVault> {
  for (const wrap of record.wraps.filter(isPasswordWrap)) {
    const key = await passwordKey(wrap.kdf, password, decodeBase64Url(wrap.kdf.salt));
    const dataKey = await unwrap(record, wrap, key).catch(() => null);
    if (dataKey === null) continue;
    try {
      const keys = await dataKeys(dataKey);
      const vault = { record, keys };
      if (await isGenuine(vault)) return vault;
    } finally {
      wipe(dataKey);
    }
  }
  throw refused();
}

/** Opens a newer record of the same vault with the same data key; `null` if the data key has changed. */
export async function reopenVault(vault: OpenVault, record: VaultRecord): Promise<OpenVault | null> {
  const reopened = { record, keys: vault.keys };
  return record.vaultId === vault.record.vaultId && (await isGenuine(reopened)) ? reopened : null;
}

/**
 * Decrypts the contents, lends them to `use`, and wipes them whatever happens.
 * @throws ProviderRpcError 4100 when the payload is damaged
 */
export async function withContents<T>(
  { record, keys }: OpenVault,
  use: (contents: Contents) => T | Promise<T>,
): Promise<T> {
  const { iv, ct } = record.payload;
  let bytes: Uint8Array;
  try {
    const parameters = aes(decodeBase64Url(iv), payloadAad(record));
    bytes = new Bytes(await subtle.decrypt(parameters, keys.payload, decodeBase64Url(ct)));
  } catch {
    throw refused();
  }
  try {
    return await use(decodeContents(bytes));
  } finally {
    wipe(bytes);
  }
}

/** Whether the vault has the weak key derivation. */
export const isWeak = ({ wraps }: VaultRecord): boolean =>
  wraps.filter(isPasswordWrap).some(({ kdf }) => kdf.name === weakKdf.name);

async function seal(
  contents: Contents,
  header: Pick<VaultRecord, 'vaultId' | 'gen' | 'createdAt' | 'wraps'>,
  keys: DataKeys,
  { random }: VaultOptions,
): Promise<OpenVault> {
  const iv = unshared(random(12));
  const plain = encodeContents(contents);
  try {
    const sealed = await subtle.encrypt(aes(iv, payloadAad(header)), keys.payload, plain);
    const unsigned = {
      v: 1 as const,
      ...header,
      payload: { iv: encodeBase64Url(iv), ct: encodeBase64Url(new Bytes(sealed)) },
    };
    const mac = new Bytes(await subtle.sign('HMAC', keys.header, encodeText(canonical(unsigned))));
    const vault = { record: { ...unsigned, mac: encodeBase64Url(mac) }, keys };
    // Never replace a readable vault by one that cannot be read back.
    const intact = await withContents(vault, (read) => sameBytes(encodeContents(read), plain));
    if (!intact || !(await isGenuine(vault))) throw new Error('The new vault cannot be read back');
    return vault;
  } finally {
    wipe(plain);
  }
}

function isGenuine({ record, keys }: OpenVault): Promise<boolean> {
  const { mac, ...unsigned } = record;
  return subtle.verify('HMAC', keys.header, decodeBase64Url(mac), encodeText(canonical(unsigned)));
}

async function wrapWithPassword(
  dataKey: Uint8Array<ArrayBuffer>,
  password: string,
  header: { readonly vaultId: string; readonly gen: number },
  options: VaultOptions,
): Promise<PasswordWrap> {
  const salt = unshared(options.random(32));
  const iv = unshared(options.random(12));
  const wrapped = async (kdf: Kdf): Promise<PasswordWrap> => {
    const key = await passwordKey(kdf, password, salt);
    const head = {
      id: encodeBase64Url(options.random(8)),
      type: 'password' as const,
      gen: header.gen,
      kdf: { ...kdf, salt: encodeBase64Url(salt) },
    };
    const ct = await subtle.encrypt(aes(iv, wrapAad(header.vaultId, head)), key, dataKey);
    return { ...head, iv: encodeBase64Url(iv), ct: encodeBase64Url(new Bytes(ct)) };
  };
  if (options.kdf !== undefined) return wrapped(options.kdf);
  try {
    return await wrapped(strongKdf);
  } catch {
    return wrapped(weakKdf);
  }
}

async function unwrap(
  { vaultId }: VaultRecord,
  wrap: PasswordWrap,
  key: CryptoKey,
): Promise<Uint8Array<ArrayBuffer>> {
  const parameters = aes(decodeBase64Url(wrap.iv), wrapAad(vaultId, wrap));
  return new Bytes(await subtle.decrypt(parameters, key, decodeBase64Url(wrap.ct)));
}

/** Derives the key that encrypts the data key. NFKC makes the password independent of how a keyboard composes accents. */
async function passwordKey(kdf: Kdf, password: string, salt: Uint8Array): Promise<CryptoKey> {
  const bytes = encodeText(normalizeText(password, 'NFKC'));
  const stretched = unshared(await stretch(kdf, bytes, salt));
  wipe(bytes);
  try {
    const base = await subtle.importKey('raw', stretched, 'HKDF', false, ['deriveKey']);
    return await deriveKey(base, 'rw/v1/kek/pw', 'AES-GCM');
  } finally {
    wipe(stretched);
  }
}

async function dataKeys(dataKey: Uint8Array<ArrayBuffer>): Promise<DataKeys> {
  const base = await subtle.importKey('raw', dataKey, 'HKDF', false, ['deriveKey']);
  return {
    payload: await deriveKey(base, 'rw/v1/payload', 'AES-GCM'),
    header: await deriveKey(base, 'rw/v1/hdr-mac', 'HMAC'),
  };
}

function deriveKey(base: CryptoKey, info: string, name: 'AES-GCM' | 'HMAC'): Promise<CryptoKey> {
  const hkdf = { name: 'HKDF', hash: 'SHA-256', salt: new Bytes(0), info: encodeText(info) };
  return name === 'HMAC'
    ? subtle.deriveKey(hkdf, base, { name, hash: 'SHA-256', length: 256 }, false, ['sign', 'verify'])
    : subtle.deriveKey(hkdf, base, { name, length: 256 }, false, ['encrypt', 'decrypt']);
}

/** `v|vaultId|gen|part|canonical(…)`: binds each ciphertext to its vault, generation and purpose. */
const payloadAad = ({ vaultId, gen }: { readonly vaultId: string; readonly gen: number }) =>
  encodeText(`1|${vaultId}|${gen}|payload|`);

const wrapAad = (vaultId: string, { id, type, gen, kdf }: Wrap) =>
  encodeText(`1|${vaultId}|${gen}|wrap|${canonical({ id, type, kdf })}`);

const aes = (iv: Uint8Array<ArrayBuffer>, additionalData: Uint8Array<ArrayBuffer>) => ({
  name: 'AES-GCM',
  iv,
  additionalData,
});

/** A cast for the types of WebCrypto, which exclude shared memory. */
const unshared = (bytes: Uint8Array): Uint8Array<ArrayBuffer> => bytes as Uint8Array<ArrayBuffer>;

const sameBytes = (a: Uint8Array, b: Uint8Array): boolean =>
  a.length === b.length && a.every((byte, index) => byte === b[index]);
