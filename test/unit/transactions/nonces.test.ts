import { expect, test } from 'vitest';
import { toQuantity } from '../../../src/rpc/hex.js';
import type { JournalEntry } from '../../../src/transactions/journal-entry.js';
import { type ChosenNonces, chooseNonces, unclearOutcomes } from '../../../src/transactions/nonces.js';
import { fc } from '../../support/property.js';

const at = 10_000_000;
const old = at - 3_600_000;
const entry = (nonce: number, change: Partial<JournalEntry> = {}) =>
  ({
    nonce: toQuantity(nonce),
    hash: `0x${nonce}`,
    gasPrice: '0x1',
    state: 'sent',
    createdAt: at,
    ...change,
  }) as JournalEntry;
const counts = (latest: number | bigint, pending: number | bigint = latest) => ({
  latest: toQuantity(latest),
  pending: toQuantity(pending),
  at,
});
const numbers = ({ nonces }: ChosenNonces) => nonces.map(Number);
const next = (count: number, latest: number, pending: number, entries: readonly JournalEntry[] = []) =>
  numbers(chooseNonces(count, counts(latest, pending), entries));
const chosen = (nonce: bigint, latest: number, entries: readonly JournalEntry[] = []) =>
  chooseNonces(1, counts(latest), entries, toQuantity(nonce));

test('an account without history continues at its count', () => {
  expect(next(3, 5, 5)).toEqual([5, 6, 7]);
});

test('transactions signed here are passed over although the service lags behind them', () => {
  expect(next(2, 5, 5, [entry(5), entry(6)])).toEqual([7, 8]);
  expect(next(1, 5, 5, [entry(5, { state: 'mined' }), entry(6)])).toEqual([7]);
});

test.each(['reverted', 'replaced'] as const)(
  'the nonce of a %s transaction that the chain does not count is used again, so that only one of the two is mined',
  (state) => {
    expect(next(1, 5, 5, [entry(5, { state })])).toEqual([5]);
  },
);

test('a gap that an earlier, wrong count left is said, not jumped over', () => {
  expect(chooseNonces(1, counts(0, 0), [entry(3)])).toMatchObject({ nonces: ['0x4'], gaps: 3 });
});

test('the gap below a nonce that a page chose is filled first', () => {
  expect(next(3, 5, 5, [entry(7, { nonceChosen: true })])).toEqual([5, 6, 8]);
});

test('a gap below recently signed nonces is left alone as node lag, and filled later', () => {
  expect(next(2, 5, 5, [entry(7)])).toEqual([8, 9]);
  expect(next(2, 5, 5, [entry(7, { createdAt: old })])).toEqual([5, 6]);
});

test('the nonce of a refused transaction is used again although a later one is waiting', () => {
  expect(next(2, 5, 5, [entry(5, { state: 'refused' }), entry(6)])).toEqual([5, 7]);
});

test('transactions that only the node knows are passed over, and counted', () => {
  const choice = chooseNonces(1, counts(5, 7), []);
  expect(numbers(choice)).toEqual([7]);
  expect(choice).toMatchObject({ othersPending: 2, gaps: 0 });
});

test.each(['refused', 'abandoned'] as const)(
  'the nonce of a %s transaction is used again although the node counts it',
  (state) => {
    expect(next(1, 5, 6, [entry(5, { state })])).toEqual([5]);
    expect(next(1, 6, 6, [entry(5, { state })])).toEqual([6]);
  },
);

test('the nonce of a transaction that is held back is used again, and the person is shown which', () => {
  const unsent = entry(5, { state: 'signed', createdAt: old });
  const choice = chooseNonces(1, counts(5), [unsent]);
  expect(numbers(choice)).toEqual([5]);
  expect(choice).toMatchObject({ overrides: unsent, replaces: null });
});

test('a mined transaction of long ago does not raise the nonce: a development chain may have been set back', () => {
  expect(next(1, 5, 5, [entry(9, { state: 'mined', createdAt: old })])).toEqual([5]);
});

test('a nonce chosen by the page that a waiting transaction has replaces it', () => {
  const waiting = [entry(5, { gasPrice: '0x2' }), entry(5, { hash: '0xbb', gasPrice: '0x3' })];
  expect(chosen(5n, 5, waiting).replaces?.hash).toBe('0xbb');
});

test('a nonce chosen by the page is at least the next and less than 16 above it', () => {
  expect(chosen(20n, 5)).toMatchObject({ nonces: ['0x14'], gaps: 15 });
  for (const nonce of [21n, 5_000n, 2n ** 63n])
    expect(() => chosen(nonce, 5)).toThrow(expect.objectContaining({ code: -32003 }));
  expect(() => chosen(4n, 5)).toThrow('nonce too low: next nonce is 5');
  expect(() => chosen(2n ** 64n - 1n, 5)).toThrow(expect.objectContaining({ code: -32602 }));
});

test('a service that counts nonsense gets nothing signed', () => {
  expect(() => chooseNonces(1, counts(5, 2n ** 70n), [])).toThrow('over 64 bits');
  expect(() => chooseNonces(1, counts(5, 5_000), [])).toThrow('nonce too high');
  expect(() => chooseNonces(1, counts(5, 21), [])).toThrow('nonce too high');
  expect(() => chooseNonces(1, counts(2n ** 64n), [])).toThrow('over 64 bits');
});

test('own pending transactions may fill more than 16 nonces, since they are known to come first', () => {
  const waiting = Array.from({ length: 20 }, (_, i) => entry(5 + i));
  expect(next(2, 5, 5, waiting)).toEqual([25, 26]);
});

test('nonces always rise, are free, and never leave a hole that is not accounted for', () => {
  const any = fc.record({
    nonce: fc.nat(12),
    state: fc.constantFrom('signed', 'sent', 'mined', 'reverted', 'replaced', 'refused', 'abandoned'),
    createdAt: fc.constantFrom(at, old),
  });
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 8 }),
      fc.nat(12),
      fc.nat(4),
      fc.array(any),
      (count, latest, ahead, all) => {
        const entries = all.map(({ nonce, ...change }) => entry(nonce, change as Partial<JournalEntry>));
        // 16 above the next nonce the chain refuses what has a gap in front of it.
        fc.pre(count + Math.max(ahead, ...entries.map(({ nonce }) => Number(nonce) - latest + 1)) < 16);
        const choice = chooseNonces(count, counts(latest, latest + ahead), entries);
        const found = numbers(choice);
        const waiting = entries
          .filter(({ state, createdAt }) => state === 'sent' || (state === 'signed' && createdAt === at))
          .map(({ nonce }) => Number(nonce));
        expect(found).toHaveLength(count);
        expect(found[0]).toBeGreaterThanOrEqual(latest);
        expect(found).toEqual([...new Set(found)].sort((a, b) => a - b));
        expect(found.filter((nonce) => waiting.includes(nonce))).toEqual([]);
        const next = Math.max(
          latest,
          ...entries
            .filter(({ state, createdAt }) => state === 'mined' && createdAt === at)
            .map(({ nonce }) => Number(nonce) + 1),
        );
        const isExplained = (nonce: number) =>
          found.includes(nonce) ||
          waiting.includes(nonce) ||
          entries.some((each) => Number(each.nonce) === nonce && /mined|reverted/.test(each.state)) ||
          (nonce < latest + ahead && !entries.some((each) => Number(each.nonce) === nonce));
        const between = Array.from({ length: (found.at(-1) ?? 0) - next }, (_, i) => next + i);
        expect(choice.gaps).toBe(between.filter((nonce) => !isExplained(nonce)).length);
      },
    ),
  );
});

test('an earlier transaction whose nonce is used without an outcome is unclear until an own mined one explains it', () => {
  const doubtful = [entry(3, { state: 'refused' }), entry(4, { state: 'signed', maybeSent: true })];
  expect(unclearOutcomes(counts(5), doubtful)).toEqual(doubtful);
  expect(unclearOutcomes(counts(4), doubtful)).toEqual(doubtful.slice(0, 1));
  const explained = [...doubtful, entry(3, { state: 'mined' }), entry(4, { state: 'reverted' })];
  expect(unclearOutcomes(counts(5), explained)).toEqual([]);
  expect(unclearOutcomes(counts(5), [entry(3, { state: 'refused', replacedBy: '0xbb' })])).toEqual([]);
});
