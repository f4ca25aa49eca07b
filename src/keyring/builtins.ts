import { own } from '../rpc/own.js';

/**
 * References to the built-ins that secrets pass through, taken when the wallet is loaded: a script that replaces them
 * later sees no secrets. The libraries that hash and sign use the page's own (SECURITY.md).
 *
 * Built-ins that the platform lacks (on a server, or on a page without https) are left out.
 */

/** A method as a function that takes its object first. Calling it looks nothing up on the page's prototypes. */
const unbound = <This, Args extends readonly unknown[], Result>(
  method: (this: This, ...args: Args) => Result,
): ((self: This, ...args: Args) => Result) => Function.prototype.call.bind(method as never) as never;

export const Bytes = Uint8Array;
const { fill, set, slice, subarray } = Bytes.prototype;
export const setBytes = unbound(set);
export const sliceBytes = unbound(slice) as (bytes: Uint8Array, from?: number, to?: number) => ByteArray;
export const partOf = unbound(subarray) as (bytes: Uint8Array, from?: number, to?: number) => ByteArray;
const fillBytes = unbound(fill);
export const wipe = (bytes: Uint8Array): void => void fillBytes(bytes, 0);
/** Bytes as WebCrypto takes them: not of shared memory. */
export type ByteArray = Uint8Array<ArrayBuffer>;

export const normalizeText = unbound(String.prototype.normalize) as (text: string, form: string) => string;
const encoder = new TextEncoder();
export const encodeText = encoder.encode.bind(encoder) as (text: string) => ByteArray;

const { crypto, navigator, PublicKeyCredential, Worker, Blob, URL, fetch } = globalThis as Partial<
  typeof globalThis
>;
const getRandomValues = crypto?.getRandomValues.bind(crypto) as Crypto['getRandomValues'];
export const randomBytes = (length: number): ByteArray => getRandomValues(new Bytes(length));

type Subtle = Pick<SubtleCrypto, (typeof subtleMethods)[number]>;
const subtleMethods = [
  'decrypt',
  'deriveBits',
  'deriveKey',
  'digest',
  'encrypt',
  'exportKey',
  'generateKey',
  'importKey',
  'sign',
  'verify',
] as const;
const { apply, getPrototypeOf } = Reflect;
const { prototype } = Object;

/** WebCrypto whose parameters do not inherit a page's additions to `Object.prototype`. */
const bindSubtle = (from: SubtleCrypto): Subtle => {
  const bound = own({}) as Record<string, unknown>;
  for (const name of subtleMethods) {
    const method = from[name] as never;
    bound[name] = (...args: unknown[]) => {
      for (let i = 0; i < args.length; i++) {
        const value = args[i];
        if (typeof value === 'object' && value !== null && getPrototypeOf(value) === prototype)
          args[i] = own(value);
      }
      return apply(method, from, args);
    };
  }
  return bound as unknown as Subtle;
};

/** Absent on pages without https; `requireWebCrypto` throws before anything uses it. */
export const subtle = (crypto?.subtle && bindSubtle(crypto.subtle)) as Subtle;

/** Builtins that start a worker; `undefined` where there are no workers. `file`: the `workerUrl` of the page's wallets. */
export const workers = Worker &&
  Blob &&
  URL &&
  fetch && {
    Worker,
    Blob,
    fetch: fetch.bind(globalThis),
    file: undefined as string | undefined,
    createObjectURL: URL.createObjectURL.bind(URL),
    revokeObjectURL: URL.revokeObjectURL.bind(URL),
    post: unbound(Worker.prototype.postMessage as (message: unknown) => void),
  };

interface TrustedTypes {
  readonly trustedTypes?: { createPolicy(name: string, rules: object): object } | undefined;
  readonly TrustedTypePolicy?: { readonly prototype: { createScriptURL(url: string): string } } | undefined;
}

/** Wraps a worker's URL as a `TrustedScriptURL` for `require-trusted-types-for 'script'`. The policy is named `graft`. */
export const trustedScriptUrl = (() => {
  const { trustedTypes, TrustedTypePolicy } = globalThis as TrustedTypes;
  if (!trustedTypes || !TrustedTypePolicy) return (url: string): string => url;
  const createPolicy = trustedTypes.createPolicy.bind(trustedTypes);
  const createScriptURL = unbound(TrustedTypePolicy.prototype.createScriptURL);
  let policy: object | undefined;
  return (url: string): string => {
    try {
      policy ??= createPolicy('graft', own({ createScriptURL: (script: string) => script }));
      return createScriptURL(policy as never, url);
    } catch {
      // The page allows no such policy: the worker does not start, and its work is done on this thread.
      return url;
    }
  };
})();

const { credentials } = navigator ?? {};
const passkeyClass = PublicKeyCredential as PasskeyClass | undefined;
interface PasskeyClass {
  readonly prototype: PublicKeyCredential;
  signalUnknownCredential?(options: { readonly rpId: string; readonly credentialId: string }): Promise<void>;
}

/** Builtins for passkeys; `undefined` where WebAuthn is unavailable. */
export const webAuthn = credentials &&
  passkeyClass && {
    create: credentials.create.bind(credentials),
    get: credentials.get.bind(credentials),
    results: unbound(passkeyClass.prototype.getClientExtensionResults) as (
      credential: Credential,
    ) => AuthenticationExtensionsClientOutputs,
    /** Tells the person's password manager that a passkey is of no use any more. Newer browsers only. */
    forget: passkeyClass.signalUnknownCredential?.bind(passkeyClass),
  };
