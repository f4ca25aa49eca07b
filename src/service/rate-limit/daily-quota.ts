import { limitExceeded, type ProviderRpcError } from '../../rpc/errors.js';
import type { Service } from '../service.js';

/**
 * What one key may be asked in one day (docs/notes/service.md#limits), which begins at midnight UTC. All tabs of the origin count
 * in one place: each adds what it has sent a few at a time, so that a lost update loses a few.
 *
 * As it runs out: first what runs by itself slows down (`saving`), then the rest is kept for what a person does
 * (`reserved`), then only signed transactions go out, for the count may be wrong and the service knows (`spent`).
 * When the service itself says that the quota is spent it is believed, for a while: then one question finds out.
 */
export interface Allowance {
  /** Why a request may not go out now: -32005; `undefined` where it may. */
  refusal(urgency: number, isSend: boolean): ProviderRpcError | undefined;
  /** One request goes out. Returns its number. */
  count(): number;
  /** The service says that the quota is spent; for how many seconds, where it says that. */
  spent(seconds?: number): void;
  /** The service has answered the request of that number: it is not. */
  answered(request: number): void;
  state(): Service.Quota['state'];
  /** How much slower than usual to do what runs by itself. */
  stretch(): number;
  today(): number;
  close(): void;
}

/** Where the count is kept. One that fails is done without: the count is then this page's alone. */
export interface Ledger {
  read(): string | null;
  write(text: string): void;
}

const day = 86_400_000;
/** Of the allowance, what is kept for a person's actions. */
const reserve = 0.02;
/** Of the day: a morning's first requests are no sign of haste. */
const morning = 0.2;
const mostDoublings = 4;
/** Requests, and milliseconds, after which other tabs are told. */
const batch = 20;
const delay = 1_000;
/** Milliseconds: the service is asked again at least this often, whatever it said. */
const longestBelief = 900_000;
const shortestBelief = 30_000;
/** Milliseconds after which time alone may have changed the state. */
const recheck = 60_000;

export function createAllowance(options: createAllowance.Options): Allowance {
  const { perDay, ledger, now, onChange } = options;
  let today = dayOf(now());
  /** Of all tabs, as far as the ledger told, and since then of this one. */
  let known = 0;
  let added = 0;
  let spentUntil = 0;
  let requests = 0;
  /** The last request that went out before this was heard: its answer is older than the news. */
  let outdated = 0;
  /** Whether {@link spentUntil} is news of this tab's. */
  let heard = false;
  let closed = false;
  let synced = Number.NEGATIVE_INFINITY;
  let told: Service.Quota['state'] = 'normal';
  let timer: ReturnType<typeof setTimeout> | undefined;
  let checking: ReturnType<typeof setTimeout> | undefined;

  function sync(): void {
    clearTimeout(timer);
    timer = undefined;
    synced = now();
    const date = dayOf(synced);
    if (date !== today) [today, known, added, spentUntil] = [date, 0, 0, 0];
    const entry = readEntry(attempt(() => ledger.read()));
    if (entry?.date === today) {
      // Another tab that wrote at the same time may have written over what this one had added.
      known = Math.max(known, entry.used);
      if (!heard && entry.spentUntil !== spentUntil) {
        spentUntil = entry.spentUntil;
        outdated = requests;
      }
    }
    if (added === 0 && !heard) return;
    known += added;
    added = 0;
    heard = false;
    const text = `${today} ${known} ${spentUntil}`;
    attempt(() => ledger.write(text));
  }

  /** Kept for the next sync; other tabs' share is looked at again when the last look is old. */
  function refresh(): void {
    const age = now() - synced;
    if (added >= batch || heard || age >= delay || age < 0) sync();
    else if (added > 0 && !closed) timer ??= setTimeout(tell, delay);
  }

  function tell(): void {
    sync();
    check();
  }

  const used = () => known + added;

  function doublings(): number {
    if (perDay === null) return 0;
    const elapsed = Math.max(morning, (now() % day) / day);
    const haste = used() / (perDay * elapsed);
    const left = Math.max(0, perDay - used()) / perDay;
    // Twice as slow from half over the even pace, or with a tenth left; four times at twice that, and so on.
    const needed = Math.floor(Math.max(Math.log2(haste / 0.75), Math.log2(0.2 / left)));
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
    if (current === told) return;
    told = current;
    onChange();
  }

  // Later: whoever is told looks at what is not there before this returns.
  checking = setTimeout(check);

  return {
    refusal(urgency, isSend) {
      const current = state();
      if (isSend || current === 'normal' || current === 'saving') return undefined;
      const believed = spentUntil > now();
      if (urgency === 0 && (believed || current === 'reserved')) return undefined;
      const end = believed ? spentUntil : (today + 1) * day;
      return quotaSpent(Math.ceil((end - now()) / 1000));
    },
    count() {
      added++;
      requests++;
      check();
      return requests;
    },
    spent(seconds = Number.POSITIVE_INFINITY) {
      spentUntil = now() + Math.min(longestBelief, Math.max(shortestBelief, seconds * 1000));
      heard = true;
      outdated = requests;
      check();
    },
    answered(request) {
      if (spentUntil <= now() || request <= outdated) return;
      spentUntil = 0;
      heard = true;
      check();
    },
    state,
    stretch: () => (state() === 'spent' ? 2 ** mostDoublings : 2 ** doublings()),
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

/** `day used spentUntil`; `null` for anything else: the page's own scripts may write there too. */
function readEntry(text: string | null) {
  const [date, used, spentUntil] = (text ?? '').split(' ').map(Number) as [number, number, number];
  return [date, used, spentUntil].every((each) => Number.isSafeInteger(each) && each >= 0)
    ? { date, used, spentUntil: Math.min(spentUntil, (date + 1) * day + longestBelief) }
    : null;
}

/**
 * Not 4900, by which EIP-1193 says that no chain can be reached and libraries end a session: other requests and
 * other chains still go through.
 */
const quotaSpent = (seconds: number) =>
  limitExceeded(
    `The service's daily quota is spent, or the rest is kept for what a person does; ask again in ${seconds} s`,
    { reason: 'quota', retryAfter: seconds },
  );

export declare namespace createAllowance {
  interface Options {
    /** Requests; `null` for no limit of our own. */
    readonly perDay: number | null;
    readonly ledger: Ledger;
    /** Milliseconds since 1970. */
    readonly now: () => number;
    /** Called when the state has changed. */
    readonly onChange: () => void;
  }
}
