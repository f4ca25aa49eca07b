/** The sites whose pages a relay serves. */
export interface Origins {
  /** Whether pages of this origin may read what it answers. */
  isListed(origin: string): boolean;
  /**
   * Whether a request may be answered as far as its origin goes. Unless every origin is allowed, one without an origin needs a token:
   * it is not from a page of the app.
   *
   * @param takesTokens whether this relay checks tokens
   */
  admits(origin: string | undefined, takesTokens: boolean): boolean;
}

/** @param listed `null` for every origin */
export function createOrigins(listed: ReadonlySet<string> | null): Origins {
  const isListed = (origin: string): boolean => listed === null || listed.has(origin);
  return {
    isListed,
    admits: (origin, takesTokens) =>
      origin === undefined ? listed === null || takesTokens : isListed(origin),
  };
}
