/**
 * Copies an object's own properties into one without a prototype, so that properties that a page adds to
 * `Object.prototype` are not read as options or as members of replies. Used wherever properties may be missing.
 */
export const own = <T extends object>(value: T | undefined): T =>
  // `__proto__` in a literal sets the prototype even if the page has replaced `Object.create`.
  ({ __proto__: null, ...value }) as unknown as T;
