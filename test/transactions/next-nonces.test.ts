import fc from 'fast-check';
import { expect, test } from 'vitest';
import { toQuantity } from '../../src/rpc/hex.js';
import type { JournalEntry } from '../../src/transactions/journal.js';
import { nextNonces } from '../../src/transactions/next-nonces.js';

const at = 10_000_000;
const entry = (nonce: number, change: Partial<JournalEntry> = {}) =>
  ({ nonce: toQuantity(nonce), state: 'sent', createdAt: at, ...change }) as JournalEntry;
const next = (count: number, counted: number, entries: readonly JournalEntry[] = []) =>
  nextNonces(count, { nonce: toQuantity(counted), at }, entries).map(Number);

test('default', () => {
  expect(next(3, 5)).toEqual([5, 6, 7]);
});

test('behavior: never below what was signed here of late, though the service lags', () => {
  expect(next(2, 5, [entry(5), entry(6, { state: 'mined' })])).toEqual([7, 8]);
});

test('behavior: into the gap below what a page chose, and over it', () => {
  expect(next(3, 5, [entry(7, { nonceChosen: true })])).toEqual([5, 6, 8]);
});

test('behavior: what is refused, replaced or long mined takes no nonce', () => {
  const old = at - 3_600_000;
  expect(next(1, 5, [entry(5, { state: 'refused' }), entry(6, { state: 'replaced' })])).toEqual([5]);
  expect(next(1, 5, [entry(9, { state: 'mined', createdAt: old })])).toEqual([5]);
});

test('behavior: always rising, never one that is open', () => {
  const any = fc.record({
    nonce: fc.nat(30),
    state: fc.constantFrom('signed', 'sent', 'mined', 'replaced', 'refused'),
    createdAt: fc.constantFrom(at, at - 3_600_000),
    chosen: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 16 }), fc.nat(30), fc.array(any), (count, counted, all) => {
      const entries = all.map(({ nonce, state, createdAt, chosen }) =>
        entry(nonce, {
          state: state as JournalEntry['state'],
          createdAt,
          ...(chosen && { nonceChosen: true as const }),
        }),
      );
      const nonces = next(count, counted, entries);
      const open = entries
        .filter(({ state }) => state === 'signed' || state === 'sent')
        .map(({ nonce }) => Number(nonce));
      expect(nonces).toHaveLength(count);
      expect(nonces[0]).toBeGreaterThanOrEqual(counted);
      expect(nonces).toEqual([...new Set(nonces)].sort((a, b) => a - b));
      expect(nonces.filter((nonce) => open.includes(nonce))).toEqual([]);
    }),
  );
});
