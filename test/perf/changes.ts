import type { Row } from './row.js';

/** Names of chunks have hashes in them, by which a file's size after brotli varies from build to build. */
const noise = 0.1;

/** The rows whose figures differ from those of `before`, a table of an earlier run, by more than noise, with both figures. */
export function changes(before: string, rows: readonly Row[]): string {
  const earlier = new Map(
    before
      .split('\n')
      .map((line) => line.split('|').map((cell) => cell.trim()))
      .map(([, what = '', figure = '']) => [what, figure]),
  );
  const changed = rows
    .filter(({ what, ours }) => differs(earlier.get(what) ?? '', ours))
    .map(({ what, ours }) => `| ${what} | ${earlier.get(what) ?? ''} | ${ours} |`);
  if (changed.length === 0) return 'No figure has changed.';
  return ['| What | Before | Now |', '| --- | --- | --- |', ...changed].join('\n');
}

function differs(before: string, now: string): boolean {
  const number = /\d+(\.\d+)?/g;
  if (before.replace(number, '') !== now.replace(number, '')) return true;
  const [old, fresh] = [before, now].map((text) => (text.match(number) ?? []).map(Number));
  return fresh?.some((value, index) => Math.abs(value - (old?.[index] ?? 0)) > noise * 1.01) ?? false;
}
