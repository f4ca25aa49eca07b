import { useState } from 'preact/hooks';
import type { Answer, PriceChoices, QuestionNetwork } from '../../../approvals/question.js';
import { own } from '../../../rpc/own.js';
import type { Hex } from '../../../rpc/schema.js';
import { type Content, Fragment, h } from '../../h.js';
import { formatAmount, formatAtMost, parseAmount } from '../../pieces/amounts.js';
import { rows } from '../../pieces/lists.js';
import { disclosure } from '../../pieces/text.js';
import type { DialogWords } from '../../words/words.js';

/** The person's choice, wei per gas; `null` while a custom price is not valid. */
export interface PriceChoice {
  gasPrice: bigint | null;
}

/** The answer that names the chosen price, where it is another one than `asked`; `null` while it is not valid. */
export function priceAnswer({ gasPrice }: PriceChoice, asked: Hex): Answer | null {
  if (gasPrice === null) return null;
  const isSame = gasPrice === BigInt(asked);
  return own({ approved: true, ...(!isSame && { gasPrice: `0x${gasPrice.toString(16)}` as const }) });
}

/** The fee and the total at the chosen price, and the prices to choose from. */
export function Fees({ choices, price, network, words, ...cost }: Fees.Properties): Content {
  const { fees, minimum, maximum } = choices;
  const asked = BigInt(cost.asked);
  const offered = (['slow', 'normal', 'fast'] as const).map((name) => ({
    name,
    label: words.speeds[name],
    gasPrice: BigInt(fees[name].gasPrice),
  }));
  const initial = offered.find(({ gasPrice }) => gasPrice === asked)?.name ?? 'asked';
  const [chosen, choose] = useState<string>(initial);
  const [typed, type] = useState(formatAmount(asked, 9, words));
  const custom = parseAmount(typed, 9, words);
  const isValid = custom !== null && custom >= BigInt(minimum) && custom <= BigInt(maximum);
  const options = [
    ...offered,
    ...(initial === 'asked' ? [{ name: 'asked', label: words.speeds.asked, gasPrice: asked }] : []),
  ];
  price.gasPrice =
    chosen === 'custom'
      ? isValid
        ? custom
        : null
      : (options.find(({ name }) => name === chosen)?.gasPrice ?? null);
  const feeAt = (gasPrice: bigint) => cost.gas * gasPrice;
  const coins = (wei: bigint) => `${formatAtMost(wei, network.decimals, words)} ${network.symbol}`;
  const bounds = [minimum, maximum].map((wei) => formatAmount(BigInt(wei), 9, words)).join('–');
  const fee = feeAt(price.gasPrice ?? asked);
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
    rows(
      [words.fee, <bdi>{coins(fee)}</bdi>],
      [
        words.total,
        <strong>
          <bdi>{coins(cost.value + fee)}</bdi>
        </strong>,
      ],
    ),
    disclosure(
      words.changeFee,
      <div class="choices" role="radiogroup" aria-label={words.changeFee}>
        {options.map(({ name, label, gasPrice }) => option(name, label, <bdi>{coins(feeAt(gasPrice))}</bdi>))}
        {option('custom', words.speeds.custom, null)}
      </div>,
      chosen !== 'custom' &&
        rows([words.gasPrice, <bdi>{`${formatAmount(price.gasPrice ?? asked, 9, words)} Gwei`}</bdi>]),
      chosen === 'custom' && (
        <>
          <label for="price">{words.gasPriceGwei}</label>
          <input
            id="price"
            type="text"
            inputmode="decimal"
            autocomplete="off"
            value={typed}
            aria-invalid={String(!isValid)}
            aria-describedby="price-bounds"
            onInput={({ currentTarget }) => type(currentTarget.value)}
          />
          <small id="price-bounds">{bounds} Gwei</small>
        </>
      ),
    ),
  ];
}

export declare namespace Fees {
  interface Properties {
    readonly choices: PriceChoices;
    /** The price that is chosen at first, wei per gas. */
    readonly asked: Hex;
    /** Gas of all transactions together. */
    readonly gas: bigint;
    /** Value of all transactions together, wei. */
    readonly value: bigint;
    readonly network: QuestionNetwork;
    /** Holds the choice for the answer. */
    readonly price: PriceChoice;
    readonly words: DialogWords;
  }
}
