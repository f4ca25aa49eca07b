import { type Content, h } from '../h.js';
import type { DialogWords } from '../words/words.js';
import { collapsing } from './lists.js';

/** A list of names with their types and values, as the page or its data has them. Long ones are collapsed. */
export const typedFields = (
  fields: readonly { readonly name: string; readonly type: string; readonly value: Content }[],
  words: DialogWords,
): Content =>
  collapsing(fields, words, (part) => (
    <dl class="fields">
      {part.map(({ name, type, value }) => (
        <div>
          <dt>
            <bdi>{name}</bdi> <small>{type}</small>
          </dt>
          <dd dir="auto">{value}</dd>
        </div>
      ))}
    </dl>
  ));
