import { limitExceeded } from '../../rpc/core-errors.js';
import type { ProviderRpcError } from '../../rpc/errors.js';
import { own } from '../../rpc/own.js';
import type { Service } from '../service.js';

/**
 * Counts the requests with one API key in one day, from midnight UTC (docs/notes/service.md#limits). All tabs of the
 * origin share one count in a {@link QuotaStore}: each adds its requests in small batches, so that a lost update loses
 * few.
 *
 * As the quota runs out, background work slows down first (`saving`), then the rest is reserved for requests of a
 * person (`reserved`), then only signed transactions are sent, because the count may be wrong (`spent`). A service
 * that reports a spent quota is believed for a while; then one request tests it.
 *
 * Dapps of other origins that share the wallet have shares of the quota: once a dapp has used as much as is left for all, it
 * has to leave the rest to the others. A dapp that is the only one in a week has no such limit.
 */
export interface DailyQuota {
  /** The error (-32005) of a request that may not be sent now; `undefined` if it may. `dapp` is charged for it. */
  refusal(urgency: number, isSend: boolean, dapp?: string | null): ProviderRpcError | undefined;
  /** Counts a request that is sent, for the dapp that is charged too. Returns its number. */
  count(dapp?: string | null): number;
  /** The service reports a spent quota, for `seconds` if it says so. */
  markSpent(seconds?: number): void;
  /** The service answered the request of this number, so the quota is not spent. */
  answered(request: number): void;
  state(): Service.Quota['state'];
  /** The factor by which background work slows down; for a dapp with a share, as that runs out. */
  slowdown(dapp?: string | null): number;
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
/** Days without a request after which a dapp has no share any more, and dapps whose counts are stored. */
const daysKnown = 7;
const maxDapps = 32;

/** The requests of one dapp today: of all tabs at the last sync, and of this tab since. */
interface Share {
  stored: number;
  added: number;
  /** The day of the last request, since 1970. */
  date: number;
}

export function createDailyQuota(options: createDailyQuota.Options): DailyQuota {
  const { perDay, store, now, onChange, connected } = own(options);
  const shares = new Map<string, Share>();
  /** Whether a dapp made its first request of the day since the last sync. */
  let isDappNew = false;
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
    if (date !== today) {
      [today, stored, added, spentUntil] = [date, 0, 0, 0];
      for (const share of shares.values()) [share.stored, share.added] = [0, 0];
    }
    const entry = readEntry(attempt(() => store.read()));
    for (const [dapp, at, used] of entry?.shares ?? []) {
      const share = shareOf(dapp);
      share.date = Math.max(share.date, Math.min(at, today));
      if (at === today) share.stored = Math.max(share.stored, used);
    }
    if (entry?.date === today) {
      // Another tab that wrote at the same time may have overwritten what this one had added.
      stored = Math.max(stored, entry.used);
      if (!spentChanged && entry.spentUntil !== spentUntil) {
        spentUntil = entry.spentUntil;
        sentBeforeReport = requests;
      }
    }
    if (added === 0 && !spentChanged && !isDappNew) return;
    stored += added;
    added = 0;
    spentChanged = false;
    isDappNew = false;
    for (const share of shares.values()) {
      share.stored += share.added;
      share.added = 0;
    }
    const text = [`${today} ${stored} ${spentUntil}`, ...storedShares()].join(' ');
    attempt(() => store.write(text));
  }

  function shareOf(dapp: string): Share {
    const share = shares.get(dapp) ?? { stored: 0, added: 0, date: 0 };
    shares.set(dapp, share);
    return share;
  }

  /** The share of the dapp that makes a request. */
  function touch(dapp: string): Share {
    const share = shareOf(nameOf(dapp));
    if (share.date === today) return share;
    share.date = today;
    isDappNew = true;
    // At once, so that no flood of another dapp comes before it.
    sync();
    return share;
  }

  const storedShares = () =>
    [...shares]
      .filter(([, { date }]) => date > today - daysKnown)
      .sort(([, a], [, b]) => b.date - a.date || b.stored - a.stored)
      .slice(0, maxDapps)
      .map(([dapp, { date, stored }]) => `${dapp} ${date} ${stored}`);

  /** The use of a dapp, and the rest of the day for all; `undefined` where it shares the quota with no other. */
  function room(dapp: string | null, reserved = perDay === null ? 0 : perDay * reserve) {
    if (dapp === null || perDay === null) return undefined;
    const name = nameOf(dapp);
    const isOther = (other: string) => other !== name;
    const isShared =
      [...shares].some(([other, { date }]) => isOther(other) && date > today - daysKnown) ||
      [...(connected?.() ?? [])].map(nameOf).some(isOther);
    if (!isShared) return undefined;
    const share = shares.get(name);
    const mine = share ? share.stored + share.added : 0;
    return { mine, left: perDay - reserved - used() };
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
  const secondsUntil = (end: number) => Math.ceil((end - now()) / 1000);

  function doublings(dapp: string | null = null): number {
    if (perDay === null) return 0;
    const share = room(dapp);
    // A dapp that goes on alone stops when it has used half of what it has and what is left for all.
    const total = share ? (share.mine + Math.max(0, share.left)) / 2 : perDay;
    const spent = share ? share.mine : used();
    const elapsed = Math.max(minElapsed, (now() % day) / day);
    const rate = spent / (total * elapsed);
    const left = Math.max(0, total - spent) / total;
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
    refusal(urgency, isSend, dapp = null) {
      const current = state();
      if (dapp !== null) touch(dapp);
      // A question to the person may use the reserve, by the same rule; sends that they have approved charge no dapp.
      const share = room(dapp, urgency === 0 && !isSend ? 0 : undefined);
      if (share && share.mine >= share.left) return shareSpent(secondsUntil((today + 1) * day));
      if (isSend || current === 'normal' || current === 'saving') return undefined;
      const isReported = spentUntil > now();
      if (urgency === 0 && (isReported || current === 'reserved')) return undefined;
      const end = isReported ? spentUntil : (today + 1) * day;
      return quotaSpent(secondsUntil(end));
    },
    count(dapp = null) {
      if (dapp !== null) touch(dapp).added++;
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
    slowdown: (dapp) => (state() === 'spent' ? 2 ** mostDoublings : 2 ** doublings(dapp)),
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

/** An origin in the stored text, whose parts are separated by blanks. */
const nameOf = (dapp: string) => dapp.replace(/\s/g, '');

const isCount = (value: number) => Number.isSafeInteger(value) && value >= 0;

/**
 * Reads `day used spentUntil`, and for each dapp `origin day used`; `null` for anything else, because other scripts of the
 * page can write there too.
 */
function readEntry(text: string | null) {
  const [date, used, spentUntil, ...rest] = (text ?? '').split(' ', 3 + 3 * maxDapps);
  const numbers = [date, used, spentUntil].map(Number) as [number, number, number];
  if (!numbers.every(isCount)) return null;
  const shares: (readonly [dapp: string, date: number, used: number])[] = [];
  for (let i = 0; i + 2 < rest.length; i += 3) {
    const [at, count] = [Number(rest[i + 1]), Number(rest[i + 2])];
    if (isCount(at) && isCount(count)) shares.push([rest[i] as string, at, count]);
  }
  const end = (numbers[0] + 1) * day + longestPause;
  return { date: numbers[0], used: numbers[1], spentUntil: Math.min(numbers[2], end), shares };
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

const shareSpent = (seconds: number) =>
  limitExceeded(
    `This site has used its share of the service's daily quota, and the rest is for other sites; try again in ${seconds} s`,
    { reason: 'quota-share', retryAfter: seconds },
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
    /** The dapps that the person has connected: each has a share, also before its first request. */
    readonly connected?: (() => Iterable<string>) | undefined;
  }
}
