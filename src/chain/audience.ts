import type { Ticker } from './poller.js';

/** Those who hear what one ticker brings. It runs while somebody does more than listen in. */
export interface Audience<Member> {
  readonly members: ReadonlySet<Member>;
  /** Returns its undo. A passive member starts nothing. */
  join(member: Member, passive: boolean | undefined): () => void;
  leaveAll(): void;
}

export function createAudience<Member>(ticker: Ticker, onEmpty: () => void): Audience<Member> {
  const members = new Set<Member>();
  const active = new Set<Member>();

  function leave(member: Member): void {
    if (!members.delete(member)) return;
    active.delete(member);
    if (active.size === 0) ticker.pause();
    if (members.size > 0) return;
    ticker.stop();
    onEmpty();
  }

  return {
    members,
    join(member, passive) {
      members.add(member);
      if (!passive) {
        active.add(member);
        ticker.start();
      }
      return () => leave(member);
    },
    leaveAll() {
      for (const member of [...members]) leave(member);
    },
  };
}
