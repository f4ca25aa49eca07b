import { excerpt, limitExceeded } from '../../rpc/core-errors.js';
import { invalidParams } from '../../rpc/errors.js';
import { readable } from '../../rpc/text.js';

/**
 * The type grammar of EIP-712. Names need not be identifiers, but a name that could be read as another part of the text of
 * `encodeType` is refused: two different types must never have one text.
 */

export type Type = { readonly text: string } & (
  | { readonly kind: 'uint' | 'int'; readonly bits: number }
  | { readonly kind: 'bool' | 'address' | 'string' | 'bytes' }
  | { readonly kind: 'fixed-bytes'; readonly size: number }
  | { readonly kind: 'array'; readonly of: Type; readonly length: number | null }
  | { readonly kind: 'struct' }
);

export interface Field {
  readonly name: string;
  readonly type: Type;
}

/** The fields of each struct, by its name. */
export type Structs = ReadonlyMap<string, readonly Field[]>;

const maxStructs = 1_000;
const maxDimensions = 8;
/**
 * Characters of all `encodeType` texts of a request, which grow quadratically when structs refer to each other
 * (docs/notes/security.md#structs-that-refer-to-each-other).
 */
const maxTypeText = 4 * 1_048_576;

/** Separates fields and structs in the text of a type, or is replaced when the text is encoded. */
const changesText = /[(),]|\p{Surrogate}/u;
/** The same for a struct, whose name is followed by a field's name, or by the brackets of an array. */
const changesType = /[\s[\]]/;
/** Names of the prototypes, which only an attack on the page uses. */
export const reserved: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);
const builtIn = /^(?:u?int\d*|u?fixed(?:\d+x\d+)?|bytes?\d*|bool|address|string|function)$/;

/**
 * Reads the structs of `types` that `roots` are or refer to. The digest does not cover others, so these are left out; only their
 * names are checked.
 * @param path of `types` in the request
 * @throws ProviderRpcError -32602; the message begins with the path of the invalid field
 */
export function readTypes(value: unknown, path: string, roots: readonly string[]): Structs {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalidParams(`${path}: expected an object of struct types`);
  const known = new Set(Object.keys(value));
  if (known.size > maxStructs) throw invalidParams(`${path}: more than ${maxStructs} struct types`);
  for (const name of known) {
    if (!isName(name) || changesType.test(name))
      throw invalidParams(
        `${path}.${excerpt(name)}: this name of a struct would change the text of its type`,
      );
    if (builtIn.test(name)) throw invalidParams(`${path}.${excerpt(name)}: a struct cannot have this name`);
  }
  const fieldsOf = value as Readonly<Record<string, unknown>>;
  const structs = new Map<string, readonly Field[]>();
  // The loop also visits the members that are added while it runs.
  const referenced = new Set(roots.filter((root) => known.has(root)));
  for (const name of referenced) {
    const fields = readFields(fieldsOf[name], `${path}.${readable(name)}`, known);
    structs.set(name, fields);
    for (const struct of structsIn(fields)) referenced.add(struct);
  }
  return structs;
}

const isName = (name: unknown): name is string =>
  typeof name === 'string' &&
  name !== '' &&
  name.length <= 256 &&
  !changesText.test(name) &&
  !reserved.has(name);

function readFields(value: unknown, path: string, known: ReadonlySet<string>): readonly Field[] {
  if (!Array.isArray(value)) throw invalidParams(`${path}: expected an array of { name, type }`);
  const names = new Set<string>();
  return value.map((entry: unknown, index): Field => {
    const at = `${path}[${index}]`;
    if (typeof entry !== 'object' || entry === null) throw invalidParams(`${at}: expected { name, type }`);
    const field = entry as { name?: unknown; type?: unknown };
    if (!isName(field.name))
      throw invalidParams(`${at}.name: expected a name without ( ) and , received ${excerpt(field.name)}`);
    if (names.has(field.name))
      throw invalidParams(`${at}.name: a second field named "${excerpt(field.name)}"`);
    names.add(field.name);
    return { name: field.name, type: readType(field.type, `${at}.type (of "${field.name}")`, known) };
  });
}

/**
 * Reads a type expression.
 * @param known names of the structs that it may use
 */
export function readType(text: unknown, path: string, known: ReadonlySet<string>): Type {
  if (typeof text !== 'string' || text.length > 512)
    throw invalidParams(`${path}: expected the name of a type`);
  const bracket = text.indexOf('[');
  if (bracket === -1) return readBase(text, path, known);
  const dimensions = text.slice(bracket).match(/\[[^\]]*\]/g) ?? [];
  if (dimensions.join('') !== text.slice(bracket) || dimensions.length > maxDimensions)
    throw unknownType(text, path);
  let at = bracket;
  let type = readBase(text.slice(0, bracket), path, known);
  for (const dimension of dimensions) {
    at += dimension.length;
    const size = dimension.slice(1, -1);
    if (!/^(?:|[1-9]\d{0,5})$/.test(size)) throw unknownType(text, path);
    type = { kind: 'array', of: type, length: size === '' ? null : Number(size), text: text.slice(0, at) };
  }
  return type;
}

function readBase(text: string, path: string, known: ReadonlySet<string>): Type {
  if (known.has(text)) return { kind: 'struct', text };
  if (text === 'bool' || text === 'address' || text === 'string' || text === 'bytes')
    return { kind: text, text };
  if (text === 'uint' || text === 'int')
    throw invalidParams(`${path}: EIP-712 has no alias "${text}"; write "${text}256"`);
  const [, kind, digits] = /^(uint|int|bytes)([1-9]\d{0,2})$/.exec(text) ?? [];
  const size = Number(digits);
  if (kind === 'bytes' && size <= 32) return { kind: 'fixed-bytes', size, text };
  if ((kind === 'uint' || kind === 'int') && size % 8 === 0 && size <= 256) return { kind, bits: size, text };
  throw unknownType(text, path);
}

const unknownType = (text: string, path: string) => invalidParams(`${path}: unknown type "${excerpt(text)}"`);

const baseOf = (type: Type): Type => (type.kind === 'array' ? baseOf(type.of) : type);

/** The names of the structs that the fields refer to. */
const structsIn = (fields: readonly Field[]): readonly string[] =>
  fields.map(({ type }) => baseOf(type)).flatMap(({ kind, text }) => (kind === 'struct' ? [text] : []));

/** `encodeType` (EIP-712) of each struct. Ask for each once: the limit counts every text. */
export function createTypeTexts(structs: Structs): (name: string) => string {
  let total = 0;
  const fieldsOf = (name: string) => structs.get(name) as readonly Field[];
  const textOf = (name: string): string =>
    `${name}(${fieldsOf(name)
      .map((field) => `${field.type.text} ${field.name}`)
      .join(',')})`;
  return (name) => {
    const referenced = new Set<string>([name]);
    for (const each of referenced) for (const struct of structsIn(fieldsOf(each))) referenced.add(struct);
    referenced.delete(name);
    const text = [name, ...[...referenced].sort()].map(textOf).join('');
    total += text.length;
    if (total > maxTypeText) throw limitExceeded('The types of the typed data are too large together');
    return text;
  };
}
