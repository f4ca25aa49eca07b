import { readdirSync, readFileSync } from 'node:fs';

/** A fenced block of a document. */
export interface Block {
  readonly path: string;
  /** Line of its first line of code, from 1. */
  readonly line: number;
  readonly language: string;
  /**
   * The word after the language: `page` for code that needs a page, `file` for a file of a project that the matrix builds,
   * `signature` for a declaration in the reference, `fragment` for what is not complete. Without one the code is whole.
   */
  readonly mark: string;
  readonly code: string;
}

/** What a user reads: README, SECURITY and docs, without the notes that comments cite. */
export function documents(): string[] {
  const below = readdirSync('docs', { recursive: true, encoding: 'utf8' })
    .map((path) => `docs/${path.replaceAll('\\', '/')}`)
    .filter((path) => path.endsWith('.md') && !/^docs\/(notes|\.vitepress)\//.test(path));
  return ['README.md', 'SECURITY.md', ...below.sort()];
}

export function readBlocks(path: string): Block[] {
  const text = readFileSync(path, 'utf8');
  const fences = /^( *)```(\w+)(?: (\w+))?\n([\s\S]*?)^\1```$/gm;
  return [...text.matchAll(fences)].map(
    ({ 1: indent = '', 2: language = '', 3: mark = '', 4: code = '', index }) => ({
      path,
      line: text.slice(0, index).split('\n').length + 1,
      language,
      mark,
      code: code.replace(new RegExp(`^${indent}`, 'gm'), ''),
    }),
  );
}
