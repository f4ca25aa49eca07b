import type { QuestionAccount, QuestionNetwork } from '../approvals/question.js';
import { checksumAddress } from '../rpc/address.js';
import type { Address } from '../rpc/schema.js';
import { type Content, drawing, element } from './element.js';
import { identicon } from './identicon.js';
import type { Words } from './words.js';

/** A list of terms and values, one row each. `null` and `false` entries are left out. */
export const rows = (...entries: readonly (readonly [term: string, value: Content] | null | false)[]) =>
  list('rows', entries);

/** A list of terms and values in which each value has its own line, for addresses and long text. */
export const blocks = (...entries: readonly (readonly [term: string, value: Content] | null | false)[]) =>
  list('blocks', entries);

function list(
  className: string,
  entries: readonly (readonly [term: string, value: Content] | null | false)[],
): HTMLElement {
  const shown = entries.filter((entry) => entry !== null && entry !== false);
  return element(
    'dl',
    { class: className },
    shown.map(([term, value]) => element('div', {}, element('dt', {}, term), element('dd', {}, value))),
  );
}

/** A full address, displayed in groups of four digits for comparison. Copying it yields no spaces. */
export function wholeAddress(address: Address, chainId: number): HTMLElement {
  const digits = checksumAddress(address, chainId).slice(2);
  const groups = digits.match(/.{4}/g) ?? [];
  return element(
    'span',
    { class: 'address', dir: 'ltr' },
    element('span', {}, '0x'),
    groups.map((group, index) => [
      element('span', { class: index === 0 || index === groups.length - 1 ? 'end' : undefined }, group),
      index === 4 && element('wbr', {}),
    ]),
  );
}

/** An address with its identicon and, where there is one, a name. */
export const party = (address: Address, chainId: number, name: Content = null): HTMLElement =>
  element(
    'div',
    { class: 'party' },
    identicon(address),
    element(
      'div',
      {},
      name !== null && element('bdi', { class: 'name' }, name),
      wholeAddress(address, chainId),
    ),
  );

/** One of the wallet's accounts: its label, and its address shortened to the first 4 and last 4 digits. */
export const ownAccount = ({ address, label }: QuestionAccount, chainId: number): HTMLElement => {
  const whole = checksumAddress(address, chainId);
  return element(
    'span',
    { class: 'own' },
    identicon(address),
    element('bdi', { class: 'name' }, label),
    element('code', { dir: 'ltr', title: whole }, `${whole.slice(0, 6)}…${whole.slice(-4)}`),
  );
};

export const isAddress = (text: string): text is Address => /^0x[\da-f]{40}$/i.test(text);

/** The amount of the question, in large type. */
export const hero = (amount: string, unit: Content, tone?: 'danger'): HTMLElement =>
  element(
    'p',
    // Long amounts get a smaller font instead of being truncated.
    {
      class: 'hero',
      id: 'amount',
      'data-tone': tone,
      'data-long': amount.length > 22 ? 'very' : amount.length > 11,
    },
    element('bdi', {}, amount),
    unit !== null &&
      unit !== '' && [
        ' ',
        element('bdi', { class: 'unit' }, typeof unit === 'string' ? truncateSymbol(unit) : unit),
      ],
  );

/** Truncates a token symbol to 24 characters: a contract may claim one of any length. */
const truncateSymbol = (symbol: string): string => (symbol.length > 24 ? `${symbol.slice(0, 23)}…` : symbol);

/** A section that is collapsed at first, expanded without script (`<details>`). */
export const disclosure = (summary: string, ...content: readonly Content[]): HTMLElement =>
  element('details', {}, element('summary', {}, summary, chevron()), element('div', {}, content));

/** Preformatted text in a scrolling box. It is focusable, so that the keyboard can scroll it. */
export const box = (label: string, text: string, kind: 'prose' | 'code'): HTMLElement =>
  element(
    'div',
    { class: `box ${kind}`, tabindex: '0', role: 'group', 'aria-label': label, dir: 'auto' },
    text,
  );

const stroke = {
  fill: 'none',
  stroke: 'currentColor',
  'stroke-width': '1.75',
  'stroke-linecap': 'round',
} as const;

const chevron = () => drawing('chevron', 16, [{ ...stroke, d: 'M4 6.5 8 10.5 12 6.5' }]);

/** The icon of a warning: a circled i for a notice, else a triangle. */
export const mark = (severity: 'danger' | 'caution' | 'notice') =>
  severity === 'notice'
    ? drawing('mark', 20, [
        { ...stroke, d: 'M10 2.5a7.5 7.5 0 1 1 0 15a7.5 7.5 0 1 1 0-15z' },
        { ...stroke, d: 'M10 9.5v4M10 6.5v.01' },
      ])
    : drawing('mark', 20, [
        { ...stroke, 'stroke-linejoin': 'round', d: 'M10 3 17.5 16.5h-15z' },
        { ...stroke, d: 'M10 8v4M10 14.3v.01' },
      ]);

/** The name of a network. A test network is named as such in words, because colour alone is not accessible. */
export const badge = ({ name, testnet }: QuestionNetwork, words: Words): HTMLElement =>
  element(
    'span',
    { class: 'badge', 'data-testnet': testnet },
    element('bdi', {}, name),
    testnet && !/test/i.test(name) && element('small', {}, words.testnet),
  );
