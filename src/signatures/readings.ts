import type { TokenLabel } from '../approvals/decoded-call.js';
import type { TypedDataField } from '../approvals/question.js';
import type { Address } from '../rpc/schema.js';
import { address, structsOf, uint } from './structs.js';

/** How a person may read the numbers of typed data: as times, and as amounts of the tokens that stand beside them. */

const timeNames =
  /deadline|expir|valid(?:to|until|before|after|from)|(?:start|end|open|close)(?:time|date|at)|timestamp|issuedat|not(?:before|after)|^(?:from|until)$/i;

const nameOf = ({ path }: Pick<TypedDataField, 'path'>): string => path.slice(path.lastIndexOf('.') + 1);

/** Named as a time, whatever its value. */
export const isTimeField = (field: TypedDataField): boolean =>
  uint.test(field.type) && timeNames.test(nameOf(field).replaceAll('_', ''));

/** Unix seconds from 2001 to the year 5138: anything else is no date that somebody meant. */
const isDate = (value: string): boolean => value.length >= 10 && value.length <= 11;

/** What is left of a name without the words for amounts and tokens: those with the same rest belong together. */
const stem = (name: string): string =>
  name
    .replace(/\[\d+\]$/, '')
    .replace(/amount|value|token|asset|contract|address|currency|start|end|min|max|making|taking|_/gi, '')
    .toLowerCase();

const amountNames = /amount|value|allowance|wad/i;
const tokenNames = /token|asset|currency/i;

/**
 * The token of each field that is an amount of one, by the field's path: an address beside it that is named alike,
 * else the only token beside it, else the contract of the domain, if that answers as a token does.
 */
export function amountTokens(
  fields: readonly TypedDataField[],
  contract: Address | null,
): ReadonlyMap<string, Address> {
  const found = new Map<string, Address>();
  for (const struct of structsOf(fields)) {
    const tokens = struct.fields.filter(({ name, type }) => address.test(type) && tokenNames.test(name));
    for (const { name, type, path } of struct.fields) {
      if (!uint.test(type) || !amountNames.test(name)) continue;
      const alike = tokens.find((token) => stem(token.name) === stem(name));
      const [only] = tokens;
      const token = alike ?? (tokens.length === 1 ? only : undefined);
      const of =
        (token?.value as Address | undefined) ?? (struct.at === '' && tokens.length === 0 ? contract : null);
      if (of) found.set(path, of);
    }
  }
  return found;
}

/** The fields with how they read, where that is known. */
export const withReadings = (
  fields: readonly TypedDataField[],
  tokens: ReadonlyMap<string, Address>,
  labels: ReadonlyMap<Address, TokenLabel>,
): readonly TypedDataField[] =>
  fields.map((field) => {
    if (isTimeField(field) && isDate(field.value)) return { ...field, reading: { as: 'time' } };
    const of = tokens.get(field.path);
    const token = of === undefined ? undefined : labels.get(of);
    return token?.decimals === undefined ? field : { ...field, reading: { as: 'amount', token } };
  });
