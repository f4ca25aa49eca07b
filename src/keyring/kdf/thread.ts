import { workers } from '../../builtins.js';
import { own } from '../../rpc/own.js';
import { maxMemory, type ScryptReply, type ScryptRequest } from './messages.js';

/** A worker that has not started by then never will: a policy that forbids it need not say so. */
const startTimeout = 5_000;
/** Under the 50 ms that make a page feel stuck, and few enough pauses not to matter. */
const slice = 25;

/**
 * scrypt in a worker of its own, ended with the derivation so that its memory goes too; in slices on this
 * thread where there is no worker (Node, a strict `worker-src`).
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
  // `onProgress` by name, so that it is not looked for in what a page adds to `Object.prototype`.
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
 * The password goes only to a program that came with this build. It starts from memory; where the page's policy allows
 * workers from its own files alone, from `kdf-worker.js` beside this file, if that is the same program.
 *
 * @returns `null` where no such worker can be started
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

/** The address of `kdf-worker.js`, if it answers with exactly `source`. */
async function fileOf(source: string): Promise<string | null> {
  try {
    const { href } = new URL('./kdf-worker.js', import.meta.url);
    const response = await (workers as NonNullable<typeof workers>).fetch(href);
    return response.ok && (await response.text()) === source ? href : null;
  } catch {
    return null;
  }
}

/** `null` where the worker at `url` does not start. */
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
      // Once it has started, the only thing left to fail is the memory.
      finish(() => (started ? reject(new RangeError('scrypt failed in its worker')) : resolve(null)));
    });
  });
}
