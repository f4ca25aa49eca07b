import type { QuestionNetwork } from '../../approvals/question.js';
import { readable } from '../../rpc/text.js';
import { type Content, h } from '../h.js';
import type { DialogWords } from '../words/words.js';

/** The name of a network. A test network is named as such in words, because colour alone is not accessible. */
export const badge = (
  { name, testnet }: Pick<QuestionNetwork, 'name' | 'testnet'>,
  words: DialogWords,
): Content =>
  h(
    'span',
    { class: 'badge', 'data-testnet': testnet },
    h('bdi', {}, readable(name)),
    testnet && !/test/i.test(name) && h('small', {}, words.testnet),
  );
