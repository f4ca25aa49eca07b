import { expect, test } from 'vitest';
import { createSocketCounts } from '../../src/access/sockets.js';

/** How many connections each address gets, one after another. */
function opened(counts: ReturnType<typeof createSocketCounts>, addresses: readonly (string | undefined)[]) {
  return addresses.filter((address) => counts.open(address)).length;
}
const many = (address: (i: string) => string, count = 1_000) =>
  Array.from({ length: count }, (_, i) => address(i.toString(16)));

test('an address has so many, however it is written, and others have theirs', () => {
  const counts = createSocketCounts({ maxPerClient: 8, inAll: 1_000 });
  expect(opened(counts, Array(20).fill('203.0.113.9'))).toBe(8);
  expect(opened(counts, ['::ffff:203.0.113.9', '64:ff9b::203.0.113.9'])).toBe(0);
  expect(opened(counts, Array(20).fill('203.0.113.10'))).toBe(8);
  expect(opened(counts, Array(20).fill(undefined))).toBe(8);
});

test('a /64 is one address, a /56 has as many as two, a /48 as four, a /32 half of all', () => {
  const fresh = () => createSocketCounts({ maxPerClient: 8, inAll: 100 });
  expect(
    opened(
      fresh(),
      many((i) => `2001:db8:1:2::${i}`),
    ),
  ).toBe(8);
  expect(
    opened(
      fresh(),
      many((i) => `2001:db8:1:${i}::1`, 256),
    ),
  ).toBe(16);
  expect(
    opened(
      fresh(),
      many((i) => `2001:db8:1:${i}00::1`, 256),
    ),
  ).toBe(32);
  expect(
    opened(
      fresh(),
      many((i) => `2001:db8:${i}:2::1`),
    ),
  ).toBe(50);
  expect(
    opened(
      fresh(),
      many((i) => `2001:${i}:1:2::1`, 256),
    ),
  ).toBe(256);
});

test('a connection that ends makes room once, and is forgotten', () => {
  const counts = createSocketCounts({ maxPerClient: 1, inAll: 10 });
  const close = counts.open('2001:db8:1:2::1');
  expect(counts.size()).toBe(4);
  expect(counts.open('2001:db8:1:2::2')).toBeUndefined();
  close?.();
  close?.();
  expect(counts.size()).toBe(0);
  expect(counts.open('2001:db8:1:2::2')).toBeDefined();
  expect(counts.open('2001:db8:1:2::3')).toBeUndefined();
});
