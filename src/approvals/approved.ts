import { own } from '../rpc/own.js';
import type { Hash } from '../rpc/schema.js';

declare const brand: unique symbol;

/**
 * Proof that the person approved `subject`. `keyring.sign…` accepts nothing else, so code that signs without asking does
 * not compile. Each approval works once.
 */
export interface Approved<T> {
  readonly subject: T;
  /** Context of the permission that covers it; absent where the person has agreed to the subject itself. */
  readonly permission?: Hash | undefined;
  readonly [brand]: true;
}

const unused = new WeakSet<object>();

/** Only `approvals/approvals.ts` may import this (checked by `test/unit/project/architecture.test.ts`). */
export function mint<T>(subject: T, permission?: Hash): Approved<T> {
  const approved = Object.freeze(own({ subject, permission })) as Approved<T>;
  unused.add(approved);
  return approved;
}

/** Spends the approval of a list and returns an approval of each element. @throws TypeError as {@link redeem} */
export const split = <T>(approved: Approved<readonly T[]>): readonly Approved<T>[] =>
  redeem(approved).map((subject) => mint(subject, approved.permission));

/** Spends the approval and returns its subject. @throws TypeError for one that was forged or spent */
export function redeem<T>(approved: Approved<T>): T {
  if (!unused.delete(approved)) throw new TypeError('This approval was never given, or was used already.');
  return approved.subject;
}
