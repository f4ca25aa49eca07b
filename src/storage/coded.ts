import { lazy } from '../async/lazy.js';
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
 * A storage that loads at its first use, with errors that callers may see: a full disk, a blocked database or a sandboxed frame
 * becomes -32002 with the name of the failure. The text is omitted, because it may contain secrets.
 *
 * @param durable what the storage says of itself, known without loading it
 */
export function withCodedErrors(load: () => Promise<Storage>, durable?: Storage['durable']): Storage {
  const loading = lazy(load);
  const coded = async <T>(work: (storage: Storage) => Promise<T>): Promise<T> => {
    try {
      return await work(await loading());
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
    get: (store, key) => coded((storage) => storage.get(store, key)),
    all: (store, prefix, limit) => coded((storage) => storage.all(store, prefix, limit)),
    update: (store, key, next) => coded((storage) => storage.update(store, key, next)),
    put: (store, records) => coded((storage) => storage.put(store, records)),
    remove: (store, records) => coded((storage) => storage.remove(store, records)),
    clear: (store, records) => coded((storage) => storage.clear(store, records)),
    close: () => loading.close((storage) => storage.close()),
    durable,
  };
}
