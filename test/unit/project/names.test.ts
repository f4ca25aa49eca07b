import { readFileSync } from 'node:fs';
import { parseSync } from 'vite';
import { expect, test } from 'vitest';
import { sourcesIn } from '../../support/files.js';

/** Names that cross files: each means one thing in the wallet, and limits are `max` and `min`. */

/** Names that two files of the wallet may export, with the reason. Remove a row when you rename one of the two. */
const shared: Readonly<Record<string, string>> = {
  Accounts: 'a view of the panel, and the owner functions that it shows',
  Answer: "an approver's public type, and what a node has answered",
  Fees: 'a view of the dialog, and the public type that it shows',
  Flow: 'the steps of the set-up, and a view of the panel',
  Place: 'of a result among others, and of a view in the panel',
  Replacement: 'of a transaction: its request, and its entry in the journal',
  addChain: 'a method and its view',
  callsStatus: 'a method and its view',
  icon: "the wallet's, and those of the dialog",
  maxBlocks: 'of a fee history, and of the blocks that were shown',
  mostBlocks: 'of receipts read for logs, and of a backfill',
  readNewPassword: 'of a person who types it, and of a page that passes it',
  styles: 'the style sheet of each screen',
  switchChain: 'a method and its view',
  watchAsset: 'a method and its view',
};

interface Syntax {
  readonly type: string;
  readonly name?: string;
}

const isSyntax = (value: unknown): value is Syntax =>
  typeof value === 'object' && value !== null && typeof (value as Syntax).type === 'string';

function* nodesOf(value: unknown): Generator<Syntax> {
  if (isSyntax(value)) yield value;
  if (typeof value === 'object' && value !== null)
    for (const child of Object.values(value)) yield* nodesOf(child);
}

const parsed = (path: string, code = readFileSync(path, 'utf8')) => parseSync(path, code);

/** The names that a module declares and exports; not those that it passes on. */
const exportsOf = (module: ReturnType<typeof parsed>): string[] => [
  ...new Set(
    module.module.staticExports.flatMap(({ entries }) =>
      entries.flatMap(({ moduleRequest, exportName }) =>
        moduleRequest === null && exportName.name !== null ? [exportName.name] : [],
      ),
    ),
  ),
];

const identifiersOf = (module: ReturnType<typeof parsed>): Set<string> =>
  new Set(
    [...nodesOf(module.program)].flatMap(({ type, name }) => (type === 'Identifier' && name ? [name] : [])),
  );

const isLimit = (name: string): boolean => /^(most|longest|shortest|fewest|least)(?![a-z])/.test(name);

const files = sourcesIn('src');

test('exports and identifiers of a module are found', () => {
  const module = parsed(
    'a.ts',
    `export { b } from './b.js';
    export const one = (mostBytes: number) => ({ longest: mostBytes }), two = 2;
    export interface Three {}
    export declare namespace one { type Four = 4 }
    export function five() {}
    export type { six } from './six.js';`,
  );
  expect(exportsOf(module).sort()).toEqual(['Three', 'five', 'one', 'two']);
  expect([...identifiersOf(module)].filter(isLimit)).toEqual(['mostBytes', 'longest']);
  expect(['mostly', 'leastways', 'max', 'atMost'].filter(isLimit)).toEqual([]);
});

test('a name that the wallet exports means one thing', () => {
  const places = new Map<string, string[]>();
  for (const path of files)
    for (const name of exportsOf(parsed(path))) places.set(name, [...(places.get(name) ?? []), path]);
  const several = [...places].filter(([, { length }]) => length > 1);
  expect(several.filter(([name]) => !Object.hasOwn(shared, name))).toEqual([]);
});

test('no limit is called the most, the longest, the shortest, the fewest or the least', () => {
  const found = [...files, ...sourcesIn('packages').filter((path) => path.includes('/src/'))].flatMap(
    (path) => [...identifiersOf(parsed(path))].filter(isLimit).map((name) => `${path}: ${name}`),
  );
  expect(found).toEqual([]);
});
