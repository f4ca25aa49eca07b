import { own } from '../../rpc/own.js';
import { type Content, h } from '../h.js';

/** The amount that a question is about. */
export interface Amount {
  readonly text: string;
  readonly unit: string | null;
  readonly tone?: 'danger' | undefined;
}

/** An amount in large type. It describes the dialog by its id, so a page of several has none. */
export function hero(amount: Amount, id: string | null = 'amount'): Content {
  const { text, unit, tone } = own(amount);
  return h(
    'p',
    // Long amounts get a smaller font instead of being truncated.
    { class: 'hero', id, 'data-tone': tone, 'data-long': text.length > 22 ? 'very' : text.length > 11 },
    h('bdi', {}, text),
    unit !== null && unit !== '' && [' ', h('bdi', { class: 'unit' }, truncateSymbol(unit))],
  );
}

/** The amount and its unit as one line. */
export const amountLine = ({ text, unit }: Amount): string =>
  unit === null || unit === '' ? text : `${text} ${truncateSymbol(unit)}`;

/** Truncates a token symbol to 24 characters: a contract may claim one of any length. */
const truncateSymbol = (symbol: string): string => (symbol.length > 24 ? `${symbol.slice(0, 23)}…` : symbol);
