import { scrypt } from '@noble/hashes/scrypt.js';
import { maxMemory, type ScryptReply, type ScryptRequest } from './messages.js';

/** The program of the worker that `thread.ts` starts. It handles one request. Nothing imports this file. */

interface WorkerScope {
  postMessage(reply: ScryptReply): void;
  addEventListener(type: 'message', listener: (event: { data: ScryptRequest }) => void): void;
}

// Runs only in a worker: a server or a page may import this file too. Bun's workers lack `DedicatedWorkerGlobalScope`.
if ('postMessage' in globalThis && !('document' in globalThis)) answer(globalThis as unknown as WorkerScope);

function answer(scope: WorkerScope): void {
  scope.addEventListener('message', ({ data: { password, salt, parameters } }) => {
    try {
      scope.postMessage({ key: scrypt(password, salt, { ...parameters, dkLen: 32, maxmem: maxMemory }) });
    } catch (error) {
      scope.postMessage({ failure: error instanceof RangeError ? error.message : 'scrypt failed' });
    } finally {
      password.fill(0);
    }
  });
  scope.postMessage('ready');
}
