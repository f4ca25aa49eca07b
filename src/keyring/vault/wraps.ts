import { own } from '../../rpc/own.js';
import {
  type ByteArray,
  Bytes,
  encodeText,
  normalizeText,
  partOf,
  randomBytes,
  setBytes,
  sliceBytes,
  wipe,
} from '../builtins.js';
import { type Kdf, stretch, strongKdf, weakKdf } from '../kdf/kdf.js';
import { agreeKey, createPair, decrypt, deriveKey, encrypt, importMaterial } from './encryption.js';
import {
  canonical,
  decodeBase64Url,
  encodeBase64Url,
  type PairWrap,
  type PasskeyIdentity,
  type PasswordWrap,
  passkeyWraps,
  passwordWraps,
  type SaltedKdf,
  secretLength,
  type VaultRecord,
  type Wrap,
} from './record.js';

/** The ways into a vault: each wrap gives the vault's secret and the data key to one password or one passkey. */

/** A secret that opens a vault: a password, or the key of a passkey. */
export type Opener = string | PasskeyKey;

/** The PRF output of a passkey, as key material that cannot be read out. */
export interface PasskeyKey {
  readonly credentialId: string;
  readonly material: CryptoKey;
}

/** A passkey that gets a wrap: one that was just made, or one that was asleep. */
export interface NewPasskey extends PasskeyKey, PasskeyIdentity {
  /** It brings the wallet back where all data is gone. */
  readonly restores?: true | undefined;
}

/** Begins the id of a wrap whose passkey {@link NewPasskey.restores}; a wrap keeps its id under each new data key. */
const recoveryMark = 'recovery-';

export const isRecoveryWrap = ({ id }: Pick<Wrap, 'id'>): boolean => id.startsWith(recoveryMark);

/** Both secrets that the vault's keys are derived from. The holder wipes them after use. */
export interface Secrets {
  /** New with each change of the ways into the vault. */
  readonly dataKey: ByteArray;
  /** Sealed inside each way when it is enrolled, so that a writer of the storage does not have it. */
  readonly secret: ByteArray;
}

export const wipeSecrets = ({ dataKey, secret }: Secrets): void => {
  wipe(dataKey);
  wipe(secret);
};

interface Place {
  readonly vaultId: string;
  readonly gen: number;
}

/** Purposes of the keys of passwords and passkeys. */
const purposes = { password: 'graft/v3/kek/pw', passkey: 'graft/v3/kek/prf' };

/** Enrols a password or a passkey: seals the vault's secret in its own part, and wraps the data key. */
export async function makeWrap(
  opener: string | NewPasskey,
  secrets: Secrets,
  place: Place,
  kdf: Kdf | undefined,
): Promise<Wrap> {
  const id = encodeBase64Url(randomBytes(8));
  if (typeof opener === 'string') {
    const { key, ...salted } = await newPasswordKey(opener, kdf, purposes.password);
    return enrol({ id, type: 'password', ...salted }, key, secrets, place);
  }
  const { material: _material, restores, ...identity } = own(opener);
  const head = { id: restores ? recoveryMark + id : id, type: 'prf', ...identity };
  return enrol(head, await passkeyKey(opener, purposes.passkey), secrets, place);
}

/** Wraps another data key for the same password or passkey, which need not be present. */
export async function rewrap(
  { gen: _gen, dataKey: _dataKey, ...head }: PairWrap,
  dataKey: ByteArray,
  { vaultId, gen }: Place,
): Promise<Wrap> {
  const { publicKey: ephemeral, privateKey } = await createPair();
  try {
    const key = await agreeKey(privateKey, (head as unknown as PairWrap).own.publicKey, agreement, ephemeral);
    const sealed = await encrypt(key, dataKey, dataKeyAad(vaultId, gen, head, ephemeral));
    return { ...head, gen, dataKey: { ephemeral, ...sealed } };
  } finally {
    wipe(privateKey);
  }
}

/** Decrypts the secrets in the wraps of a version 3 record with `opener`. The caller wipes them. */
export const unwrap = (record: VaultRecord, opener: Opener): AsyncGenerator<Secrets, void> =>
  openWraps(record, opener, purposes, (wrap, key) => openWrap(record.vaultId, wrap as PairWrap, key));

/**
 * Yields what `open` decrypts in the wraps of a record, each with the key that `opener` has for it.
 * @param info the purposes of the keys: others in each version, so that no part of one opens as another's
 */
export async function* openWraps<T>(
  record: VaultRecord,
  opener: Opener,
  info: typeof purposes,
  open: (wrap: Wrap, key: CryptoKey) => Promise<T>,
): AsyncGenerator<T, void> {
  const wraps =
    typeof opener === 'string'
      ? passwordWraps(record)
      : passkeyWraps(record).filter(({ credentialId }) => credentialId === opener.credentialId);
  for (const wrap of wraps) {
    const key =
      typeof opener === 'string'
        ? await passwordKey((wrap as PasswordWrap).kdf, opener, info.password)
        : await passkeyKey(opener, info.passkey);
    const opened = await open(wrap, key).catch(() => null);
    if (opened !== null) yield opened;
  }
}

/** Makes a key pair, encrypts the vault's secret and the private key with `key`, and the data key to the public key. */
async function enrol(head: Omit<Wrap, 'gen'>, key: CryptoKey, secrets: Secrets, place: Place): Promise<Wrap> {
  const { publicKey, privateKey } = await createPair();
  const plain = new Bytes(secretLength + privateKey.length);
  setBytes(plain, secrets.secret);
  setBytes(plain, privateKey, secretLength);
  wipe(privateKey);
  try {
    const identified = { ...head, own: { publicKey } } as unknown as PairWrap;
    const sealed = await encrypt(key, plain, ownAad(place.vaultId, identified));
    return await rewrap({ ...identified, own: { publicKey, ...sealed } }, secrets.dataKey, place);
  } finally {
    wipe(plain);
  }
}

async function openWrap(vaultId: string, wrap: PairWrap, key: CryptoKey): Promise<Secrets> {
  const { own: sealed, dataKey, gen } = wrap;
  const plain = await decrypt(key, sealed, ownAad(vaultId, wrap));
  try {
    const privateKey = partOf(plain, secretLength);
    const agreed = await agreeKey(privateKey, dataKey.ephemeral, agreement, dataKey.ephemeral);
    return {
      dataKey: await decrypt(agreed, dataKey, dataKeyAad(vaultId, gen, wrap, dataKey.ephemeral)),
      secret: sliceBytes(plain, 0, secretLength),
    };
  } finally {
    wipe(plain);
  }
}

/**
 * Derives a key from a new password, under a new salt.
 * @param kdf default: `strongKdf`, or `weakKdf` if its memory cannot be allocated
 */
export async function newPasswordKey(
  password: string,
  kdf: Kdf | undefined,
  info: string,
): Promise<SaltedKdf & { readonly key: CryptoKey }> {
  const salt = encodeBase64Url(randomBytes(32));
  const derive = async (chosen: Kdf) => {
    const salted = { ...chosen, salt };
    return { kdf: salted, key: await passwordKey(salted, password, info) };
  };
  if (kdf !== undefined) return derive(kdf);
  try {
    return await derive(strongKdf);
  } catch {
    return derive(weakKdf);
  }
}

/** Derives the key of a password. NFKC makes the password independent of how a keyboard composes accents. */
export async function passwordKey(kdf: SaltedKdf['kdf'], password: string, info: string): Promise<CryptoKey> {
  const bytes = encodeText(normalizeText(password, 'NFKC'));
  const stretched = await stretch(kdf, bytes, decodeBase64Url(kdf.salt));
  wipe(bytes);
  try {
    return await deriveKey(await importMaterial(stretched), info, 'AES-GCM');
  } finally {
    wipe(stretched);
  }
}

export const passkeyKey = ({ material, credentialId }: PasskeyKey, info: string): Promise<CryptoKey> =>
  deriveKey(material, info, 'AES-GCM', decodeBase64Url(credentialId));

const agreement = 'graft/v3/kek/ecdh';

/** The parts of a wrap that never change. Its name may change, so only the MAC protects it. */
export const identityOf = (head: Omit<Wrap, 'gen'>) => {
  const { id, type, kdf, credentialId, rpId, prfSalt, createdAt } = own(head);
  return { id, type, kdf, credentialId, rpId, prfSalt, createdAt };
};

const withPublicKey = (wrap: Omit<Wrap, 'gen'>) => {
  const { publicKey } = (wrap as PairWrap).own;
  return { ...identityOf(wrap), publicKey };
};

const ownAad = (vaultId: string, wrap: Omit<Wrap, 'gen'>): string =>
  `3|${vaultId}|own|${canonical(withPublicKey(wrap))}`;

const dataKeyAad = (vaultId: string, gen: number, wrap: Omit<Wrap, 'gen'>, ephemeral: string): string =>
  `3|${vaultId}|${gen}|wrap|${canonical({ ...withPublicKey(wrap), ephemeral })}`;
