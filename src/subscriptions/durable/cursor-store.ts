import { type Clock, systemClock } from '../../async/clock.js';
import type { BlockLink } from '../../chain/blocks.js';
import { own } from '../../rpc/own.js';
import type { Hash, Hex, Log } from '../../rpc/schema.js';
import type { Storage } from '../../storage/storage.js';

/** A block whose logs a page was told, with them in full: that is how they are taken back. */
export interface DeliveredBlock {
  readonly number: Hex;
  readonly hash: Hash;
  readonly logs: readonly Log[];
}

/** How far a page has been told of a chain. */
export interface Progress {
  /** The newest blocks of the chain as it was told, oldest first; further down not every one. */
  readonly links: readonly BlockLink[];
  /** A block above them, up to which the past was told. */
  readonly reached?: Pick<BlockLink, 'number' | 'hash'> | undefined;
  /** Oldest first. */
  readonly told: readonly DeliveredBlock[];
  /** What was about to be told when this was written: nobody knows how much of it was. */
  readonly telling: readonly Log[];
}

/** The progress kept under one name. Nothing here rejects: what cannot be written is kept as long as the page. */
export interface StoredCursor {
  /** `null` where the name is new, or was of a subscription to something else. */
  load(): Promise<Progress | null>;
  /** Resolves once it is durable, or will not be. Writes happen in the order of the calls. */
  save(progress: Progress): Promise<void>;
  forget(): Promise<void>;
}

/** The cursors of one origin and chain. Pages that use one name share its cursor: it is where the furthest is. */
export interface CursorStore {
  /** @param wanted what is subscribed to, as text: another one starts anew */
  open(name: string, wanted: string): StoredCursor;
}

interface Stored extends Progress {
  readonly key: string;
  readonly wanted: string;
  /** Of this writing: tells a page whether another one has written since. */
  readonly revision: string;
  /** Milliseconds since 1970. */
  readonly savedAt: number;
}

/** Milliseconds: what a page has not come back to for a month it will not miss. */
const keptFor = 30 * 86_400_000;
const kept = 256;

export function createCursorStore(options: createCursorStore.Options): CursorStore {
  const { storage, origin, chainId, clock = systemClock } = own(options);
  /** What could not be written. */
  const unwritten = new Map<string, Stored>();
  let pruned = false;

  const remove = (key: string, fits: (stored: Stored) => boolean) =>
    storage.update('cursor', key, (current) => (isStored(current) && fits(current) ? undefined : current));

  async function prune(): Promise<void> {
    const all = (await storage.all('cursor')).filter(isStored).sort((a, b) => b.savedAt - a.savedAt);
    for (const [at, { key, revision }] of all.entries())
      if (at >= kept || isOld(all[at] as Stored)) await remove(key, (stored) => stored.revision === revision);
  }

  const isOld = ({ savedAt }: Stored) => clock.now() - savedAt > keptFor;

  function open(name: string, wanted: string): StoredCursor {
    // An origin and a name have no blanks: no two cursors share a key.
    const key = `${origin} ${chainId} ${name}`;
    const writer = Math.floor(Math.random() * 2 ** 48).toString(36);
    let writes = 0;
    /** The revision that this page goes on from. */
    let seen: string | undefined;
    let last: Promise<unknown> = Promise.resolve();

    const mayReplace = (stored: Stored, current: unknown): boolean =>
      !isStored(current) ||
      current.revision === seen ||
      (current.wanted === wanted ? heightOf(stored) >= heightOf(current) : seen === undefined);

    async function write(stored: Stored): Promise<void> {
      try {
        const next = (current: unknown) => (mayReplace(stored, current) ? stored : current);
        const kept = await storage.update('cursor', key, next);
        if (isStored(kept) && kept.revision === stored.revision) seen = stored.revision;
        unwritten.delete(key);
      } catch {
        unwritten.set(key, stored);
      }
    }

    const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
      const result = last.then(work);
      last = result.catch(() => {});
      return result;
    };

    return {
      load: () =>
        inTurn(async () => {
          const stored = unwritten.get(key) ?? (await storage.get('cursor', key).catch(() => undefined));
          if (!pruned) void prune().catch(() => {});
          pruned = true;
          if (!isStored(stored) || stored.wanted !== wanted || isOld(stored)) return null;
          seen = stored.revision;
          return stored;
        }),
      save: (progress) =>
        inTurn(() => {
          writes += 1;
          const { links, reached, told, telling } = progress;
          return write({
            ...{ key, wanted, revision: `${writer} ${writes}`, savedAt: clock.now() },
            ...{ links, told, telling, ...(reached && { reached }) },
          });
        }),
      forget: () =>
        inTurn(async () => {
          unwritten.delete(key);
          await remove(key, (stored) => stored.revision === seen).catch(() => {});
        }),
    };
  }

  return { open };
}

const heightOf = ({ links, reached }: Progress): number => Number((reached ?? links.at(-1))?.number ?? -1);

/** Of this build, or near enough: what is not is as good as nothing. */
function isStored(value: unknown): value is Stored {
  const stored = Object(value) as { readonly [field in keyof Stored]?: unknown };
  const { key, wanted, revision, savedAt, links, reached, told, telling } = stored;
  return (
    [key, wanted, revision].every((each) => typeof each === 'string') &&
    typeof savedAt === 'number' &&
    [links, told, telling].every(Array.isArray) &&
    (links as unknown[]).length + (reached ? 1 : 0) > 0
  );
}

export declare namespace createCursorStore {
  interface Options {
    readonly storage: Storage;
    readonly origin: string;
    readonly chainId: number;
    readonly clock?: Clock | undefined;
  }
}
