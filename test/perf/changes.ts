import type { Row } from './row.js';

/** The rows whose figure is another than in `before`, a table of an earlier run, with both figures. */
export function changes(before: string, rows: readonly Row[]): string {
  const earlier = new Map(
    before
      .split('\n')
      .map((line) => line.split('|').map((cell) => cell.trim()))
      .map(([, what = '', figure = '']) => [what, figure]),
  );
  const changed = rows
    .filter(({ what, ours }) => earlier.get(what) !== ours)
    .map(({ what, ours }) => `| ${what} | ${earlier.get(what) ?? ''} | ${ours} |`);
  if (changed.length === 0) return 'No figure has changed.';
  return ['| What | Before | Now |', '| --- | --- | --- |', ...changed].join('\n');
}
