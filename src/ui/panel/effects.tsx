import { knownToken } from '../../rpc/known-contracts.js';
import { own } from '../../rpc/own.js';
import type { Address, Hex } from '../../rpc/schema.js';
import type { Effect } from '../../transactions/journal-entry.js';
import type { RecordedTransaction } from '../../transactions/transactions.js';
import { type Content, Fragment, h, sentence } from '../h.js';
import { shortAddress } from '../pieces/address.js';
import { formatCoins, formatCount } from '../pieces/amounts.js';
import type { Row } from '../pieces/lists.js';
import type { PanelWords } from '../words/words.js';
import type { Panel } from './context.js';
import { readableToken, useContacts, useLoaded } from './hooks.js';
import type { PanelToken } from './wallet.js';

/** Tells what moved on the chain: by a transaction's effects, or by a payment that came in. */
export interface Teller {
  /** Names an address: the label of an account, the name of a contact, else its digits, shortened. */
  party(address: Address): Content;
  /** The symbol of a token that the wallet lists or watches, else that it does neither, and its address. */
  token(token: Address | null): Content;
  /** An amount of a token, or its items; no amount of an unlisted one, whose decimals are unknown. */
  amount(moved: Moved): Content;
  /** Whether the wallet lists or watches a token. */
  isNamed(token: Address | null): boolean;
  readonly words: PanelWords;
}

/** A token or the chain's coin, and how much of it a payment or a transaction moved. */
export interface Moved {
  readonly token: Address | null;
  readonly amount: Hex;
  readonly isCollectible?: boolean | undefined;
}

/** Makes the teller for a view that shows these tokens. The wallet is asked for its tokens only if one of them is not a known one. */
export function useTeller(panel: Panel, tokens: readonly (Address | null)[]): Teller {
  const { wallet, words, account, accounts, network } = panel;
  const contacts = useContacts(panel).value ?? [];
  const { chainId, currency } = network;
  const isNeeded = tokens.some((each) => each !== null && knownToken(chainId, each) === null);
  const { value: held } = useLoaded(
    async () => (isNeeded && account ? (await wallet.tokens(account.address)).map(readableToken) : []),
    [isNeeded, account?.address, chainId],
  );
  // A watched token that bears the symbol of another one is not called by it.
  const unitOf = (token: Address | null): Pick<PanelToken, 'symbol' | 'decimals'> | undefined =>
    token === null
      ? currency
      : (knownToken(chainId, token) ??
        held?.find(({ address, imitates }) => address === token && imitates === undefined));
  const digits = (address: Address) => <code dir="ltr">{shortAddress(address, chainId)}</code>;
  const nameOf = (token: Address | null): Content =>
    unitOf(token)?.symbol ?? sentence(words.unlistedToken, { address: digits(token as Address) });
  return {
    words,
    party: (address) =>
      accounts.find((each) => each.address === address)?.label ??
      contacts.find((each) => each.address === address)?.name ??
      digits(address),
    token: nameOf,
    isNamed: (token) => unitOf(token) !== undefined,
    amount({ token, amount, isCollectible }) {
      const count = BigInt(amount);
      if (isCollectible)
        return count === 1n
          ? sentence(words.item, { token: nameOf(token) })
          : sentence(words.items, { count: formatCount(count, words), token: nameOf(token) });
      const unit = unitOf(token);
      return unit ? formatCoins(count, unit, words) : nameOf(token);
    },
  };
}

/** Whether its receipt says what a transaction did. */
export const hasEffects = ({ effects = [] }: RecordedTransaction): boolean => effects.length > 0;

/** The tokens in the effects of transactions. */
export const tokensIn = (entries: readonly RecordedTransaction[]): readonly (Address | null)[] =>
  entries.flatMap(({ effects = [] }) => effects.map(({ token }) => token));

/** Amounts from which on a right has no limit: no token has so much. */
const unlimited = 2n ** 255n;

/** The name of an effect in the words, and what it is about. */
function read(effect: Effect, teller: Teller): readonly [kind: keyof PanelWords['effects'], what: Content] {
  const { words } = teller;
  if (effect.kind !== 'allowed') return [effect.kind, teller.amount(effect)];
  const { amount, spender } = effect;
  const token = teller.token(effect.token);
  if (amount === 'all') return ['movable', sentence(words.everyItem, { token })];
  const count = BigInt(amount);
  // The right over one item is taken away by giving it to no one.
  if (count === 0n) return [BigInt(spender) === 0n ? 'withdrawn' : 'withdrawnFrom', token];
  const what = teller.amount(own({ ...effect, amount }));
  if (effect.isCollectible) return ['movable', what];
  if (!teller.isNamed(effect.token)) return ['spendable', token];
  return [
    'spendable',
    count < unlimited ? sentence(words.upTo, { amount: what }) : sentence(words.allOf, { token }),
  ];
}

/** The effects of a mined transaction on its account: its value, then those in its logs. */
const effectsOf = ({ value, effects = [] }: RecordedTransaction): readonly Effect[] =>
  effects.length > 0 && BigInt(value) > 0n
    ? [own<Effect>({ kind: 'paid', token: null, amount: value }), ...effects]
    : effects;

/** Effects in the line of a list. */
const maxInLine = 2;

/** Tells in one line what a mined transaction did; `null` if its receipt does not say. */
export function tellEffects(entry: RecordedTransaction, teller: Teller): Content {
  const effects = effectsOf(entry);
  if (effects.length === 0) return null;
  const { words } = teller;
  const created = entry.to === null ? [words.deployed] : [];
  const phrases = effects.slice(0, maxInLine - created.length).map((effect, index) => {
    const [kind, what] = read(effect, teller);
    const text = words.effects[kind];
    const isFirst = index + created.length === 0;
    const spender = effect.kind === 'allowed' && teller.party(effect.spender);
    return sentence(isFirst ? text : text.charAt(0).toLowerCase() + text.slice(1), { what, spender });
  });
  return [
    ...[...created, ...phrases].flatMap((each, index) => (index === 0 ? [each] : [', ', each])),
    effects.length > phrases.length && ` ${words.andMore}`,
  ];
}

/** Addresses that a transaction gave a right to, or took one from. */
export const spendersIn = ({ effects = [] }: RecordedTransaction): readonly Address[] => [
  ...new Set(
    effects.flatMap((effect) =>
      effect.kind === 'allowed' && BigInt(effect.spender) !== 0n ? [effect.spender] : [],
    ),
  ),
];

/** A row for each effect of a transaction. */
export const effectRows = (entry: RecordedTransaction, teller: Teller): readonly Row[] =>
  effectsOf(entry).map((effect) => {
    const [kind, what] = read(effect, teller);
    const hasSpender = effect.kind === 'allowed' && kind !== 'withdrawn';
    return [
      teller.words.effectTerms[kind],
      <>
        <bdi>{what}</bdi>
        {hasSpender && (
          <small>
            {teller.words.spender}: {teller.party(effect.spender)}
          </small>
        )}
      </>,
    ];
  });
