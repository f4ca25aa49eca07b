import { type Clock, systemClock } from '../../async/clock.js';
import { createQueue } from '../../async/mutex.js';
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
  /** `null` if the name is new, belonged to another subscription, or lost its cursor. */
  load(): Promise<Progress | null>;
  /** Whether the name has lost its cursor to a limit, so that events were missed; true once for each loss. */
  takeLoss(): Promise<boolean>;
  /** Resolves once it is stored, or has failed. Writes happen in the order of the calls. */
  save(progress: Progress): Promise<void>;
  forget(): Promise<void>;
}

/**
 * The cursors of one origin and chain. Pages that use the same name share its cursor, which is that of the furthest page.
 * The limits hold for each origin: a new name drops the oldest cursor of its own origin, whose name is recorded as lost.
 */
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

/** The names that lost their cursor, as `chainId name`: the newest last. */
interface Lost {
  readonly names: readonly string[];
  /** Whether more were lost than are recorded: every unknown name counts as one of them, once. */
  readonly overflowed: boolean;
  /** Names that have reported their loss since then, the newest last. */
  readonly reported: readonly string[];
}

/** Milliseconds (30 days) after which an unused cursor is dropped. */
const keptFor = 30 * 86_400_000;
/** Cursors and characters kept for each origin. */
const maxCursors = 256;
const maxSize = 2 ** 25;
/** Characters that a page writes before the size of all cursors is measured again. */
const measuredEvery = 2 ** 22;
const maxLost = 1_024;

export function createCursorStore(options: createCursorStore.Options): CursorStore {
  const { storage, origin, chainId, clock = systemClock } = own(options);
  /** Cursors that could not be stored. */
  const unwritten = new Map<string, Stored>();
  // Origins and names contain no spaces, so keys are unique; no chain id is `lost`.
  const prefix = `${origin} `;
  const lostKey = `${prefix}lost`;
  let pruned = false;
  let written = 0;

  const remove = (key: string, fits: (stored: Stored) => boolean) =>
    storage.update('cursor', key, (current) => (isStored(current) && fits(current) ? undefined : current));

  /** Drops what is beyond the limits of this origin, the oldest first. The loss is recorded before the cursor is deleted. */
  async function prune(): Promise<void> {
    written = 0;
    const all = (await storage.all('cursor', prefix)).filter(isStored);
    let size = 0;
    const dropped = all
      .sort((a, b) => b.savedAt - a.savedAt)
      .filter((stored, at) => {
        size += JSON.stringify(stored).length;
        return isOld(stored) || at >= maxCursors || (at > 0 && size > maxSize);
      })
      .reverse();
    if (dropped.length === 0) return;
    const names = dropped.map(({ key }) => key.slice(prefix.length));
    await storage.update('cursor', lostKey, (current) => withLost(readLost(current), names));
    for (const { key, revision } of dropped) await remove(key, (stored) => stored.revision === revision);
  }

  /** Whether the name is a lost one, which is then recorded as reported. */
  async function takeLoss(name: string): Promise<boolean> {
    if (!isLost(readLost(await storage.get('cursor', lostKey)), name)) return false;
    await storage.update('cursor', lostKey, (current) => withReported(readLost(current), name));
    return true;
  }

  const isOld = ({ savedAt }: Stored) => clock.now() - savedAt > keptFor;

  function open(name: string, subscription: string): StoredCursor {
    const key = `${prefix}${chainId} ${name}`;
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
        let isNew = false;
        const kept = await storage.update('cursor', key, (current) => {
          isNew = !isStored(current);
          return mayReplace(stored, current) ? stored : current;
        });
        if (isStored(kept) && kept.revision === stored.revision) seen = stored.revision;
        unwritten.delete(key);
        written += JSON.stringify(stored).length;
        if (isNew || written > measuredEvery) await prune();
      } catch {
        unwritten.set(key, stored);
      }
    }

    return {
      load: () =>
        inTurn(async () => {
          const stored = unwritten.get(key) ?? (await storage.get('cursor', key).catch(() => undefined));
          const isExpired = isStored(stored) && isOld(stored);
          const pruning = pruned && !isExpired ? undefined : prune().catch(() => {});
          pruned = true;
          if (isExpired) await pruning;
          if (!isStored(stored) || stored.subscription !== subscription || isExpired) return null;
          seen = stored.revision;
          return stored;
        }),
      takeLoss: () => inTurn(() => takeLoss(`${chainId} ${name}`).catch(() => false)),
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

function readLost(value: unknown): Lost {
  const { names, overflowed, reported } = Object(value) as { readonly [field in keyof Lost]?: unknown };
  const texts = (list: unknown) =>
    Array.isArray(list) ? list.filter((each) => typeof each === 'string') : [];
  return { names: texts(names), overflowed: overflowed === true, reported: texts(reported) };
}

/** A name that begins with `~` is random, and lasts as long as its page: it is recorded, but makes no list overflow. */
const isLasting = (name: string) => !name.includes(' ~');

const isLost = ({ names, overflowed, reported }: Lost, name: string) =>
  names.includes(name) || (overflowed && isLasting(name) && !reported.includes(name));

/** Adds names. Beyond the limit the oldest random names are removed first. */
function withLost({ names, overflowed, reported }: Lost, added: readonly string[]): Lost {
  const all = [...new Set([...names, ...added])];
  const excess = Math.max(0, all.length - maxLost);
  const removed = new Set(
    [...all.filter((name) => !isLasting(name)), ...all.filter(isLasting)].slice(0, excess),
  );
  return {
    names: all.filter((name) => !removed.has(name)),
    overflowed: overflowed || [...removed].some(isLasting),
    reported: reported.filter((name) => !added.includes(name)),
  };
}

const withReported = ({ names, overflowed, reported }: Lost, name: string): Lost => ({
  names: names.filter((each) => each !== name),
  overflowed,
  reported: overflowed ? [...reported, name].slice(-maxLost) : [],
});

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
