import type { CallTree } from '../../../approvals/call-tree.js';
import type { DecodedCall } from '../../../approvals/decode-call.js';
import type { DescribedContractCall, TransactionQuestion } from '../../../approvals/question.js';
import { own } from '../../../rpc/own.js';
import { type Content, h, sentence } from '../../h.js';
import { about } from '../../pieces/about.js';
import { nameOfRecipient, ownAccount, party } from '../../pieces/address.js';
import { formatAmount, formatCoins, formatCount, formatGasPrice } from '../../pieces/amounts.js';
import { pegOutRows, wholeBitcoinAddress } from '../../pieces/bitcoin.js';
import { type Amount, hero } from '../../pieces/hero.js';
import { blocks, type Row, rows } from '../../pieces/lists.js';
import { siteName } from '../../pieces/site.js';
import { box, disclosure } from '../../pieces/text.js';
import { typedFields } from '../../pieces/typed-fields.js';
import { details } from '../../styles/details.js';
import type { DialogWords } from '../../words/words.js';
import { AllowanceChoice } from './allowance.js';
import { type DescribedCall, describeCall, type NameOf } from './call.js';
import { callsInside } from './call-list.js';
import { explainedCall } from './explained-call.js';
import { costRows, Fees, type PriceChoice, priceAnswer } from './fees.js';
import { shortfallView } from './shortfall.js';
import type { ViewOf } from './view.js';

export const transaction: ViewOf<'transaction'> = (question, words) => {
  const { choices, shortfall, call } = question;
  const price: PriceChoice = { gasPrice: BigInt(question.transaction.gasPrice) };
  const limit: { units: bigint | null } = { units: null };
  const { title, lead, amount, parties, inside, more, described } = describeTransaction(
    question,
    words,
    shortfall === undefined ? price : 'rows',
  );
  const heading = question.replacement
    ? { cancel: words.cancelTransactionTitle, 'speed-up': words.speedUpTitle }[question.replacement]
    : title;
  if (shortfall !== undefined)
    return {
      title: heading,
      more,
      styles: details,
      ...shortfallView(question, words, [amount && hero(amount), blocks(...parties), inside]),
    };
  return {
    title: heading,
    lead,
    subject: [
      isLimitEditable(question) && call && amount ? (
        <AllowanceChoice
          amount={amount}
          requested={choices?.allowance as string}
          token={call.token}
          limit={limit}
          words={words}
        />
      ) : (
        amount && hero(amount)
      ),
      aboutCoins(question, words),
      blocks(...parties),
      inside,
    ],
    more,
    styles: details,
    confirm: question.action === 'sign' ? words.sign : described.sends ? words.send : words.confirm,
    answer:
      choices &&
      (() => {
        const answer = priceAnswer(price, question.transaction.gasPrice);
        if (answer === null || limit.units === -1n) return null;
        return own({ ...answer, ...(limit.units !== null && { allowance: limit.units.toString() }) });
      }),
  };
};

/** Whether {@link AllowanceChoice} shows the amount, and the base units with it. */
const isLimitEditable = ({ choices, call, shortfall }: TransactionQuestion): boolean =>
  choices?.allowance !== undefined && call !== null && shortfall === undefined;

/**
 * The parts of a transaction's view, for a question of its own and for one of several calls.
 *
 * @param cost shown in rows; with the prices that the question offers, into which the choice is put; or nowhere, for a
 * call whose price is chosen with that of the others
 */
export function describeTransaction(
  question: TransactionQuestion,
  words: DialogWords,
  cost: 'rows' | 'elsewhere' | PriceChoice,
) {
  const { network, account, origin, call, tree, recipient, choices, transaction } = question;
  const price = typeof cost === 'object' && choices ? cost : null;
  const { chainId } = network;
  const value = BigInt(transaction.value);
  const nameOf: NameOf = (address) => (recipient?.address === address ? nameOfRecipient(recipient) : null);
  const described =
    call === null ? describeUndecoded(question, words, nameOf) : describeCall(call, chainId, words, nameOf);
  const { pegOut } = question;
  const { explained } = own(question.described ?? {}) as Partial<DescribedContractCall>;
  const resembled = recipient?.resembles;
  return {
    title: described.title,
    lead: [
      described.lead,
      question.action === 'sign' && [
        described.lead && ' ',
        sentence(words.signOnlyLead, { site: siteName(origin) }),
      ],
    ],
    amount: described.hero,
    parties: [
      [words.from, ownAccount(account, chainId)],
      ...described.parties,
      ...(resembled === undefined
        ? []
        : [[words.resembles, party(resembled, chainId, recipient?.resembledContact)] as const]),
      ...(pegOut?.bitcoinAddress === undefined || pegOut.verdict === 'too-little'
        ? []
        : [[words.bitcoinAddress, wholeBitcoinAddress(pegOut.bitcoinAddress)] as const]),
    ] satisfies readonly Row[],
    /** The page's explanation of it, and the calls that it carries out. */
    inside: [
      explained && explainedCall(explained, network, words),
      tree && callsInside(call === null && isListed(tree) ? [tree] : tree.inner, network, words, nameOf),
    ],
    more: [
      rows(
        !isLimitEditable(question) && described.signed,
        call !== null && value > 0n && [words.alsoSends, formatCoins(value, network, words)],
        ...(pegOut ? pegOutRows(pegOut, chainId, words) : []),
        [words.network, network.name],
        ...(price || cost === 'elsewhere' ? [] : costRows(question.fee, question.total, network, words)),
      ),
      price && choices && (
        <Fees
          {...{ choices, price, network, words, value }}
          requested={transaction.gasPrice}
          gas={BigInt(transaction.gas)}
        />
      ),
      question.described && argumentsOf(question.described, words),
      disclosure(words.details, ...technical(question, words, price === null && cost !== 'elsewhere')),
    ],
    described,
  };
}

/** About how much the coins are that a payment sends, where the question has a price. */
const aboutCoins = (
  { price, call, transaction, network }: TransactionQuestion,
  words: DialogWords,
): Content =>
  price && call === null && BigInt(transaction.value) > 0n
    ? about(BigInt(transaction.value), network.decimals, price, words)
    : null;

/** Whether the call itself has more to show than its contract: what it does to several tokens, or its arguments. */
const isListed = (call: CallTree): boolean =>
  call.tokens.length > 0 || (call.arguments.length > 0 && call.inner.length === 0);

/** Every movement and right of a call and of those inside it. */
const tokenCallsOf = ({ tokens, inner }: CallTree): readonly DecodedCall[] => [
  ...tokens,
  ...inner.flatMap(tokenCallsOf),
];

/** A payment, a deployment, or a call that is not one of a token alone. */
function describeUndecoded(
  { transaction, network, ownRecipient, described, tree }: TransactionQuestion,
  words: DialogWords,
  nameOf: NameOf,
): DescribedCall {
  const { to, data, value } = transaction;
  const { symbol, decimals, chainId } = network;
  const amount: Amount = { text: formatAmount(BigInt(value), decimals, words), unit: symbol };
  if (to === null) {
    return {
      title: words.createTitle,
      lead: null,
      hero: BigInt(value) > 0n ? amount : null,
      parties: [[words.to, words.newContract]],
      signed: null,
      sends: false,
    };
  }
  const isCall = data !== '0x';
  const name = ownRecipient ? words.ownAccount : (nameOf(to) ?? described?.contract ?? null);
  const [only, ...others] = tree ? tokenCallsOf(tree) : [];
  const moved = only && others.length === 0 ? describeCall(only, chainId, words, nameOf).hero : null;
  return {
    title: isCall ? words.callTitle : sentence(words.sendTitle, { symbol }),
    lead: null,
    // A call that sends no coins may still move tokens, which an amount of zero would deny.
    hero: isCall && BigInt(value) === 0n ? moved : amount,
    parties: [[isCall ? words.contract : words.to, party(to, chainId, name)]],
    signed: null,
    sends: !isCall,
  };
}

/** The arguments of a call, as the page's own ABI names them. */
const argumentsOf = (call: DescribedContractCall, words: DialogWords): Content => [
  rows([words.method, <code>{call.name}</code>]),
  own(call).explained && blocks([words.descriptorHash, <code dir="ltr">{call.explained?.hash}</code>]),
  call.arguments.length > 0 && disclosure(words.callArguments, typedFields(call.arguments, words)),
];

/** @param hasPrice whether the gas price is shown here, because it cannot be changed elsewhere */
function technical(question: TransactionQuestion, words: DialogWords, hasPrice: boolean): readonly Content[] {
  const { transaction, network, call } = question;
  const { data, to } = transaction;
  const size = (data.length - 2) / 2;
  const nonce = formatCount(BigInt(transaction.nonce), words);
  const method = to !== null && size >= 4 && (call?.name ?? data.slice(0, 10));
  return [
    rows(
      [
        words.balance,
        [
          <bdi>{formatCoins(question.balance, network, words)}</bdi>,
          <small>{sentence(words.accordingTo, { source: network.source })}</small>,
        ],
      ],
      method !== false && [words.method, <code>{method}</code>],
      [words.nonce, question.nonceChosenBy === 'page' ? nonce : sentence(words.nonceNext, { nonce })],
      [words.gas, formatCount(BigInt(transaction.gas), words)],
      hasPrice && [words.gasPrice, <bdi>{formatGasPrice(transaction.gasPrice, words)}</bdi>],
      transaction.transactionType !== undefined && [
        words.transactionType,
        BigInt(transaction.transactionType).toString(),
      ],
      size > 0 && [words.data, sentence(words.bytes, { count: formatCount(size, words) })],
    ),
    size > 0 && box(words.data, data, 'code'),
    transaction.accessList !== undefined &&
      box(
        words.accessList,
        transaction.accessList
          .map(({ address, storageKeys }) => [address, ...storageKeys].join(' '))
          .join('\n'),
        'code',
      ),
  ];
}
