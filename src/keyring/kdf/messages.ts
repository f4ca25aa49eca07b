/** What passes between the page and the worker that stretches a password. */

/** What goes to the worker, once. */
export interface ScryptRequest {
  readonly password: Uint8Array;
  readonly salt: Uint8Array;
  readonly parameters: { readonly N: number; readonly r: number; readonly p: number };
}

/** What comes back: first `'ready'`, then the key, or why there is none. */
export type ScryptReply = 'ready' | { readonly key: Uint8Array } | { readonly failure: string };

/** Bytes. `checkKdf` has set the real limit, 1 GiB and a little. */
export const maxMemory = 2 ** 31;
