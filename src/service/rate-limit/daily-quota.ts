import { limitExceeded } from '../../rpc/core-errors.js';
import type { ProviderRpcError } from '../../rpc/errors.js';
import type { Service } from '../service.js';

/**
 * Counts the requests with one API key in one day, from midnight UTC (docs/notes/service.md#limits). All tabs of the
 * origin share one count in a {@link QuotaStore}: each adds its requests in small batches, so that a lost update loses
 * few.
 *
 * As the quota runs out, background work slows down first (`saving`), then the rest is reserved for requests of a
 * person (`reserved`), then only signed transactions are sent, because the count may be wrong (`spent`). A service
 * that reports a spent quota is believed for a while; then one request tests it.
 */
export interface DailyQuota {
  /** The error (-32005) of a request that may not be sent now; `undefined` if it may. */
  refusal(urgency: number, isSend: boolean): ProviderRpcError | undefined;
  /** Counts a request that is sent. Returns its number. */
  count(): number;
  /** The service reports a spent quota, for `seconds` if it says so. */
  markSpent(seconds?: number): void;
  /** The service answered the request of this number, so the quota is not spent. */
  answered(request: number): void;
  state(): Service.Quota['state'];
  /** The factor by which background work slows down. */
  slowdown(): number;
  today(): number;
  close(): void;
}

/** Stores the count for all tabs of an origin. If it fails, each page counts by itself. */
export interface QuotaStore {
  read(): string | null;
  write(text: string): void;
}

const day = 86_400_000;
/** Share of the quota that is reserved for requests of a person. */
const reserve = 0.02;
/** Share of the day before which the rate is not extrapolated: the first requests of a day say little. */
const minElapsed = 0.2;
const mostDoublings = 4;
/** Requests after which the count is stored, and milliseconds after which it is stored at the latest. */
const batch = 20;
const delay = 1_000;
/** Milliseconds for which a report of a spent quota is believed, at most and at least. */
const longestPause = 900_000;
const shortestPause = 30_000;
/** Milliseconds after which time alone may have changed the state. */
const recheck = 60_000;

export function createDailyQuota(options: createDailyQuota.Options): DailyQuota {
  const { perDay, store, now, onChange } = options;
  let today = dayOf(now());
  /** Requests of all tabs at the last sync. */
  let stored = 0;
  /** Requests of this tab since then. */
  let added = 0;
  let spentUntil = 0;
  let requests = 0;
  /** Requests up to this number were sent before the quota was reported as spent: their answers prove nothing. */
  let sentBeforeReport = 0;
  /** Whether this tab changed {@link spentUntil} since the last sync. */
  let spentChanged = false;
  let closed = false;
  let synced = Number.NEGATIVE_INFINITY;
  let reported: Service.Quota['state'] = 'normal';
  let timer: ReturnType<typeof setTimeout> | undefined;
  let checking: ReturnType<typeof setTimeout> | undefined;

  function sync(): void {
    clearTimeout(timer);
    timer = undefined;
    synced = now();
    const date = dayOf(synced);
    if (date !== today) [today, stored, added, spentUntil] = [date, 0, 0, 0];
    const entry = readEntry(attempt(() => store.read()));
    if (entry?.date === today) {
      // Another tab that wrote at the same time may have overwritten what this one had added.
      stored = Math.max(stored, entry.used);
      if (!spentChanged && entry.spentUntil !== spentUntil) {
        spentUntil = entry.spentUntil;
        sentBeforeReport = requests;
      }
    }
    if (added === 0 && !spentChanged) return;
    stored += added;
    added = 0;
    spentChanged = false;
    const text = `${today} ${stored} ${spentUntil}`;
    attempt(() => store.write(text));
  }

  /** Syncs when enough has been counted, or when the last sync is {@link delay} old; else schedules a sync. */
  function refresh(): void {
    const age = now() - synced;
    if (added >= batch || spentChanged || age >= delay || age < 0) sync();
    else if (added > 0 && !closed) timer ??= setTimeout(syncAndCheck, delay);
  }

  function syncAndCheck(): void {
    sync();
    check();
  }

  const used = () => stored + added;

  function doublings(): number {
    if (perDay === null) return 0;
    const elapsed = Math.max(minElapsed, (now() % day) / day);
    const rate = used() / (perDay * elapsed);
    const left = Math.max(0, perDay - used()) / perDay;
    // One doubling from 1.5 times the even rate, or with a tenth of the quota left; two from 3 times, and so on.
    const needed = Math.floor(Math.max(Math.log2(rate / 0.75), Math.log2(0.2 / left)));
    return Math.min(mostDoublings, Math.max(0, needed));
  }

  function state(): Service.Quota['state'] {
    refresh();
    if (spentUntil > now()) return 'spent';
    if (perDay === null) return 'normal';
    if (used() >= perDay) return 'spent';
    if (perDay - used() <= perDay * reserve) return 'reserved';
    return doublings() > 0 ? 'saving' : 'normal';
  }

  function check(): void {
    clearTimeout(checking);
    checking = undefined;
    const current = state();
    if (current !== 'normal' && !closed) checking = setTimeout(check, recheck);
    if (current === reported) return;
    reported = current;
    onChange();
  }

  // Asynchronous, because the listener uses what this function returns.
  checking = setTimeout(check);

  return {
    refusal(urgency, isSend) {
      const current = state();
      if (isSend || current === 'normal' || current === 'saving') return undefined;
      const isReported = spentUntil > now();
      if (urgency === 0 && (isReported || current === 'reserved')) return undefined;
      const end = isReported ? spentUntil : (today + 1) * day;
      return quotaSpent(Math.ceil((end - now()) / 1000));
    },
    count() {
      added++;
      requests++;
      check();
      return requests;
    },
    markSpent(seconds = Number.POSITIVE_INFINITY) {
      spentUntil = now() + Math.min(longestPause, Math.max(shortestPause, seconds * 1000));
      spentChanged = true;
      sentBeforeReport = requests;
      check();
    },
    answered(request) {
      if (spentUntil <= now() || request <= sentBeforeReport) return;
      spentUntil = 0;
      spentChanged = true;
      check();
    },
    state,
    slowdown: () => (state() === 'spent' ? 2 ** mostDoublings : 2 ** doublings()),
    today() {
      refresh();
      return used();
    },
    close() {
      closed = true;
      sync();
      clearTimeout(checking);
    },
  };
}

function attempt<T>(act: () => T): T | null {
  try {
    return act();
  } catch {
    return null;
  }
}

const dayOf = (time: number) => Math.floor(time / day);

/** Reads `day used spentUntil`; `null` for anything else, because other scripts of the page can write there too. */
function readEntry(text: string | null) {
  const [date, used, spentUntil] = (text ?? '').split(' ').map(Number) as [number, number, number];
  return [date, used, spentUntil].every((each) => Number.isSafeInteger(each) && each >= 0)
    ? { date, used, spentUntil: Math.min(spentUntil, (date + 1) * day + longestPause) }
    : null;
}

/**
 * Not 4900 (EIP-1193, no chain can be reached), at which libraries end the session: other requests and other chains
 * still work.
 */
const quotaSpent = (seconds: number) =>
  limitExceeded(
    `The service's daily quota is spent, or the rest is reserved for requests of a person; try again in ${seconds} s`,
    { reason: 'quota', retryAfter: seconds },
  );

export declare namespace createDailyQuota {
  interface Options {
    /** Requests per day; `null` for no limit. */
    readonly perDay: number | null;
    readonly store: QuotaStore;
    /** Milliseconds since 1970. */
    readonly now: () => number;
    /** Called when the state has changed. */
    readonly onChange: () => void;
  }
}
