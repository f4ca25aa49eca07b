import type { AbiSignature, Parameter } from './abi-parameters.js';
import { bySelector } from './abi-selectors.js';
import { decodeAbiText, spell } from './abi-words.js';

/**
 * Decodes errors and calls of contracts into text, by the signatures that a page has registered. A chunk of its own. The
 * data comes from any contract or page, so it is untrusted.
 */

/** A custom error from its payload. */
export type DescribeError = (data: string) => string | undefined;

/** The name of a function and the arguments of a call, as far as they are shown. */
export interface DecodedArguments {
  readonly name: string;
  readonly arguments: readonly { readonly name: string; readonly type: string; readonly value: string }[];
}

/** Characters of a description: it is cut there, and later values are not decoded. */
const maxText = 240;

/**
 * @param signatures from `readSignatures`
 * @returns `TooLow(available: 1, required: 2)`; `undefined` for an unknown selector and for a payload that is not a
 * canonical encoding, as far as it was decoded
 */
export function createErrorDecoder(signatures: readonly string[]): DescribeError {
  const known = bySelector(signatures);
  return (data) => {
    const error = known.get(data.slice(0, 10).toLowerCase());
    return error && describe(error.name, error.inputs, data.slice(10));
  };
}

/**
 * @param signatures from `readSignatures`
 * @returns each argument as text; `undefined` for an unknown selector and for calldata that is not a canonical encoding,
 * as far as it was decoded
 */
export function createCallDecoder(
  signatures: readonly string[],
): (data: string) => DecodedArguments | undefined {
  const known = bySelector(signatures);
  return (data) => {
    const method = known.get(data.slice(0, 10).toLowerCase());
    return method && decodeArguments(method, data.slice(10));
  };
}

/** Thrown when the description has its full length. */
const full = Symbol('full');

function describe(name: string, inputs: readonly Parameter[], hex: string): string | undefined {
  const writer = createWriter(hex, maxText);
  try {
    writer.put(`${name}(`);
    writer.putAll(inputs, 0);
    writer.put(')');
    return writer.text();
  } catch (reason) {
    return reason === full ? `${writer.text().slice(0, maxText)}…` : undefined;
  }
}

/** Characters of each argument of a call. */
const maxArgumentText = 1_000;

function decodeArguments({ name, inputs }: AbiSignature, hex: string): DecodedArguments | undefined {
  const decoded: DecodedArguments['arguments'][number][] = [];
  let head = 0;
  for (const input of inputs) {
    const writer = createWriter(hex, maxArgumentText);
    const shown = { name: input.name, type: input.type };
    try {
      writer.putMember(input, 0, head);
      decoded.push({ ...shown, value: writer.text() });
    } catch (reason) {
      if (reason !== full) return undefined;
      decoded.push({ ...shown, value: `${writer.text().slice(0, maxArgumentText)}…` });
    }
    head += input.size;
  }
  return { name, arguments: decoded };
}

/**
 * Writes values of an encoding as text. Every value writes at least one character, so that `limit` bounds the work on any
 * data.
 */
function createWriter(hex: string, limit: number) {
  let text = '';
  const put = (more: string) => {
    text += more;
    if (text.length > limit) throw full;
  };
  const must = (holds: boolean) => {
    if (!holds) throw new RangeError('not the encoding of these types');
  };
  const word = (at: number): bigint => {
    must((at + 32) * 2 <= hex.length);
    return BigInt(`0x${hex.slice(at * 2, at * 2 + 64)}`);
  };
  /** An offset or a length; it must not exceed the data. */
  const count = (at: number): number => {
    const number = word(at);
    must(number * 2n <= BigInt(hex.length));
    return Number(number);
  };

  /** A member of a list that begins at `base`; `head` is where its value or its offset stands. */
  const putMember = (each: Parameter, base: number, head: number) =>
    putValue(each, each.isDynamic ? base + count(head) : head);
  const putAll = (parameters: Iterable<Parameter>, base: number) => {
    let head = base;
    let between = '';
    for (const each of parameters) {
      put(between);
      between = ', ';
      if (each.name) put(`${each.name}: `);
      putMember(each, base, head);
      head += each.size;
    }
  };
  const putValue = ({ type, components, element, length }: Parameter, at: number) => {
    if (components) {
      put('(');
      putAll(components, at);
      put(')');
    } else if (element) {
      put('[');
      if (length === undefined) putAll(repeat(element, count(at)), at + 32);
      else putAll(repeat(element, length), at);
      put(']');
    } else if (type === 'bytes' || type === 'string') {
      const bytes = count(at);
      const start = (at + 32) * 2;
      must(start + bytes * 2 <= hex.length);
      const shown = hex.slice(start, start + Math.min(bytes, 4 * limit) * 2);
      put(type === 'bytes' ? `0x${shown}` : JSON.stringify(decodeAbiText(shown)));
    } else put(spell(type, word(at), must));
  };

  return { put, putAll, putMember, text: () => text };
}

function* repeat<T>(value: T, times: number): Iterable<T> {
  for (let at = 0; at < times; at++) yield value;
}
