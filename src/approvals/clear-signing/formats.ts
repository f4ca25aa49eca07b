import { invalidParams } from '../../rpc/errors.js';
import { isAddress } from '../../rpc/schema.js';
import { isJsonObject, type JsonMembers, limited, membersIn, received, visibleText } from './file.js';
import {
  constantOf,
  type Reference,
  type ReferenceContext,
  readCallPath,
  readReference,
  valueAt,
} from './references.js';

/** How the value of a field is shown. Formats that are not named here show it as it is. */
export type Format =
  | { readonly kind: 'raw' | 'amount' | 'time' | 'duration' | 'addressName' | 'tokenTicker' }
  | {
      readonly kind: 'tokenAmount';
      /** Absent: the amount is a number. */
      readonly token: Reference | undefined;
      /** Addresses that stand for the chain's coin. */
      readonly natives: readonly Reference[];
      readonly threshold: Reference | undefined;
      readonly message: Reference;
    }
  | { readonly kind: 'nftName'; readonly collection: Reference }
  | { readonly kind: 'unit'; readonly decimals: Reference; readonly base: Reference }
  | { readonly kind: 'enum'; readonly names: ReadonlyMap<string, string> };

const raw: Format = { kind: 'raw' };

/** Reads the format of a field whose value has this type. @throws ProviderRpcError -32602 if the format does not fit it */
export function readFormat(
  { format, params, encryption }: JsonMembers,
  type: string,
  context: ReferenceContext,
  at: string,
): Format {
  // Nothing is decrypted: the value is a handle.
  if (encryption !== undefined || format === undefined) return raw;
  const given = membersIn(params);
  const place = `${at}.params`;
  const must = (fits: boolean) => {
    if (!fits) throw invalidParams(`${at}.format: ${received(format)} is no format of ${type}`);
  };
  /** An address by a constant or by a path; `undefined` where neither is given. */
  const address = (constant: string, path: string): Reference | undefined => {
    if (given[constant] !== undefined)
      return readReference(given[constant], context, `${place}.${constant}`, checkAddress);
    if (given[path] === undefined) return undefined;
    const read = readCallPath(given[path], context, `${place}.${path}`);
    if (!holdsAddress(read.type))
      throw invalidParams(`${place}.${path}: expected the path of an address, received one of ${read.type}`);
    return { kind: 'path', path: read.path };
  };
  switch (format) {
    case 'amount':
      must(isInteger(type));
      return { kind: 'amount' };
    case 'tokenAmount': {
      must(isInteger(type));
      const isElsewhere = given.chainId !== undefined || given.chainIdPath !== undefined;
      const natives = limited([given.nativeCurrencyAddress ?? []].flat(), maxValues, place);
      return {
        kind: 'tokenAmount',
        token: isElsewhere ? undefined : address('token', 'tokenPath'),
        natives: natives.map((each) =>
          readReference(each, context, `${place}.nativeCurrencyAddress`, checkAddress),
        ),
        threshold:
          given.threshold === undefined
            ? undefined
            : readReference(given.threshold, context, `${place}.threshold`, checkInteger),
        message: readReference(given.message ?? 'Unlimited', context, `${place}.message`, checkWord),
      };
    }
    case 'nftName': {
      must(isInteger(type));
      const collection = address('collection', 'collectionPath');
      return collection ? { kind: 'nftName', collection } : raw;
    }
    case 'date':
      must(isInteger(type));
      // The time of a block to come is not known.
      return given.encoding === 'blockheight' ? raw : { kind: 'time' };
    case 'duration':
      must(isInteger(type));
      return { kind: 'duration' };
    case 'unit':
      must(isInteger(type));
      return {
        kind: 'unit',
        decimals: readReference(given.decimals ?? 0, context, `${place}.decimals`, checkDecimals),
        base:
          given.base === undefined
            ? { kind: 'constant', text: '' }
            : readReference(given.base, context, `${place}.base`, checkBase),
      };
    case 'enum': {
      must(isInteger(type));
      const names = limited(
        Object.entries(membersIn(valueAt(context.file, given.$ref))),
        maxNames,
        `${place}.$ref`,
      );
      if (names.length === 0) throw invalidParams(`${place}.$ref: the file has no ${received(given.$ref)}`);
      return {
        kind: 'enum',
        names: new Map(names.map(([value, name]) => [value, checkWord(name, `${place}.$ref`)])),
      };
    }
    case 'addressName':
    case 'tokenTicker':
      must(holdsAddress(type));
      return { kind: format === 'addressName' ? 'addressName' : 'tokenTicker' };
    default:
      return raw;
  }
}

/** The rule by which a field is shown. */
export type ShownRule =
  | { readonly kind: 'always' | 'never' }
  /** `unless`: hidden for these values. `check`: hidden, and the call is explained for these values only. */
  | {
      readonly kind: 'unless' | 'check';
      readonly constants: ReadonlySet<string>;
      readonly maps: readonly Reference[];
    };

export function readShownRule(
  visible: unknown,
  type: string,
  context: ReferenceContext,
  at: string,
): ShownRule {
  if (visible === 'never') return { kind: 'never' };
  const { ifNotIn, mustMatch } = membersIn(visible);
  const given = mustMatch ?? ifNotIn;
  if (given === undefined) return { kind: 'always' };
  if (!Array.isArray(given)) throw invalidParams(`${at}: expected a list of values`);
  const values = limited(given, maxNames, at);
  return {
    kind: mustMatch === undefined ? 'unless' : 'check',
    constants: new Set(
      values
        .filter((each) => !isJsonObject(each))
        .map((each) => normalised(constantOf(each, context.file, at), type)),
    ),
    maps: limited(values.filter(isJsonObject), maxValues, at).map((each) =>
      readReference(each, context, at, (text) => text),
    ),
  };
}

/** A value in the form in which two of its type are equal. */
export const normalised = (text: string, type: string): string =>
  isInteger(type) && integerText.test(text) ? BigInt(text).toString() : text.toLowerCase();

const isInteger = (type: string): boolean => /^u?int/.test(type);

/** Contracts also keep addresses in integers and in parts of bytes. */
const holdsAddress = (type: string): boolean =>
  type === 'address' || type.startsWith('uint') || type.startsWith('bytes');

const integerText = /^(-?\d{1,78}|0x[0-9a-fA-F]{1,64})$/;

function checkInteger(text: string, at: string): string {
  if (!integerText.test(text)) throw invalidParams(`${at}: expected an integer, received ${received(text)}`);
  return text;
}

function checkAddress(text: string, at: string): string {
  if (!isAddress(text)) throw invalidParams(`${at}: expected an address, received ${received(text)}`);
  return text.toLowerCase();
}

function checkDecimals(text: string, at: string): string {
  if (!/^\d{1,2}$/.test(text) || Number(text) > 36) throw invalidParams(`${at}: expected 0 to 36`);
  return text;
}

/** Neither may continue a number. */
function checkBase(text: string, at: string): string {
  if (/^[\p{N}\p{Z}.,']/u.test(text))
    throw invalidParams(`${at}: expected a unit, received ${received(text)}`);
  return visibleText(text, maxWord, at);
}

const checkWord = (text: unknown, at: string): string => visibleText(text, maxWord, at);

const maxWord = 60;
const maxValues = 100;
const maxNames = 10_000;
