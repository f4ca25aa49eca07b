import type { ProviderRpcError } from '../../rpc/errors.js';
import type { Scope } from './cache-rules.js';
import { copyOf } from '../errors/errors.js';
import type { Head } from './head-view.js';

/** An answer as it is kept: nobody can write into it. One of the three is there. */
export interface Answer {
  readonly result?: unknown;
  /** A result that is an object. */
  readonly json?: string | undefined;
  readonly error?: ProviderRpcError | undefined;
}

export interface Entry extends Answer {
  readonly scope: Scope;
  /** As it was when the read began. */
  readonly state: Head.State;
  /** Milliseconds since 1970. */
  readonly beganAt: number;
  readonly keptAt: number;
}

interface Sized extends Entry {
  readonly size: number;
}

/** Entries by key, the longest unused first to go. */
export interface Memory {
  get(key: string): Entry | undefined;
  /** Keeps it, unless it is too long, or too deeply nested, to be worth it: then nothing is kept. */
  put(key: string, entry: Entry): void;
  remove(key: string): void;
  used(key: string): void;
  clear(): void;
}

const mostEntries = 2_048;
/** Items; more are not worth writing out. */
const longestList = 1_000;

/** `capacity` in characters, which are bytes where they are ASCII. */
export function createMemory(capacity: number): Memory {
  const entries = new Map<string, Sized>();
  let size = 0;

  function remove(key: string): void {
    size -= entries.get(key)?.size ?? 0;
    entries.delete(key);
  }

  return {
    get: (key) => entries.get(key),
    put(key, entry) {
      remove(key);
      const kept = keepable(entry);
      const { json = kept?.result, error } = kept ?? {};
      const own = key.length + `${error?.data ?? json}`.length;
      if (!kept || own > capacity / 16) return;
      const { scope, state, beganAt, keptAt } = entry;
      // Written out: there are many, and objects that are put together weigh twice as much.
      entries.set(key, {
        result: kept.result,
        json: kept.json,
        error,
        scope,
        state,
        beganAt,
        keptAt,
        size: own,
      });
      size += own;
      for (const oldest of entries.keys()) {
        if (size <= capacity && entries.size <= mostEntries) return;
        remove(oldest);
      }
    },
    remove,
    clear() {
      entries.clear();
      size = 0;
    },
    used(key) {
      const entry = entries.get(key);
      if (!entry) return;
      entries.delete(key);
      entries.set(key, entry);
    },
  };
}

function keepable({ result, error }: Answer): Answer | undefined {
  if (error) return { error: copyOf(error) };
  if (typeof result !== 'object' || result === null) return { result };
  if (Array.isArray(result) && result.length > longestList) return undefined;
  try {
    return { result: undefined, json: JSON.stringify(result) };
  } catch {
    return undefined;
  }
}
