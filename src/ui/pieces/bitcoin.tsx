import type { QuestionPegOut } from '../../approvals/question.js';
import { type Content, h, sentence } from '../h.js';
import type { DialogWords } from '../words/words.js';
import { formatMaxCoins, formatMinutes } from './amounts.js';
import type { Row } from './lists.js';

/** Bitcoin as the bridge of a chain pays it. */
export const bitcoinOf = (chainId: number) => ({ decimals: 8, symbol: chainId === 30 ? 'BTC' : 'tBTC' });

/** Blocks of Rootstock in a minute: the developer portal has 4,000 of them in about 34 hours. */
const blocksPerMinute = 2;

/** The time that blocks take, in words. */
export function formatBlocks(blocks: number, words: DialogWords): string {
  const minutes = Math.max(Math.ceil(blocks / blocksPerMinute), 1);
  return formatMinutes(minutes < 60 ? minutes : 60 * Math.round(minutes / 60), words);
}

/** A full Bitcoin address, displayed in groups of four characters for comparison. Copying it yields no spaces. */
export const wholeBitcoinAddress = (address: string): Content => (
  <span class="address" dir="ltr">
    {address.match(/.{1,4}/g)?.map((group) => [<span>{group}</span>, <wbr />])}
  </span>
);

/** The cost of a peg-out, and the time until it is paid out; nothing for one that the bridge pays back. */
export const pegOutRows = (
  { fee, confirmations, blocksLeft, verdict }: Omit<QuestionPegOut, 'bitcoinAddress' | 'minimum'>,
  chainId: number,
  words: DialogWords,
): readonly Row[] => {
  if (verdict === 'too-little') return [];
  const time = formatBlocks(blocksLeft ?? confirmations, words);
  return [
    [
      words.bitcoinFee,
      fee === undefined
        ? words.bitcoinFeeUnknown
        : sentence(words.bitcoinFeeAtMost, { amount: formatMaxCoins(fee, bitcoinOf(chainId), words) }),
    ],
    [words.bitcoinPaid, sentence(blocksLeft === undefined ? words.bitcoinWait : words.bitcoinSoon, { time })],
  ];
};
