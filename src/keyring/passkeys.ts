import { errorName, resourceUnavailable, unauthorized, userRejected } from '../rpc/core-errors.js';
import { errorCode, ProviderRpcError } from '../rpc/errors.js';
import { own } from '../rpc/own.js';
import { type ByteArray, Bytes, randomBytes, webAuthn, wipe } from './builtins.js';
import { importMaterial } from './vault/encryption.js';
import { decodeBase64Url, encodeBase64Url, type PasskeyIdentity } from './vault/record.js';
import type { NewPasskey, PasskeyKey } from './vault/wraps.js';

/** WebAuthn: the browser's, or a fake one in tests. */
export interface Authenticator {
  create(options: CredentialCreationOptions): Promise<Credential | null>;
  get(options: CredentialRequestOptions): Promise<Credential | null>;
  /** The results of the extensions of a credential that `create` or `get` returned. */
  results(credential: Credential): AuthenticationExtensionsClientOutputs;
  /** Tells the person's password manager that a passkey is of no use any more. */
  readonly forget?: ((options: { rpId: string; credentialId: string }) => Promise<void>) | undefined;
}

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
  /** Tells the person's password manager, where the browser can, that a passkey is of no use any more. */
  forget(passkey: { readonly rpId: string; readonly credentialId: string }): void;
}

export function createPasskeyCeremonies(options: createPasskeyCeremonies.Options): PasskeyCeremonies {
  const requireAuthenticator = (): Authenticator => {
    const authenticator = options.authenticator ?? webAuthn;
    if (authenticator === undefined) throw unsupported();
    return authenticator;
  };

  const prfOf = (salt: string) => own({ prf: own({ eval: own({ first: decodeBase64Url(salt) }) }) });

  /** The PRF output of one of the passkeys, as key material. */
  const evaluate = async (
    known: readonly Pick<PasskeyIdentity, 'credentialId' | 'rpId' | 'prfSalt'>[],
  ): Promise<PasskeyKey> => {
    const authenticator = requireAuthenticator();
    const [first] = known;
    if (first === undefined) throw unauthorized('The wallet has no passkey: use its password.');
    // All passkeys of a vault have one salt, since not every browser takes a salt for each.
    const { rpId, prfSalt } = first;
    const credential = await prompt(() =>
      authenticator.get(
        own({
          publicKey: own({
            challenge: randomBytes(32),
            rpId,
            allowCredentials: known.map(({ credentialId }) => descriptorOf(credentialId)),
            userVerification: 'required' as const,
            extensions: prfOf(prfSalt),
          }),
        }),
      ),
    );
    const output = outputOf(authenticator.results(credential));
    try {
      const { authenticatorData } = (credential as PublicKeyCredential)
        .response as AuthenticatorAssertionResponse;
      if (output?.length !== 32 || !isVerified(authenticatorData)) throw unsupported();
      const credentialId = idOf(credential);
      if (!known.some((each) => each.credentialId === credentialId))
        throw unauthorized('This passkey does not open the wallet, or the vault is damaged.');
      return { credentialId, material: await importMaterial(output) };
    } finally {
      if (output) wipe(output);
    }
  };

  /** The output that some devices give while they make a passkey; `null` for others, which have to be asked for it. */
  const evaluated = async (authenticator: Authenticator, created: Credential): Promise<PasskeyKey | null> => {
    const output = outputOf(authenticator.results(created));
    if (!output) return null;
    try {
      const response = (created as PublicKeyCredential).response as AuthenticatorAttestationResponse;
      // Absent in older browsers.
      const data = response.getAuthenticatorData?.();
      if (output.length !== 32 || !data || !isVerified(data)) return null;
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

  return {
    async enrol(name, known) {
      const authenticator = requireAuthenticator();
      const rpId = globalThis.location?.hostname;
      if (!rpId) throw unsupported();
      const prfSalt = known[0]?.prfSalt ?? encodeBase64Url(randomBytes(32));
      const created = await prompt(() =>
        authenticator.create(
          own({
            publicKey: own({
              challenge: randomBytes(32),
              rp: own({ id: rpId, name: rpId }),
              user: own({ id: randomBytes(16), name, displayName: name }),
              // ES256 and RS256, of which each device has one.
              pubKeyCredParams: [-7, -257].map((alg) => own({ type: 'public-key' as const, alg })),
              excludeCredentials: known.map(({ credentialId }) => descriptorOf(credentialId)),
              authenticatorSelection: own({
                residentKey: 'preferred' as const,
                userVerification: 'required' as const,
              }),
              // Some devices enable PRF only for a passkey that is evaluated as it is made (Windows Hello).
              extensions: prfOf(prfSalt),
            }),
          }),
        ),
      );
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

/** For the person: what to do instead. */
const unsupported = () =>
  new ProviderRpcError(
    errorCode.unsupportedMethod,
    'This browser or device cannot open a wallet with a passkey. Use a password.',
  );

const descriptorOf = (credentialId: string) =>
  own({ type: 'public-key' as const, id: decodeBase64Url(credentialId) });

const idOf = (credential: Credential): string =>
  encodeBase64Url(new Bytes((credential as PublicKeyCredential).rawId));

/** A copy of the platform's buffer would stay in memory: this is a view. */
function outputOf(results: AuthenticationExtensionsClientOutputs): ByteArray | undefined {
  const { first } = own(own(own(results).prf).results);
  if (first === undefined) return undefined;
  return ArrayBuffer.isView(first)
    ? new Bytes(first.buffer as ArrayBuffer, first.byteOffset, first.byteLength)
    : new Bytes(first);
}

/** Whether the authenticator says that it verified the person (the flag UV of its data). */
function isVerified(authenticatorData: ArrayBuffer): boolean {
  return ((new Bytes(authenticatorData)[32] ?? 0) & 4) !== 0;
}

/** Browsers say the same for a refusal, a time-out and a policy that forbids passkeys in a frame. */
async function prompt(task: () => Promise<Credential | null>): Promise<Credential> {
  try {
    const credential = await task();
    if (credential !== null) return credential;
  } catch (error) {
    const name = errorName(error);
    if (name === 'InvalidStateError')
      throw resourceUnavailable('This device has a passkey for this wallet already.');
    if (name !== 'NotAllowedError' && name !== 'AbortError') throw unsupported();
  }
  throw userRejected();
}
