import { type Content, h, sentence } from '../h.js';
import type { DialogWords } from '../words/words.js';
import { disclosure } from './text.js';

export type Row = readonly [term: string, value: Content];

/** A list of terms and values, one row each. `null` and `false` entries are left out. */
export const rows = (...entries: readonly (Row | null | false)[]) => list('rows', entries);

/** A list of terms and values in which each value has its own line, for addresses and long text. */
export const blocks = (...entries: readonly (Row | null | false)[]) => list('blocks', entries);

const list = (className: string, entries: readonly (Row | null | false)[]): Content => (
  <dl class={className}>
    {entries.map(
      (entry) =>
        entry !== null &&
        entry !== false && (
          <div>
            <dt>{entry[0]}</dt>
            <dd>{entry[1]}</dd>
          </div>
        ),
    )}
  </dl>
);

/** Items of a list that are shown at once. */
const maxShown = 10;

/** Whether {@link collapsing} would collapse some of these. */
export const isLong = (items: readonly unknown[]): boolean => items.length > maxShown;

/**
 * A list of which the first ten items are shown. The others are collapsed, with their number.
 *
 * @param shown at least this many are shown
 */
export function collapsing<T>(
  items: readonly T[],
  words: DialogWords,
  draw: (part: readonly T[]) => Content,
  shown = 0,
): Content {
  const count = Math.max(maxShown, shown);
  if (items.length <= count) return draw(items);
  const further = String(items.length - count);
  const total = String(items.length);
  return [
    draw(items.slice(0, count)),
    disclosure(sentence(words.furtherItems, { count: further, total }), draw(items.slice(count))),
  ];
}
