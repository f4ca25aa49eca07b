import type { QuestionBase, QuestionNetwork } from '../../../approvals/question.js';
import type { CallRight, CallsRight, OrderItem, Right } from '../../../approvals/right.js';
import { type Content, h, sentence } from '../../h.js';
import { party } from '../../pieces/address.js';
import { baseUnits, formatAmount, formatCoins, formatCount } from '../../pieces/amounts.js';
import type { Row } from '../../pieces/lists.js';
import { siteName } from '../../pieces/site.js';
import type { DialogWords } from '../../words/words.js';
import { type DescribedCall, describeCall, signedAmount, tokenAmount, tokenParty } from './call.js';

/** The texts and values that a view shows for a right. */
export interface DescribedRight extends Pick<DescribedCall, 'title' | 'lead' | 'hero' | 'parties'> {
  readonly rows: readonly (Row | null)[];
}

/** Describes the right that a signature gives, its holder, and the tokens. */
export function describeRight(
  right: Right,
  { network, origin }: Pick<QuestionBase, 'network' | 'origin'>,
  words: DialogWords,
): DescribedRight {
  const { chainId } = network;
  switch (right.kind) {
    case 'transfer':
      return {
        title: words.transferRightTitle,
        lead: words.transferRightLead,
        hero: tokenAmount(right.amount, right.token, words),
        parties: [
          [words.to, party(right.to, chainId)],
          [words.token, tokenParty(right.token, chainId, words)],
        ],
        rows: [signedAmount(right.amount, right.token, words)],
      };
    case 'collectible':
      return {
        title: words.collectibleRightTitle,
        lead: words.collectibleRightLead,
        hero: { text: `#${right.tokenId}`, unit: right.token.symbol ?? null },
        parties: [
          [words.spender, party(right.spender, chainId)],
          [words.token, tokenParty(right.token, chainId, words)],
        ],
        rows: [],
      };
    case 'collection': {
      const { approved, token, operator } = right;
      const call = { name: 'setApprovalForAll', operator, approved, token } as const;
      return { ...describeCall(call, chainId, words), rows: [] };
    }
    case 'call':
      return describeRelayed(right, network, words);
    case 'calls':
      return { ...callerTexts(right.by, words, words.relayedCallsTitle), hero: null, parties: [], rows: [] };
    case 'orders':
      return {
        title:
          right.count > 1
            ? sentence(words.ordersTitle, { count: formatCount(right.count, words) })
            : words.orderTitle,
        lead: words.orderLead,
        hero: null,
        parties: [
          [words.youGive, items(right.gives, network, words)],
          [words.youGet, items(right.takes, network, words)],
        ],
        rows: [],
      };
    case 'other':
    case 'unclear': {
      const isOther = right.kind === 'other';
      return {
        title: isOther ? words.otherRightTitle : words.typedDataTitle,
        lead: sentence(isOther ? words.otherRightLead : words.typedDataLead, { site: siteName(origin) }),
        hero: null,
        parties: right.holders.map(({ path, address }) => [
          `${words.holder}: ${path}`,
          party(address, chainId),
        ]),
        rows: [],
      };
    }
  }
}

/** The title and the sentence about who sends a call in the signer's name. */
const callerTexts = (
  by: CallsRight['by'],
  words: DialogWords,
  forwarderTitle: string,
): Pick<DescribedRight, 'title' | 'lead'> =>
  ({
    safe: { title: words.safeTitle, lead: words.safeLead },
    account: { title: words.accountTitle, lead: words.accountLead },
    forwarder: { title: forwarderTitle, lead: words.relayedLead },
  })[by];

function describeRelayed(right: CallRight, network: QuestionNetwork, words: DialogWords): DescribedRight {
  const { call, to, value, data, delegated, by } = right;
  const { chainId, decimals, symbol } = network;
  const amount = BigInt(value);
  const described = call && describeCall(call, chainId, words);
  const contract: Content = to === null ? words.newContract : party(to, chainId);
  const method = <code>{data.slice(0, 10)}</code>;
  return {
    ...callerTexts(by, words, words.relayedTitle),
    hero:
      described?.hero ?? (amount > 0n ? { text: formatAmount(amount, decimals, words), unit: symbol } : null),
    parties: described?.parties ?? [[delegated ? words.runsCodeOf : words.contract, contract]],
    rows: [
      described ? [words.method, described.title] : data === '0x' ? null : [words.method, method],
      described?.signed ?? null,
      described && amount > 0n ? [words.alsoSends, <bdi>{formatCoins(amount, network, words)}</bdi>] : null,
    ],
  };
}

/** A list of tokens with their amounts. Each moves value, so that none is collapsed. */
export function items(list: readonly OrderItem[], network: QuestionNetwork, words: DialogWords): Content {
  if (list.length === 0) return words.nothing;
  return (
    <ul>
      {list.map((item) => (
        <li>
          <bdi class="name">{itemAmount(item, network, words)}</bdi>
          {[
            item.token !== null &&
              tokenParty(
                item.token,
                network.chainId,
                words,
                item.tokenId === undefined && !item.any && baseUnits(BigInt(item.amount), item.token, words),
              ),
          ]}
        </li>
      ))}
    </ul>
  );
}

function itemAmount(
  { token, amount, tokenId, any }: OrderItem,
  network: QuestionNetwork,
  words: DialogWords,
): string {
  const units = BigInt(amount);
  if (any) return `${formatCount(units, words)} × #*`;
  if (tokenId !== undefined) return units > 1n ? `${formatCount(units, words)} × #${tokenId}` : `#${tokenId}`;
  if (token === null) return formatCoins(units, network, words);
  const { decimals, symbol = '' } = token;
  return decimals === undefined
    ? `${formatCount(units, words)} ${words.baseUnits}`
    : `${formatAmount(units, decimals, words)} ${symbol}`.trim();
}
