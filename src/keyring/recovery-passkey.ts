import { unauthorized } from '../rpc/core-errors.js';
import { type ByteArray, Bytes, encodeText, randomBytes, setBytes, subtle } from './builtins.js';
import { importMaterial, sameBytes } from './vault/encryption.js';
import { encodeBase64Url } from './vault/record.js';
import type { NewPasskey } from './vault/wraps.js';
import { type Authenticator, createPasskey, evaluatePasskey, idOf } from './web-authn.js';

/**
 * A passkey that a wallet's mnemonic is derived from, so that it brings the wallet back where all data is gone
 * (docs/notes/security.md#recovery-passkeys). Its output has two uses, each by HKDF with a text of its own: the entropy of
 * the mnemonic, and the key that opens the vault.
 */
export interface RecoveryPasskey {
  /** Opens the vault. `restores` unless it lives on one device only. */
  readonly passkey: NewPasskey;
  /** 16 bytes. The holder wipes them. */
  readonly entropy: ByteArray;
}

/** Names version and purpose: of the salt, of the mark in a user's id, and of the derivation. Another one gives other wallets. */
const purpose = 'graft/recovery/1';
const entropyBits = 128;

interface Place {
  readonly authenticator: Authenticator;
  readonly rpId: string;
  readonly name: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Makes a recovery passkey, as `enrolRecovery` of the passkey ceremonies. */
export async function enrolRecoveryPasskey(
  place: Place & { forget(passkey: { readonly rpId: string; readonly credentialId: string }): void },
): Promise<RecoveryPasskey> {
  const { authenticator, rpId, name, forget } = place;
  const created = await createPasskey(authenticator, {
    ...{ rpId, name, known: [] },
    prfSalt: await recoverySalt(),
    // Another one each time: a device would replace its passkey of the same user, and with it the way back to a wallet.
    userId: markedId(),
    residentKey: 'required',
  });
  const credentialId = idOf(created);
  try {
    // The value that a device gives while it makes a passkey need not be the one that it gives later.
    return await evaluate(place, [credentialId]);
  } catch (error) {
    forget({ rpId, credentialId });
    throw error;
  }
}

/** Asks for any recovery passkey, as `askForRecovery` of the passkey ceremonies. */
export const askForRecoveryPasskey = (place: Place): Promise<RecoveryPasskey> => evaluate(place, []);

/** @param allowed ids of passkeys; none: those that the person's devices know for this host */
async function evaluate(
  { authenticator, rpId, name, now }: Place,
  allowed: readonly string[],
): Promise<RecoveryPasskey> {
  const prfSalt = await recoverySalt();
  const check = (_: string, userHandle: ArrayBuffer | null): void => {
    if (allowed.length === 0 && !isMarked(userHandle)) throw onlyUnlocks();
  };
  return evaluatePasskey(
    authenticator,
    { rpId, prfSalt, allowed, check },
    async (output, { credentialId, isBackedUp }) => ({
      passkey: {
        ...{ credentialId, rpId, prfSalt, createdAt: now(), name },
        material: await importMaterial(output),
        restores: isBackedUp || undefined,
      },
      entropy: await entropyOf(output),
    }),
  );
}

/** One salt for everybody, since nothing is left to read another one from. The vaults of recovery passkeys have it. */
async function recoverySalt(): Promise<string> {
  return encodeBase64Url(new Bytes(await subtle.digest('SHA-256', encodeText(purpose))));
}

async function entropyOf(output: ByteArray): Promise<ByteArray> {
  const material = await subtle.importKey('raw', output, 'HKDF', false, ['deriveBits']);
  const hkdf = { name: 'HKDF', hash: 'SHA-256', salt: new Bytes(0), info: encodeText(purpose) };
  return new Bytes(await subtle.deriveBits(hkdf, material, entropyBits));
}

/** The mark, and 16 random bytes. It tells a recovery passkey from others of the same host, which a password manager lists too. */
function markedId(): ByteArray {
  const mark = encodeText(purpose);
  const id = new Bytes(mark.length + 16);
  setBytes(id, mark);
  setBytes(id, randomBytes(16), mark.length);
  return id;
}

function isMarked(userHandle: ArrayBuffer | null): boolean {
  const mark = encodeText(purpose);
  return userHandle !== null && sameBytes(new Bytes(userHandle).subarray(0, mark.length), mark);
}

const onlyUnlocks = () =>
  unauthorized(
    'This passkey unlocks a wallet, and cannot bring one back. Use another one, or the recovery phrase.',
  );
