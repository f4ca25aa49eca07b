import type { TokenLabel } from '../approvals/decode-call.js';
import type { TypedDataField } from '../approvals/question.js';
import type { Address } from '../rpc/schema.js';
import { isTimeField, tokenAmountNames, tokenNames } from './field-names.js';
import { addressType, structsOf, uint } from './structs.js';

/** Recognises numbers in typed data that are times, or amounts of a token in the same struct. */

/** Unix seconds from 2001 to the year 5138; other values are not shown as dates. */
const isDate = (value: string): boolean => value.length >= 10 && value.length <= 11;

/** A field's name without the words for amounts and tokens. An amount and its token have the same stem. */
const stem = (name: string): string =>
  name
    .replace(/\[\d+\]$/, '')
    .replace(/amount|value|token|asset|contract|address|currency|start|end|min|max|making|taking|_/gi, '')
    .toLowerCase();

/**
 * Maps the path of each amount to its token: the token in the same struct with the same stem, else the only token in
 * the struct; at the top level without tokens, the contract of the domain.
 */
export function amountTokens(
  fields: readonly TypedDataField[],
  contract: Address | null,
): ReadonlyMap<string, Address> {
  const found = new Map<string, Address>();
  for (const struct of structsOf(fields)) {
    const tokens = struct.fields.filter(({ name, type }) => addressType.test(type) && tokenNames.test(name));
    for (const { name, type, path } of struct.fields) {
      if (!uint.test(type) || !tokenAmountNames.test(name)) continue;
      const alike = tokens.find((token) => stem(token.name) === stem(name));
      const [only] = tokens;
      const token = alike ?? (tokens.length === 1 ? only : undefined);
      const tokenAddress =
        (token?.value as Address | undefined) ?? (struct.at === '' && tokens.length === 0 ? contract : null);
      if (tokenAddress) found.set(path, tokenAddress);
    }
  }
  return found;
}

/** The fields with their `reading`, where it is known. */
export const withReadings = (
  fields: readonly TypedDataField[],
  tokens: ReadonlyMap<string, Address>,
  labels: ReadonlyMap<Address, TokenLabel>,
): readonly TypedDataField[] =>
  fields.map((field) => {
    if (isTimeField(field) && isDate(field.value)) return { ...field, reading: { as: 'time' } };
    const tokenAddress = tokens.get(field.path);
    const token = tokenAddress === undefined ? undefined : labels.get(tokenAddress);
    return token?.decimals === undefined ? field : { ...field, reading: { as: 'amount', token } };
  });
