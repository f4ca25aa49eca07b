import type { QuestionAccount, QuestionNetwork } from '../../approvals/question.js';
import { fill, h } from '../h.js';
import type { Stage } from '../onboarding/stage.js';
import { details } from '../styles/details.js';
import { receive } from '../styles/receive.js';
import { Receive } from './receive.js';

export const styles = [details, receive];

/** Shows the address of an account in place of a question, and returns to the question afterwards. */
export function startReceive(stage: Stage, account: QuestionAccount, network: QuestionNetwork): void {
  const { words } = stage;
  stage.show({
    title: words.receive,
    lead: fill(words.receiveLead, { network: network.name }),
    subject: [<Receive account={account} network={network} words={words} />],
    confirm: words.back,
    only: true,
    submit: stage.cancel,
  });
}
