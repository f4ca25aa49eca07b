import type { QuestionNetwork } from '../../approvals/question.js';
import { readable } from '../../rpc/text.js';
import { type Content, h } from '../h.js';
import type { DialogWords } from '../words/words.js';

/** The name of a network. A test network is named as such in words, because colour alone is not accessible. */
export const badge = (
  { name, testnet }: Pick<QuestionNetwork, 'name' | 'testnet'>,
  words: DialogWords,
): Content => (
  <span class="badge" data-testnet={testnet}>
    <bdi>{readable(name)}</bdi>
    {testnet && !/test/i.test(name) && <small>{words.testnet}</small>}
  </span>
);
