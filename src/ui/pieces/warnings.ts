import type { Warning } from '../../approvals/warning.js';
import { type Content, h } from '../h.js';
import type { DialogWords } from '../words/words.js';
import { mark } from './icons.js';

/** The warnings of these severities. */
export function warningList(
  warnings: readonly Warning[],
  severities: readonly Warning['severity'][],
  words: DialogWords,
): Content {
  const shown = warnings.filter(({ severity }) => severities.includes(severity));
  return (
    shown.length > 0 &&
    h(
      'ul',
      { class: 'warnings', 'aria-label': words.warnings },
      shown.map(({ code, severity, detail }) => {
        const [headline, text] = words.warning[code];
        return h(
          'li',
          { 'data-severity': severity },
          mark(severity),
          h(
            'div',
            // Screen readers announce an alert at once, a note in reading order.
            { role: severity === 'danger' ? 'alert' : 'note' },
            h('strong', {}, headline),
            h('p', {}, text),
            detail !== undefined && h('p', { class: 'detail', dir: 'auto' }, detail),
          ),
        );
      }),
    )
  );
}
