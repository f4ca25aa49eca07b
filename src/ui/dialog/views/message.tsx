import type { SignIn } from '../../../approvals/question.js';
import { h, sentence } from '../../h.js';
import { ownAccount } from '../../pieces/address.js';
import { blocks, type Row, rows } from '../../pieces/lists.js';
import { siteName } from '../../pieces/site.js';
import { box, disclosure } from '../../pieces/text.js';
import { details } from '../../styles/details.js';
import type { DialogWords } from '../../words/words.js';
import type { ViewOf } from './view.js';

export const message: ViewOf<'message'> = ({ origin, account, network, text, bytes, signIn }, words) => {
  const signer = [words.account, ownAccount(account, network.chainId)] as const;
  if (signIn !== null && text !== null) {
    return {
      title: words.signInTitle,
      lead: sentence(words.signInLead, { domain: signIn.domain }),
      subject: [
        signIn.statement !== null && <blockquote>{signIn.statement}</blockquote>,
        blocks(signer, rightsRow(signIn, words)),
      ],
      more: [signInRows(signIn, words), disclosure(words.exactMessage, box(words.message, text, 'prose'))],
      styles: details,
      confirm: words.signIn,
    };
  }
  return {
    title: words.messageTitle,
    lead: sentence(text === null ? words.bytesLead : words.messageLead, { site: siteName(origin) }),
    subject: [
      text === null ? box(words.message, bytes, 'code') : box(words.message, text, 'prose'),
      blocks(signer),
    ],
    styles: details,
    confirm: words.sign,
  };
};

/** The rights that the sign-in gives to the party that it names. */
export const rightsRow = ({ rights = [] }: Pick<SignIn, 'rights'>, words: DialogWords): Row | false =>
  rights.length > 0 && [
    words.signInRights,
    <ul>
      {rights.map(({ resource, action, limits }) => (
        <li>
          <bdi class="name">{action}</bdi>
          <bdi>{resource}</bdi>
          {limits && <small>{limits}</small>}
        </li>
      ))}
    </ul>,
  ];

/** All fields of a sign-in. Scheme, domain, address, statement and resources must be shown before signing (ERC-4361). */
export const signInRows = (signIn: Omit<SignIn, 'address'>, words: DialogWords) =>
  rows(
    [words.site, `${signIn.scheme ?? 'https'}://${signIn.domain}`],
    [words.uri, signIn.uri],
    [words.chainId, signIn.chainId],
    [words.issuedAt, signIn.issuedAt],
    signIn.expirationTime !== null && [words.expirationTime, signIn.expirationTime],
    signIn.notBefore !== null && [words.notBefore, signIn.notBefore],
    [words.nonce, signIn.nonce],
    signIn.requestId !== null && [words.requestId, signIn.requestId],
    signIn.resources.length > 0 && [
      words.resources,
      <ul>
        {signIn.resources.map((resource) => (
          <li>{resource}</li>
        ))}
      </ul>,
    ],
  );
