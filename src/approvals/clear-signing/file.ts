import { invalidParams } from '../../rpc/errors.js';
import { own } from '../../rpc/own.js';

/** Members of an object of a file, without a prototype. */
export type JsonMembers = Readonly<Record<string, unknown>>;

export const isJsonObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The members of an object of a copied file; none for a list and anything else. */
export const membersIn = (value: unknown): JsonMembers =>
  isJsonObject(value) ? (value as JsonMembers) : own({});

/**
 * A copy of JSON data that no script of the page changes later. Members that JSON does not have are left out.
 *
 * @throws ProviderRpcError -32602 for data that is too large or too deep, refers to itself, or throws when it is read
 */
export function copyJson(value: unknown, at: string): unknown {
  let left = maxSize;
  const copy = (each: unknown, depth: number): unknown => {
    left -= typeof each === 'string' ? each.length : 1;
    if (left < 0 || depth > maxDepth) throw new RangeError('too large');
    if (Array.isArray(each)) return Array.from(each, (item) => copy(item, depth + 1) ?? null);
    if (isJsonObject(each)) {
      const members: Record<string, unknown> = own({});
      for (const name of Object.keys(each)) {
        const member = copy((each as JsonMembers)[name], depth + 1);
        left -= name.length;
        if (member !== undefined) members[name] = member;
      }
      return members;
    }
    return each === null || ['string', 'boolean'].includes(typeof each) || Number.isFinite(each)
      ? each
      : undefined;
  };
  try {
    return copy(value, 0);
  } catch {
    throw invalidParams(
      `${at}: expected JSON of at most ${maxSize} characters, in at most ${maxDepth} levels`,
    );
  }
}

/** Text that a person can read, on one line. */
export function visibleText(text: unknown, maximum: number, at: string): string {
  if (typeof text !== 'string' || text.length > maximum || !isVisible(text))
    throw invalidParams(`${at}: expected 1 to ${maximum} visible characters`);
  return text;
}

const isVisible = (text: string): boolean =>
  !/[\p{C}\p{Zl}\p{Zp}]/u.test(text) && /[^\p{Z}\p{M}\p{Default_Ignorable_Code_Point}]/u.test(text);

export function limited<T>(items: readonly T[], maximum: number, at: string): readonly T[] {
  if (items.length > maximum)
    throw invalidParams(`${at}: expected at most ${maximum}, received ${items.length}`);
  return items;
}

/** A value that was received, for a message. */
export const received = (value: unknown): string =>
  typeof value === 'string'
    ? JSON.stringify(value.slice(0, 60))
    : Array.isArray(value)
      ? 'a list'
      : typeof value;

const maxSize = 1_000_000;
const maxDepth = 40;
