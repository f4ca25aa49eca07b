import type { AbiSignature, Parameter } from '../../rpc/abi-parameters.js';
import type { Value } from '../../rpc/abi-values.js';
import { own } from '../../rpc/own.js';

/** Paths of ERC-7730: to arguments of a call, to values of its transaction, or into the descriptor. */
export interface FieldPath {
  /** `#`: arguments. `@`: the transaction. `$`: the descriptor. */
  readonly root: '#' | '@' | '$';
  readonly steps: readonly PathStep[];
}

/** A member by its name, an element by its index (negative from the end), or a part of an array or of bytes. */
export type PathStep =
  | { readonly kind: 'member'; readonly name: string }
  | { readonly kind: 'element'; readonly index: number }
  | PartStep;

interface PartStep {
  readonly kind: 'part';
  readonly from: number | undefined;
  readonly to: number | undefined;
}

/** Reads `#.order.items.[0].amount`; `null` for what is no path. A path without a root is one to arguments. */
export function readFieldPath(text: unknown): FieldPath | null {
  if (typeof text !== 'string' || text.length > maxPathText) return null;
  const [, root = '#', rest = ''] = /^([#@$](?=\.|$))?\.?(.*)$/s.exec(text) ?? [];
  const steps: PathStep[] = [];
  let left = rest;
  while (left !== '') {
    const found =
      /^([A-Za-z_$][\w$]*)(?:\.(?=.)|(?=\[)|$)|^\[(-?\d{1,9})\](?:\.(?=.)|$)|^\[(-?\d{1,9})?(:?)(-?\d{1,9})?\](?:\.(?=.)|$)/.exec(
        left,
      );
    if (!found) return null;
    const [whole, name, index, from, colon, to] = found;
    if (from !== undefined && colon === '') return null;
    left = left.slice(whole.length);
    const number = (digits: string | undefined) => (digits === undefined ? undefined : Number(digits));
    if (name !== undefined) steps.push({ kind: 'member', name });
    else if (index !== undefined) steps.push({ kind: 'element', index: Number(index) });
    else steps.push({ kind: 'part', from: number(from), to: number(to) });
  }
  return { root: root as FieldPath['root'], steps };
}

/** The path of a field inside a group: relative paths begin at the group's. */
export const inGroup = (group: FieldPath | null, text: string, path: FieldPath): FieldPath =>
  group === null || /^[#@$](\.|$)/.test(text)
    ? path
    : { root: group.root, steps: [...group.steps, ...path.steps] };

/** Returns the type of the values at the end of a path; `null` if the call has none there, or structs. */
export type TypeAt = (path: FieldPath) => string | null;

/** The values of a transaction that a path may name. */
export const transactionTypes: Readonly<Record<string, string>> = own({
  from: 'address',
  to: 'address',
  value: 'uint256',
  chainId: 'uint256',
});

/**
 * Types of the values of a call. A list stands for all its elements. A part of an integer is the integer that its bytes are, any
 * other part is bytes.
 */
export const typesIn =
  ({ inputs }: AbiSignature): TypeAt =>
  ({ root, steps }) => {
    if (root === '@') {
      const [step, ...others] = steps;
      return step?.kind === 'member' && others.length === 0 ? (transactionTypes[step.name] ?? null) : null;
    }
    if (root !== '#') return null;
    let at: Parameter | null = null;
    let members: readonly Parameter[] | undefined = inputs;
    for (const [i, step] of steps.entries()) {
      if (step.kind === 'member') at = members?.find(({ name }) => name === step.name) ?? null;
      else if (at?.element) at = at.element;
      else
        return at && step.kind === 'part' && i === steps.length - 1 && hasPart(at, step)
          ? typeOfPart(at)
          : null;
      if (!at) return null;
      members = at.components;
    }
    while (at?.element) at = at.element;
    return at && !at.components ? at.type : null;
  };

const typeOfPart = ({ type }: Pick<Parameter, 'type'>): string => (/^u?int/.test(type) ? 'uint256' : 'bytes');

/** Whether a part of a value exists: not of a struct, a text and a truth value, and not one without bytes. */
function hasPart({ type, components }: Parameter, { from, to }: PartStep): boolean {
  if (components || type === 'string' || type === 'bool') return false;
  if (type === 'bytes') return true;
  const length = type === 'address' ? 20 : type.startsWith('bytes') ? Number(type.slice(5)) : 32;
  return new Array(length).fill(0).slice(from, to).length > 0;
}

/** A value of a call, with the indices by which a path has reached it. */
export interface Match {
  readonly value: string;
  readonly type: string;
  /** Its place among the arguments, such as `1.0`. */
  readonly key: string;
  /** The elements that the path went through. */
  readonly indices: readonly number[];
  /** Whether it is a part of the argument at `key`. */
  readonly isPart: boolean;
}

/**
 * All values that a path reaches, in order.
 *
 * @param bound the indices by which the path of a field has gone through arrays: a path of its parameters goes the same way
 */
export function matchesOf(
  { inputs }: AbiSignature,
  values: readonly Value[],
  { steps }: FieldPath,
  bound: readonly number[] = [],
): readonly Match[] {
  const found: Match[] = [];
  const walk = (
    parameter: Parameter,
    value: Value,
    key: string,
    indices: readonly number[],
    at: number,
  ): void => {
    const step = steps.at(at);
    if (parameter.element) {
      const elements = value as readonly Value[];
      const chosen = indicesOf(elements.length, step, bound.at(indices.length));
      const next = step ? at + 1 : at;
      for (const index of chosen) {
        const through = step?.kind === 'element' ? indices : [...indices, index];
        walk(parameter.element, elements[index] as Value, `${key}.${index}`, through, next);
      }
    } else if (parameter.components) {
      if (step?.kind !== 'member') return;
      const index = parameter.components.findIndex(({ name }) => name === step.name);
      const component = parameter.components[index];
      if (component)
        walk(component, (value as readonly Value[])[index] as Value, `${key}.${index}`, indices, at + 1);
    } else {
      const whole = value as string;
      if (!step) found.push({ value: whole, type: parameter.type, key, indices, isPart: false });
      else if (step.kind === 'part')
        found.push({ value: partOf(whole, step), type: typeOfPart(parameter), key, indices, isPart: true });
    }
  };
  const [first] = steps;
  const index = first?.kind === 'member' ? inputs.findIndex(({ name }) => name === first.name) : -1;
  const input = inputs[index];
  if (input) walk(input, values[index] as Value, String(index), [], 1);
  return found;
}

/** The elements that a step takes; all of them without one, and of a part `bound` alone where it is given. */
function indicesOf(length: number, step: PathStep | undefined, bound: number | undefined): readonly number[] {
  const all = Array.from({ length }, (_, index) => index);
  if (step?.kind === 'element') return all.slice(step.index, step.index === -1 ? undefined : step.index + 1);
  const part = step?.kind === 'part' ? all.slice(step.from, step.to) : all;
  return bound === undefined ? part : part.filter((index) => index === bound);
}

/** A part of a value: of an integer the one that its bytes are, in decimal; else bytes. */
function partOf(value: string, { from, to }: PartStep): string {
  const digits = value.startsWith('0x')
    ? value.slice(2)
    : BigInt.asUintN(256, BigInt(value)).toString(16).padStart(64, '0');
  const part = digits.slice(from && 2 * from, to && 2 * to);
  return value.startsWith('0x') ? `0x${part}` : BigInt(`0x${part}`).toString();
}

const maxPathText = 200;
