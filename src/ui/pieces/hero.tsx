import { own } from '../../rpc/own.js';
import { type Content, Fragment, h } from '../h.js';

/** The amount that a question is about. */
export interface Amount {
  readonly text: string;
  readonly unit: string | null;
  readonly tone?: 'danger' | undefined;
}

/** An amount in large type. It describes the dialog by its id, so a page of several has none. */
export function hero(amount: Amount, id: string | null = 'amount'): Content {
  const { text, unit, tone } = own(amount);
  return (
    <p
      class="hero"
      id={id}
      data-tone={tone}
      // Long amounts get a smaller font instead of being truncated.
      data-long={text.length > 22 ? 'very' : text.length > 11}
    >
      <bdi>{text}</bdi>
      {unit !== null && unit !== '' && (
        <>
          {' '}
          <bdi class="unit">{truncateSymbol(unit)}</bdi>
        </>
      )}
    </p>
  );
}

/** The amount and its unit as one line. */
export const amountLine = ({ text, unit }: Amount): string =>
  unit === null || unit === '' ? text : `${text} ${truncateSymbol(unit)}`;

/** Truncates a token symbol to 24 characters: a contract may claim one of any length. */
const truncateSymbol = (symbol: string): string => (symbol.length > 24 ? `${symbol.slice(0, 23)}…` : symbol);
