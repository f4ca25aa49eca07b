/** A kind of trouble that was reported of other software, and what Graft does in the same case. */
export interface Kind {
  /** Unique in the table. */
  readonly id: string;
  /** One sentence of a user or developer, in our words; Markdown. */
  readonly reported: string;
  /** One sentence; Markdown. */
  readonly graft: string;
  /** Titles of GitHub issues and pull requests about this kind, by address. */
  readonly threads: Readonly<Record<string, string>>;
  /** The tests that fail when `graft` is no longer true. */
  readonly tests: readonly NamedTest[];
}

/** A test by its file, relative to the project, and its title as the file spells it. */
export interface NamedTest {
  readonly file: string;
  readonly title: string;
}
