import type { TransactionQuestion } from '../../approvals/question.js';
import { formatAmount, formatAtMost, formatCount } from '../amounts.js';
import { type Content, element, sentence } from '../element.js';
import { blocks, box, disclosure, hero, ownAccount, party, rows } from '../fields.js';
import { siteName } from '../site.js';
import type { Words } from '../words.js';
import { type DescribedCall, describeCall } from './call.js';
import type { ViewOf } from './view.js';

export const transaction: ViewOf<'transaction'> = (question, words) => {
  const { transaction, network, account, origin, call } = question;
  const { symbol, decimals, chainId } = network;
  const value = BigInt(transaction.value);
  const described = call === null ? describeUndecoded(question, words) : describeCall(call, chainId, words);
  const coins = (wei: string) => `${formatAmount(BigInt(wei), decimals, words)} ${symbol}`;
  const atMost = (wei: string) =>
    element('bdi', {}, `${formatAtMost(BigInt(wei), decimals, words)} ${symbol}`);
  return {
    title: described.title,
    lead: [
      described.lead,
      question.action === 'sign' && [
        described.lead && ' ',
        sentence(words.signOnlyLead, { site: siteName(origin) }),
      ],
    ],
    subject: [described.hero, blocks([words.from, ownAccount(account, chainId)], ...described.parties)],
    more: [
      rows(
        described.signed ?? null,
        call !== null && value > 0n && [words.alsoSends, coins(transaction.value)],
        [words.network, network.name],
        [words.fee, atMost(question.fee)],
        [words.total, element('strong', {}, atMost(question.total))],
      ),
      disclosure(words.details, ...technical(question, words)),
    ],
    confirm: question.action === 'sign' ? words.sign : described.sends ? words.send : words.confirm,
  };
};

/** A payment, a deployment, or a call that could not be decoded. */
function describeUndecoded(
  { transaction, network, ownRecipient }: TransactionQuestion,
  words: Words,
): DescribedCall {
  const { to, data, value } = transaction;
  const { symbol, decimals, chainId } = network;
  const amount = hero(formatAmount(BigInt(value), decimals, words), symbol);
  if (to === null) {
    return {
      title: words.createTitle,
      lead: null,
      hero: BigInt(value) > 0n ? amount : null,
      parties: [[words.to, words.newContract]],
      sends: false,
    };
  }
  const isCall = data !== '0x';
  return {
    title: isCall ? words.callTitle : sentence(words.sendTitle, { symbol }),
    lead: null,
    hero: amount,
    parties: [[isCall ? words.contract : words.to, party(to, chainId, ownRecipient && words.ownAccount)]],
    sends: !isCall,
  };
}

const accessLine = ({ address, storageKeys }: { address: string; storageKeys: readonly string[] }) =>
  [address, ...storageKeys].join(' ');

function technical(question: TransactionQuestion, words: Words): readonly Content[] {
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
          element(
            'bdi',
            {},
            `${formatAmount(BigInt(question.balance), network.decimals, words)} ${network.symbol}`,
          ),
          element('small', {}, sentence(words.accordingTo, { source: network.source })),
        ],
      ],
      method !== false && [words.method, element('code', {}, method)],
      [words.nonce, question.nonceChosenBy === 'page' ? nonce : sentence(words.nonceNext, { nonce })],
      [words.gas, formatCount(BigInt(transaction.gas), words)],
      [words.gasPrice, element('bdi', {}, `${formatAmount(BigInt(transaction.gasPrice), 9, words)} Gwei`)],
      transaction.transactionType !== undefined && [
        words.transactionType,
        BigInt(transaction.transactionType).toString(),
      ],
      size > 0 && [words.data, sentence(words.bytes, { count: formatCount(size, words) })],
    ),
    size > 0 && box(words.data, data, 'code'),
    transaction.accessList !== undefined &&
      box(words.accessList, transaction.accessList.map(accessLine).join('\n'), 'code'),
  ];
}
