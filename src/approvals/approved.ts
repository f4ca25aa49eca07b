/**
 * A thing a person has approved. `keyring.sign…` takes nothing else, so signing unasked does not
 * type-check; and the token works once, so it does not run either.
 */
declare const brand: unique symbol;

export interface Approved<T> {
  readonly subject: T;
  readonly [brand]: true;
}

const unused = new WeakSet<object>();

/** Only `approvals/approvals.ts` may call this: `test/unit/project/architecture.test.ts` holds every import of it. */
export function mint<T>(subject: T): Approved<T> {
  const approved = Object.freeze({ subject }) as Approved<T>;
  unused.add(approved);
  return approved;
}

/** Spends the approval of a list, for an approval of each thing on it: what a person agreed to with one answer. */
export const split = <T>(approved: Approved<readonly T[]>): readonly Approved<T>[] =>
  redeem(approved).map((subject) => mint(subject));

/** Spends the approval and hands out what was approved. @throws TypeError when it was forged or spent. */
export function redeem<T>(approved: Approved<T>): T {
  if (!unused.delete(approved)) throw new TypeError('This approval was never given, or was used already.');
  return approved.subject;
}
