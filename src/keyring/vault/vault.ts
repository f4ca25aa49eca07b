import { unauthorized } from '../../rpc/core-errors.js';
import { own } from '../../rpc/own.js';
import { type ByteArray, Bytes, encodeText, randomBytes, sliceBytes, subtle, wipe } from '../builtins.js';
import { type Kdf, weakKdf } from '../kdf/kdf.js';
import { type Contents, decodeContents, encodeContents, optionalRecords, secretIn } from './contents.js';
import { decrypt, deriveKey, encrypt, importMaterial, sameBytes } from './encryption.js';
import {
  canonical,
  decodeBase64Url,
  encodeBase64Url,
  type PairWrap,
  type PasskeyIdentity,
  passwordWraps,
  recordVersion,
  requireFewWays,
  requireReadable,
  secretLength,
  type VaultRecord,
  type Wrap,
} from './record.js';
import {
  makeWrap,
  type NewPasskey,
  type Opener,
  rewrap,
  type Secrets,
  unwrap,
  wipeSecrets,
} from './wraps.js';

/**
 * Encrypts and decrypts vault records. A random data key is wrapped for each password and passkey, each of which also has
 * the vault's secret. One key for the payload and one for the header are derived from the two together
 * (docs/notes/security.md#vault-format).
 */

/** An opened record. Its keys are not extractable. */
export interface OpenVault {
  readonly record: VaultRecord;
  readonly keys: VaultKeys;
}

export interface VaultKeys {
  readonly payload: CryptoKey;
  readonly header: CryptoKey;
}

type Header = Pick<VaultRecord, 'vaultId' | 'gen' | 'createdAt'>;

/** The ways into the next generation of a vault. */
export interface Ways {
  /** Wraps of the present generation that stay valid, without the password or passkey being present. */
  readonly keep: readonly PairWrap[];
  readonly add: readonly (string | NewPasskey)[];
  /** Default: those of the present generation. */
  readonly asleep?: readonly PasskeyIdentity[] | undefined;
}

/** Gets the secrets of a vault before they are wiped. */
export type Lend = (vaultId: string, secrets: Secrets) => Promise<void>;

/** One error for a wrong password and a changed record, which cannot be distinguished; and the same for a passkey. */
export const refusal = (opener: Opener) =>
  unauthorized(
    typeof opener === 'string'
      ? 'Wrong password, or the vault is damaged.'
      : 'This passkey does not open the wallet, or the vault is damaged.',
  );

/** Encrypts the contents of a new vault, for passwords and new passkeys. */
export async function sealVault(
  contents: Contents,
  openers: readonly (string | NewPasskey)[],
  header: Header,
  kdf?: Kdf,
  lend?: Lend,
): Promise<OpenVault> {
  const secret = randomBytes(secretLength);
  try {
    return await sealAnew(contents, secret, { keep: [], add: openers, asleep: [] }, header, kdf, lend);
  } finally {
    wipe(secret);
  }
}

/**
 * Encrypts the next generation under a new data key, so that a way that is not among `ways` opens nothing written from
 * now on, not even with an older record. Where every way is present, the vault's secret is new too.
 */
export function rekeyVault(vault: OpenVault, ways: Ways, kdf?: Kdf, lend?: Lend): Promise<OpenVault> {
  const { vaultId, gen, createdAt } = vault.record;
  const { keep, add, asleep = own(vault.record).asleep ?? [] } = own(ways);
  const header = { vaultId, gen: gen + 1, createdAt };
  return withPayload(vault, async (bytes) => {
    const secret = keep.length > 0 ? secretIn(bytes) : randomBytes(secretLength);
    if (secret === null) throw new TypeError('Only wraps of version 3 can be kept');
    try {
      return await sealAnew(decodeContents(bytes), secret, { keep, add, asleep }, header, kdf, lend);
    } finally {
      wipe(secret);
    }
  });
}

/** Encrypts the next generation of an open vault with the same keys. `ways` may differ in names and sleeping passkeys. */
export function resealVault(
  vault: OpenVault,
  contents: Contents,
  ways: Pick<VaultRecord, 'wraps' | 'asleep'> = vault.record,
): Promise<OpenVault> {
  const { vaultId, gen, createdAt } = vault.record;
  const { wraps, asleep = [] } = own(ways);
  return withPayload(vault, (bytes) => {
    const secret = secretIn(bytes);
    if (secret === null) throw new TypeError('Only vaults of version 3 are written');
    return seal(contents, secret, { vaultId, gen: gen + 1, createdAt, wraps, asleep }, vault.keys);
  });
}

/**
 * Opens a record of version 3. Its MAC is checked before its payload is decrypted.
 * @throws ProviderRpcError 4100, with one message for a wrong password and a damaged record
 */
export async function openVault(record: VaultRecord, opener: Opener, lend?: Lend): Promise<OpenVault> {
  for await (const secrets of unwrap(record, opener)) {
    try {
      const vault = await openWithSecrets(record, secrets);
      if (vault === null) continue;
      await lend?.(record.vaultId, secrets);
      return vault;
    } finally {
      wipeSecrets(secrets);
    }
  }
  throw refusal(opener);
}

/** Opens a record of version 3 with its secrets; `null` if they do not fit. */
export async function openWithSecrets(record: VaultRecord, secrets: Secrets): Promise<OpenVault | null> {
  const vault = { record, keys: await vaultKeys(secrets) };
  if (record.v !== recordVersion || !(await isGenuine(vault))) return null;
  const hasSecret = (bytes: Uint8Array) => sameBytes(secretIn(bytes) ?? new Bytes(0), secrets.secret);
  return (await withPayload(vault, hasSecret)) ? vault : null;
}

/** Opens a newer record of the same vault with the same keys; `null` if they have changed. */
export async function reopenVault(vault: OpenVault, record: VaultRecord): Promise<OpenVault | null> {
  const reopened = { record, keys: vault.keys };
  const { v, vaultId } = vault.record;
  return record.v === v && record.vaultId === vaultId && (await isGenuine(reopened)) ? reopened : null;
}

/**
 * Decrypts the contents, lends them to `use`, and wipes them whatever happens.
 * @throws ProviderRpcError 4100 when the payload is damaged
 */
export const withContents = <T>(vault: OpenVault, use: (contents: Contents) => T | Promise<T>): Promise<T> =>
  withPayload(vault, (bytes) => use(decodeContents(bytes)));

/** Copies of the optional records of a kind. @throws ProviderRpcError as {@link withContents} */
export const copyRecords = (vault: OpenVault, kind: number): Promise<readonly Uint8Array[]> =>
  withContents(vault, (contents) => optionalRecords(contents, kind).map((bytes) => sliceBytes(bytes)));

async function withPayload<T>(
  { record, keys }: OpenVault,
  use: (bytes: ByteArray) => T | Promise<T>,
): Promise<T> {
  let bytes: ByteArray;
  try {
    bytes = await decrypt(keys.payload, record.payload, payloadAad(record));
  } catch {
    throw refusal('');
  }
  try {
    return await use(bytes);
  } finally {
    wipe(bytes);
  }
}

/** Whether the vault has the weak key derivation. */
export const isWeak = (record: VaultRecord): boolean =>
  passwordWraps(record).some(({ kdf }) => kdf.name === weakKdf.name);

async function sealAnew(
  contents: Contents,
  secret: ByteArray,
  { keep, add, asleep }: Ways & { readonly asleep: readonly PasskeyIdentity[] },
  header: Header,
  kdf: Kdf | undefined,
  lend: Lend | undefined,
): Promise<OpenVault> {
  requireFewWays(keep.length + add.length + asleep.length);
  const dataKey = randomBytes(32);
  const secrets = { dataKey, secret };
  try {
    const keys = await vaultKeys(secrets);
    const wraps: Wrap[] = [];
    for (const wrap of keep) wraps.push(await rewrap(wrap, dataKey, header));
    for (const opener of add) wraps.push(await makeWrap(opener, secrets, header, kdf));
    const vault = await seal(contents, secret, { ...header, wraps, asleep }, keys);
    await lend?.(header.vaultId, secrets);
    return vault;
  } finally {
    wipe(dataKey);
  }
}

async function seal(
  contents: Contents,
  secret: ByteArray,
  { vaultId, gen, createdAt, wraps, asleep }: Header & Required<Pick<VaultRecord, 'wraps' | 'asleep'>>,
  keys: VaultKeys,
): Promise<OpenVault> {
  const plain = encodeContents(contents, secret);
  const header = { v: recordVersion, vaultId, gen, createdAt, wraps, asleep } as const;
  try {
    const payload = await encrypt(keys.payload, plain, payloadAad(header));
    const unsigned = { ...header, payload };
    const mac = new Bytes(await subtle.sign('HMAC', keys.header, encodeText(canonical(unsigned))));
    const vault = { record: { ...unsigned, mac: encodeBase64Url(mac) }, keys };
    requireReadable(vault.record);
    // Never replace a readable vault by one that cannot be read back.
    const intact = await withPayload(vault, (read) => {
      const again = encodeContents(decodeContents(read), secretIn(read) ?? undefined);
      const isSame = sameBytes(again, plain);
      wipe(again);
      return isSame;
    });
    if (!intact || !(await isGenuine(vault))) throw new Error('The new vault cannot be read back');
    return vault;
  } finally {
    wipe(plain);
  }
}

export function isGenuine({ record, keys }: OpenVault): Promise<boolean> {
  const { mac, ...unsigned } = record;
  return subtle.verify('HMAC', keys.header, decodeBase64Url(mac), encodeText(canonical(unsigned)));
}

/** HKDF with the vault's secret as salt, so that a forger who chose the data key cannot derive them. */
async function vaultKeys({ dataKey, secret }: Secrets): Promise<VaultKeys> {
  const material = await importMaterial(dataKey);
  return {
    payload: await deriveKey(material, 'graft/v3/payload', 'AES-GCM', secret),
    header: await deriveKey(material, 'graft/v3/record', 'HMAC', secret),
  };
}

/** Binds the payload to its vault and generation. */
const payloadAad = ({ v, vaultId, gen }: Pick<VaultRecord, 'v' | 'vaultId' | 'gen'>): string =>
  `${v}|${vaultId}|${gen}|payload${v === recordVersion ? '' : '|'}`;
