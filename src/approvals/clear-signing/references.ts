import { invalidParams } from '../../rpc/errors.js';
import { isJsonObject, type JsonMembers, limited, membersIn, received } from './file.js';
import { type FieldPath, inGroup, readFieldPath, type TypeAt } from './paths.js';

/** A parameter of a format: a constant of the file, one for each value of a call, or a value of the call itself. */
export type Reference =
  | { readonly kind: 'constant'; readonly text: string }
  | { readonly kind: 'map'; readonly key: FieldPath; readonly texts: ReadonlyMap<string, string> }
  | { readonly kind: 'path'; readonly path: FieldPath };

/** Where the references of a field are read. */
export interface ReferenceContext {
  readonly file: JsonMembers;
  readonly typeAt: TypeAt;
  /** The path of the field's group, to which its paths are relative. */
  readonly group: FieldPath | null;
}

/**
 * Reads a constant, the path of one in the file (`$.metadata.constants.max`), or a map from a value of the call.
 *
 * @param check refuses what a constant must not be
 */
export function readReference(
  value: unknown,
  { file, typeAt, group }: ReferenceContext,
  at: string,
  check: (text: string, at: string) => string,
): Reference {
  if (!isJsonObject(value)) return { kind: 'constant', text: check(constantOf(value, file, at), at) };
  const { map, keyPath } = membersIn(value);
  const values = membersIn(membersIn(valueAt(file, map)).values);
  const entries = limited(Object.entries(values), maxEntries, `${at}.map`);
  if (entries.length === 0) throw invalidParams(`${at}.map: the file has no ${received(map)}`);
  return {
    kind: 'map',
    key: readCallPath(keyPath, { typeAt, group }, `${at}.keyPath`).path,
    texts: new Map(
      entries.map(([name, each]) => [
        name.toLowerCase(),
        check(constantOf(each, file, `${at}.map`), `${at}.map`),
      ]),
    ),
  };
}

/** Reads a path to a value of the call. @throws ProviderRpcError -32602 if the call has none there */
export function readCallPath(
  text: unknown,
  { typeAt, group }: Pick<ReferenceContext, 'typeAt' | 'group'>,
  at: string,
): { readonly path: FieldPath; readonly type: string } {
  const read = readFieldPath(text);
  const path = read && inGroup(group, text as string, read);
  const type = path && typeAt(path);
  if (!path || !type) throw invalidParams(`${at}: the call has no ${received(text)}`);
  return { path, type };
}

/** A constant as text: a text, number or truth value, or the path of one in the file. */
export function constantOf(value: unknown, file: JsonMembers, at: string): string {
  const found = typeof value === 'string' && value.startsWith('$.') ? valueAt(file, value) : value;
  if (!['string', 'number', 'boolean'].includes(typeof found))
    throw invalidParams(`${at}: expected a constant, received ${received(value)}`);
  return String(found);
}

/** Reads a path into the file; `undefined` where the file has nothing. */
export function valueAt(file: JsonMembers, text: unknown): unknown {
  const path = readFieldPath(text);
  if (path?.root !== '$') return undefined;
  let found: unknown = file;
  for (const step of path.steps) found = step.kind === 'member' ? membersIn(found)[step.name] : undefined;
  return found;
}

const maxEntries = 1_000;
