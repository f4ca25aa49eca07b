/** Reads plain JSON only, each member once: a storage or a file can hold values of any shape. */

/** A record has four levels. */
const maxDepth = 16;

/**
 * Copies plain JSON: values that {@link JSON.stringify} writes without a change.
 * @throws TypeError for all else, such as a hole in an array, a Map, a BigInt, `undefined` and a member `__proto__`
 */
export function copyPlain(value: unknown, depth = 0): unknown {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number' && Number.isFinite(value) && !Object.is(value, -0)) return value;
  if (typeof value !== 'object' || depth === maxDepth) throw notPlain();
  const names = Object.keys(value);
  if (Array.isArray(value)) {
    // Before it is walked, since an array of holes can be of any length.
    if (names.length !== value.length || names.some((name, at) => name !== String(at))) throw notPlain();
    return value.map((element) => copyPlain(element, depth + 1));
  }
  if (!isPlain(value) || names.includes('__proto__')) throw notPlain();
  const members = value as Record<string, unknown>;
  return Object.fromEntries(names.map((name) => [name, copyPlain(members[name], depth + 1)]));
}

/** Whether an object has these members of its own, and no others. */
export const hasExactly = (value: object, ...names: readonly string[]): boolean => {
  const found = Object.keys(value);
  return found.length === names.length && names.every((name) => found.includes(name));
};

/** Whether it is a literal, of whatever window: its prototype is the end of the chain. */
function isPlain(value: object): boolean {
  const prototype = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

const notPlain = () => new TypeError('Not plain JSON');
