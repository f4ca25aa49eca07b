/** What goes to the worker, once. */
export interface ScryptRequest {
  readonly password: Uint8Array;
  readonly salt: Uint8Array;
  readonly parameters: { readonly N: number; readonly r: number; readonly p: number };
}

/** What comes back: first `'ready'`, then the key, or why there is none. */
export type ScryptReply = 'ready' | { readonly key: Uint8Array } | { readonly failure: string };

/** A worker that has not started by then never will: a policy that forbids it need not say so. */
const startTimeout = 5_000;
/** Under the 50 ms that make a page feel stuck, and few enough pauses not to matter. */
const slice = 25;
/** Bytes. `checkKdf` has set the real limit, 1 GiB and a little. */
export const maxMemory = 2 ** 31;

/**
 * scrypt in a worker of its own, ended with the derivation so that its memory goes too; in slices on this
 * thread where there is no worker (Node, a strict `worker-src`, a page that loaded us as a classic script).
 *
 * @throws RangeError when the memory cannot be had
 */
export async function scryptInWorker(
  parameters: ScryptRequest['parameters'],
  password: Uint8Array,
  salt: Uint8Array,
): Promise<Uint8Array> {
  const key = await inWorker({ password, salt, parameters });
  if (key !== null) return key;
  const { scryptAsync } = await import('@noble/hashes/scrypt.js');
  return scryptAsync(password, salt, { ...parameters, dkLen: 32, maxmem: maxMemory, asyncTick: slice });
}

/** `null` where a worker cannot be started. */
function inWorker(request: ScryptRequest): Promise<Uint8Array | null> {
  return new Promise((resolve, reject) => {
    let worker: Worker;
    try {
      // This form, spelled out, is what bundlers recognise.
      worker = new Worker(new URL('./kdf-worker.js', import.meta.url), { type: 'module' });
    } catch {
      resolve(null);
      return;
    }
    let started = false;
    const finish = (settle: () => void) => {
      clearTimeout(timer);
      worker.terminate();
      settle();
    };
    const timer = setTimeout(() => finish(() => resolve(null)), startTimeout);
    worker.addEventListener('message', ({ data }: MessageEvent<ScryptReply>) => {
      if (data === 'ready') {
        started = true;
        clearTimeout(timer);
        worker.postMessage(request);
      } else if ('key' in data) finish(() => resolve(data.key));
      else finish(() => reject(new RangeError(data.failure)));
    });
    worker.addEventListener('error', (event) => {
      event.preventDefault();
      // Once it has started, the only thing left to fail is the memory.
      finish(() => (started ? reject(new RangeError('scrypt failed in its worker')) : resolve(null)));
    });
  });
}
