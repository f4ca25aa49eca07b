import { secureOrigin } from '../../../../src/rpc/secure-origin.js';

/**
 * Checks the arguments that a test passes to the test kit, since a test in JavaScript has no types. No error message contains
 * a value that could be a password or a private key.
 */

/**
 * @param what its name in messages
 * @throws Error unless the value is an object with known members only
 */
export function requireMembers(what: string, value: unknown, known: readonly string[]): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Error(`${what}: expected an object; its members are ${known.join(', ')}`);
  const unknown = Object.keys(value).find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw new Error(`${what}: there is no member "${unknown}"; its members are ${known.join(', ')}`);
}

/** Whether a value is an address, in any letter case. */
export const isAddress = (value: unknown): boolean =>
  typeof value === 'string' && /^0x[\da-f]{40}$/i.test(value);

/** Whether a value is the origin of a wallet's site, as `connectBridge` takes it. */
export const isWalletOrigin = (value: unknown): boolean =>
  typeof value === 'string' && secureOrigin(value) === value;

/** Reads an amount. @throws Error that says what the member takes */
export function readAmount(what: string, value: unknown): bigint {
  if (typeof value === 'bigint') return value;
  if (typeof value === 'string' && /^(0x[\da-f]+|\d+)$/i.test(value)) return BigInt(value);
  throw new Error(`${what}: expected a bigint, or a whole number in hexadecimal (0x…) or decimal digits`);
}
