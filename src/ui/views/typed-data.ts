import type { Permit, TypedDataField, TypedDataQuestion } from '../../approvals/question.js';
import { own } from '../../rpc/own.js';
import { formatAmount, formatTime } from '../amounts.js';
import { type Content, element, sentence } from '../element.js';
import { blocks, disclosure, hero, isAddress, ownAccount, party, rows, wholeAddress } from '../fields.js';
import { siteName } from '../site.js';
import type { Words } from '../words.js';
import { signedAmount, tokenHero, tokenParty } from './call.js';
import { type DescribedRight, describeRight, items } from './right.js';
import type { View, ViewOf } from './view.js';

export const typedData: ViewOf<'typed-data'> = (question, words) => {
  const { permit, right } = question;
  if (permit !== null) return rightView(question, permitRight(permit, question, words), words);
  return right === null
    ? plainView(question, words)
    : rightView(question, describeRight(right, question, words), words);
};

/** Typed data of which only the fields are known. */
function plainView(question: TypedDataQuestion, words: Words): View {
  return {
    title: words.typedDataTitle,
    lead: sentence(words.typedDataLead, { site: siteName(question.origin) }),
    subject: [
      about(question, null, words),
      element(
        'section',
        { class: 'card' },
        element('h3', {}, question.primaryType),
        fieldList(question, words),
      ),
    ],
    more: [blocks(asking(question, words), signer(question, words))],
    confirm: words.sign,
  };
}

/** The right that the signature grants, then every signed field in a collapsed section. */
function rightView(question: TypedDataQuestion, described: DescribedRight, words: Words): View {
  const { permit, right } = question;
  const { deadline: end } = own((right ?? {}) as { readonly deadline?: string | null });
  const deadline = permit?.deadline ?? end ?? null;
  const isSet = permit !== null || end !== undefined;
  return {
    title: described.title,
    lead: described.lead,
    subject: [described.hero, blocks(...described.parties, signer(question, words)), rows(...described.rows)],
    more: [
      about(question, isSet ? [words.deadline, deadlineOf(deadline, words)] : null, words),
      right?.kind === 'other'
        ? element(
            'section',
            { class: 'card' },
            element('h3', {}, question.primaryType),
            fieldList(question, words),
          )
        : disclosure(words.fields, blocks(asking(question, words)), fieldList(question, words)),
    ],
    confirm: words.sign,
  };
}

function permitRight(permit: Permit, { network }: TypedDataQuestion, words: Words): DescribedRight {
  const { spender, amount, units, label, token } = permit;
  const { chainId } = network;
  const unlimited = amount === 'unlimited';
  const labelled = label ?? (token && { address: token });
  const spending = [words.spender, party(spender, chainId)] as const;
  const common = { title: words.permitTitle, lead: words.permitLead };
  if (permit.items !== undefined)
    return {
      ...common,
      hero: null,
      parties: [spending, [words.tokens, items(permit.items, network, words)]],
      rows: [],
    };
  return {
    ...common,
    hero: unlimited
      ? hero(words.unlimited, label?.symbol ?? null, 'danger')
      : tokenHero(amount, labelled ?? { address: spender }, words),
    parties: labelled ? [spending, [words.token, tokenParty(labelled, chainId, words)]] : [spending],
    rows: [units === null || !labelled ? null : signedAmount(units, labelled, words, unlimited)],
  };
}

function about(
  question: TypedDataQuestion,
  deadline: readonly [term: string, value: Content] | null,
  words: Words,
): HTMLElement {
  const { domain } = question;
  const application = [domain.name ?? words.noApplication, domain.version && ` · ${domain.version}`];
  return rows(
    [words.application, element('bdi', {}, application.filter(Boolean).join(''))],
    [words.network, chainOf(question)],
    deadline,
  );
}

const signer = ({ account, network }: TypedDataQuestion, words: Words) =>
  [words.account, ownAccount(account, network.chainId)] as const;

const asking = ({ domain, network }: TypedDataQuestion, words: Words) =>
  domain.verifyingContract !== undefined &&
  ([words.contract, addressOr(domain.verifyingContract, network.chainId)] as const);

/** The active network by name, another one by its chain id. */
const chainOf = ({ domain, network }: TypedDataQuestion): Content =>
  domain.chainId === undefined
    ? '–'
    : domain.chainId === String(network.chainId)
      ? network.name
      : domain.chainId;

const deadlineOf = (deadline: string | null, words: Words): string =>
  (deadline === null ? null : formatTime(deadline, words)) ?? words.noDeadline;

const addressOr = (text: string, chainId: number): Content => (isAddress(text) ? party(text, chainId) : text);

/** Every value as it is signed, with its interpretation below where there is one. */
const fieldList = ({ fields, network }: TypedDataQuestion, words: Words): HTMLElement =>
  element(
    'dl',
    { class: 'fields' },
    fields.map((field) =>
      element(
        'div',
        {},
        element('dt', {}, element('bdi', {}, field.path), ' ', element('small', {}, field.type)),
        element(
          'dd',
          { dir: 'auto' },
          field.type === 'address' && isAddress(field.value)
            ? wholeAddress(field.value, network.chainId)
            : field.value,
          readingOf(field, words),
        ),
      ),
    ),
  );

function readingOf({ value, reading }: TypedDataField, words: Words): Content {
  if (reading === undefined) return null;
  if (reading.as === 'time') return element('small', {}, ` ${formatTime(value, words)}`);
  const { decimals = 0, symbol = '', known } = reading.token;
  const amount = `${formatAmount(BigInt(value), decimals, words)} ${symbol}`.trim();
  return element('small', {}, ' ', known ? amount : sentence(words.readsAs, { amount }));
}
