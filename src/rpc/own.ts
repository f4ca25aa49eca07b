/**
 * A copy of an object's own properties that inherits nothing: what a page adds to `Object.prototype` is no option, no
 * member of a reply and no field of a question. Options are read through it wherever some may be missing.
 */
export const own = <T extends object>(value: T | undefined): T =>
  // `__proto__` in a literal sets the prototype, whatever the page has made of `Object.create`.
  ({ __proto__: null, ...value }) as unknown as T;

/** The same of plain data, as deep as it is. */
export function ownDeep<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(ownDeep) as T;
  const copy: Record<string, unknown> = own({});
  for (const key of Object.keys(value)) copy[key] = ownDeep((value as Record<string, unknown>)[key]);
  return copy as T;
}
