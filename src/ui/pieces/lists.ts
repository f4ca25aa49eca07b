import { type Content, h } from '../h.js';

export type Row = readonly [term: string, value: Content];

/** A list of terms and values, one row each. `null` and `false` entries are left out. */
export const rows = (...entries: readonly (Row | null | false)[]) => list('rows', entries);

/** A list of terms and values in which each value has its own line, for addresses and long text. */
export const blocks = (...entries: readonly (Row | null | false)[]) => list('blocks', entries);

const list = (className: string, entries: readonly (Row | null | false)[]): Content =>
  h(
    'dl',
    { class: className },
    entries.map(
      (entry) =>
        entry !== null && entry !== false && h('div', {}, h('dt', {}, entry[0]), h('dd', {}, entry[1])),
    ),
  );
