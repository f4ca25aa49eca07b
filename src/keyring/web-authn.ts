import { errorName, resourceUnavailable, userRejected } from '../rpc/core-errors.js';
import { errorCode, ProviderRpcError } from '../rpc/errors.js';
import { own } from '../rpc/own.js';
import { type ByteArray, Bytes, randomBytes, wipe } from './builtins.js';
import { decodeBase64Url, encodeBase64Url, type PasskeyIdentity } from './vault/record.js';

/** WebAuthn as passkeys of wallets use it: its prompts, and what its answers hold. */

/** WebAuthn: the browser's, or a fake one in tests. */
export interface Authenticator {
  create(options: CredentialCreationOptions): Promise<Credential | null>;
  get(options: CredentialRequestOptions): Promise<Credential | null>;
  /** The results of the extensions of a credential that `create` or `get` returned. */
  results(credential: Credential): AuthenticationExtensionsClientOutputs;
  /** Tells the person's password manager that a passkey is of no use any more. */
  readonly forget?: ((options: { rpId: string; credentialId: string }) => Promise<void>) | undefined;
}

/** @throws ProviderRpcError 4200 where the page has no host, which a passkey belongs to */
export function requireHost(): string {
  const host = globalThis.location?.hostname;
  if (!host) throw unsupported();
  return host;
}

/** Asks the person to make a passkey. */
export const createPasskey = (
  authenticator: Authenticator,
  { rpId, name, prfSalt, known, userId, residentKey }: createPasskey.Options,
): Promise<Credential> =>
  prompt(() =>
    authenticator.create(
      own({
        publicKey: own({
          challenge: randomBytes(32),
          rp: own({ id: rpId, name: rpId }),
          user: own({ id: userId, name, displayName: name }),
          // ES256 and RS256, of which each device has one.
          pubKeyCredParams: [-7, -257].map((alg) => own({ type: 'public-key' as const, alg })),
          excludeCredentials: known.map(({ credentialId }) => descriptorOf(credentialId)),
          authenticatorSelection: own({ residentKey, userVerification: 'required' as const }),
          // Some devices enable PRF only for a passkey that is evaluated as it is made (Windows Hello).
          extensions: prfOf(prfSalt),
        }),
      }),
    ),
  );

export declare namespace createPasskey {
  interface Options extends Pick<PasskeyIdentity, 'rpId' | 'name' | 'prfSalt'> {
    /** Passkeys beside which none is made on the same device. */
    readonly known: readonly PasskeyIdentity[];
    /** At most 64 bytes. An authenticator replaces its passkey of the same host and user. */
    readonly userId: ByteArray;
    readonly residentKey: ResidentKeyRequirement;
  }
}

/**
 * Asks the person for a passkey, and lends its output, which is wiped afterwards.
 * @throws ProviderRpcError 4001 if the person cancels, 4200 without the PRF extension; as `check` throws
 */
export async function evaluatePasskey<T>(
  authenticator: Authenticator,
  { rpId, prfSalt, allowed, check }: evaluatePasskey.Options,
  use: (output: ByteArray, passkey: evaluatePasskey.Evaluated) => Promise<T>,
): Promise<T> {
  const credential = await prompt(() =>
    authenticator.get(
      own({
        publicKey: own({
          challenge: randomBytes(32),
          rpId,
          allowCredentials: allowed.map(descriptorOf),
          userVerification: 'required' as const,
          extensions: prfOf(prfSalt),
        }),
      }),
    ),
  );
  const output = outputOf(authenticator.results(credential));
  try {
    const { authenticatorData, userHandle } = (credential as PublicKeyCredential)
      .response as AuthenticatorAssertionResponse;
    const credentialId = idOf(credential);
    check(credentialId, userHandle);
    if (output?.length !== 32 || !hasFlag(authenticatorData, flag.verified)) throw unsupported();
    return await use(output, { credentialId, isBackedUp: hasFlag(authenticatorData, flag.backedUp) });
  } finally {
    if (output) wipe(output);
  }
}

export declare namespace evaluatePasskey {
  interface Options {
    readonly rpId: string;
    /** Base64url. */
    readonly prfSalt: string;
    /** Ids of passkeys; none: any that the person's devices know for this host. */
    readonly allowed: readonly string[];
    /** Refuses another passkey than was asked for, by throwing. */
    check(credentialId: string, userHandle: ArrayBuffer | null): void;
  }
  interface Evaluated {
    readonly credentialId: string;
    /** Other devices have it too. */
    readonly isBackedUp: boolean;
  }
}

const prfOf = (salt: string) => own({ prf: own({ eval: own({ first: decodeBase64Url(salt) }) }) });

/** For the person: what to do instead. */
export const unsupported = () =>
  new ProviderRpcError(
    errorCode.unsupportedMethod,
    'This browser or device cannot open a wallet with a passkey. Use a password.',
  );

const descriptorOf = (credentialId: string) =>
  own({ type: 'public-key' as const, id: decodeBase64Url(credentialId) });

export const idOf = (credential: Credential): string =>
  encodeBase64Url(new Bytes((credential as PublicKeyCredential).rawId));

/** A copy of the platform's buffer would stay in memory: this is a view. */
export function outputOf(results: AuthenticationExtensionsClientOutputs): ByteArray | undefined {
  const { first } = own(own(own(results).prf).results);
  if (first === undefined) return undefined;
  return ArrayBuffer.isView(first)
    ? new Bytes(first.buffer as ArrayBuffer, first.byteOffset, first.byteLength)
    : new Bytes(first);
}

/** The flags of the authenticator's data: UV, it verified the person; BS, the passkey is backed up, so other devices have it too. */
export const flag = { verified: 4, backedUp: 16 } as const;

/** Whether the authenticator's data has a {@link flag}. */
export const hasFlag = (authenticatorData: ArrayBuffer, bit: number): boolean =>
  ((new Bytes(authenticatorData)[32] ?? 0) & bit) !== 0;

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
