/** The sites whose pages a relay serves. */
export interface Origins {
  /** Whether requests of this origin are answered, and those of no origin: these only where every origin is allowed. */
  isListed(origin: string | undefined): boolean;
  /**
   * Whether a request may be answered as far as its origin goes. One of no origin may have a token instead: it is not from a page of
   * the app.
   *
   * @param takesTokens whether this relay checks tokens
   */
  admits(origin: string | undefined, takesTokens: boolean): boolean;
}

/** @param listed `null` for every origin */
export function createOrigins(listed: ReadonlySet<string> | null): Origins {
  const isListed = (origin: string | undefined): boolean =>
    listed === null || (origin !== undefined && listed.has(origin));
  return {
    isListed,
    admits: (origin, takesTokens) => isListed(origin) || (origin === undefined && takesTokens),
  };
}
