import type { Credential, UnlockOptions } from '../../approvals/owner.js';
import { invalidParams } from '../../rpc/errors.js';
import { type OptionType, requireTypes } from '../../rpc/options.js';
import { own } from '../../rpc/own.js';
import { isQuantity } from '../../rpc/results.js';
import { type Address, isAddress } from '../../rpc/schema.js';
import { type Session, watchOnlyAccount } from '../../session/session.js';

/** Readers of the arguments of the owner's functions. No message contains a value, which may be a misplaced secret. */

const wrong = (name: string, rule: string) => invalidParams(`${name}: expected ${rule}`);

export function readText(value: unknown, name: string): string {
  if (typeof value !== 'string') throw wrong(name, 'a string');
  return value;
}

export function readBoolean(value: unknown, name: string): boolean {
  if (typeof value !== 'boolean') throw wrong(name, 'true or false');
  return value;
}

/** In lower case, as the session has it. */
export function readAddress(value: unknown, name = 'address'): Address {
  if (!isAddress(readText(value, name))) throw wrong(name, 'an address');
  return (value as string).toLowerCase() as Address;
}

/** Reads the address of an account of the wallet. */
export function readOwnAccount(value: unknown, session: Session, name = 'address'): Address {
  const account = readAddress(value, name);
  if (session.state().accounts.some(({ address }) => address === account)) return account;
  throw invalidParams(`${name}: the wallet has no such account`);
}

/** Reads the address of an account of the wallet, or of one that the person looks at. */
export function readListedAccount(value: unknown, session: Session, name = 'address'): Address {
  const account = readAddress(value, name);
  return watchOnlyAccount(session.state(), account) ? account : readOwnAccount(account, session, name);
}

/** Returns wei. */
export function readWei(value: unknown, name: string): bigint {
  if (!isQuantity(value)) throw wrong(name, 'a QUANTITY of wei');
  return BigInt(value);
}

export function readCredential(value: unknown, name = 'credential'): Credential {
  if (typeof value === 'string') return value;
  if (typeof value === 'object' && value !== null && own(value as { passkey?: unknown }).passkey === true)
    return { passkey: true };
  throw wrong(name, 'a password or { passkey: true }');
}

/** Reads the accounts that a person has agreed to. */
export const readAccepted = ({ acceptUnproven }: UnlockOptions): UnlockOptions => ({
  acceptUnproven: acceptUnproven?.map((address) => readAddress(address, 'acceptUnproven')),
});

/** A name that a person gives: 1 to 40 characters, of which none is a control character or changes the direction. */
export function readName(value: unknown, name: string): string {
  const text = readText(value, name).trim();
  const isPlain = !/[\p{Cc}\p{Cs}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u.test(text);
  if (text === '' || text.length > 160 || [...text].length > 40 || !isPlain)
    throw wrong(name, '1 to 40 characters');
  return text;
}

/** An own copy of the options, of which each has its type. */
export function readOptions<Options extends object>(
  given: Options | undefined,
  types: { readonly [name in keyof Options]-?: OptionType },
): Options {
  if (given !== undefined) requireTypes(given, types);
  return own(given);
}
