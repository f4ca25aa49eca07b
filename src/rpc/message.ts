import { excerpt, invalidRequest } from './core-errors.js';
import { invalidParams, isProviderRpcError } from './errors.js';
import { own } from './own.js';

/** The argument of `request()` (EIP-1193). Other keys are ignored: web3.js also passes `id` and `jsonrpc`. */
export interface RequestArguments {
  /** The name of the method. */
  readonly method: string;
  /** By position, or for a few methods an object. */
  readonly params?: readonly unknown[] | object | undefined;
}

/** A JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** Deeper values break `JSON.stringify` and `structuredClone` in some engines (docs/notes/security.md#deep-values). */
const maxDepth = 64;
const maxNodes = 200_000;

/**
 * Reads the argument of `request()` and copies its params, so that a page cannot change them after a person has seen
 * them.
 *
 * @throws ProviderRpcError -32600 when the argument is not a request, -32602 when params are not JSON.
 */
export function readRequest(args: unknown): { method: string; params: Json } {
  if (typeof args !== 'object' || args === null || readable(() => Array.isArray(args)))
    throw invalidRequest(`Expected a single, non-array, object argument, received ${excerpt(args)}.`);
  const { method, params } = readable(() => own(args as { method?: unknown; params?: unknown }));
  if (typeof method !== 'string' || method === '')
    throw invalidRequest(`'method' must be a non-empty string.`);
  if (params === undefined || params === null) return { method, params: [] };
  if (typeof params !== 'object')
    throw invalidRequest(`'params' must be an array or object if provided, received ${excerpt(params)}.`);
  return { method, params: toJson(params) };
}

/**
 * A frozen plain copy of `value`. Own enumerable keys only, `undefined` members dropped as JSON does.
 * @throws ProviderRpcError -32602 naming the path of a value that JSON cannot represent
 */
export function toJson(value: unknown, path = 'params'): Json {
  const ancestors = new Set<object>();
  let nodes = 0;
  const copy = (node: unknown, at: string, depth: number): Json => {
    if (++nodes > maxNodes)
      throw invalidParams(`${path}: more than ${maxNodes} values, too large for JSON here`);
    if (node === null || typeof node === 'boolean' || typeof node === 'string') return node;
    if (typeof node === 'number') {
      if (Number.isFinite(node)) return node;
      throw invalidParams(`${at}: ${node} cannot be written as JSON`);
    }
    if (typeof node !== 'object') throw invalidParams(`${at}: a ${typeof node} cannot be written as JSON`);
    if (depth > maxDepth) throw invalidParams(`${path}: nested deeper than ${maxDepth} levels`);
    if (ancestors.has(node)) throw invalidParams(`${at}: cyclic value cannot be written as JSON`);
    ancestors.add(node);
    const result = Array.isArray(node) ? copyArray(node, at, depth) : copyObject(node, at, depth);
    ancestors.delete(node);
    return Object.freeze(result);
  };
  const copyArray = (array: readonly unknown[], at: string, depth: number): Json[] => {
    const items: Json[] = [];
    for (let i = 0; i < array.length; i++) {
      // A hole or `undefined` in an array becomes `null`, as in JSON; the readers then name its path.
      items.push(copy(array[i] ?? null, `${at}[${i}]`, depth + 1));
    }
    return items;
  };
  const copyObject = (object: object, at: string, depth: number): { [key: string]: Json } => {
    if (
      ArrayBuffer.isView(object) ||
      object instanceof Date ||
      object instanceof Map ||
      object instanceof Set
    )
      throw invalidParams(`${at}: a ${object.constructor.name} cannot be written as JSON`);
    // Without a prototype, so that an own `__proto__` key stays a key.
    const fields: { [key: string]: Json } = Object.create(null);
    for (const [key, member] of Object.entries(object))
      if (member !== undefined) fields[key] = copy(member, `${at}.${excerpt(key)}`, depth + 1);
    return fields;
  };
  try {
    return copy(value, path, 0);
  } catch (error) {
    // A getter or a proxy of the page threw.
    throw isProviderRpcError(error) ? error : invalidParams(`${path}: cannot be read as JSON`);
  }
}

/** Reading may run a getter or a proxy of the page; `Array.isArray` throws for a revoked proxy. */
function readable<T>(look: () => T): T {
  try {
    return look();
  } catch {
    throw invalidRequest('The argument cannot be read.');
  }
}

/** Maximum bytes of a request: eight times the largest transaction in hexadecimal digits. */
const maxRequestBytes = 2 ** 20;

/** The bytes of a text in UTF-8; any number above `limit` if there are more. */
export function bytesOf(text: string, limit: number): number {
  // Each character has at least one byte, so a text with more characters than `limit` is not encoded.
  if (text.length > limit || !/[^\0-\x7f]/.test(text)) return text.length;
  return new TextEncoder().encode(text).length;
}

/**
 * Whether a value is too large for a request. Counts the bytes of its texts, and one byte per value; stops at the limit
 * and makes no copy.
 */
export function exceedsRequestSize(value: unknown): boolean {
  let left = maxRequestBytes;
  const isOver = (node: unknown): boolean => {
    left -= typeof node === 'string' ? bytesOf(node, left) : 1;
    if (left < 0) return true;
    if (typeof node !== 'object' || node === null) return false;
    const list = node as readonly unknown[];
    // Not with Object.keys: a list of millions of keys takes long.
    if (typeof list.length === 'number') {
      for (let at = 0; at < list.length; at++) if (isOver(list[at])) return true;
      return false;
    }
    return Object.keys(node).some((key) => isOver(key) || isOver((node as Record<string, unknown>)[key]));
  };
  try {
    return isOver(value);
  } catch {
    // A getter of the page threw, or the value is nested too deeply.
    return false;
  }
}

/** Reads the params of methods without any: `[]` or nothing. */
export function noParams(params: Json): readonly [] {
  const count = Array.isArray(params) ? params.length : Object.keys(params as object).length;
  if (count > 0) throw invalidParams(`params: at most 0 expected, received ${count}`);
  return [];
}
