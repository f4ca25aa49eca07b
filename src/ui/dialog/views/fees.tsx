import { useState } from 'preact/hooks';
import type { Answer, PriceChoices, QuestionNetwork } from '../../../approvals/question.js';
import { own } from '../../../rpc/own.js';
import type { Hex } from '../../../rpc/schema.js';
import { type Content, Fragment, h } from '../../h.js';
import {
  amountField,
  formatAmount,
  formatGasPrice,
  formatMaxCoins,
  parseAmount,
} from '../../pieces/amounts.js';
import { type Row, rows } from '../../pieces/lists.js';
import { disclosure } from '../../pieces/text.js';
import type { DialogWords } from '../../words/words.js';

/** The person's choice, wei per gas; `null` while a custom price is not valid. */
export interface PriceChoice {
  gasPrice: bigint | null;
}

/** The answer that names the chosen price, where it is another one than `requested`; `null` while it is not valid. */
export function priceAnswer({ gasPrice }: PriceChoice, requested: Hex): Answer | null {
  if (gasPrice === null) return null;
  const isSame = gasPrice === BigInt(requested);
  return own<Answer>({ approved: true, ...(!isSame && { gasPrice: `0x${gasPrice.toString(16)}` }) });
}

/** The maximum fee, and the maximum that leaves the account with it. */
export const costRows = (
  fee: bigint | string,
  total: bigint | string,
  network: QuestionNetwork,
  words: DialogWords,
): readonly Row[] => [
  [words.fee, <bdi>{formatMaxCoins(fee, network, words)}</bdi>],
  [
    words.total,
    <strong>
      <bdi>{formatMaxCoins(total, network, words)}</bdi>
    </strong>,
  ],
];

/** The fee and the total at the chosen price, and the prices to choose from. */
export function Fees({ choices, price, network, words, ...cost }: Properties): Content {
  const { fees, minimum, maximum } = choices;
  const requested = BigInt(cost.requested);
  const offered = (['slow', 'normal', 'fast'] as const).map((name) => ({
    name,
    label: words.speeds[name],
    gasPrice: BigInt(fees[name].gasPrice),
  }));
  const initial = offered.find(({ gasPrice }) => gasPrice === requested)?.name ?? 'asked';
  const [chosen, choose] = useState<string>(initial);
  const [typed, type] = useState(formatAmount(requested, 9, words));
  const custom = parseAmount(typed, 9, words);
  const isValid = custom !== null && custom >= BigInt(minimum) && custom <= BigInt(maximum);
  const options = [
    ...offered,
    ...(initial === 'asked' ? [{ name: 'asked', label: words.speeds.asked, gasPrice: requested }] : []),
  ];
  const offer = options.find(({ name }) => name === chosen);
  price.gasPrice = offer ? offer.gasPrice : isValid ? custom : null;
  const bounds = [minimum, maximum].map((wei) => formatAmount(BigInt(wei), 9, words)).join('–');
  const fee = cost.gas * (price.gasPrice ?? requested);
  const option = (name: string, label: string, detail: Content) => (
    <label class="choice" key={name}>
      <input type="radio" name="speed" checked={chosen === name} onChange={() => choose(name)} />
      <span>
        <span class="name">{label}</span>
      </span>
      <small>{detail}</small>
    </label>
  );
  return [
    rows(...costRows(fee, cost.value + fee, network, words)),
    disclosure(
      words.changeFee,
      <div class="choices" role="radiogroup" aria-label={words.changeFee}>
        {options.map(({ name, label, gasPrice }) =>
          option(name, label, <bdi>{formatMaxCoins(cost.gas * gasPrice, network, words)}</bdi>),
        )}
        {option('custom', words.speeds.custom, null)}
      </div>,
      offer && rows([words.gasPrice, <bdi>{formatGasPrice(price.gasPrice ?? requested, words)}</bdi>]),
      !offer && (
        <>
          <label for="price">{words.gasPriceGwei}</label>
          {amountField('price', typed, isValid, type)}
          <small id="price-note">{bounds} Gwei</small>
        </>
      ),
    ),
  ];
}

interface Properties {
  readonly choices: PriceChoices;
  /** The price that is chosen at first, wei per gas. */
  readonly requested: Hex;
  /** Gas of all transactions together. */
  readonly gas: bigint;
  /** Value of all transactions together, wei. */
  readonly value: bigint;
  readonly network: QuestionNetwork;
  /** Holds the choice for the answer. */
  readonly price: PriceChoice;
  readonly words: DialogWords;
}
