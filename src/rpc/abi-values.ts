import type { Parameter } from './abi-parameters.js';
import { decodeAbiText, spell } from './abi-words.js';

/**
 * Reads the arguments of a call from their canonical encoding only: every tail in order and without gaps, zero padding,
 * no bits outside a type, nothing after the end. A contract may read any other encoding differently than it is shown.
 */

/**
 * A value: decimal for integers, `true` or `false`, lower-case hexadecimal for addresses and bytes, text; a list for
 * arrays and tuples.
 */
export type Value = string | readonly Value[];

/** Bounds the work on untrusted data: each call is a step. Throws when there are none left. */
export type StepCounter = () => void;

/**
 * @param hex the encoding in lower case, without `0x`; it may continue after the arguments
 * @returns the values, and the digits that encode them; `null` unless the data begins with the canonical encoding of values
 * of these types
 * @throws whatever `step` throws
 */
export function readValues(
  inputs: readonly Parameter[],
  hex: string,
  step: StepCounter,
): { readonly values: readonly Value[]; readonly length: number } | null {
  try {
    const [values, end] = createReader(hex, step)(inputs, 0);
    return { values, length: end * 2 };
  } catch (reason) {
    if (reason === notCanonical) return null;
    throw reason;
  }
}

const notCanonical = Symbol('not canonical');

function must(holds: boolean): asserts holds {
  if (!holds) throw notCanonical;
}

type Read<T> = readonly [value: T, end: number];

function createReader(hex: string, step: StepCounter) {
  const word = (at: number): bigint => {
    step();
    must((at + 32) * 2 <= hex.length);
    return BigInt(`0x${hex.slice(at * 2, at * 2 + 64)}`);
  };
  /** A length or an offset, which cannot exceed the data. */
  const count = (at: number): number => {
    const number = word(at);
    must(number <= BigInt(hex.length));
    return Number(number);
  };

  const readMembers = (members: readonly Parameter[], base: number): Read<readonly Value[]> => {
    let head = base;
    let tail = base + members.reduce((sum, { size }) => sum + size, 0);
    const values = members.map((member) => {
      const at = head;
      head += member.size;
      if (!member.isDynamic) return readValue(member, at)[0];
      must(word(at) === BigInt(tail - base));
      const [value, end] = readValue(member, tail);
      tail = end;
      return value;
    });
    return [values, tail];
  };

  const readValue = ({ type, size, components, element, length }: Parameter, at: number): Read<Value> => {
    if (components) return readMembers(components, at);
    if (element) {
      const items = length ?? count(at);
      must(items * element.size * 2 <= hex.length);
      return readMembers(Array<Parameter>(items).fill(element), length === undefined ? at + 32 : at);
    }
    if (type === 'bytes' || type === 'string') return readBytes(type, at);
    return [spell(type, word(at), must), at + size];
  };

  const readBytes = (type: string, at: number): Read<string> => {
    const start = (at + 32) * 2;
    const end = start + count(at) * 2;
    const padded = start + Math.ceil((end - start) / 64) * 64;
    must(padded <= hex.length && /^0*$/.test(hex.slice(end, padded)));
    const content = hex.slice(start, end);
    return [type === 'bytes' ? `0x${content}` : decodeAbiText(content), padded / 2];
  };

  return readMembers;
}
