import { type Clock, systemClock } from '../../async/clock.js';
import { createQueue } from '../../async/queue.js';
import type { BlockLink } from '../../chain/blocks.js';
import { own } from '../../rpc/own.js';
import type { Hash, Hex, Log } from '../../rpc/schema.js';
import type { Storage } from '../../storage/storage.js';

/** A block with its delivered logs. Full logs are kept, to emit them again with `removed: true`. */
export interface DeliveredBlock {
  readonly number: Hex;
  readonly hash: Hash;
  readonly logs: readonly Log[];
}

/** How far events of a chain were delivered to a page. */
export interface Progress {
  /** The newest delivered blocks, oldest first; older ones with gaps. */
  readonly links: readonly BlockLink[];
  /** A block above them, up to which missed logs were delivered as a range. */
  readonly reached?: Pick<BlockLink, 'number' | 'hash'> | undefined;
  /** Oldest first. */
  readonly deliveredBlocks: readonly DeliveredBlock[];
  /** Events that were about to be delivered when this was written; how many of them were is unknown. */
  readonly delivering: readonly Log[];
}

/** The cursor stored under one name. Never rejects: a cursor that cannot be stored lasts as long as the page. */
export interface StoredCursor {
  /** `null` if the name is new or belonged to another subscription. */
  load(): Promise<Progress | null>;
  /** Resolves once it is stored, or has failed. Writes happen in the order of the calls. */
  save(progress: Progress): Promise<void>;
  forget(): Promise<void>;
}

/** The cursors of one origin and chain. Pages that use the same name share its cursor, which is that of the furthest page. */
export interface CursorStore {
  /** @param subscription the subscription as text; with another one the name starts at the head */
  open(name: string, subscription: string): StoredCursor;
}

interface Stored extends Progress {
  readonly key: string;
  readonly subscription: string;
  /** A random id of this write, by which a page notices that another one has written since. */
  readonly revision: string;
  /** Milliseconds since 1970. */
  readonly savedAt: number;
}

/** Milliseconds (30 days) after which an unused cursor is deleted. */
const keptFor = 30 * 86_400_000;
const kept = 256;

export function createCursorStore(options: createCursorStore.Options): CursorStore {
  const { storage, origin, chainId, clock = systemClock } = own(options);
  /** Cursors that could not be stored. */
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

  function open(name: string, subscription: string): StoredCursor {
    // Origins and names contain no spaces, so keys are unique.
    const key = `${origin} ${chainId} ${name}`;
    const writer = Math.floor(Math.random() * 2 ** 48).toString(36);
    let writes = 0;
    /** The revision that this page has read or written last. */
    let seen: string | undefined;
    const inTurn = createQueue();

    const mayReplace = (stored: Stored, current: unknown): boolean =>
      !isStored(current) ||
      current.revision === seen ||
      (current.subscription === subscription ? heightOf(stored) >= heightOf(current) : seen === undefined);

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

    return {
      load: () =>
        inTurn(async () => {
          const stored = unwritten.get(key) ?? (await storage.get('cursor', key).catch(() => undefined));
          if (!pruned) void prune().catch(() => {});
          pruned = true;
          if (!isStored(stored) || stored.subscription !== subscription || isOld(stored)) return null;
          seen = stored.revision;
          return stored;
        }),
      save: (progress) =>
        inTurn(() => {
          writes += 1;
          const { links, reached, deliveredBlocks, delivering } = progress;
          return write({
            ...{ key, subscription, revision: `${writer} ${writes}`, savedAt: clock.now() },
            ...{ links, deliveredBlocks, delivering, ...(reached && { reached }) },
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

/** Whether a stored value has the form of a cursor; anything else is ignored. */
function isStored(value: unknown): value is Stored {
  const stored = Object(value) as { readonly [field in keyof Stored]?: unknown };
  const { key, subscription, revision, savedAt, links, reached, deliveredBlocks, delivering } = stored;
  return (
    [key, subscription, revision].every((each) => typeof each === 'string') &&
    typeof savedAt === 'number' &&
    [links, deliveredBlocks, delivering].every(Array.isArray) &&
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
