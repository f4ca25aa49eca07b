import { errorCode, type ProviderRpcError } from '../../rpc/errors.js';
import { develops, executes, methodFacts, sends } from '../../rpc/method-facts/method-facts.js';
import { heightIn } from '../../rpc/selectors.js';
import type { Endpoint } from '../endpoints.js';
import { copyOf, reasonOf } from '../errors/errors.js';

/**
 * Caches reverts and missing methods for a short time. Libraries repeat such requests at once: viem repeats a revert
 * three times within 1.05 s (docs/notes/clients.md#viem-repeats-a-revert), and others probe for methods.
 */
export interface NegativeCache {
  /** A copy of the cached error for a request, if `endpoint`, the next one in order, gave it; else `undefined`. */
  find(
    method: string,
    key: string | undefined,
    endpoint: () => Endpoint | undefined,
  ): ProviderRpcError | undefined;
  /** Must be called when a request is sent; its methods then report the outcome. */
  begin(method: string): NegativeCache.Request;
  /** Empties the cache, when no endpoint was reachable: another node may answer next. */
  clear(): void;
}

export declare namespace NegativeCache {
  interface Request {
    refused(error: ProviderRpcError, key: string | undefined, endpoint: Endpoint): void;
    answered(result: unknown): void;
    /** Must be called in every case: refused, answered or lost. */
    ended(): void;
  }
}

/**
 * Milliseconds for which a revert is repeated without a request, whatever the head is: viem's last repetition follows
 * the first answer by 1.05 s and the time of its requests. Here until the cache has loaded, then there (cache.ts), which
 * keeps reverts for as long as the head is the same.
 */
export const revertLifetime = 1_500;
/** Milliseconds for which a method counts as missing. */
export const missingLifetime = 300_000;
/** Entries of each kind. */
const most = 32;
/** Characters of the longest key that is cached. */
const longestKey = 2 ** 16;

/** Whether it changes the state that calls run on. */
const changes = (method: string): boolean => sends(method) || develops(method);

export function createNegativeCache({ now }: { readonly now: () => number }): NegativeCache {
  const reverts = new Map<string, { readonly error: ProviderRpcError; readonly until: number }>();
  const missing = new Map<
    string,
    { readonly error: ProviderRpcError; readonly until: number; readonly endpoint: Endpoint }
  >();
  let head = -1;
  /** Increases whenever the state may have changed: the answer to an earlier request is then not cached. */
  let state = 0;

  const stateChanged = () => {
    state++;
    reverts.clear();
  };

  /** A result with a higher block than any before shows that `latest` has moved. */
  const readHeight = (method: string, result: unknown) => {
    const height = method === 'eth_blockNumber' ? Number(result) : heightIn(result);
    if (!(height > head)) return;
    head = height;
    stateChanged();
  };

  return {
    find(method, key, endpoint) {
      const missingEntry = missing.get(method);
      const revert = reverts.get(key ?? '');
      if (!missingEntry && !revert) return undefined;
      const known = missingEntry?.endpoint === endpoint() ? missingEntry : revert;
      return known && known.until > now() ? copyOf(known.error) : undefined;
    },
    begin(method) {
      const begun = state;
      if (changes(method)) stateChanged();
      return {
        refused(error, key, endpoint) {
          const until = now();
          if (reasonOf(error) === 'method-not-found' && !methodFacts(method).isVital)
            keep(missing, method, { error: copyOf(error), until: until + missingLifetime, endpoint });
          if (error.code !== errorCode.executionReverted || begun !== state) return;
          // Nothing here would show that the pending block changed: it has no height.
          if (executes(method) && key && key.length <= longestKey && !key.includes('"pending"'))
            keep(reverts, key, { error: copyOf(error), until: until + revertLifetime });
        },
        answered: (result) => readHeight(method, result),
        ended() {
          if (changes(method)) stateChanged();
        },
      };
    },
    clear() {
      missing.clear();
      stateChanged();
    },
  };
}

function keep<Entry>(entries: Map<string, Entry>, key: string, entry: Entry): void {
  entries.delete(key);
  entries.set(key, entry);
  for (const oldest of entries.keys()) if (entries.size > most) entries.delete(oldest);
}
