import { errorCode, ProviderRpcError } from '../../rpc/errors.js';
import { checkKdf, type Kdf } from '../kdf/kdf.js';

/**
 * The stored vault, format v1: JSON, with bytes as base64url (docs/notes/security.md#vault-format). Parsing it needs no
 * secret and does not authenticate it.
 */
export interface VaultRecord {
  readonly v: 1;
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
  /** The record's `gen` when this was made; part of its AAD, so that later writes can keep it without the password. */
  readonly gen: number;
  readonly [field: string]: unknown;
}

/** The data key, encrypted with a key that is derived from the password. */
export interface PasswordWrap extends Wrap {
  readonly type: 'password';
  readonly kdf: Kdf & { readonly salt: string };
  readonly iv: string;
  readonly ct: string;
}

export type Reading =
  | { readonly kind: 'record'; readonly record: VaultRecord }
  /** Of a newer version: must not be changed. */
  | { readonly kind: 'newer' }
  | { readonly kind: 'damaged' };

/** Validates a stored record, including the cost of its key derivation. */
export function readVaultRecord(value: unknown): Reading {
  const record = value as VaultRecord;
  try {
    if (isCount(record.v) && record.v > 1) return { kind: 'newer' };
    const sound =
      record.v === 1 &&
      isText(record.vaultId, 64) &&
      isCount(record.gen) &&
      isCount(record.createdAt) &&
      Array.isArray(record.wraps) &&
      record.wraps.length > 0 &&
      record.wraps.length <= 16 &&
      record.wraps.every(isWrap) &&
      byteLength(record.payload.iv) === 12 &&
      byteLength(record.payload.ct) > 16 &&
      byteLength(record.mac) === 32;
    return sound ? { kind: 'record', record } : { kind: 'damaged' };
  } catch {
    return { kind: 'damaged' };
  }
}

function isWrap(wrap: Wrap): boolean {
  if (!isText(wrap.id, 64) || !isText(wrap.type, 32) || !isCount(wrap.gen)) return false;
  if (!isPasswordWrap(wrap)) return true;
  if (wrap.kdf.name !== 'scrypt' && wrap.kdf.name !== 'pbkdf2-sha256') return false;
  checkKdf(wrap.kdf, 'kdf');
  return byteLength(wrap.kdf.salt) === 32 && byteLength(wrap.iv) === 12 && byteLength(wrap.ct) === 48;
}

export const isPasswordWrap = (wrap: Wrap): wrap is PasswordWrap => wrap.type === 'password';

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
