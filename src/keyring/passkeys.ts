import { unauthorized } from '../rpc/core-errors.js';
import { own } from '../rpc/own.js';
import { randomBytes, webAuthn, wipe } from './builtins.js';
import type { RecoveryPasskey } from './recovery-passkey.js';
import { importMaterial } from './vault/encryption.js';
import { encodeBase64Url, type PasskeyIdentity } from './vault/record.js';
import type { NewPasskey, PasskeyKey } from './vault/wraps.js';
import {
  type Authenticator,
  createPasskey,
  evaluatePasskey,
  flag,
  hasFlag,
  idOf,
  outputOf,
  requireHost,
  unsupported,
} from './web-authn.js';

/**
 * Makes passkeys and asks for them. A passkey gives 32 secret bytes by its PRF extension, only after the person was
 * verified (docs/notes/security.md#passkeys).
 */
export interface PasskeyCeremonies {
  /**
   * Makes a passkey, and asks for it once where the device gives no output while it makes one: one or two prompts.
   * @param known the passkeys of the same vault
   * @throws ProviderRpcError 4001 if the person cancels, 4200 without the PRF extension, -32002 if this device has one of
   * `known`
   */
  enrol(name: string, known: readonly PasskeyIdentity[]): Promise<NewPasskey>;
  /**
   * Asks for one of the passkeys.
   * @throws ProviderRpcError 4001 if the person cancels, 4100 for another passkey, 4200 without the PRF extension
   */
  ask(known: readonly PasskeyIdentity[]): Promise<PasskeyKey>;
  /**
   * Makes a recovery passkey, and asks for it once: two prompts.
   * @throws ProviderRpcError 4001 if the person cancels, 4200 without the PRF extension
   */
  enrolRecovery(name: string): Promise<RecoveryPasskey>;
  /**
   * Asks for any recovery passkey of this host.
   * @param name what it is called here: a password manager does not say how the person called it
   * @throws ProviderRpcError 4001 if the person cancels or has none, 4100 for a passkey that only unlocks, 4200 without the
   * PRF extension
   */
  askForRecovery(name: string): Promise<RecoveryPasskey>;
  /** Tells the person's password manager, where the browser can, that a passkey is of no use any more. */
  forget(passkey: { readonly rpId: string; readonly credentialId: string }): void;
}

export function createPasskeyCeremonies(options: createPasskeyCeremonies.Options): PasskeyCeremonies {
  const requireAuthenticator = (): Authenticator => {
    const authenticator = options.authenticator ?? webAuthn;
    if (authenticator === undefined) throw unsupported();
    return authenticator;
  };

  /** The PRF output of one of the passkeys, as key material. */
  const evaluate = async (
    known: readonly Pick<PasskeyIdentity, 'credentialId' | 'rpId' | 'prfSalt'>[],
  ): Promise<PasskeyKey> => {
    const [first] = known;
    if (first === undefined) throw unauthorized('The wallet has no passkey: use its password.');
    // All passkeys of a vault have one salt, since not every browser takes a salt for each.
    const { rpId, prfSalt } = first;
    return evaluatePasskey(
      requireAuthenticator(),
      {
        ...{ rpId, prfSalt, allowed: known.map(({ credentialId }) => credentialId) },
        check(found) {
          if (!known.some(({ credentialId }) => credentialId === found))
            throw unauthorized('This passkey does not open the wallet, or the vault is damaged.');
        },
      },
      async (output, { credentialId }) => ({ credentialId, material: await importMaterial(output) }),
    );
  };

  /** The output that some devices give while they make a passkey; `null` for others, which have to be asked for it. */
  const evaluated = async (authenticator: Authenticator, created: Credential): Promise<PasskeyKey | null> => {
    const output = outputOf(authenticator.results(created));
    if (!output) return null;
    try {
      const response = (created as PublicKeyCredential).response as AuthenticatorAttestationResponse;
      // Absent in older browsers.
      const data = response.getAuthenticatorData?.();
      if (output.length !== 32 || !data || !hasFlag(data, flag.verified)) return null;
      return { credentialId: idOf(created), material: await importMaterial(output) };
    } finally {
      wipe(output);
    }
  };

  const forget: PasskeyCeremonies['forget'] = ({ rpId, credentialId }) => {
    try {
      (options.authenticator ?? webAuthn)?.forget?.(own({ rpId, credentialId })).catch(() => {});
    } catch {
      // The person can delete it in the password manager.
    }
  };

  /** The options of both ceremonies of a recovery passkey. */
  const atThisHost = (name: string) => ({
    authenticator: requireAuthenticator(),
    rpId: requireHost(),
    name,
    now: options.now,
  });

  return {
    async enrol(name, known) {
      const authenticator = requireAuthenticator();
      const rpId = requireHost();
      const prfSalt = known[0]?.prfSalt ?? encodeBase64Url(randomBytes(32));
      const created = await createPasskey(authenticator, {
        ...{ rpId, name, prfSalt, known },
        userId: randomBytes(16),
        residentKey: 'preferred',
      });
      const passkey = { credentialId: idOf(created), rpId, prfSalt, createdAt: options.now(), name };
      try {
        // Whatever the device says of the extension, only the output proves that it works.
        return { ...passkey, ...((await evaluated(authenticator, created)) ?? (await evaluate([passkey]))) };
      } catch (error) {
        forget(passkey);
        throw error;
      }
    },
    ask: evaluate,
    async enrolRecovery(name) {
      const { enrolRecoveryPasskey } = await import('./recovery-passkey.js');
      return enrolRecoveryPasskey({ ...atThisHost(name), forget });
    },
    async askForRecovery(name) {
      const { askForRecoveryPasskey } = await import('./recovery-passkey.js');
      return askForRecoveryPasskey(atThisHost(name));
    },
    forget,
  };
}

export declare namespace createPasskeyCeremonies {
  interface Options {
    /** Default: the browser's. */
    readonly authenticator?: Authenticator | undefined;
    /** Milliseconds since 1970. */
    readonly now: () => number;
  }
}
