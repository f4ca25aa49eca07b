import { createHash, createHmac } from 'node:crypto';
import type { Authenticator } from '../../src/keyring/web-authn.js';

/** A device with passkeys, and the person in front of it. Its PRF is a function of the passkey and the salt. */
export interface FakeAuthenticator extends Authenticator {
  /** The prompts so far. */
  readonly prompts: readonly ('create' | 'get')[];
  /** What each prompt was given, as WebAuthn takes it. */
  readonly requests: readonly (PublicKeyCredentialCreationOptions | PublicKeyCredentialRequestOptions)[];
  /** The passkeys on the device, oldest first. */
  readonly passkeys: readonly { readonly id: string; readonly rpId: string; readonly name: string }[];
  /** Ids that the password manager was told to forget. */
  readonly forgotten: readonly string[];
  /** How the next prompts end: the name of a DOMException, or `accept`. The last one stays. */
  answer(...next: ('accept' | 'NotAllowedError' | 'SecurityError' | 'AbortError')[]): void;
  /** Changes what the device can do. */
  set(abilities: Partial<FakeAuthenticator.Abilities>): void;
  /** Which of the allowed passkeys the person chooses. Default: the first. */
  choose(id: string | null): void;
  /** Deletes a passkey, as a person can in the password manager. */
  lose(id: string): void;
}

export declare namespace FakeAuthenticator {
  interface Abilities {
    /**
     * `late`: the browser says nothing of the extension until it is asked for an output. `denied`: it says `false` until then.
     * `eval`: only for passkeys that were evaluated as they were made (Windows Hello). `at once`: it gives the output then too;
     * `at once, unverified`: without having verified the person then.
     */
    readonly prf: 'yes' | 'no' | 'late' | 'silent' | 'denied' | 'eval' | 'at once' | 'at once, unverified';
    /** Whether it verifies the person. */
    readonly verifies: boolean;
    /** Whether a password manager keeps its passkeys on other devices too (the flags BE and BS). */
    readonly backsUp: boolean;
    /** Whether it gives the output that other devices of the person give. */
    readonly agrees: boolean;
  }
}

const idOf = (bytes: BufferSource): string => {
  const view = ArrayBuffer.isView(bytes)
    ? new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    : new Uint8Array(bytes);
  return Buffer.from(view).toString('base64url');
};
const bufferOf = (bytes: Uint8Array): ArrayBuffer => Uint8Array.from(bytes).buffer;

let devices = 0;

/** @param device its name, of which all of its passkeys and outputs are a function. Default: another one each time */
export function createFakeAuthenticator(
  given: Partial<FakeAuthenticator.Abilities> = {},
  device = `device ${++devices}`,
): FakeAuthenticator {
  let abilities: FakeAuthenticator.Abilities = {
    prf: 'yes',
    verifies: true,
    backsUp: true,
    agrees: true,
    ...given,
  };
  let answers: string[] = ['accept'];
  let chosen: string | null = null;
  let made = 0;
  const prompts: ('create' | 'get')[] = [];
  const requests: FakeAuthenticator['requests'][number][] = [];
  const passkeys: { id: string; rpId: string; name: string; hasPrf: boolean; user: ArrayBuffer }[] = [];
  const forgotten: string[] = [];
  const results = new WeakMap<object, AuthenticationExtensionsClientOutputs>();

  const prompt = async (
    kind: 'create' | 'get',
    options: { publicKey?: FakeAuthenticator['requests'][number] },
  ) => {
    if (options.publicKey === undefined) throw new TypeError('no public key options');
    prompts.push(kind);
    requests.push(options.publicKey);
    // A person answers in a later task.
    await new Promise((resolve) => setTimeout(resolve, 0));
    const answer = answers.length > 1 ? answers.shift() : answers[0];
    if (answer !== 'accept') throw new DOMException('The operation was not allowed.', answer);
  };
  const outputOf = (id: string, salt: BufferSource) => ({
    first: bufferOf(
      createHmac('sha256', `${device} ${id} ${abilities.verifies}${abilities.agrees ? '' : ' other'}`)
        .update(Buffer.from(idOf(salt), 'base64url'))
        .digest(),
    ),
  });
  const dataOf = (isVerified: boolean): ArrayBuffer => {
    const authenticatorData = new Uint8Array(37);
    authenticatorData[32] = (isVerified ? 5 : 1) + (abilities.backsUp ? 24 : 0);
    return bufferOf(authenticatorData);
  };
  const credential = (
    id: string,
    response: object,
    extensions: AuthenticationExtensionsClientOutputs,
  ): Credential => {
    const made = { type: 'public-key', id, rawId: bufferOf(Buffer.from(id, 'base64url')), response };
    results.set(made, extensions);
    return made;
  };

  return {
    prompts,
    requests,
    passkeys,
    forgotten,
    answer(...next) {
      answers = next;
    },
    set(changed) {
      abilities = { ...abilities, ...changed };
    },
    choose(id) {
      chosen = id;
    },
    lose(id) {
      passkeys.splice(
        passkeys.findIndex((passkey) => passkey.id === id),
        1,
      );
    },
    async create(options) {
      await prompt('create', options);
      const {
        rp,
        user,
        excludeCredentials = [],
        extensions,
      } = options.publicKey as PublicKeyCredentialCreationOptions;
      const rpId = rp.id as string;
      if (excludeCredentials.some((each) => passkeys.some(({ id }) => id === idOf(each.id))))
        throw new DOMException('It is registered already.', 'InvalidStateError');
      const id = createHash('sha256')
        .update(`${device} passkey ${++made}`)
        .digest()
        .subarray(0, 16)
        .toString('base64url');
      const { prf } = abilities;
      const salt = extensions?.prf?.eval?.first;
      const hasPrf = extensions?.prf !== undefined && (prf !== 'eval' || salt !== undefined);
      passkeys.push({
        id,
        rpId,
        name: user.name,
        hasPrf,
        user: bufferOf(Buffer.from(idOf(user.id), 'base64url')),
      });
      const isVerified = abilities.verifies && prf !== 'at once, unverified';
      const response = { getAuthenticatorData: () => dataOf(isVerified) };
      if (!extensions?.prf || prf === 'late' || prf === 'silent') return credential(id, response, {});
      const enabled = hasPrf && prf !== 'no' && prf !== 'denied';
      const results = prf.startsWith('at once') && salt ? { results: outputOf(id, salt) } : {};
      return credential(id, response, { prf: { enabled, ...results } });
    },
    async get(options) {
      await prompt('get', options);
      const {
        rpId,
        allowCredentials = [],
        extensions,
      } = options.publicKey as PublicKeyCredentialRequestOptions;
      const here = passkeys.filter((passkey) => passkey.rpId === rpId).map(({ id }) => id);
      const allowed =
        allowCredentials.length === 0
          ? here
          : allowCredentials.map((each) => idOf(each.id)).filter((id) => here.includes(id));
      const id = chosen ?? allowed[0];
      if (id === undefined) throw new DOMException('No passkey here.', 'NotAllowedError');
      const salt = extensions?.prf?.eval?.first;
      const passkey = passkeys.find((passkey) => passkey.id === id);
      const hasPrf = passkey?.hasPrf ?? true;
      const gives = hasPrf && !/^(no|silent)$/.test(abilities.prf) && salt !== undefined;
      const response = {
        authenticatorData: dataOf(abilities.verifies),
        userHandle: allowCredentials.length === 0 ? (passkey?.user ?? null) : null,
      };
      return credential(id, response, gives ? { prf: { results: outputOf(id, salt) } } : {});
    },
    results: (each) => results.get(each) ?? {},
    async forget({ credentialId }) {
      forgotten.push(credentialId);
    },
  };
}

/**
 * Puts the fake in the place of the browser's WebAuthn. Call it in `vi.hoisted`, since the wallet takes the browser's
 * functions when it is loaded.
 */
export function installFakeAuthenticator(hostname = 'app.example'): FakeAuthenticator {
  const fake = createFakeAuthenticator();
  class PublicKeyCredential {
    static signalUnknownCredential = fake.forget;
    getClientExtensionResults() {
      return fake.results(this as unknown as Credential);
    }
  }
  const define = (holder: object, name: string, value: unknown) =>
    Object.defineProperty(holder, name, { configurable: true, writable: true, value });
  if (globalThis.navigator === undefined) define(globalThis, 'navigator', {});
  define(globalThis.navigator, 'credentials', { create: fake.create, get: fake.get });
  define(globalThis, 'PublicKeyCredential', PublicKeyCredential);
  define(globalThis, 'location', { hostname });
  return fake;
}
