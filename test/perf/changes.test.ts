import { expect, test } from 'vitest';
import { changes } from './changes.js';
import { type Row, table } from './row.js';

const rows: readonly Row[] = [
  { what: 'Weight: shell', ours: '8.9 kB', aim: { text: '≤ 4 kB', met: false } },
  { what: 'Weight: core', ours: '39.2 kB' },
];

test('rows with another figure, and new rows, are listed with both figures', () => {
  const now = [
    { what: 'Weight: shell', ours: '9.1 kB' },
    ...rows.slice(1),
    { what: 'Weight: panel', ours: '14.8 kB' },
  ];
  expect(changes(table(rows), now)).toBe(
    [
      '| What | Before | Now |',
      '| --- | --- | --- |',
      '| Weight: shell | 8.9 kB | 9.1 kB |',
      '| Weight: panel |  | 14.8 kB |',
    ].join('\n'),
  );
});

test('a run with the same figures has no table', () => {
  expect(changes(table(rows), rows)).toBe('No figure has changed.');
});

test.each([
  ['Vite 8.9 kB (283.0 kB)', 'Vite 8.8 kB (283.1 kB)', false],
  ['Vite 8.9 kB (283.0 kB)', 'Vite 8.9 kB (283.2 kB)', true],
  ['8.9 kB', '8.9 MB', true],
  ['9.9 kB', '10.0 kB', false],
])('from %s to %s is a change: %s', (before, now, isChange) => {
  const text = changes(table([{ what: 'Weight', ours: before }]), [{ what: 'Weight', ours: now }]);
  expect(text.includes(`| ${before} | ${now} |`)).toBe(isChange);
});
