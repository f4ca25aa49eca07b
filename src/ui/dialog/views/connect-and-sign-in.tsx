import { useState } from 'preact/hooks';
import type { ConnectSignIn } from '../../../approvals/question.js';
import { type Content, h, sentence } from '../../h.js';
import { ownAccount } from '../../pieces/address.js';
import { blocks } from '../../pieces/lists.js';
import { siteName } from '../../pieces/site.js';
import { box, disclosure } from '../../pieces/text.js';
import { details } from '../../styles/details.js';
import { accountChoice } from './connect.js';
import { rightsRow, signInRows } from './message.js';
import type { ViewOf } from './view.js';

/** A sign-in that comes with a connection: the accounts to share, and the message of the first of them that has a key. */
export const connectAndSignIn: ViewOf<'connect'> = (question, words) => {
  const { origin, network, accounts } = question;
  const signIn = question.signIn as ConnectSignIn;
  let redraw = (): void => {};
  const { list, chosen } = accountChoice(question, words, () => redraw());
  const messageOf = () =>
    chosen().flatMap((address) => signIn.messages.find((each) => each.address === address) ?? [])[0];
  const Message = (): Content => {
    const [message, show] = useState(messageOf);
    redraw = () => show(messageOf());
    const account = accounts.find(({ address }) => address === message?.address);
    return [
      blocks(
        account !== undefined && [words.signIn, ownAccount(account, network.chainId)],
        rightsRow(signIn, words),
      ),
      signInRows(signIn, words),
      message !== undefined && disclosure(words.exactMessage, box(words.message, message.text, 'prose')),
    ];
  };
  return {
    title: words.connectSignIn,
    lead: sentence(words.connectLead, { site: siteName(origin) }),
    subject: [list, signIn.statement !== null && <blockquote>{signIn.statement}</blockquote>],
    more: [<p>{sentence(words.signInLead, { domain: signIn.domain })}</p>, <Message />],
    styles: details,
    confirm: words.signIn,
    answer: () => (messageOf() === undefined ? null : { approved: true, accounts: chosen() }),
  };
};
