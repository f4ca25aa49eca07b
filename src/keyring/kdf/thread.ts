import { workers } from '../../builtins.js';
import { own } from '../../rpc/own.js';
import { maxMemory, type ScryptReply, type ScryptRequest } from './messages.js';

/** Milliseconds to wait for a worker to start, since a policy that forbids workers may not cause an error event. */
const startTimeout = 5_000;
/** Milliseconds of work between two pauses on this thread; tasks under 50 ms do not make a page feel blocked. */
const slice = 25;

/**
 * Runs scrypt in a worker that is terminated afterwards, which frees its memory. Without workers (in Node, or under a
 * strict `worker-src`) it runs on this thread in slices.
 *
 * @throws RangeError if the memory cannot be allocated
 */
export async function scryptInWorker(
  parameters: ScryptRequest['parameters'],
  password: Uint8Array,
  salt: Uint8Array,
): Promise<Uint8Array> {
  const key = await inWorker({ password, salt, parameters });
  if (key !== null) return key;
  // An own `onProgress`, so that the library does not read one that a page adds to `Object.prototype`.
  const settings = {
    ...parameters,
    dkLen: 32,
    maxmem: maxMemory,
    asyncTick: slice,
    onProgress: undefined as never,
  };
  const { scryptAsync } = await import('@noble/hashes/scrypt.js');
  return scryptAsync(password, salt, settings);
}

/**
 * The password is sent only to a program of this build. It is started from a blob; under a policy that allows workers
 * only from files, from `kdf-worker.js` beside this file if that has exactly the same content.
 *
 * @returns `null` if no such worker can be started
 */
async function inWorker(request: ScryptRequest): Promise<Uint8Array | null> {
  if (workers === undefined) return null;
  const { workerSource } = await import('./worker-source.js');
  if (workerSource === null) return null;
  const url = workers.createObjectURL(new workers.Blob([workerSource], own({ type: 'text/javascript' })));
  try {
    const key = await derive(url, request);
    if (key !== null) return key;
  } finally {
    workers.revokeObjectURL(url);
  }
  const file = await fileOf(workerSource);
  return file === null ? null : derive(file, request);
}

/** The URL of `kdf-worker.js`, if its content is exactly `source`; else `null`. */
async function fileOf(source: string): Promise<string | null> {
  try {
    const { href } = new URL('./kdf-worker.js', import.meta.url);
    const response = await (workers as NonNullable<typeof workers>).fetch(href);
    return response.ok && (await response.text()) === source ? href : null;
  } catch {
    return null;
  }
}

/** Resolves with the key, or with `null` if the worker at `url` does not start. */
function derive(url: string, request: ScryptRequest): Promise<Uint8Array | null> {
  const { Worker, post } = workers as NonNullable<typeof workers>;
  return new Promise((resolve, reject) => {
    let worker: Worker;
    try {
      worker = new Worker(url);
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
        post(worker, request);
        return;
      }
      const { key, failure } = own<{ readonly key?: Uint8Array; readonly failure?: string }>(data);
      finish(() => (key ? resolve(key) : reject(new RangeError(failure))));
    });
    worker.addEventListener('error', (event) => {
      event.preventDefault();
      // After the start, only the allocation of memory can fail.
      finish(() => (started ? reject(new RangeError('scrypt failed in its worker')) : resolve(null)));
    });
  });
}
