import { singleFlight } from '../../../../src/async/lazy.js';
import type { QuotaStore } from '../../../../src/service/rate-limit/daily-quota.js';

/** Sends one command of Redis to the store that the instances share. @throws where it fails */
export type SendCommand = (command: readonly string[]) => Promise<unknown>;

/** One count of the daily quota that instances share: a copy here, to which each adds what the others have counted. */
export interface StoreQuota extends QuotaStore {
  /** Adds what was counted here to the store. Settles when that was done, or has failed: then it is kept for later. */
  flush(): Promise<void>;
}

interface Count {
  /** Days since 1970. */
  readonly date: number;
  readonly used: number;
  /** Milliseconds since 1970 until which the service says that the quota is spent. */
  readonly spentUntil: number;
}

/**
 * The count is read and written at once, from a copy. `write` adds the difference to the store in the background, and the
 * copy becomes what the store replies: requests of other instances appear here within {@link refreshing}. A store that
 * was emptied gets the count that is known here.
 */
export function createStoreQuota({ key, send }: createStoreQuota.Options): StoreQuota {
  /** As the store knows it. */
  let stored: Count | undefined;
  /** Counted here since, and a report that the store does not know yet. */
  let added = 0;
  let report: number | undefined;
  let flushed = Number.NEGATIVE_INFINITY;

  async function exchange(date: number): Promise<void> {
    const command = send();
    if (!command) return;
    const before = stored;
    const [sent, sentReport, counted] = [added, report, before?.date === date ? before.used : 0];
    const reply = (await command([
      ...['EVAL', addScript, '1', `${key}:${date}`, String(counted), String(sent)],
      ...[sentReport === undefined ? '' : String(sentReport), String(2 * day)],
    ])) as (number | string)[];
    const [used = 0, spentUntil = 0] = reply.map(Number);
    flushed = Date.now();
    // A new day may have begun during the request.
    if (stored !== before && stored?.date !== date) return;
    stored = { date, used, spentUntil };
    added -= sent;
    if (report === sentReport) report = undefined;
  }

  const isPending = () => added > 0 || report !== undefined;
  const flush = singleFlight(async () => {
    const today = Math.floor(Date.now() / day);
    await exchange(isPending() && stored ? stored.date : today).catch(() => {});
  });

  return {
    read() {
      const age = Date.now() - flushed;
      if (age > refreshing || age < 0) void flush();
      return stored ? `${stored.date} ${stored.used + added} ${report ?? stored.spentUntil}` : null;
    },
    write(text) {
      const [date = 0, used = 0, spentUntil = 0] = text.split(' ').map(Number);
      if (stored?.date !== date) {
        stored = { date, used: 0, spentUntil: 0 };
        added = 0;
        report = undefined;
      }
      added = Math.max(added, used - stored.used);
      if (spentUntil !== (report ?? stored.spentUntil)) report = spentUntil;
      // An exchange that was under way took along what was known as it began.
      void flush().then(() => (isPending() ? flush() : undefined));
    },
    flush,
  };
}

export declare namespace createStoreQuota {
  interface Options {
    readonly key: string;
    /** `undefined` while the store cannot be reached. */
    readonly send: () => SendCommand | undefined;
  }
}

/** Arguments: the count that the instance knew, what it adds, its report or nothing, and when the key expires. */
const addScript = `
local used = tonumber(redis.call('HGET', KEYS[1], 'used') or '0')
if used < tonumber(ARGV[1]) then used = tonumber(ARGV[1]) end
used = used + tonumber(ARGV[2])
redis.call('HSET', KEYS[1], 'used', used)
if ARGV[3] ~= '' then redis.call('HSET', KEYS[1], 'spentUntil', ARGV[3]) end
redis.call('PEXPIRE', KEYS[1], ARGV[4])
return { used, redis.call('HGET', KEYS[1], 'spentUntil') or '0' }`;

const day = 86_400_000;
/** Milliseconds after which the counts of other instances are read again. */
const refreshing = 2_000;
