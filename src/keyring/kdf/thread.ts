import { own } from '../../rpc/own.js';
import { type ByteArray, trustedScriptUrl, workers } from '../builtins.js';
import { maxMemory, type ScryptReply, type ScryptRequest } from './messages.js';

/** Milliseconds to wait for a worker to start, since a policy that forbids workers may not cause an error event. */
const startTimeout = 5_000;
/** Milliseconds of work between two pauses on this thread; tasks under 50 ms do not make a page feel blocked. */
const slice = 25;
/** Up to this N of scrypt a password takes a few milliseconds: a test's. */
const cheap = 4_096;

/**
 * Runs scrypt in a worker that is terminated afterwards, which frees its memory. Where none starts (under a strict
 * `worker-src`) it runs on this thread in slices; a page is warned of it, once.
 *
 * @throws RangeError if the memory cannot be allocated
 */
export async function scryptInWorker(
  parameters: ScryptRequest['parameters'],
  password: Uint8Array,
  salt: Uint8Array,
): Promise<ByteArray> {
  const key = await inWorker({ password, salt, parameters });
  if (key !== null) return key;
  if ('document' in globalThis && parameters.N > cheap) warnOnce();
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

/** Warns where a policy or a bundler keeps every worker from starting. */
const warnOnce = (() => {
  let warned = false;
  return () => {
    if (warned) return;
    warned = true;
    // biome-ignore lint/suspicious/noConsole: nothing fails, so that no error could say it.
    console.warn(
      'graft-wallet: no worker starts on this page, so each password is stretched on the main thread and slows the page ' +
        "down for seconds. Allow blob: in worker-src of the Content-Security-Policy, or serve this version's " +
        'kdf-worker.js from the origin of the page and name it with workerUrl, or data-worker-url of the script tag. ' +
        'Under Trusted Types, allow the policy graft.',
    );
  };
})();

/**
 * The password is sent only to a program of this build: a file is used if it has exactly the same content. First the file
 * that the page names, whose policy may report an attempt with a blob; then a blob; then `kdf-worker.js` beside this file.
 *
 * @returns `null` if no such worker can be started
 */
async function inWorker(request: ScryptRequest): Promise<ByteArray | null> {
  const { workerSource, workerFile } = await import('./worker-source.js');
  if (workers === undefined) return derive(workerSource === null ? null : nodeThread(workerSource), request);
  const inPage = (url: string) => derive(pageThread(url), request);
  if (workerFile !== null) return inPage(workerFile);
  if (workerSource === null) return null;
  const fromFile = async (url: () => string) => {
    const file = await fileOf(url, workerSource);
    return file === null ? null : inPage(file);
  };
  const { file } = workers;
  const named = file === undefined ? null : await fromFile(() => file);
  if (named !== null) return named;
  const url = workers.createObjectURL(new workers.Blob([workerSource], own({ type: 'text/javascript' })));
  try {
    const key = await inPage(url);
    if (key !== null) return key;
  } finally {
    workers.revokeObjectURL(url);
  }
  return fromFile(() => new URL('./kdf-worker.js', import.meta.url).href);
}

/** The URL of a file if its content is exactly `source`; else `null`. */
async function fileOf(urlOf: () => string, source: string): Promise<string | null> {
  try {
    const url = urlOf();
    const response = await (workers as NonNullable<typeof workers>).fetch(url);
    return response.ok && (await response.text()) === source ? url : null;
  } catch {
    return null;
  }
}

/** `null` where a policy forbids it. Deno has module workers only, and refuses any other with a `NotSupportedError`. */
function startWorker(url: string, options?: WorkerOptions): Worker | null {
  const { Worker } = workers as NonNullable<typeof workers>;
  try {
    return new Worker(trustedScriptUrl(url), options);
  } catch (error) {
    const needsModule = !options && (error as Error).name === 'NotSupportedError';
    return needsModule ? startWorker(url, own({ type: 'module' as const })) : null;
  }
}

/** A worker of either kind. */
interface Thread {
  send(request: ScryptRequest): void;
  /** `failed`: it has not started, or has ended with an error. */
  listen(received: (reply: ScryptReply) => void, failed: () => void): void;
  end(): void;
}

/** A worker of a page, Deno or Bun. `null` where a policy forbids it. */
function pageThread(url: string): Thread | null {
  const worker = startWorker(url);
  const { post } = workers as NonNullable<typeof workers>;
  return (
    worker && {
      send: (request) => post(worker, request),
      listen(received, failed) {
        worker.addEventListener('message', ({ data }: MessageEvent<ScryptReply>) => received(data));
        worker.addEventListener('error', (event) => {
          event.preventDefault();
          failed();
        });
      },
      end: () => worker.terminate(),
    }
  );
}

interface NodeProcess {
  getBuiltinModule?(name: 'node:worker_threads'): Pick<typeof import('node:worker_threads'), 'Worker'>;
}

/** Adds the browser's `postMessage` and `addEventListener` to a worker of Node. */
const nodeScope =
  "const { parentPort } = require('node:worker_threads');" +
  'globalThis.postMessage = (reply) => parentPort.postMessage(reply);' +
  'globalThis.addEventListener = (type, listener) => parentPort.on(type, (data) => listener({ data }));\n';

/** A worker of Node, without an import that bundlers would find. `null` elsewhere. */
function nodeThread(source: string): Thread | null {
  const { process } = globalThis as { readonly process?: NodeProcess };
  const threads = process?.getBuiltinModule?.('node:worker_threads');
  if (!threads) return null;
  const worker = new threads.Worker(nodeScope + source, own({ eval: true, execArgv: [] }));
  return {
    send: (request) => worker.postMessage(request),
    listen(received, failed) {
      worker.on('message', received);
      worker.on('error', failed);
    },
    end: () => void worker.terminate(),
  };
}

/** Resolves with the key, or with `null` if the worker does not start. */
function derive(thread: Thread | null, request: ScryptRequest): Promise<ByteArray | null> {
  return new Promise((resolve, reject) => {
    if (thread === null) return resolve(null);
    let started = false;
    const finish = (settle: () => void) => {
      clearTimeout(timer);
      thread.end();
      settle();
    };
    const timer = setTimeout(() => finish(() => resolve(null)), startTimeout);
    const received = (reply: ScryptReply) => {
      if (reply === 'ready') {
        started = true;
        clearTimeout(timer);
        thread.send(request);
        return;
      }
      const { key, failure } = own(reply);
      finish(() => (key ? resolve(key) : reject(new RangeError(failure))));
    };
    thread.listen(received, () =>
      // After the start, only the allocation of memory can fail.
      finish(() => (started ? reject(new RangeError('scrypt failed in its worker')) : resolve(null))),
    );
  });
}
