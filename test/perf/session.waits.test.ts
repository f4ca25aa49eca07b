import { expect, test } from 'vitest';
import { measureCachedReads } from './cached-reads.js';
import { measureLogRanges } from './log-range.js';
import { measureSession } from './session.js';

/** The short form of the benchmarks that count requests, with limits that hold on a slow machine too. */
const short = { short: true };

test('sessions and tabs are measured, and quiet pages send no request', { timeout: 300_000 }, async () => {
  const rows = await measureSession(short);
  expect(rows.map(({ what }) => what.split(/[,:]/)[0])).toEqual([
    ...Array.from({ length: 4 }, () => 'Session at 18× speed'),
    'Five tabs subscribed to blocks and logs',
    'Five tabs watching blocks and logs with viem',
    'Page that is hidden',
  ]);
  expect(rows.at(-1)).toMatchObject({ ours: '0, 0, 0', aim: { met: true } });
});

test('a range of logs takes no more requests than fixed steps, and one if it fits', {
  timeout: 60_000,
}, async () => {
  const [even, fitting] = await measureLogRanges(short);
  expect(Number.parseInt(even?.ours ?? '', 10)).toBeLessThanOrEqual(50);
  expect(fitting?.aim).toEqual({ text: '1 request', met: true });
});

test('cached reads are measured in microseconds', { timeout: 60_000 }, async () => {
  expect((await measureCachedReads(short))[0]?.ours).toMatch(/^[\d.]+ µs$/);
});
