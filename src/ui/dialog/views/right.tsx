import type { QuestionNetwork } from '../../../approvals/question.js';
import type { CallRight, CallsRight, NamedAddress, OrderItem, Right } from '../../../approvals/right.js';
import { own } from '../../../rpc/own.js';
import { type Content, h, sentence } from '../../h.js';
import { party } from '../../pieces/address.js';
import { baseUnits, formatAmount, formatCount } from '../../pieces/amounts.js';
import type { Amount } from '../../pieces/hero.js';
import type { Row } from '../../pieces/lists.js';
import { siteName } from '../../pieces/site.js';
import type { DialogWords } from '../../words/words.js';
import { describeCall, signedAmount, tokenAmount, tokenParty } from './call.js';

/** The texts and values that a view shows for a right. */
export interface DescribedRight {
  readonly title: Content;
  readonly lead: Content;
  readonly hero: Amount | null;
  readonly parties: readonly Row[];
  readonly rows: readonly (Row | null)[];
}

/** Describes the right that a signature gives, its holder, and the tokens. */
export function describeRight(
  right: Right,
  { network, origin }: { readonly network: QuestionNetwork; readonly origin: string },
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
      return {
        title: { safe: words.safeTitle, account: words.accountTitle, forwarder: words.relayedCallsTitle }[
          right.by
        ],
        lead: leadOf(right.by, words),
        hero: null,
        parties: [],
        rows: [],
      };
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
      return {
        title: words.otherRightTitle,
        lead: sentence(words.otherRightLead, { site: siteName(origin) }),
        hero: null,
        parties: namedRows(right.holders, chainId, words),
        rows: [],
      };
    case 'unclear':
      return {
        title: words.typedDataTitle,
        lead: sentence(words.typedDataLead, { site: siteName(origin) }),
        hero: null,
        parties: namedRows(right.holders, chainId, words),
        rows: [],
      };
  }
}

const namedRows = (holders: readonly NamedAddress[], chainId: number, words: DialogWords): readonly Row[] =>
  holders.map(({ path, address }) => [`${words.holder}: ${path}`, party(address, chainId)]);

const leadOf = (by: CallsRight['by'], words: DialogWords): string =>
  ({ safe: words.safeLead, account: words.accountLead, forwarder: words.relayedLead })[by];

function describeRelayed(right: CallRight, network: QuestionNetwork, words: DialogWords): DescribedRight {
  const { call, to, value, data, delegated, by } = right;
  const { chainId, decimals, symbol } = network;
  const amount = BigInt(value);
  const described = call === null ? null : own(describeCall(call, chainId, words));
  const coins = `${formatAmount(amount, decimals, words)} ${symbol}`;
  const contract: Content = to === null ? words.newContract : party(to, chainId);
  const method = <code>{data.slice(0, 10)}</code>;
  return {
    title: { safe: words.safeTitle, account: words.accountTitle, forwarder: words.relayedTitle }[by],
    lead: leadOf(by, words),
    hero:
      described?.hero ?? (amount > 0n ? { text: formatAmount(amount, decimals, words), unit: symbol } : null),
    parties: described?.parties ?? [[delegated ? words.runsCodeOf : words.contract, contract]],
    rows: [
      described ? [words.method, described.title] : data === '0x' ? null : [words.method, method],
      described?.signed ?? null,
      described && amount > 0n ? [words.alsoSends, <bdi>{coins}</bdi>] : null,
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
                item.tokenId === undefined &&
                  !own(item).any &&
                  baseUnits(BigInt(item.amount), item.token, words),
              ),
          ]}
        </li>
      ))}
    </ul>
  );
}

function itemAmount(item: OrderItem, network: QuestionNetwork, words: DialogWords): string {
  const { token, amount, tokenId, any } = own(item);
  const units = BigInt(amount);
  if (any) return `${formatCount(units, words)} × #*`;
  if (tokenId !== undefined) return units > 1n ? `${formatCount(units, words)} × #${tokenId}` : `#${tokenId}`;
  if (token === null) return `${formatAmount(units, network.decimals, words)} ${network.symbol}`;
  const { decimals, symbol = '' } = token;
  return decimals === undefined
    ? `${formatCount(units, words)} ${words.baseUnits}`
    : `${formatAmount(units, decimals, words)} ${symbol}`.trim();
}
