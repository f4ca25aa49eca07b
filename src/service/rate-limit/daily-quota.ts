import { limitExceeded } from '../../rpc/core-errors.js';
import type { ProviderRpcError } from '../../rpc/errors.js';
import { registrableDomain } from '../../rpc/registrable-domain.js';
import type { Service } from '../service.js';

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
const maxDoublings = 4;
/** Requests after which the count is stored, and milliseconds after which it is stored at the latest. */
const batch = 20;
const delay = 1_000;
/** Milliseconds for which a report of a spent quota is believed, at most and at least. */
const maxPause = 900_000;
const minPause = 30_000;
/** Milliseconds after which time alone may have changed the state. */
const recheck = 60_000;
/** Share of the quota that each connected site keeps, and what all of them keep together. */
const minimum = 0.04;
const allMinimums = 0.5;
/** Days without a request after which a site has no share any more, and sites whose counts are stored. */
const daysKnown = 7;
const maxSites = 32;

/** Requests of today: of all tabs at the last sync, and of this tab since. */
interface Count {
  stored: number;
  added: number;
}

/** The requests of one site. */
interface Share extends Count {
  /** The day of the last request, since 1970. */
  date: number;
}

/**
 * Counts the requests with one API key in one day, from midnight UTC (docs/notes/service.md#limits). All tabs of the
 * origin share one count in a {@link QuotaStore}: each adds its requests in small batches, so that a lost update loses
 * few.
 *
 * As the quota runs out, background work slows down first (`saving`), then the rest is reserved for requests of a
 * person (`reserved`), then only signed transactions are sent, because the count may be wrong (`spent`). A service
 * that reports a spent quota is believed for a while; then one request tests it.
 *
 * Sites that share the wallet have shares of the quota: once a site has used as much as is left for all, it has to leave
 * the rest to the others. All dapps of one registrable domain are one site, since its owner can make any number of them. A
 * site that the person has connected has a part of the day that no other can use. One that is the only one in a week has no
 * limit of its own.
 */
export function createDailyQuota(options: createDailyQuota.Options) {
  const { perDay, store, now, onChange, connected } = options;
  const shares = new Map<string, Share>();
  /** Whether a site made its first request of the day since the last sync. */
  let isSiteNew = false;
  let today = dayOf(now());
  const total: Count = { stored: 0, added: 0 };
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
      [today, spentUntil] = [date, 0];
      for (const count of [total, ...shares.values()]) [count.stored, count.added] = [0, 0];
    }
    const entry = readEntry(attempt(() => store.read()));
    for (const [site, at, used] of entry?.shares ?? []) {
      const share = shareOf(site);
      share.date = Math.max(share.date, Math.min(at, today));
      if (at === today) share.stored = Math.max(share.stored, used);
    }
    if (entry?.date === today) {
      // Another tab that wrote at the same time may have overwritten what this one had added.
      total.stored = Math.max(total.stored, entry.used);
      if (!spentChanged && entry.spentUntil !== spentUntil) {
        spentUntil = entry.spentUntil;
        sentBeforeReport = requests;
      }
    }
    if (total.added === 0 && !spentChanged && !isSiteNew) return;
    spentChanged = false;
    isSiteNew = false;
    for (const count of [total, ...shares.values()]) [count.stored, count.added] = [usedOf(count), 0];
    const text = [`${today} ${total.stored} ${spentUntil}`, ...storedShares()].join(' ');
    attempt(() => store.write(text));
  }

  function shareOf(site: string): Share {
    const share = shares.get(site) ?? { stored: 0, added: 0, date: 0 };
    shares.set(site, share);
    return share;
  }

  /** The share of the dapp that makes a request. */
  function touch(dapp: string): Share {
    const share = shareOf(siteOf(dapp));
    if (share.date === today) return share;
    share.date = today;
    isSiteNew = true;
    // At once, so that no flood of another site comes before it.
    sync();
    return share;
  }

  const storedShares = () =>
    [...shares]
      .filter(([, { date }]) => date > today - daysKnown)
      .sort(([, a], [, b]) => b.date - a.date || b.stored - a.stored)
      .slice(0, maxSites)
      .map(([site, { date, stored }]) => `${site} ${date} ${stored}`);

  /** The use of a dapp's site, what it keeps in any case, and the rest of the day for all; `undefined` where it is alone. */
  function room(dapp: string | null, reserved = perDay === null ? 0 : perDay * reserve) {
    if (dapp === null || perDay === null) return undefined;
    const mySite = siteOf(dapp);
    const isOther = (site: string) => site !== mySite;
    const connectedSites = new Set([...(connected?.() ?? [])].map(siteOf));
    const isShared =
      [...shares].some(([site, { date }]) => isOther(site) && date > today - daysKnown) ||
      [...connectedSites].some(isOther);
    if (!isShared) return undefined;
    const usedBy = (site: string) => usedOf(shares.get(site));
    const each = perDay * Math.min(minimum, allMinimums / Math.max(1, connectedSites.size));
    const kept = [...connectedSites]
      .filter(isOther)
      .reduce((sum, site) => sum + Math.max(0, each - usedBy(site)), 0);
    const isReserveWhole = used() < perDay - perDay * reserve;
    return {
      mine: usedBy(mySite),
      min: connectedSites.has(mySite) && isReserveWhole ? each : 0,
      left: perDay - reserved - used() - kept,
    };
  }

  /** Syncs when enough has been counted, or when the last sync is {@link delay} old; else schedules a sync. */
  function refresh(): void {
    const age = now() - synced;
    if (total.added >= batch || spentChanged || age >= delay || age < 0) sync();
    else if (total.added > 0 && !closed) timer ??= setTimeout(syncAndCheck, delay);
  }

  function syncAndCheck(): void {
    sync();
    check();
  }

  const used = () => usedOf(total);

  function doublings(dapp: string | null = null): number {
    if (perDay === null) return 0;
    const share = room(dapp);
    // A site that goes on alone stops when it has used half of what it has and what is left for all.
    const total = share ? Math.max(share.min, (share.mine + Math.max(0, share.left)) / 2) : perDay;
    const spent = share ? share.mine : used();
    const elapsed = Math.max(minElapsed, (now() % day) / day);
    const rate = spent / (total * elapsed);
    const left = Math.max(0, total - spent) / total;
    // One doubling from 1.5 times the even rate, or with a tenth of the quota left; two from 3 times, and so on.
    const needed = Math.floor(Math.max(Math.log2(rate / 0.75), Math.log2(0.2 / left)));
    return Math.min(maxDoublings, Math.max(0, needed));
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
    /** The error (-32005) of a request that may not be sent now; `undefined` if it may. `dapp` is charged for it. */
    refusal(urgency: number, isSend: boolean, dapp: string | null = null): ProviderRpcError | undefined {
      const current = state();
      if (dapp !== null) touch(dapp);
      // A question to the person may use the reserve, by the same rule; sends that they have approved charge no dapp.
      const share = room(dapp, urgency === 0 && !isSend ? 0 : undefined);
      if (share && share.mine >= Math.max(share.min, share.left))
        return shareSpent((today + 1) * day - now());
      if (isSend || current === 'normal' || current === 'saving') return undefined;
      const isReported = spentUntil > now();
      if (urgency === 0 && (isReported || current === 'reserved')) return undefined;
      const end = isReported ? spentUntil : (today + 1) * day;
      return quotaSpent(end - now());
    },
    /** Counts a request that is sent, for the dapp that is charged too. Returns its number. */
    count(dapp: string | null = null): number {
      if (dapp !== null) touch(dapp).added++;
      total.added++;
      requests++;
      check();
      return requests;
    },
    /** The service reports a spent quota, for `seconds` if it says so. */
    markSpent(seconds = Number.POSITIVE_INFINITY): void {
      spentUntil = now() + Math.min(maxPause, Math.max(minPause, seconds * 1000));
      spentChanged = true;
      sentBeforeReport = requests;
      check();
    },
    /** The service answered the request of this number, so the quota is not spent. */
    answered(request: number): void {
      if (spentUntil <= now() || request <= sentBeforeReport) return;
      spentUntil = 0;
      spentChanged = true;
      check();
    },
    state,
    /** The factor by which background work slows down; for a dapp with a share, as that runs out. */
    slowdown: (dapp?: string | null): number =>
      state() === 'spent' ? 2 ** maxDoublings : 2 ** doublings(dapp),
    today(): number {
      refresh();
      return used();
    },
    close(): void {
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

const usedOf = (count?: Count): number => (count ? count.stored + count.added : 0);

const dayOf = (time: number) => Math.floor(time / day);

/** The registrable domain of an origin; without blanks, which separate the parts of the stored text. */
function siteOf(dapp: string): string {
  const hostname = attempt(() => new URL(dapp).hostname);
  return hostname ? registrableDomain(hostname) : dapp.replace(/\s/g, '');
}

const isCount = (value: number) => Number.isSafeInteger(value) && value >= 0;

/**
 * Reads `day used spentUntil`, and for each site `domain day used`; `null` for anything else, because other scripts of the
 * page can write there too.
 */
function readEntry(text: string | null) {
  const [date, used, spentUntil, ...rest] = (text ?? '').split(' ', 3 + 3 * maxSites);
  const numbers = [date, used, spentUntil].map(Number) as [number, number, number];
  if (!numbers.every(isCount)) return null;
  const shares: (readonly [site: string, date: number, used: number])[] = [];
  for (let i = 0; i + 2 < rest.length; i += 3) {
    const [at, count] = [Number(rest[i + 1]), Number(rest[i + 2])];
    if (isCount(at) && isCount(count)) shares.push([siteOf(rest[i] as string), at, count]);
  }
  const end = (numbers[0] + 1) * day + maxPause;
  return { date: numbers[0], used: numbers[1], spentUntil: Math.min(numbers[2], end), shares };
}

/**
 * Not 4900 (EIP-1193, no chain can be reached), at which libraries end the session: other requests and other chains
 * still work.
 */
const quotaSpent = (ms: number) =>
  tryLater(
    "The service's daily quota is spent, or the rest is reserved for requests of a person",
    'quota',
    ms,
  );

const shareSpent = (ms: number) =>
  tryLater(
    "This site has used its share of the service's daily quota, and the rest is for other sites",
    'quota-share',
    ms,
  );

/** The error (-32005) of a request for which there is room again after so many milliseconds. */
export function tryLater(text: string, reason: string, ms: number): ProviderRpcError {
  const retryAfter = Math.ceil(ms / 1000);
  return limitExceeded(`${text}; try again in ${retryAfter} s`, { reason, retryAfter });
}

export declare namespace createDailyQuota {
  interface Options {
    /** Requests per day; `null` for no limit. */
    readonly perDay: number | null;
    readonly store: QuotaStore;
    /** Milliseconds since 1970. */
    readonly now: () => number;
    /** Called when the state has changed. */
    readonly onChange: () => void;
    /** The dapps that the person has connected: the site of each keeps a part of the day. */
    readonly connected?: (() => Iterable<string>) | undefined;
  }
}
