import type { NamedAddress } from '../approvals/right.js';
import type { TypedData } from '../keyring/typed-data/typed-data.js';
import type { Address } from '../rpc/schema.js';
import { isZero } from './structs.js';

/**
 * The fields of a message that name an address other than the signer's and the verifying contract's, whatever their type:
 * contracts also take addresses as words, as integers and as text.
 */
export function namedAddresses({ fields, domain }: TypedData, signer: Address): readonly NamedAddress[] {
  const isOwn = (address: string) =>
    isZero(address) || address === signer || address === domain.verifyingContract?.toLowerCase();
  return fields.flatMap(({ path, type, value }) =>
    addressesIn(type, value)
      .filter((address) => !isOwn(address))
      .map((address) => ({ path, address })),
  );
}

function addressesIn(type: string, value: string): readonly Address[] {
  if (type === 'address') return [value as Address];
  // A contract with one of its functions, or an address behind a prefix.
  if (/^bytes(?:2\d|3[01])$/.test(type)) return [`0x${value.slice(-40)}`];
  if (type === 'string')
    return [...value.matchAll(/(?<![\da-f])[\da-f]{40}(?![\da-f])/gi)].map(
      ([digits]): Address => `0x${digits.toLowerCase()}`,
    );
  if (type === 'bytes32') {
    const [, right, left] = /^0x(?:0{24}([\da-f]{40})|([\da-f]{40})0{24})$/.exec(value) ?? [];
    return asAddresses(right ?? left);
  }
  if (/^u?int/.test(type) && !value.startsWith('-')) return asAddresses(digitsOf(value));
  return [];
}

/** Numbers from 120 to 160 bits. Amounts and times are smaller, and random numbers are greater. */
const digitsOf = (value: string): string | undefined => {
  const digits = value.length > 36 && value.length < 50 ? BigInt(value).toString(16) : '';
  return digits.length > 30 && digits.length <= 40 ? digits.padStart(40, '0') : undefined;
};

/** The greatest number is an amount without a limit, and few digits are a small number. */
const asAddresses = (digits: string | undefined): readonly Address[] =>
  digits === undefined || /^(?:f{40}|0{11}.*)$/.test(digits) ? [] : [`0x${digits}`];
