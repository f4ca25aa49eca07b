import type { Warning } from '../../approvals/warning.js';
import { type Content, Fragment, h, sentence } from '../h.js';
import type { DialogWords } from '../words/words.js';
import { mark } from './icons.js';

const order: readonly Warning['severity'][] = ['danger', 'caution', 'notice'];

/** The warnings in full, the most severe first. */
export function warningList(warnings: readonly Warning[], words: DialogWords): Content {
  return (
    warnings.length > 0 && (
      <ul class="warnings" aria-label={words.warnings}>
        {order.flatMap((severity) =>
          warnings
            .filter((warning) => warning.severity === severity)
            .map((warning) => (
              <li data-severity={severity}>
                {mark(severity)}
                {/* Screen readers announce an alert at once, a note in reading order. */}
                <div role={severity === 'danger' ? 'alert' : 'note'}>{explanation(warning, words)}</div>
              </li>
            )),
        )}
      </ul>
    )
  );
}

/** The dangers that stay in view, by their headlines. {@link explainedDangers} has the rest. */
export function dangerHeadlines(dangers: readonly Warning[], words: DialogWords): Content {
  return (
    <div class="warnings">
      <div class="headlines" role="alert">
        {mark('danger')}
        <div>
          {dangers.length > 1 && (
            <strong>{sentence(words.dangers, { count: String(dangers.length) })}</strong>
          )}
          <ul aria-label={words.warnings}>
            {dangers.map(({ code }) => (
              <li data-severity="danger">{words.warning[code][0]}</li>
            ))}
          </ul>
        </div>
      </div>
    </div>
  );
}

/** The dangers in full, where only their headlines stay in view. */
export const explainedDangers = (dangers: readonly Warning[], words: DialogWords): Content => (
  <ul class="warnings">
    {dangers.map((warning) => (
      <li class="explained">
        {mark('danger')}
        <div role="note">{explanation(warning, words)}</div>
      </li>
    ))}
  </ul>
);

function explanation({ code, detail }: Warning, words: DialogWords): Content {
  const [headline, text] = words.warning[code];
  return (
    <>
      <strong>{headline}</strong>
      <p>{text}</p>
      {detail !== undefined && (
        <p class="detail" dir="auto">
          {code === 'bridge-minimum' ? detail.replace('.', words.point) : detail}
        </p>
      )}
    </>
  );
}
