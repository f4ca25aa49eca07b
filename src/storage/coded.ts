import { errorName, resourceUnavailable } from '../rpc/core-errors.js';
import { isProviderRpcError } from '../rpc/errors.js';
import { isNotLoaded, notLoaded } from '../rpc/not-loaded.js';
import { own } from '../rpc/own.js';
import type { Storage } from './storage.js';

/** Whether this is a sandboxed frame without an origin of its own. */
const isOriginless = () => globalThis.origin === 'null' && globalThis.location?.protocol !== 'file:';

const noOrigin =
  'This frame has no origin, so the browser gives it no storage: its sandbox lacks allow-same-origin. A storage in memory works there.';

/**
 * The same storage with errors that callers may see: a full disk, a blocked database or a sandboxed frame becomes -32002
 * with the name of the failure. The text is omitted, because it may contain secrets.
 */
export function withCodedErrors(storage: Storage): Storage {
  const coded = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      if (isProviderRpcError(error)) throw error;
      if (isNotLoaded(error)) throw notLoaded(error);
      const name = errorName(error);
      throw resourceUnavailable(
        name === 'SecurityError' && isOriginless()
          ? noOrigin
          : `The browser's storage failed (${name.slice(0, 64)}); nothing was changed.`,
        own({ reason: name === 'QuotaExceededError' ? 'storage-full' : 'storage-failed' }),
      );
    }
  };
  return {
    ...storage,
    get: (store, key) => coded(() => storage.get(store, key)),
    all: (store, prefix) => coded(() => storage.all(store, prefix)),
    update: (store, key, next) => coded(() => storage.update(store, key, next)),
    put: (store, records) => coded(() => storage.put(store, records)),
    clear: (store, records) => coded(() => storage.clear(store, records)),
  };
}
