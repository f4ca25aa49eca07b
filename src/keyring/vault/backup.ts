import { limitExceeded, resourceUnavailable, unauthorized } from '../../rpc/core-errors.js';
import { errorCode, invalidParams, isProviderRpcError } from '../../rpc/errors.js';
import { own } from '../../rpc/own.js';
import { type ByteArray, Bytes, encodeText, randomBytes, subtle, wipe } from '../builtins.js';
import type { Kdf } from '../kdf/kdf.js';
import { boundKinds, type Contents, decodeContents, encodeContents } from './contents.js';
import { decrypt, deriveKey, encrypt, importMaterial } from './encryption.js';
import { copyPlain, hasExactly } from './plain.js';
import {
  byteLength,
  canonical,
  decodeBase64Url,
  encodeBase64Url,
  isCount,
  isPayload,
  isSaltedKdf,
  isSealed,
  isVaultId,
  readVaultRecord,
  type SaltedKdf,
  type Sealed,
} from './record.js';
import { copyContents } from './secrets.js';
import { withContents } from './vault.js';
import { newPasswordKey, passwordKey } from './wraps.js';

/**
 * The backup file: JSON with all secrets under a password of its own. It has one way in and no key pair, so that a file
 * can be written by a holder of its password only, and nothing of it can be read as a vault.
 */

const type = 'graft-backup';
const version = 2;
/** Characters. A vault has at most 4 MiB. */
const maxLength = 8_388_608;
const info = 'graft/v3/kek/backup';

interface Backup extends SaltedKdf {
  /** Identifies this file, not a stored vault. */
  readonly vaultId: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /** The data key, encrypted with a key that is derived from the password. */
  readonly dataKey: Sealed;
  readonly payload: Sealed;
  /** HMAC-SHA256 with a key derived from the data key, over everything else. */
  readonly mac: string;
}

/** The contents of a backup file. The caller wipes them. */
export interface OpenBackup {
  readonly contents: Contents;
  /** Whether the file could have been written without its password: it holds a vault record of version 2. */
  readonly isUnproven: boolean;
}

/** The optional records that a file has: not those that are bound to their vault. */
const portable = ({ optional = [] }: Contents): Contents['optional'] =>
  optional.filter(({ kind }) => !boundKinds.includes(kind));

/** @param chosenKdf as `newPasswordKey` takes it */
export async function sealBackup(
  contents: Contents,
  password: string,
  createdAt: number,
  chosenKdf: Kdf | undefined,
): Promise<string> {
  const vaultId = encodeBase64Url(randomBytes(16));
  const { kdf, key } = await newPasswordKey(password, chosenKdf, info);
  const dataKey = randomBytes(32);
  // Permissions hold in this vault only.
  const plain = encodeContents({ ...contents, optional: portable(contents) });
  try {
    const keys = await keysOf(dataKey);
    const unsigned = {
      vaultId,
      createdAt,
      kdf,
      dataKey: await encrypt(key, dataKey, dataKeyAad({ vaultId, kdf })),
      payload: await encrypt(keys.payload, plain, payloadAad(vaultId)),
    };
    const mac = new Bytes(await subtle.sign('HMAC', keys.record, encodeText(canonical(unsigned))));
    return requireReadableFile(
      JSON.stringify({ type, version, vault: { ...unsigned, mac: encodeBase64Url(mac) } }),
    );
  } finally {
    wipe(dataKey);
    wipe(plain);
  }
}

/**
 * @throws ProviderRpcError -32602 for another file, or one that is cut short; -32002 for one of a newer version; 4100 for
 * a wrong password
 */
export async function openBackup(file: string, password: string): Promise<OpenBackup> {
  const { version, vault } = readFile(file);
  try {
    return version === 1
      ? await openVersion1(vault, password)
      : { contents: await open(readBackup(vault), password), isUnproven: false };
  } catch (error) {
    if (isProviderRpcError(error) && error.code === errorCode.unauthorized) throw refused();
    throw error;
  }
}

async function open({ mac, ...unsigned }: Backup, password: string): Promise<Contents> {
  const { vaultId, kdf, payload } = unsigned;
  const key = await passwordKey(kdf, password, info);
  const dataKey = await decrypt(key, unsigned.dataKey, dataKeyAad(unsigned)).catch(() => {
    throw refused();
  });
  const keys = await keysOf(dataKey);
  wipe(dataKey);
  const text = encodeText(canonical(unsigned));
  if (!(await subtle.verify('HMAC', keys.record, decodeBase64Url(mac), text))) throw refused();
  const plain = await decrypt(keys.payload, payload, payloadAad(vaultId));
  try {
    const contents = decodeContents(plain);
    return copyContents({ ...contents, optional: portable(contents) });
  } finally {
    wipe(plain);
  }
}

/** A file of version 1 is a vault record, written by the versions 1 and 2 of the vault. */
async function openVersion1(vault: unknown, password: string): Promise<OpenBackup> {
  const reading = readVaultRecord(vault);
  if (reading.kind === 'newer') throw newer();
  if (reading.kind === 'damaged' || reading.record.v > 2) throw damaged();
  const { openLegacyVault } = await import('./legacy.js');
  const contents = await withContents(await openLegacyVault(reading.record, password), copyContents);
  return { contents, isUnproven: reading.record.v === 2 };
}

/** The vault in the file, which is not validated yet. */
function readFile(file: string): { readonly version: number; readonly vault: unknown } {
  if (file.length > maxLength) throw foreign();
  let parsed: unknown;
  try {
    parsed = JSON.parse(file);
  } catch {
    throw file.includes(`"${type}"`) ? damaged() : foreign();
  }
  if (typeof parsed !== 'object' || parsed === null) throw foreign();
  const fields = own(parsed as Record<string, unknown>);
  if (fields.type !== type) throw foreign();
  if (!isCount(fields.version) || fields.version < 1) throw damaged();
  if (fields.version > version) throw newer();
  return { version: fields.version, vault: fields.vault };
}

/** Refuses a file that could not be restored. @throws ProviderRpcError -32005 */
function requireReadableFile(file: string): string {
  try {
    readBackup(readFile(file).vault);
    return file;
  } catch {
    throw limitExceeded('The wallet is too large for a backup file: it could not be restored.');
  }
}

/** Validates the vault of a file of version 2, including the work of its key derivation. */
function readBackup(value: unknown): Backup {
  try {
    const vault = copyPlain(value) as Backup;
    const { vaultId, createdAt, kdf, dataKey, payload, mac } = vault;
    const sound =
      hasExactly(vault, 'vaultId', 'createdAt', 'kdf', 'dataKey', 'payload', 'mac') &&
      isVaultId(vaultId) &&
      isCount(createdAt) &&
      isSaltedKdf(kdf) &&
      hasExactly(dataKey, 'iv', 'ct') &&
      isSealed(dataKey, 32) &&
      isPayload(payload) &&
      byteLength(mac) === 32;
    if (sound) return vault;
  } catch {
    // Parts of other types.
  }
  throw damaged();
}

async function keysOf(dataKey: ByteArray) {
  const material = await importMaterial(dataKey);
  return {
    payload: await deriveKey(material, 'graft/v3/backup/payload', 'AES-GCM'),
    record: await deriveKey(material, 'graft/v3/backup/record', 'HMAC'),
  };
}

const dataKeyAad = ({ vaultId, kdf }: Pick<Backup, 'vaultId' | 'kdf'>): string =>
  `3|${vaultId}|backup|${canonical(kdf)}`;
const payloadAad = (vaultId: string): string => `3|${vaultId}|backup|payload`;

const refused = () => unauthorized('Wrong password, or the backup file is damaged.');
const foreign = () => invalidParams('file: it is not a backup file of this wallet');
const damaged = () => invalidParams('file: the backup file is cut short or damaged; use another copy of it');
const newer = () =>
  resourceUnavailable('The backup file was made by a newer version of this wallet. Load that version.');
