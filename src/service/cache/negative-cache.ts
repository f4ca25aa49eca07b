import { errorCode, type ProviderRpcError } from '../../rpc/errors.js';
import { develops, executes, methodFacts, sends } from '../../rpc/method-facts/method-facts.js';
import { heightIn } from '../../rpc/results.js';
import type { Endpoint } from '../endpoints.js';
import { copyOf, reasonOf } from '../errors/errors.js';

/**
 * Milliseconds for which a revert is repeated without a request, whatever the head is: viem's last repetition follows
 * the first answer by 1.05 s and the time of its requests. Here until the cache has loaded, then there (cache.ts), which
 * keeps reverts for as long as the head is the same.
 */
export const revertLifetime = 1_500;
/** Milliseconds for which a method counts as missing. */
export const missingLifetime = 300_000;
/** Entries of each kind. */
const maxEntries = 32;
/** Characters of a key that is cached. */
const maxKey = 2 ** 16;

/** Whether it changes the state that calls run on. */
const changes = (method: string): boolean => sends(method) || develops(method);

interface Refusal {
  readonly error: ProviderRpcError;
  readonly until: number;
}

/**
 * Caches reverts and missing methods for a short time. Libraries repeat such requests at once: viem repeats a revert
 * three times within 1.05 s (docs/notes/clients.md#viem-repeats-a-revert), and others probe for methods.
 */
export function createNegativeCache({ now }: { readonly now: () => number }) {
  const reverts = new Map<string, Refusal>();
  const missing = new Map<string, Refusal & { readonly endpoint: Endpoint }>();
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
    /** A copy of the cached error for a request, if `endpoint`, the next one in order, gave it; else `undefined`. */
    find(method: string, key: string | undefined, endpoint: () => Endpoint | undefined) {
      const missingEntry = missing.get(method);
      const revert = reverts.get(key ?? '');
      if (!missingEntry && !revert) return undefined;
      const refusal = missingEntry?.endpoint === endpoint() ? missingEntry : revert;
      return refusal && refusal.until > now() ? copyOf(refusal.error) : undefined;
    },
    /** Must be called when a request is sent; its methods then report the outcome. */
    begin(method: string) {
      const begun = state;
      if (changes(method)) stateChanged();
      return {
        refused(error: ProviderRpcError, key: string | undefined, endpoint: Endpoint): void {
          const until = now();
          if (reasonOf(error) === 'method-not-found' && !methodFacts(method).isVital)
            keep(missing, method, { error: copyOf(error), until: until + missingLifetime, endpoint });
          if (error.code !== errorCode.executionReverted || begun !== state) return;
          // Nothing here would show that the pending block changed: it has no height.
          if (executes(method) && key && key.length <= maxKey && !key.includes('"pending"'))
            keep(reverts, key, { error: copyOf(error), until: until + revertLifetime });
        },
        answered: (result: unknown): void => readHeight(method, result),
        /** Must be called in every case: refused, answered or lost. */
        ended(): void {
          if (changes(method)) stateChanged();
        },
      };
    },
    /** Empties the cache, when no endpoint was reachable: another node may answer next. */
    clear(): void {
      missing.clear();
      stateChanged();
    },
  };
}

/** Written out: `setLast` of `steady/shown.ts` would take that file out of the core's. */
function keep<Entry>(entries: Map<string, Entry>, key: string, entry: Entry): void {
  entries.delete(key);
  entries.set(key, entry);
  for (const oldest of entries.keys()) if (entries.size > maxEntries) entries.delete(oldest);
}
