/** Whether two records are the same, for those that JSON can tell apart. */
export const isSame = (one: unknown, other: unknown): boolean =>
  JSON.stringify(one) === JSON.stringify(other);
