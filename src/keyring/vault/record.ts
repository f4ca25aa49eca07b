import { limitExceeded, resourceUnavailable } from '../../rpc/core-errors.js';
import { invalidParams } from '../../rpc/errors.js';
import { own } from '../../rpc/own.js';
import { type ByteArray, Bytes } from '../builtins.js';
import { checkKdf, type Kdf } from '../kdf/kdf.js';
import { copyPlain, hasExactly } from './plain.js';

/** The version that this build writes. It also reads the versions 1 and 2 (`legacy.ts`). */
export const recordVersion = 3;

/**
 * The stored vault: JSON, with bytes as base64url (docs/notes/security.md#vault-format). Parsing it needs no secret and
 * does not authenticate it.
 */
export interface VaultRecord {
  readonly v: 1 | 2 | typeof recordVersion;
  readonly vaultId: string;
  /** Generation: the number of writes. The newer of two records has the higher one. */
  readonly gen: number;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /** Encryptions of the data key. Those of unknown types are kept, and covered by `mac`. */
  readonly wraps: readonly Wrap[];
  /** In version 3: passkeys that open nothing until they are used once while the vault is open. */
  readonly asleep?: readonly PasskeyIdentity[];
  readonly payload: Sealed;
  /** HMAC-SHA256 over everything else, so that no part can be replaced. */
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
 * One way into the vault. It has a key pair (ECDH, P-256) of its own: the vault's secret and the private key are encrypted
 * with the password or passkey, the data key to the public key. So a new data key can be wrapped without the password or
 * passkey, and only by a holder of the vault's secret to any effect.
 */
export interface PairWrap extends Wrap {
  readonly own: Sealed & { readonly publicKey: string };
  /** `ephemeral`: the public key of the pair that was made for this encryption only. */
  readonly dataKey: Sealed & { readonly ephemeral: string };
}

export interface SaltedKdf {
  readonly kdf: Kdf & { readonly salt: string };
}

export interface PasswordWrap extends PairWrap, SaltedKdf {
  readonly type: 'password';
}

/** The public parts of a passkey. */
export interface PasskeyIdentity {
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

/** A passkey, by the output of its PRF extension (WebAuthn). */
export interface PasskeyWrap extends PairWrap, PasskeyIdentity {
  readonly type: 'prf';
}

/** In version 1: the data key, encrypted with a key that is derived from the password. */
export interface DirectWrap extends Wrap, Sealed, SaltedKdf {
  readonly type: 'password';
}

/** In version 2: `pair` holds the private key alone. */
export interface LegacyPairWrap extends Wrap {
  readonly pair: Sealed & { readonly publicKey: string };
  readonly dataKey: Sealed & { readonly ephemeral: string };
}

/** Maximum ways into a vault, passkeys that are asleep included. */
const maxWays = 16;

/** Maximum generation, which no vault reaches by writing: a record that was planted must not leave no higher one. */
export const maxGeneration = 2 ** 40;

/** Maximum N·r·p of scrypt, all ways of a vault or backup file together: twice the work of a new password. */
const maxWork = 2 ** 21;

export type Reading =
  | { readonly kind: 'record'; readonly record: VaultRecord }
  /** A record of a newer version, which must not be changed. */
  | { readonly kind: 'newer' }
  | { readonly kind: 'damaged' };

/**
 * Validates a stored record, including the work of its key derivations, before any of it is done. Returns a copy of plain
 * JSON, with the members of its version and no others; only wraps of unknown types have members of their own.
 */
export function readVaultRecord(value: unknown): Reading {
  try {
    if (isNewer(own((value ?? {}) as VaultRecord).v)) return { kind: 'newer' };
    const record = copyPlain(value) as VaultRecord;
    const { v, wraps, asleep, payload } = own(record);
    const sound =
      (v === 1 || v === 2 || v === recordVersion) &&
      hasExactly(record, ...members, ...(v === recordVersion ? ['asleep'] : [])) &&
      isVaultId(record.vaultId) &&
      isCount(record.gen) &&
      record.gen <= maxGeneration &&
      isCount(record.createdAt) &&
      Array.isArray(wraps) &&
      wraps.length > 0 &&
      wraps.length + (asleep?.length ?? 0) <= maxWays &&
      wraps.every((wrap) => isWrap(wrap, v)) &&
      passwordWraps(record).length <= 1 &&
      (v < recordVersion || (Array.isArray(asleep) && asleep.every(isSleeping))) &&
      isPayload(payload) &&
      byteLength(record.mac) === 32;
    return sound ? { kind: 'record', record } : { kind: 'damaged' };
  } catch {
    return { kind: 'damaged' };
  }
}

const members = ['v', 'vaultId', 'gen', 'createdAt', 'wraps', 'payload', 'mac'];
const passkeyMembers = ['credentialId', 'rpId', 'prfSalt', 'createdAt', 'name'];

/**
 * Refuses a record that {@link readVaultRecord} would not read, before it is stored in place of one that it reads.
 * @throws ProviderRpcError -32005
 */
export function requireReadable(record: VaultRecord): void {
  if (readVaultRecord(record).kind !== 'record')
    throw limitExceeded(
      'The vault would be over its limits, and could not be read again. Nothing was stored.',
    );
}

/** @throws ProviderRpcError -32602 if there are too many */
export function requireFewWays(ways: number): void {
  if (ways > maxWays)
    throw invalidParams(`A wallet can have ${maxWays} passkeys and passwords at most. Remove one first.`);
}

/** Whether a version, of a record or of a trace of it, is one that this build does not know. */
export const isNewer = (version: unknown): boolean => isCount(version) && version > recordVersion;

function isWrap(wrap: Wrap, version: number): boolean {
  if (!isText(wrap.id, 64) || !isText(wrap.type, 32) || !isCount(wrap.gen)) return false;
  const isPassword = wrap.type === 'password';
  if (!isPassword && (wrap.type !== 'prf' || version === 1)) return true;
  const { kdf, own: sealed, pair, dataKey } = own(wrap) as PasswordWrap & LegacyPairWrap;
  const identity = isPassword ? ['kdf'] : passkeyMembers;
  const parts = version === 1 ? ['iv', 'ct'] : [version === 2 ? 'pair' : 'own', 'dataKey'];
  if (!hasExactly(wrap, 'id', 'type', 'gen', ...identity, ...parts)) return false;
  if (isPassword ? !isSaltedKdf(kdf) : !isPasskey(wrap as PasskeyWrap)) return false;
  if (version === 1) return isSealed(wrap as DirectWrap, 32);
  return (
    (version === 2 ? isPrivateKey(pair, 0) : isPrivateKey(sealed, secretLength)) &&
    hasExactly(dataKey, 'ephemeral', 'iv', 'ct') &&
    byteLength(dataKey.ephemeral) === 65 &&
    isSealed(dataKey, 32)
  );
}

const isSleeping = (passkey: PasskeyIdentity): boolean =>
  hasExactly(passkey, ...passkeyMembers) && isPasskey(passkey);

/** Whether it is a derivation with a salt, which costs no more than is allowed. */
export function isSaltedKdf(kdf: SaltedKdf['kdf']): boolean {
  const costs = { scrypt: ['N', 'r', 'p'], 'pbkdf2-sha256': ['c'] };
  if (kdf.name !== 'scrypt' && kdf.name !== 'pbkdf2-sha256') return false;
  if (!hasExactly(kdf, 'name', 'salt', ...costs[kdf.name])) return false;
  checkKdf(kdf, 'kdf');
  return (kdf.name !== 'scrypt' || kdf.N * kdf.r * kdf.p <= maxWork) && byteLength(kdf.salt) === 32;
}

function isPasskey({ credentialId, rpId, prfSalt, createdAt, name }: PasskeyIdentity): boolean {
  const idLength = byteLength(credentialId);
  return (
    idLength > 0 &&
    idLength <= 1_023 &&
    isText(rpId, 253) &&
    byteLength(prfSalt) === 32 &&
    isCount(createdAt) &&
    isText(name, 256)
  );
}

/** Whether it is an encryption of `length` bytes. */
export const isSealed = ({ iv, ct }: Sealed, length: number): boolean =>
  byteLength(iv) === 12 && byteLength(ct) === length + 16;

/** Whether it is an encryption of at least one byte. */
export const isPayload = (payload: Sealed): boolean =>
  hasExactly(payload, 'iv', 'ct') && byteLength(payload.iv) === 12 && byteLength(payload.ct) > 16;

/** Bytes of the vault's secret. */
export const secretLength = 32;

/** A PKCS #8 private key has 138 bytes where it includes the public one, and 67 where it does not. */
const isPrivateKey = (pair: PairWrap['own'], before: number): boolean =>
  hasExactly(pair, 'publicKey', 'iv', 'ct') &&
  byteLength(pair.publicKey) === 65 &&
  byteLength(pair.iv) === 12 &&
  byteLength(pair.ct) > before + 64 &&
  byteLength(pair.ct) <= 512;

/** The password, of which there is at most one. */
export const passwordWraps = ({ wraps }: VaultRecord): readonly (Wrap & SaltedKdf)[] =>
  wraps.filter((wrap): wrap is Wrap & SaltedKdf => wrap.type === 'password');

/** The passkeys that open the vault. None in version 1, where the type `prf` was unknown. */
export const passkeyWraps = ({ v, wraps }: VaultRecord): readonly PasskeyWrap[] =>
  v === 1 ? [] : wraps.filter((wrap): wrap is PasskeyWrap => wrap.type === 'prf');

export const isCount = (value: unknown): value is number =>
  Number.isSafeInteger(value) && (value as number) >= 0;

export const isVaultId = (value: unknown): value is string =>
  typeof value === 'string' && /^[\w-]{1,64}$/.test(value);

const isText = (value: unknown, max: number): value is string =>
  typeof value === 'string' && value.length > 0 && value.length <= max;

export const newerVault = () =>
  resourceUnavailable(
    'The vault was made by a newer version of this wallet. Reload the page to load that version.',
    own({ reason: 'vault-newer' }),
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

/** Compares two stored values. All values other than plain JSON are equal, since none of them can be read. */
export function isSameStored(a: unknown, b: unknown): boolean {
  const [first, second] = [a, b].map((value) => {
    try {
      return canonical(copyPlain(value ?? null));
    } catch {
      return undefined;
    }
  });
  return first === second;
}

export function encodeBase64Url(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** @throws Error for anything that {@link encodeBase64Url} does not write */
export function decodeBase64Url(text: string): ByteArray {
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  const bytes = new Bytes(binary.length);
  for (let at = 0; at < binary.length; at++) bytes[at] = binary.charCodeAt(at);
  if (encodeBase64Url(bytes) !== text) throw new RangeError('Not canonical base64url');
  return bytes;
}

export const byteLength = (text: unknown): number =>
  typeof text === 'string' && text.length <= 4_194_304 ? decodeBase64Url(text).length : -1;
