import type { Parameter } from '../../rpc/abi-parameters.js';
import { bySelector } from '../../rpc/abi-selectors.js';
import { readValues, type Value } from '../../rpc/abi-values.js';
import { bytesToHex } from '../../rpc/hex.js';
import { keccak256 } from '../../rpc/keccak.js';
import { own } from '../../rpc/own.js';
import type { Address, Hex } from '../../rpc/schema.js';
import { formatUnits } from '../../rpc/token-amount.js';
import type { CallContext } from '../abi-calls.js';
import type { DescribedContractCall, ExplainedField, ExplainedValue } from '../question.js';
import type { CallField, CallFormat, Descriptor, FieldGroup } from './descriptor.js';
import type { JsonMembers } from './file.js';
import { normalised, type ShownRule } from './formats.js';
import { type FieldPath, type Match, matchesOf, transactionTypes } from './paths.js';
import type { Reference } from './references.js';

/** Explains calls by descriptors. A chunk of its own, which loads with the first call of a described contract. */
export type ExplainCall = (to: Address, data: Hex, context: CallContext) => DescribedContractCall | undefined;

/** @param descriptors those of one contract on one chain, of which no two describe the same function */
export function createExplainer(descriptors: readonly Descriptor[]): ExplainCall {
  const known = new Map(
    descriptors.flatMap((descriptor) =>
      descriptor.formats.flatMap((format) =>
        [...bySelector([format.signature])].map(([selector]) => [selector, { descriptor, format }] as const),
      ),
    ),
  );
  return (to, data, context) => {
    const found = known.get(data.slice(0, 10).toLowerCase());
    return found && explain(found.descriptor, found.format, { ...context, to, data });
  };
}

interface Call extends CallContext {
  readonly to: Address;
  readonly data: Hex;
}

/** Thrown for a call that a file does not explain, since a check of the file does not hold. */
const notExplained = Symbol('not explained');

function explain(descriptor: Descriptor, format: CallFormat, call: Call): DescribedContractCall | undefined {
  const { inputs, name } = format.parsed;
  const hex = call.data.slice(10).toLowerCase();
  let steps = 0;
  try {
    const decoded = readValues(inputs, hex, () => {
      if (++steps > maxSteps) throw notExplained;
    });
    // A contract may read other bytes differently than they are shown.
    if (decoded?.length !== hex.length) return undefined;
    const { values } = decoded;
    const shown = new Set<string>();
    const fields = createReader(format, values, call, shown)(format.fields);
    return own({
      name,
      ...(descriptor.contract !== undefined && { contract: descriptor.contract }),
      arguments: inputs.map((input, i) => argumentOf(input, values[i] as Value, input.name)),
      explained: own({
        intent: format.intent,
        owner: descriptor.owner,
        hash: descriptorHash(descriptor.file),
        fields,
        unexplained: inputs.flatMap((input, i) =>
          unexplained(input, values[i] as Value, String(i), input.name, shown),
        ),
      }),
    });
  } catch (reason) {
    if (reason === notExplained) return undefined;
    throw reason;
  }
}

/** The hash of a file, whatever the order of its members: keccak-256 of its canonical JSON (RFC 8785). */
const descriptorHash = (file: JsonMembers): Hex =>
  bytesToHex(keccak256(new TextEncoder().encode(canonicalJson(file))));

function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson)}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = value as JsonMembers;
  // The order of UTF-16 code units, which is that of `sort`.
  return `{${Object.keys(members)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${canonicalJson(members[name])}`)}}`;
}

/** @param shown gets the places of the arguments that the fields show */
function createReader({ parsed }: CallFormat, values: readonly Value[], call: Call, shown: Set<string>) {
  let rowsLeft = maxRows;
  const ofTransaction: Readonly<Record<string, string>> = own({
    from: call.from,
    to: call.to,
    value: BigInt(call.value).toString(),
    chainId: String(call.chainId),
  });

  function read(path: FieldPath, bound?: readonly number[]): readonly Match[] {
    if (path.root === '#') return matchesOf(parsed, values, path, bound);
    const [step] = path.steps;
    const name = step?.kind === 'member' ? step.name : '';
    const [value, type] = [ofTransaction[name], transactionTypes[name]];
    return value === undefined || type === undefined
      ? []
      : [{ value, type, key: '', indices: [], isPart: true }];
  }

  /** The one value of a path for a value of the field. */
  function one(path: FieldPath, { indices }: Match): Match | undefined {
    const found = read(path, indices);
    return found.length === 1 ? found[0] : undefined;
  }

  /** A constant, or that of a map for this value of the field. */
  function textOfReference(reference: Reference, match: Match): string {
    if (reference.kind === 'constant') return reference.text;
    const key = reference.kind === 'map' ? one(reference.key, match)?.value.toLowerCase() : undefined;
    const text = reference.kind === 'map' && key !== undefined ? reference.texts.get(key) : undefined;
    if (text === undefined) throw notExplained;
    return text;
  }

  interface Place {
    readonly address: Address;
    /** Says that the address is shown. */
    readonly show: () => void;
  }

  function placeOf(reference: Reference | undefined, match: Match): Place | undefined {
    if (!reference) return undefined;
    if (reference.kind !== 'path')
      return own({ address: textOfReference(reference, match) as Address, show: () => {} });
    const found = one(reference.path, match);
    const address = found && toAddress(found);
    return address && own({ address, show: () => void (found.isPart || shown.add(found.key)) });
  }

  function shownValue({ format }: CallField, match: Match): ExplainedValue {
    const { value, type } = match;
    const number = (): bigint | undefined => (value.startsWith('-') ? undefined : BigInt(value));
    switch (format.kind) {
      case 'amount':
        if (number() !== undefined) return { kind: 'coins', amount: value };
        break;
      case 'tokenAmount': {
        const token = placeOf(format.token, match);
        const amount = number();
        if (!token || amount === undefined) break;
        if (format.natives.some((each) => textOfReference(each, match) === token.address))
          return { kind: 'coins', amount: value };
        token.show();
        const isAbove = format.threshold && amount >= BigInt(textOfReference(format.threshold, match));
        return {
          ...{ kind: 'tokens', amount: value, token: own({ address: token.address }) },
          ...(isAbove && { limit: textOfReference(format.message, match) }),
        };
      }
      case 'nftName': {
        const collection = placeOf(format.collection, match);
        if (!collection) break;
        collection.show();
        return { kind: 'collectible', id: value, token: own({ address: collection.address }) };
      }
      case 'time':
        if (number() !== undefined) return { kind: 'time', seconds: value };
        break;
      case 'duration': {
        const seconds = number();
        if (seconds !== undefined) return { kind: 'text', text: durationText(seconds) };
        break;
      }
      case 'unit': {
        const decimals = Number(textOfReference(format.decimals, match));
        const digits = formatUnits(BigInt(value.replace('-', '')), decimals);
        const sign = value.startsWith('-') ? '-' : '';
        return { kind: 'text', text: `${sign}${digits}${textOfReference(format.base, match)}` };
      }
      case 'enum': {
        const meaning = format.names.get(value);
        if (meaning !== undefined) return { kind: 'text', text: `${meaning} (${value})` };
        break;
      }
      case 'addressName':
      case 'tokenTicker': {
        const address = toAddress(match);
        if (!address) break;
        return format.kind === 'tokenTicker'
          ? { kind: 'token', token: own({ address }) }
          : { kind: 'address', recipient: own({ address }) };
      }
    }
    if (type === 'address') return { kind: 'address', recipient: own({ address: value as Address }) };
    return { kind: 'text', text: cut(value) };
  }

  const isIn = (rule: Extract<ShownRule, { readonly maps: unknown }>, match: Match): boolean => {
    const value = normalised(match.value, match.type);
    return (
      rule.constants.has(value) ||
      rule.maps.some((each) => normalised(textOfReference(each, match), match.type) === value)
    );
  };

  function matchesFor({ source }: CallField): readonly Match[] {
    if (source.kind === 'path') return read(source.path);
    return [{ value: source.text, type: source.type, key: '', indices: [], isPart: true }];
  }

  /** A field's rows: one for each value. */
  function ofField(field: CallField): readonly ExplainedField[] {
    const { label, visibility } = field;
    const matches = matchesFor(field);
    if (visibility.kind === 'check') {
      if (matches.length === 0 || !matches.every((match) => isIn(visibility, match))) throw notExplained;
      return [];
    }
    if (visibility.kind === 'never' || matches.length > Math.min(maxElements, rowsLeft)) return [];
    rowsLeft -= matches.length;
    return matches
      .filter((match) => visibility.kind !== 'unless' || !isIn(visibility, match))
      .map((match) => {
        if (!match.isPart) shown.add(match.key);
        const number = match.indices.map((index) => ` ${index + 1}`).join('');
        return own({ label: `${label}${number}`, ...shownValue(field, match) });
      });
  }

  const ofGroup = ({ label, fields, iteration }: FieldGroup): readonly ExplainedField[] => {
    const columns = fields.map((each) => readAll([each]));
    const rows = columns[0]?.length ?? 0;
    const isEven = columns.every(({ length }) => length === rows);
    if (iteration === 'bundled' && !isEven) throw notExplained;
    const all =
      iteration === 'sequential' || !isEven
        ? columns.flat()
        : Array.from({ length: rows }, (_, i) => columns.map((column) => column[i] as ExplainedField)).flat();
    return label === undefined ? all : all.map((each) => own({ ...each, label: `${label}: ${each.label}` }));
  };

  const readAll = (fields: readonly (CallField | FieldGroup)[]): readonly ExplainedField[] =>
    fields.flatMap((each) => (each.kind === 'group' ? ofGroup(each) : ofField(each)));
  return readAll;
}

/** The arguments, and parts of structs, that no field has shown; an array of which one element was not shown is whole. */
function unexplained(
  parameter: Parameter,
  value: Value,
  key: string,
  name: string,
  shown: ReadonlySet<string>,
): DescribedContractCall['arguments'] {
  if (shown.has(key)) return [];
  const { components, element } = parameter;
  if (!components && !element) return [argumentOf(parameter, value, name)];
  const values = value as readonly Value[];
  const left = values.flatMap((each, i) => {
    const part = (components?.[i] ?? element) as Parameter;
    return unexplained(part, each, `${key}.${i}`, components ? `${name}.${part.name}` : name, shown);
  });
  if (components) return left;
  return left.length > 0 || values.length === 0 ? [argumentOf(parameter, value, name)] : [];
}

const argumentOf = ({ type }: Parameter, value: Value, name: string) => ({
  name,
  type,
  value: cut(textOf(value)),
});

const textOf = (value: Value): string =>
  typeof value === 'string' ? value : `[${value.map(textOf).join(', ')}]`;

const cut = (text: string): string => (text.length > maxText ? `${text.slice(0, maxText)}…` : text);

/** An address, or an integer or bytes that hold nothing but one. */
function toAddress({ value, type }: Match): Address | undefined {
  if (/^0x[0-9a-fA-F]{40}$/.test(value)) return value.toLowerCase() as Address;
  const number = type.startsWith('uint') ? BigInt(value) : undefined;
  return number !== undefined && number >> 160n === 0n
    ? `0x${number.toString(16).padStart(40, '0')}`
    : undefined;
}

const durationText = (seconds: bigint): string => {
  const two = (count: bigint) => count.toString().padStart(2, '0');
  return `${two(seconds / 3_600n)}:${two((seconds / 60n) % 60n)}:${two(seconds % 60n)}`;
};

/** Values that are decoded of one call. */
const maxSteps = 20_000;
/** Rows of a call, and those of one field; the values of a field that has more stay with those that no field shows. */
const maxRows = 64;
const maxElements = 32;
/** Characters of a value. */
const maxText = 1_000;
