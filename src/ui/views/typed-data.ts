import type { Permit, TypedDataQuestion } from '../../approvals/question.js';
import { formatTime } from '../amounts.js';
import { type Content, element, sentence } from '../element.js';
import { blocks, disclosure, hero, isAddress, ownAccount, party, rows, wholeAddress } from '../fields.js';
import { siteName } from '../site.js';
import type { Words } from '../words.js';
import { tokenHero } from './call.js';
import type { ViewOf } from './view.js';

export const typedData: ViewOf<'typed-data'> = (question, words) => {
  const { origin, account, network, permit, domain } = question;
  const { chainId } = network;
  const signer = [words.account, ownAccount(account, chainId)] as const;
  const application = [domain.name ?? words.noApplication, domain.version && ` · ${domain.version}`].filter(
    Boolean,
  );
  const contract = domain.verifyingContract;
  const about = rows(
    [words.application, element('bdi', {}, application.join(''))],
    [words.network, chainOf(question)],
    permit !== null && [words.deadline, deadlineOf(permit, words)],
  );
  const asking = contract !== undefined && ([words.contract, addressOr(contract, chainId)] as const);
  const fields = fieldList(question);
  return permit === null
    ? {
        title: words.typedDataTitle,
        lead: sentence(words.typedDataLead, { site: siteName(origin) }),
        subject: [
          about,
          element('section', { class: 'card' }, element('h3', {}, question.primaryType), fields),
        ],
        more: [blocks(asking, signer)],
        confirm: words.sign,
      }
    : {
        title: words.permitTitle,
        lead: words.permitLead,
        subject: [
          permit.amount === 'unlimited'
            ? hero(words.unlimited, null, 'danger')
            : tokenHero(permit.amount, { address: permit.spender }, words),
          blocks(
            [words.spender, party(permit.spender, chainId)],
            permit.token !== null && [words.token, party(permit.token, chainId)],
            signer,
          ),
        ],
        more: [about, disclosure(words.fields, blocks(permit.token === null && asking), fields)],
        confirm: words.sign,
      };
};

/** The active network by its name, any other by its number. */
const chainOf = ({ domain, network }: TypedDataQuestion): Content =>
  domain.chainId === undefined
    ? '–'
    : domain.chainId === String(network.chainId)
      ? network.name
      : domain.chainId;

const deadlineOf = ({ deadline }: Permit, words: Words): string =>
  (deadline === null ? null : formatTime(deadline, words)) ?? words.noDeadline;

const addressOr = (text: string, chainId: number): Content => (isAddress(text) ? party(text, chainId) : text);

const fieldList = ({ fields, network }: TypedDataQuestion): HTMLElement =>
  element(
    'dl',
    { class: 'fields' },
    fields.map(({ path, type, value }) =>
      element(
        'div',
        {},
        element('dt', {}, element('bdi', {}, path), ' ', element('small', {}, type)),
        element(
          'dd',
          { dir: 'auto' },
          type === 'address' && isAddress(value) ? wholeAddress(value, network.chainId) : value,
        ),
      ),
    ),
  );
