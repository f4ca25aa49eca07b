/**
 * Built-ins that secrets pass through, as they were when the wallet was loaded: a script that replaces them later sees
 * none of the secrets. The libraries that hash and sign use the page's own (SECURITY.md).
 *
 * What the platform lacks (on a server, on a page without https) is left out; nothing is run.
 */

/** A method as a function of its object, which asks nothing of the page's prototypes when it is called. */
const unbound = <This, Args extends readonly unknown[], Result>(
  method: (this: This, ...args: Args) => Result,
): ((self: This, ...args: Args) => Result) => Function.prototype.call.bind(method as never) as never;

const bytes = Uint8Array.prototype;
export const fillBytes = unbound(bytes.fill);
export const setBytes = unbound(bytes.set);
export const sliceBytes = unbound(bytes.slice);
export const normalizeText = unbound(String.prototype.normalize);

const encoder = new TextEncoder();
export const encodeText = encoder.encode.bind(encoder) as (text: string) => Uint8Array<ArrayBuffer>;

const { crypto, Worker, Blob, URL, fetch } = globalThis as Partial<typeof globalThis>;

export const getRandomValues = crypto?.getRandomValues.bind(crypto) as Crypto['getRandomValues'];

const subtleMethods = [
  'decrypt',
  'deriveBits',
  'deriveKey',
  'digest',
  'encrypt',
  'importKey',
  'sign',
  'verify',
] as const;

const bindSubtle = (from: SubtleCrypto) =>
  Object.fromEntries(subtleMethods.map((name) => [name, from[name].bind(from)])) as unknown as Pick<
    SubtleCrypto,
    (typeof subtleMethods)[number]
  >;

/** WebCrypto. Pages without https have none: `keyring/keys.ts` says so before anything needs it. */
export const subtle = (crypto?.subtle ? bindSubtle(crypto.subtle) : undefined) as ReturnType<
  typeof bindSubtle
>;

/** What a worker is started with; `undefined` where there are none. */
export const workers = Worker &&
  Blob &&
  URL &&
  fetch && {
    Worker,
    Blob,
    fetch: fetch.bind(globalThis),
    createObjectURL: URL.createObjectURL.bind(URL),
    revokeObjectURL: URL.revokeObjectURL.bind(URL),
    post: unbound(Worker.prototype.postMessage as (message: unknown) => void),
  };
