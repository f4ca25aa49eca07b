import { Bytes, encodeText, subtle, wipe } from '../../builtins.js';
import { unauthorized } from '../../rpc/core-errors.js';
import { weakKdf } from '../kdf/kdf.js';
import { type Contents, decodeContents, encodeContents } from './contents.js';
import { decrypt, deriveKey, encrypt, importMaterial, unshared } from './encryption.js';
import {
  canonical,
  decodeBase64Url,
  encodeBase64Url,
  type PairWrap,
  passwordWraps,
  recordVersion,
  type VaultRecord,
  type Wrap,
} from './record.js';
import { makeWrap, type NewPasskey, type Opener, rewrap, unwrap, type VaultOptions } from './wraps.js';

/**
 * Encrypts and decrypts vault records. A random data key is wrapped for each password and passkey; one key for the payload
 * and one for the header are derived from the data key (docs/notes/security.md#vault-format).
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

type Header = Pick<VaultRecord, 'vaultId' | 'gen' | 'createdAt'>;

/** The ways into the next generation of a vault. */
export interface Ways {
  /** Wraps of the present generation that stay valid, without the password or passkey being present. */
  readonly keep: readonly PairWrap[];
  readonly add: readonly (string | NewPasskey)[];
}

/** One error for a wrong password and a changed record, which cannot be distinguished. */
const refused = () => unauthorized('Wrong password, or the vault is damaged.');

/** The same for a passkey. */
const refusedPasskey = () => unauthorized('This passkey does not open the wallet, or the vault is damaged.');

/** Encrypts the contents under a new data key, for passwords and new passkeys. */
export const sealVault = (
  contents: Contents,
  openers: readonly (string | NewPasskey)[],
  header: Header,
  options: VaultOptions,
): Promise<OpenVault> => sealAnew(contents, { keep: [], add: openers }, header, options);

/**
 * Encrypts the next generation under a new data key, so that what is not among `ways` opens nothing that is written from
 * now on, not even with an older record.
 */
export function rekeyVault(vault: OpenVault, ways: Ways, options: VaultOptions): Promise<OpenVault> {
  const { vaultId, gen, createdAt } = vault.record;
  return withContents(vault, (contents) =>
    sealAnew(contents, ways, { vaultId, gen: gen + 1, createdAt }, options),
  );
}

/** Encrypts the next generation of an open vault with the same data key. `wraps` may differ in their names only. */
export function resealVault(
  vault: OpenVault,
  contents: Contents,
  options: VaultOptions,
  wraps: readonly Wrap[] = vault.record.wraps,
): Promise<OpenVault> {
  const { v, vaultId, gen, createdAt } = vault.record;
  return seal(contents, { v, vaultId, gen: gen + 1, createdAt, wraps }, vault.keys, options);
}

/** @throws ProviderRpcError 4100, with one message for a wrong password and a damaged record */
export async function openVault(record: VaultRecord, opener: Opener): Promise<OpenVault> {
  for await (const dataKey of unwrap(record, opener)) {
    try {
      const vault = { record, keys: await dataKeys(dataKey) };
      if (await isGenuine(vault)) return vault;
    } finally {
      wipe(dataKey);
    }
  }
  throw typeof opener === 'string' ? refused() : refusedPasskey();
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
  let bytes: Uint8Array;
  try {
    bytes = await decrypt(keys.payload, record.payload, payloadAad(record));
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
export const isWeak = (record: VaultRecord): boolean =>
  passwordWraps(record).some(({ kdf }) => kdf.name === weakKdf.name);

async function sealAnew(
  contents: Contents,
  { keep, add }: Ways,
  header: Header,
  options: VaultOptions,
): Promise<OpenVault> {
  const dataKey = unshared(options.random(32));
  try {
    const keys = await dataKeys(dataKey);
    const wraps: Wrap[] = [];
    for (const wrap of keep) wraps.push(await rewrap(wrap, dataKey, header, options));
    for (const opener of add) wraps.push(await makeWrap(opener, dataKey, header, options));
    return await seal(contents, { v: recordVersion, ...header, wraps }, keys, options);
  } finally {
    wipe(dataKey);
  }
}

async function seal(
  contents: Contents,
  header: Header & Pick<VaultRecord, 'v' | 'wraps'>,
  keys: DataKeys,
  { random }: VaultOptions,
): Promise<OpenVault> {
  const plain = encodeContents(contents);
  try {
    const payload = await encrypt(keys.payload, plain, payloadAad(header), random);
    const unsigned = { ...header, payload };
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

async function dataKeys(dataKey: Uint8Array<ArrayBuffer>): Promise<DataKeys> {
  const material = await importMaterial(dataKey);
  return {
    payload: await deriveKey(material, 'rw/v1/payload', 'AES-GCM'),
    header: await deriveKey(material, 'rw/v1/hdr-mac', 'HMAC'),
  };
}

/** Binds the payload to its vault and generation. */
const payloadAad = ({ v, vaultId, gen }: Pick<VaultRecord, 'v' | 'vaultId' | 'gen'>): string =>
  `${v}|${vaultId}|${gen}|payload|`;

const sameBytes = (a: Uint8Array, b: Uint8Array): boolean =>
  a.length === b.length && a.every((byte, index) => byte === b[index]);
