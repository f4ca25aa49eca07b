import type { QuestionAccount } from '../../approvals/question.js';
import { checksumAddress } from '../../rpc/address.js';
import type { Address } from '../../rpc/schema.js';
import { type Content, h } from '../h.js';
import { identicon } from './identicon.js';

/** An address or a hash, shortened to its first 4 and last 4 digits. Nowhere is it shortened in another way. */
export const shorten = (hex: string): string => `${hex.slice(0, 6)}…${hex.slice(-4)}`;

/** An address with its checksum, shortened. */
export const shortAddress = (address: Address, chainId: number): string =>
  shorten(checksumAddress(address, chainId));

/** A full address, displayed in groups of four digits for comparison. Copying it yields no spaces. */
export function wholeAddress(address: Address, chainId: number): Content {
  const digits = checksumAddress(address, chainId).slice(2);
  const groups = digits.match(/.{4}/g) ?? [];
  return h(
    'span',
    { class: 'address', dir: 'ltr' },
    h('span', {}, '0x'),
    groups.map((group, index) => [
      h('span', { class: index === 0 || index === groups.length - 1 ? 'end' : undefined }, group),
      index === 4 && h('wbr', {}),
    ]),
  );
}

/** An address with its identicon and, where there is one, a name. */
export const party = (address: Address, chainId: number, name: Content = null): Content =>
  h(
    'div',
    { class: 'party' },
    identicon(address),
    h(
      'div',
      {},
      name !== null && name !== false && h('bdi', { class: 'name' }, name),
      wholeAddress(address, chainId),
    ),
  );

/** One of the wallet's accounts: its label and its shortened address. */
export function ownAccount({ address, label }: QuestionAccount, chainId: number): Content {
  const whole = checksumAddress(address, chainId);
  return h(
    'span',
    { class: 'own' },
    identicon(address),
    h('bdi', { class: 'name' }, label),
    h('code', { dir: 'ltr', title: whole }, shorten(whole)),
  );
}
