import type { TypedDataField } from '../approvals/question.js';
import type { Address } from '../rpc/schema.js';

/** The fields of one struct in a message. */
export interface StructValues {
  /** Path of the struct, such as `order.items[0]`; empty for the message itself. */
  readonly at: string;
  readonly fields: readonly (TypedDataField & { readonly name: string })[];
  /** Returns the value of the first field that has the type and one of the names; `undefined` without such a field. */
  get(type: RegExp, ...names: readonly string[]): string | undefined;
}

export const addressType = /^address$/;
export const uint = /^uint\d+$/;
export const bytes = /^bytes$/;

/** Splits the path of a value into the path of its struct and the name in it. A name that is no identifier is quoted there. */
export function splitPath(path: string): { readonly at: string; readonly name: string } {
  const [, before = '', quoted, index] =
    (path.includes('["') && /^(.*)\[("(?:[^"\\]|\\.)*")\]((?:\[\d+\])*)$/s.exec(path)) || [];
  if (quoted !== undefined) return { at: before, name: `${JSON.parse(quoted)}${index}` };
  const cut = path.lastIndexOf('.');
  return { at: cut < 0 ? '' : path.slice(0, cut), name: path.slice(cut + 1) };
}

/** Every struct of a message, in order of appearance. Elements of value arrays belong to the struct around them. */
export function structsOf(fields: readonly TypedDataField[]): readonly StructValues[] {
  const structs = new Map<string, (TypedDataField & { name: string })[]>([['', []]]);
  for (const field of fields) {
    const { at, name } = splitPath(field.path);
    const members = structs.get(at) ?? [];
    structs.set(at, members);
    members.push({ ...field, name });
  }
  return [...structs].map(([at, members]) => ({
    at,
    fields: members,
    get: (type, ...names) =>
      members.find((member) => names.includes(member.name) && type.test(member.type))?.value,
  }));
}

export const isZero = (value: string): boolean => /^0x0*$/.test(value);

export const asAddress = (value: string | undefined): Address | null => (value ?? null) as Address | null;
