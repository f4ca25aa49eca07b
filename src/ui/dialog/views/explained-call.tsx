import type { ExplainedCall, ExplainedField, QuestionNetwork } from '../../../approvals/question.js';
import { type Content, h, sentence } from '../../h.js';
import { nameOfRecipient, party } from '../../pieces/address.js';
import { formatCoins, formatTime } from '../../pieces/amounts.js';
import { amountLine } from '../../pieces/hero.js';
import { blocks } from '../../pieces/lists.js';
import { typedFields } from '../../pieces/typed-fields.js';
import type { DialogWords } from '../../words/words.js';
import { signedAmount, tokenAmount, tokenParty } from './call.js';

/** A section with what the page's own file says of a call, and below it the arguments that the file does not explain. */
export const explainedCall = (
  { intent, owner, fields, unexplained }: ExplainedCall,
  network: QuestionNetwork,
  words: DialogWords,
): Content => (
  <section class="card explained">
    <h3>
      <bdi>{intent}</bdi>
      <small>{sentence(words.explainedBy, { owner: <bdi>{owner}</bdi> })}</small>
    </h3>
    {fields.length > 0 &&
      blocks(...fields.map((field) => [field.label, shownValue(field, network, words)] as const))}
    {unexplained.length > 0 && [<h3>{words.unexplained}</h3>, typedFields(unexplained, words)]}
  </section>
);

function shownValue(field: ExplainedField, network: QuestionNetwork, words: DialogWords): Content {
  const { chainId } = network;
  switch (field.kind) {
    case 'coins':
      return <bdi>{formatCoins(field.amount, network, words)}</bdi>;
    case 'tokens': {
      const { amount, token, limit, unlimited } = field;
      return [
        <bdi>
          {unlimited
            ? `${words.unlimited} ${token.symbol ?? ''}`
            : amountLine(tokenAmount(amount, token, words))}
        </bdi>,
        // The file's own word stands beside the amount, never in its place.
        limit !== undefined && <small>“{limit}”</small>,
        tokenParty(token, chainId, words, signedAmount(amount, token, words, unlimited)?.[1]),
      ];
    }
    case 'token':
      return tokenParty(field.token, chainId, words);
    case 'collectible':
      return [<bdi>{`#${field.id}`}</bdi>, tokenParty(field.token, chainId, words)];
    case 'address':
      return party(field.recipient.address, chainId, nameOfRecipient(field.recipient));
    case 'time':
      return formatTime(field.seconds, words) ?? field.seconds;
    default:
      return <span dir="auto">{field.text}</span>;
  }
}
