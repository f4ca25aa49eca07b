import { errorCode, ProviderRpcError } from '../../rpc/errors.js';
import { checkKdf, type Kdf } from '../kdf/kdf.js';

/** The version that this build writes. It also reads version 1, whose only wraps are {@link DirectWrap}s. */
export const recordVersion = 2;

/**
 * The stored vault: JSON, with bytes as base64url (docs/notes/security.md#vault-format). Parsing it needs no secret and
 * does not authenticate it.
 */
export interface VaultRecord {
  readonly v: 1 | typeof recordVersion;
  readonly vaultId: string;
  /** Generation: the number of writes. The newer of two records has the higher one. */
  readonly gen: number;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /** Encryptions of the data key. Those of unknown types are kept, and covered by `mac`. */
  readonly wraps: readonly Wrap[];
  readonly payload: { readonly iv: string; readonly ct: string };
  /** HMAC-SHA256 with a key derived from the data key, over everything else, so that no part can be replaced. */
  readonly mac: string;
}

export interface Wrap {
  readonly id: string;
  readonly type: string;
  /** The record's `gen` when the data key was encrypted; part of its AAD, so that later writes can keep it. */
  readonly gen: number;
  readonly [field: string]: unknown;
}

/** Bytes encrypted with AES-256-GCM. */
export interface Sealed {
  readonly iv: string;
  readonly ct: string;
}

/**
 * What every wrap of version 2 has: a key pair (ECDH, P-256) of its own. The private key is encrypted with the password or
 * passkey, the data key to the public key. So a new data key can be wrapped without the password or passkey.
 */
export interface PairWrap extends Wrap {
  readonly pair: Sealed & { readonly publicKey: string };
  /** `ephemeral`: the public key of the pair that was made for this encryption only. */
  readonly dataKey: Sealed & { readonly ephemeral: string };
}

export interface PasswordWrap extends PairWrap {
  readonly type: 'password';
  readonly kdf: Kdf & { readonly salt: string };
}

/** A passkey, by the output of its PRF extension (WebAuthn). */
export interface PasskeyWrap extends PairWrap {
  readonly type: 'prf';
  readonly credentialId: string;
  /** The host that the passkey belongs to. */
  readonly rpId: string;
  /** The input of the PRF. */
  readonly prfSalt: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /** For the person, who can change it. */
  readonly name: string;
}

/** In version 1: the data key, encrypted with a key that is derived from the password. */
export interface DirectWrap extends Wrap, Sealed {
  readonly type: 'password';
  readonly kdf: Kdf & { readonly salt: string };
}

/** Most wraps of a record. */
export const mostWraps = 16;

export type Reading =
  | { readonly kind: 'record'; readonly record: VaultRecord }
  /** Of a newer version: must not be changed. */
  | { readonly kind: 'newer' }
  | { readonly kind: 'damaged' };

/** Validates a stored record, including the cost of its key derivation. */
export function readVaultRecord(value: unknown): Reading {
  const record = value as VaultRecord;
  try {
    if (isCount(record.v) && record.v > recordVersion) return { kind: 'newer' };
    const sound =
      (record.v === 1 || record.v === recordVersion) &&
      isText(record.vaultId, 64) &&
      isCount(record.gen) &&
      isCount(record.createdAt) &&
      Array.isArray(record.wraps) &&
      record.wraps.length > 0 &&
      record.wraps.length <= mostWraps &&
      record.wraps.every((wrap) => isWrap(wrap, record.v)) &&
      byteLength(record.payload.iv) === 12 &&
      byteLength(record.payload.ct) > 16 &&
      byteLength(record.mac) === 32;
    return sound ? { kind: 'record', record } : { kind: 'damaged' };
  } catch {
    return { kind: 'damaged' };
  }
}

function isWrap(wrap: Wrap, version: number): boolean {
  if (!isText(wrap.id, 64) || !isText(wrap.type, 32) || !isCount(wrap.gen)) return false;
  if (wrap.type === 'password') {
    const { kdf } = wrap as DirectWrap;
    if (kdf.name !== 'scrypt' && kdf.name !== 'pbkdf2-sha256') return false;
    checkKdf(kdf, 'kdf');
    if (byteLength(kdf.salt) !== 32) return false;
    return version === 1 ? isSealed(wrap as DirectWrap, 32) : hasPair(wrap as PasswordWrap);
  }
  if (wrap.type !== 'prf' || version === 1) return true;
  const { credentialId, rpId, prfSalt, createdAt, name } = wrap as PasskeyWrap;
  const idLength = byteLength(credentialId);
  return (
    idLength > 0 &&
    idLength <= 1_023 &&
    isText(rpId, 253) &&
    byteLength(prfSalt) === 32 &&
    isCount(createdAt) &&
    isText(name, 256) &&
    hasPair(wrap as PasskeyWrap)
  );
}

const isSealed = ({ iv, ct }: Sealed, length: number): boolean =>
  byteLength(iv) === 12 && byteLength(ct) === length + 16;

/** A PKCS #8 private key has 138 bytes where it includes the public one, and 67 where it does not. */
const hasPair = ({ pair, dataKey }: PairWrap): boolean =>
  byteLength(pair.publicKey) === 65 &&
  byteLength(pair.iv) === 12 &&
  byteLength(pair.ct) > 64 &&
  byteLength(pair.ct) <= 512 &&
  byteLength(dataKey.ephemeral) === 65 &&
  isSealed(dataKey, 32);

export const passwordWraps = ({ wraps }: VaultRecord): readonly (PasswordWrap | DirectWrap)[] =>
  wraps.filter((wrap): wrap is PasswordWrap | DirectWrap => wrap.type === 'password');

/** None in version 1, where the type `prf` was unknown. */
export const passkeyWraps = ({ v, wraps }: VaultRecord): readonly PasskeyWrap[] =>
  v === 1 ? [] : wraps.filter((wrap): wrap is PasskeyWrap => wrap.type === 'prf');

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

const isText = (value: unknown, most: number): value is string =>
  typeof value === 'string' && value.length > 0 && value.length <= most;

export const newerVault = () =>
  new ProviderRpcError(
    errorCode.resourceUnavailable,
    'The vault was made by a newer version of this wallet. Load that version.',
  );

/** Canonical JSON with sorted keys, for authentication and comparison. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, member]) => `${JSON.stringify(key)}:${canonical(member)}`);
  return `{${members.join(',')}}`;
}

export function encodeBase64Url(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** @throws Error for anything that {@link encodeBase64Url} does not write */
export function decodeBase64Url(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0));
  if (encodeBase64Url(bytes) !== text) throw new RangeError('Not canonical base64url');
  return bytes;
}

const byteLength = (text: unknown): number =>
  typeof text === 'string' && text.length <= 4_194_304 ? decodeBase64Url(text).length : -1;
