import { likeness } from '../assets/likeness.js';
import type { Address } from '../rpc/schema.js';

/** An address that the person has given a name to. The vault keeps it, so that no script of the page can change it. */
export interface Contact {
  /** Lower case. */
  readonly address: Address;
  /** 1 to 40 characters. No two contacts have names that look alike. */
  readonly name: string;
  /** Whether it is listed among the accounts, to look at. */
  readonly watchOnly?: true;
}

/** The likeness of a name; where it has neither letters nor digits, what is seen of it. */
export const looksOf = (name: string): string =>
  likeness(name) || name.normalize('NFKC').replace(/[\p{M}\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/gu, '');

/**
 * Whether a text can be the name of a contact: 1 to 40 characters that can be seen, of which none changes the direction, and no name
 * of another kind. A name that ends in `.rsk` says that the name service leads to the address, and one like `0x12…` would be taken for
 * the address itself.
 */
export function isContactName(name: unknown): name is string {
  if (typeof name !== 'string' || name.length > 160 || name !== name.trim()) return false;
  const isPlain = !/[\p{Cc}\p{Cs}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]|\p{M}{4}/u.test(name);
  const seen = looksOf(name).replace(/[\u3164\u2800\u115f\u1160\uffa0]/g, '');
  return (
    isPlain &&
    [...name].length <= 40 &&
    seen !== '' &&
    !looksLikeAddress(name) &&
    !/\.\s*rsk/.test(folded(name))
  );
}

/** The text in one form of each letter, in lower case, without what cannot be seen. */
const folded = (name: string): string =>
  name
    .normalize('NFKC')
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .toLowerCase();

/** Whether a name begins as an address does, in whatever letters. */
const looksLikeAddress = (name: string): boolean =>
  /^ox/.test(likeness(name)) && /^[^\p{L}]|\d.*\d|…|\.\.\./u.test(folded(name));
