/** Messages between the page and the worker that runs scrypt. */

/** Sent to the worker, once. */
export interface ScryptRequest {
  readonly password: Uint8Array;
  readonly salt: Uint8Array;
  readonly parameters: { readonly N: number; readonly r: number; readonly p: number };
}

/** Sent by the worker: first `'ready'`, then the key or an error message. */
export type ScryptReply = 'ready' | { readonly key?: Uint8Array<ArrayBuffer>; readonly failure?: string };

/** The library's memory limit, bytes. `checkKdf` enforces the lower one of about 1 GiB. */
export const maxMemory = 2 ** 31;
