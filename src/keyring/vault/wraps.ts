import { encodeText, normalizeText, wipe } from '../../builtins.js';
import { own } from '../../rpc/own.js';
import { type Kdf, stretch, strongKdf, weakKdf } from '../kdf/kdf.js';
import { agreeKey, createPair, decrypt, deriveKey, encrypt, importMaterial, unshared } from './encryption.js';
import {
  canonical,
  type DirectWrap,
  decodeBase64Url,
  encodeBase64Url,
  type PairWrap,
  type PasskeyWrap,
  type PasswordWrap,
  passkeyWraps,
  passwordWraps,
  type VaultRecord,
  type Wrap,
} from './record.js';

/** The ways into a vault: each wrap gives the data key to one password or one passkey. */

/** What opens a vault: a password, or what a passkey gave. */
export type Opener = string | PasskeyKey;

/** The PRF output of a passkey, as key material that cannot be read out. */
export interface PasskeyKey {
  readonly credentialId: string;
  readonly material: CryptoKey;
}

/** A passkey that was just made. */
export type NewPasskey = PasskeyKey & Pick<PasskeyWrap, 'rpId' | 'prfSalt' | 'createdAt' | 'name'>;

export interface VaultOptions {
  readonly random: (length: number) => Uint8Array;
  /** Key derivation for new passwords. Default: `strongKdf`, or `weakKdf` if its memory cannot be allocated. */
  readonly kdf?: Kdf;
}

interface Place {
  readonly vaultId: string;
  readonly gen: number;
}

/** Wraps the data key for a password or a passkey. */
export async function makeWrap(
  opener: string | NewPasskey,
  dataKey: Uint8Array<ArrayBuffer>,
  place: Place,
  options: VaultOptions,
): Promise<Wrap> {
  const id = encodeBase64Url(options.random(8));
  if (typeof opener !== 'string') {
    const { material, credentialId, rpId, prfSalt, createdAt, name } = opener;
    const head = { id, type: 'prf', credentialId, rpId, prfSalt, createdAt, name };
    return withPair(head, await passkeyKey(material, credentialId), dataKey, place, options);
  }
  const salt = unshared(options.random(32));
  const stretched = async (kdf: Kdf): Promise<Wrap> => {
    const key = await passwordKey(kdf, opener, salt);
    const head = { id, type: 'password', kdf: { ...kdf, salt: encodeBase64Url(salt) } };
    return withPair(head, key, dataKey, place, options);
  };
  if (options.kdf !== undefined) return stretched(options.kdf);
  try {
    return await stretched(strongKdf);
  } catch {
    return stretched(weakKdf);
  }
}

/** Wraps another data key for the same password or passkey, which need not be present. */
export async function rewrap(
  { gen: _gen, dataKey: _dataKey, ...head }: PairWrap,
  dataKey: Uint8Array<ArrayBuffer>,
  { vaultId, gen }: Place,
  { random }: VaultOptions,
): Promise<Wrap> {
  const { publicKey: ephemeral, privateKey } = await createPair();
  try {
    const key = await agreeKey(privateKey, head.pair.publicKey, agreement, ephemeral);
    const sealed = await encrypt(key, dataKey, dataKeyAad(vaultId, gen, head, ephemeral), random);
    return { ...head, gen, dataKey: { ephemeral, ...sealed } };
  } finally {
    wipe(privateKey);
  }
}

/** The data keys that `opener` decrypts from the wraps of a record, which the caller wipes. */
export async function* unwrap(
  record: VaultRecord,
  opener: Opener,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
  if (typeof opener === 'string') {
    for (const wrap of passwordWraps(record)) {
      const key = await passwordKey(wrap.kdf, opener, decodeBase64Url(wrap.kdf.salt));
      const opening =
        record.v === 1
          ? openDirect(record, wrap as DirectWrap, key)
          : openPair(record, wrap as PasswordWrap, key);
      const dataKey = await opening.catch(() => null);
      if (dataKey !== null) yield dataKey;
    }
    return;
  }
  for (const wrap of passkeyWraps(record)) {
    if (wrap.credentialId !== opener.credentialId) continue;
    const key = await passkeyKey(opener.material, wrap.credentialId);
    const dataKey = await openPair(record, wrap, key).catch(() => null);
    if (dataKey !== null) yield dataKey;
  }
}

/** Makes a key pair, encrypts its private key with `key`, and the data key to its public key. */
async function withPair(
  head: Omit<Wrap, 'gen'>,
  key: CryptoKey,
  dataKey: Uint8Array<ArrayBuffer>,
  place: Place,
  options: VaultOptions,
): Promise<Wrap> {
  const { publicKey, privateKey } = await createPair();
  try {
    const sealed = await encrypt(key, privateKey, pairAad(place.vaultId, head, publicKey), options.random);
    return await rewrap({ ...head, pair: { publicKey, ...sealed } } as PairWrap, dataKey, place, options);
  } finally {
    wipe(privateKey);
  }
}

async function openPair(
  { vaultId }: VaultRecord,
  wrap: PairWrap,
  key: CryptoKey,
): Promise<Uint8Array<ArrayBuffer>> {
  const { pair, dataKey, gen } = wrap;
  const privateKey = await decrypt(key, pair, pairAad(vaultId, wrap, pair.publicKey));
  try {
    const agreed = await agreeKey(privateKey, dataKey.ephemeral, agreement, dataKey.ephemeral);
    return await decrypt(agreed, dataKey, dataKeyAad(vaultId, gen, wrap, dataKey.ephemeral));
  } finally {
    wipe(privateKey);
  }
}

const openDirect = ({ vaultId }: VaultRecord, wrap: DirectWrap, key: CryptoKey) => {
  const { id, type, kdf, gen } = wrap;
  return decrypt(key, wrap, `1|${vaultId}|${gen}|wrap|${canonical({ id, type, kdf })}`);
};

/** Derives the key of a password. NFKC makes the password independent of how a keyboard composes accents. */
async function passwordKey(kdf: Kdf, password: string, salt: Uint8Array): Promise<CryptoKey> {
  const bytes = encodeText(normalizeText(password, 'NFKC'));
  const stretched = await stretch(kdf, bytes, salt);
  wipe(bytes);
  try {
    return await deriveKey(await importMaterial(stretched), 'rw/v1/kek/pw', 'AES-GCM');
  } finally {
    wipe(stretched);
  }
}

const passkeyKey = (material: CryptoKey, credentialId: string): Promise<CryptoKey> =>
  deriveKey(material, 'rw/v1/kek/prf', 'AES-GCM', decodeBase64Url(credentialId));

const agreement = 'rw/v2/kek/ecdh';

/** The parts of a wrap that stay as long as it does. Its name is none of them: the MAC alone protects it. */
const identity = (head: Omit<Wrap, 'gen'>) => {
  const { id, type, kdf, credentialId, rpId, prfSalt, createdAt } = own(head);
  return { id, type, kdf, credentialId, rpId, prfSalt, createdAt };
};

const pairAad = (vaultId: string, head: Omit<Wrap, 'gen'>, publicKey: string): string =>
  `2|${vaultId}|pair|${canonical({ ...identity(head), publicKey })}`;

const dataKeyAad = (vaultId: string, gen: number, head: Omit<Wrap, 'gen'>, ephemeral: string): string => {
  const { pair } = head as PairWrap;
  return `2|${vaultId}|${gen}|wrap|${canonical({ ...identity(head), publicKey: pair.publicKey, ephemeral })}`;
};
