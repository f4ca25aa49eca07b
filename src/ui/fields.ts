import type { QuestionAccount, QuestionNetwork } from '../approvals/question.js';
import { checksumAddress } from '../rpc/address.js';
import type { Address } from '../rpc/schema.js';
import { type Content, drawing, element } from './element.js';
import { identicon } from './identicon.js';
import type { Words } from './words.js';

/** The pieces that views are made of. */

/** Terms and values, one row each; `null` and `false` rows are left out. */
export const rows = (...entries: readonly (readonly [term: string, value: Content] | null | false)[]) =>
  list('rows', entries);

/** The same for values that need a line of their own: addresses, long text. */
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

/** A whole address, in groups of four so that it can be compared; copied, it is in one piece. */
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

/** Somebody: picture, name where there is one, and the whole address. */
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

/** One of the person's own accounts, by the name they know it by; its address only as a reminder. */
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

/** What it is all about, in large. */
export const hero = (amount: string, unit: Content, tone?: 'danger'): HTMLElement =>
  element(
    'p',
    // Long amounts are set smaller rather than cut: every digit counts.
    {
      class: 'hero',
      id: 'amount',
      'data-tone': tone,
      'data-long': amount.length > 22 ? 'very' : amount.length > 11,
    },
    element('bdi', {}, amount),
    unit !== null &&
      unit !== '' && [' ', element('bdi', { class: 'unit' }, typeof unit === 'string' ? cut(unit) : unit)],
  );

/** A symbol is a contract's claim, as long as it likes; beside an amount it may not push the rest away. */
const cut = (symbol: string): string => (symbol.length > 24 ? `${symbol.slice(0, 23)}…` : symbol);

/** Closed at first; opens by keyboard and pointer without any script. */
export const disclosure = (summary: string, ...content: readonly Content[]): HTMLElement =>
  element('details', {}, element('summary', {}, summary, chevron()), element('div', {}, content));

/** Text exactly as it is, in a box that scrolls. Reachable by Tab, so that it scrolls by keyboard too. */
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

/** The mark of a warning: a triangle, or a circle with an i. */
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

/** A network by name. Which of them are for trying out is said in words, not by colour alone. */
export const badge = ({ name, testnet }: QuestionNetwork, words: Words): HTMLElement =>
  element(
    'span',
    { class: 'badge', 'data-testnet': testnet },
    element('bdi', {}, name),
    testnet && !/test/i.test(name) && element('small', {}, words.testnet),
  );
