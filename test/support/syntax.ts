import { readFileSync } from 'node:fs';
import { parseSync } from 'vite';

/** A node of a syntax tree, with the members that tests read. */
interface Syntax {
  readonly type: string;
  readonly name?: string;
  readonly value?: unknown;
  readonly quasis?: readonly { readonly value: { readonly raw: string } }[];
}

const isSyntax = (value: unknown): value is Syntax =>
  typeof value === 'object' && value !== null && typeof (value as Syntax).type === 'string';

/** A value of a syntax tree and all nodes in it. */
export function* nodesOf(value: unknown): Generator<Syntax> {
  if (isSyntax(value)) yield value;
  if (typeof value === 'object' && value !== null)
    for (const child of Object.values(value)) yield* nodesOf(child);
}

export const parsed = (path: string, code = readFileSync(path, 'utf8')) => parseSync(path, code);
