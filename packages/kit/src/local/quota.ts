export type Quota = ReturnType<typeof createQuota>;

/** Milliseconds. */
const day = 86_400_000;

/** The daily quota of calls per API key (docs/notes/service.md#limits). A day starts at midnight UTC. */
export function createQuota(perDay: number | null, now: () => number) {
  const used = new Map<string, number>();
  let limit = perDay;
  let today = Math.floor(now() / day);
  return {
    /** Counts calls against the quota; false when they exceed it. */
    spend(key: string, calls: number): boolean {
      const date = Math.floor(now() / day);
      if (date !== today) used.clear();
      today = date;
      const total = (used.get(key) ?? 0) + calls;
      if (limit !== null && total > limit) return false;
      used.set(key, total);
      return true;
    },
    /** Sets the calls per day (null for no limit) and resets today's count. */
    set(next: number | null): void {
      limit = next;
      used.clear();
    },
    /** Seconds until midnight UTC. */
    untilReset: () => Math.ceil((day - (now() % day)) / 1000),
  };
}
