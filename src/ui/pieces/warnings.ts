import type { Warning } from '../../approvals/warning.js';
import { type Content, h, sentence } from '../h.js';
import type { DialogWords } from '../words/words.js';
import { mark } from './icons.js';

const order: readonly Warning['severity'][] = ['danger', 'caution', 'notice'];

/** The warnings in full, the most severe first. */
export function warningList(warnings: readonly Warning[], words: DialogWords): Content {
  return (
    warnings.length > 0 &&
    h(
      'ul',
      { class: 'warnings', 'aria-label': words.warnings },
      order.flatMap((severity) =>
        warnings
          .filter((warning) => warning.severity === severity)
          .map((warning) =>
            h(
              'li',
              { 'data-severity': severity },
              mark(severity),
              // Screen readers announce an alert at once, a note in reading order.
              h('div', { role: severity === 'danger' ? 'alert' : 'note' }, explanation(warning, words)),
            ),
          ),
      ),
    )
  );
}

/** The dangers that stay in view, by their headlines. {@link explainedDangers} has the rest. */
export function dangerHeadlines(dangers: readonly Warning[], words: DialogWords): Content {
  return h(
    'div',
    { class: 'warnings' },
    h(
      'div',
      { class: 'headlines', role: 'alert' },
      mark('danger'),
      h(
        'div',
        {},
        dangers.length > 1 && h('strong', {}, sentence(words.dangers, { count: String(dangers.length) })),
        h(
          'ul',
          { 'aria-label': words.warnings },
          dangers.map(({ code }) => h('li', { 'data-severity': 'danger' }, words.warning[code][0])),
        ),
      ),
    ),
  );
}

/** The dangers in full, where only their headlines stay in view. */
export const explainedDangers = (dangers: readonly Warning[], words: DialogWords): Content =>
  h(
    'ul',
    { class: 'warnings' },
    dangers.map((warning) =>
      h(
        'li',
        { class: 'explained' },
        mark('danger'),
        h('div', { role: 'note' }, explanation(warning, words)),
      ),
    ),
  );

function explanation({ code, detail }: Warning, words: DialogWords): Content {
  const [headline, text] = words.warning[code];
  return [
    h('strong', {}, headline),
    h('p', {}, text),
    detail !== undefined && h('p', { class: 'detail', dir: 'auto' }, detail),
  ];
}
