/** Documents that a test or a build writes. */
const generated = /^docs\/(api\/|\.vitepress\/|(reports|clients|clients-node|providers|compatibility)\.md$)/;

export const isWritten = (path: string): boolean => path.endsWith('.md') && !generated.test(path);

export interface Prose {
  /** Headings and the first rows of tables. */
  readonly headings: string[];
  /** Sentences of paragraphs and lists, and the sentences in the cells of tables. */
  readonly sentences: string[];
}

const isRule = (part: string) => /^\|[-:| ]+\|$/.test(part);

/** The prose of a document in Markdown, without its blocks of code. */
export function proseOf(markdown: string): Prose {
  const parts = markdown
    .replace(/^( *)```.*\n[\s\S]*?^\1```$/gm, '')
    .split(/\n[ \t]*\n|\n(?=[ \t]*(?:[-*|]|\d+\.|#+) ?)/)
    .map((part) => part.trim());
  const isHead = (part: string, at: number) => /^#+ /.test(part) || isRule(parts[at + 1] ?? '');
  return {
    headings: parts.filter(isHead).flatMap(textsOf),
    sentences: parts
      .filter((part, at) => !isHead(part, at) && !isRule(part))
      .flatMap(textsOf)
      .flatMap((text) => text.split(/(?<=[.!?][)"’]?) +/)),
  };
}

/** The text of a paragraph, an item or a heading, or one for each cell of a row, in one line and without marks. */
function textsOf(part: string): string[] {
  const texts = part.startsWith('|') ? part.split(/(?<!\\)\|/) : [part.replace(/^(?:[-*]|\d+\.|#+) /, '')];
  return texts.map((text) => text.replace(/\*\*/g, '').replace(/\s+/g, ' ').trim()).filter(Boolean);
}
