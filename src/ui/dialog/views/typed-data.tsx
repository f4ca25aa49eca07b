import type { Permit, TypedDataField, TypedDataQuestion } from '../../../approvals/question.js';
import { isAddress } from '../../../rpc/schema.js';
import { type Content, h, sentence } from '../../h.js';
import { ownAccount, party, wholeAddress } from '../../pieces/address.js';
import { formatAmount, formatTime } from '../../pieces/amounts.js';
import { hero } from '../../pieces/hero.js';
import { blocks, type Row, rows } from '../../pieces/lists.js';
import { siteName } from '../../pieces/site.js';
import { disclosure } from '../../pieces/text.js';
import { typedFields } from '../../pieces/typed-fields.js';
import { details } from '../../styles/details.js';
import type { DialogWords } from '../../words/words.js';
import { signedAmount, tokenAmount, tokenParty } from './call.js';
import { callsInside } from './call-list.js';
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
function plainView(question: TypedDataQuestion, words: DialogWords): View {
  return {
    title: words.typedDataTitle,
    lead: sentence(words.typedDataLead, { site: siteName(question.origin) }),
    subject: [about(question, null, words), fieldCard(question, words)],
    more: [blocks(asking(question, words), signer(question, words))],
    styles: details,
    confirm: words.sign,
  };
}

/** The right that the signature grants, then every signed field in a collapsed section. */
function rightView(question: TypedDataQuestion, described: DescribedRight, words: DialogWords): View {
  const { permit, right } = question;
  const isOpen = right?.kind === 'other' || right?.kind === 'unclear';
  const deadline = permit ? permit.deadline : right && !isOpen ? right.deadline : undefined;
  // The allowance of ERC-2612 and of DAI outlasts the signature.
  const term = permit && question.primaryType === 'Permit' ? words.signatureDeadline : words.deadline;
  return {
    title: described.title,
    lead: described.lead,
    subject: [
      described.hero && hero(described.hero),
      // Each may take value, so that none is collapsed.
      blocks(...described.parties, signer(question, words)),
      rows(...described.rows),
      listedCalls(question, words),
    ],
    more: [
      about(question, deadline === undefined ? null : [term, deadlineOf(deadline, words)], words),
      isOpen
        ? fieldCard(question, words)
        : disclosure(words.fields, blocks(asking(question, words)), fieldList(question, words)),
    ],
    styles: details,
    confirm: words.sign,
  };
}

/** The calls in the data; of a single one that is shown already only those inside it. */
function listedCalls({ right, calls = [], network }: TypedDataQuestion, words: DialogWords): Content {
  const [only, ...others] = calls;
  const isShown = only !== undefined && others.length === 0 && right?.kind === 'call' && right.call !== null;
  return callsInside(isShown ? only.inner : calls, network, words);
}

function permitRight(permit: Permit, { network }: TypedDataQuestion, words: DialogWords): DescribedRight {
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
      ? { text: words.unlimited, unit: label?.symbol ?? null, tone: 'danger' }
      : tokenAmount(amount, labelled ?? { address: spender }, words),
    parties: labelled ? [spending, [words.token, tokenParty(labelled, chainId, words)]] : [spending],
    rows: [units === null || !labelled ? null : signedAmount(units, labelled, words, unlimited)],
  };
}

function about(question: TypedDataQuestion, deadline: Row | null, words: DialogWords): Content {
  const { domain } = question;
  const application = [domain.name ?? words.noApplication, domain.version && ` · ${domain.version}`];
  return rows(
    [words.application, <bdi>{application.filter(Boolean).join('')}</bdi>],
    [words.network, chainOf(question)],
    deadline,
  );
}

const signer = ({ account, network }: TypedDataQuestion, words: DialogWords) =>
  [words.account, ownAccount(account, network.chainId)] as const;

function asking({ domain, network }: TypedDataQuestion, words: DialogWords): Row | false {
  const { verifyingContract: contract } = domain;
  if (contract === undefined) return false;
  return [words.contract, isAddress(contract) ? party(contract, network.chainId) : contract];
}

const fieldCard = (question: TypedDataQuestion, words: DialogWords): Content => (
  <section class="card">
    <h3>{question.primaryType}</h3>
    {fieldList(question, words)}
  </section>
);

/** The active network by name, another one by its chain id. */
const chainOf = ({ domain, network }: TypedDataQuestion): Content =>
  domain.chainId === undefined
    ? '–'
    : domain.chainId === String(network.chainId)
      ? network.name
      : domain.chainId;

const deadlineOf = (deadline: string | null, words: DialogWords): string =>
  (deadline === null ? null : formatTime(deadline, words)) ?? words.noDeadline;

/** Every value as it is signed, with its interpretation below where there is one. */
const fieldList = ({ fields, network }: TypedDataQuestion, words: DialogWords): Content =>
  typedFields(
    fields.map((field) => {
      const { path, type, value } = field;
      const isParty = type === 'address' && isAddress(value);
      const shown = isParty ? wholeAddress(value, network.chainId) : value;
      return { name: path, type, value: [shown, readingOf(field, words)] };
    }),
    words,
  );

function readingOf({ value, reading }: TypedDataField, words: DialogWords): Content {
  if (reading === undefined) return null;
  if (reading.as === 'time') return <small>{` ${formatTime(value, words)}`}</small>;
  const { decimals = 0, symbol = '', known } = reading.token;
  // The value above it is in base units.
  const amount = `${formatAmount(BigInt(value), decimals, words)} ${symbol}`.trim();
  return <small> {known ? amount : sentence(words.readsAs, { amount })}</small>;
}
