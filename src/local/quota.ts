/** Calls per key and day (docs/notes/service.md#limits). The day begins at midnight UTC. */
export interface Quota {
  /** Counts the calls in; false when they do not fit any more. */
  spend(key: string, calls: number): boolean;
  /** Calls a day from now on; null for no limit. What was used today is forgotten. */
  set(perDay: number | null): void;
  /** Seconds until the next day. */
  untilReset(): number;
}

const day = 86_400_000;

export function createQuota(perDay: number | null, now: () => number): Quota {
  const used = new Map<string, number>();
  let limit = perDay;
  let today = Math.floor(now() / day);
  return {
    spend: (key, calls) => {
      const date = Math.floor(now() / day);
      if (date !== today) used.clear();
      today = date;
      const total = (used.get(key) ?? 0) + calls;
      if (limit !== null && total > limit) return false;
      used.set(key, total);
      return true;
    },
    set: (next) => {
      limit = next;
      used.clear();
    },
    untilReset: () => Math.ceil((day - (now() % day)) / 1000),
  };
}
