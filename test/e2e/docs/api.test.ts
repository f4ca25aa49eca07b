import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { errorCode } from '../../../src/index.js';
import { findGaps } from '../../support/docs/api-gaps.js';
import type { Entry, Item } from '../../support/docs/api-model.js';
import { apiPages } from '../../support/docs/api-pages.js';
import { keptEntries } from '../../support/docs/kept-entries.js';

let entries: Entry[];
let pages: ReadonlyMap<string, string>;
beforeAll(async () => {
  entries = await keptEntries();
  pages = apiPages(entries);
}, 60_000);

describe('the API reference', () => {
  test('has a page for each subject of the main entry, short enough to be read', () => {
    const headings = (file: string) =>
      Array.from((pages.get(`docs/api/${file}.md`) as string).matchAll(/^### (.+)$/gm), ([, name]) => name);
    expect(headings('create-wallet').slice(0, 3)).toEqual([
      'createWallet',
      'createWallet.Options',
      'NetworkOptions',
    ]);
    expect(headings('wallet')[0]).toBe('Wallet');
    expect(headings('provider')[0]).toBe('Provider');
    expect(headings('errors').slice(0, 2)).toEqual(['ProviderRpcError', 'errorCode']);
    const long = [...pages].filter(([, { length }]) => length > 45_000).map(([path]) => path);
    expect(long).toEqual([]);
  });

  test('the page of the main entry has a link to each of its names', () => {
    const page = pages.get('docs/api/graft-wallet.md') as string;
    const names = entries[0]?.items.map(({ name }) => name) ?? [];
    expect(names.length).toBeGreaterThan(120);
    const isThere = (name: string) => page.includes(`[\`${name}\`](`) || page.includes(`### ${name}\n`);
    expect(names.filter((name) => !isThere(name))).toEqual([]);
  });

  test('each row of a table of members has a name, a type and a sentence', () => {
    const rows = [...pages].flatMap(([path, text]) =>
      Array.from(text.matchAll(/^\| Member \|.*\n\|[-|]+\n((?:\|.*\n)+)/gm), ([, table = '']) =>
        table.trimEnd().split('\n'),
      )
        .flat()
        .map((row) => ({ path, row, cells: row.slice(2, -2).split(/(?<!\\) \| /) })),
    );
    expect(rows.length).toBeGreaterThan(400);
    const isWhole = (cells: readonly string[]) =>
      cells.length === 3 &&
      /^`([\w#$]+\??|'[^']+'|\[[^\]]+\])`$/.test(cells[0] as string) &&
      cells.every((cell) => cell.trim() !== '');
    expect(rows.filter(({ cells }) => !isWhole(cells)).map(({ path, row }) => `${path}: ${row}`)).toEqual([]);
  });

  test('the options of a function follow it, with links to their types', () => {
    const bridge = pages.get('docs/api/bridge.md') as string;
    expect(bridge).toMatch(/### connectBridge\n(?:(?!### )[\s\S])*### connectBridge\.Options\n/);
    const options = pages.get('docs/api/create-wallet.md') as string;
    expect(options).toMatch(/^\| `networks` \| .*\[`NetworkOptions`\]\(#networkoptions\)/m);
    expect(options).toMatch(/\| `memory\?` \| \[`SessionMemory`\]\(#sessionmemory\) `\\\| undefined` \|/);
  });

  test('has every entry of the package, and the members that entries inherit', () => {
    expect(entries.map(({ specifier }) => specifier)).toContain('graft-kit/local');
    const names = entries.flatMap(({ items }) => items.map(({ name }) => name));
    expect(names).toEqual(expect.arrayContaining(['createWallet', 'Accounts', 'createWallet.Options']));
  });

  test('has a sentence for every export and member, and an example for every function', () => {
    expect(findGaps(entries)).toEqual([]);
  });

  test('a member without a sentence and a function without an example are found', () => {
    const [entry] = entries as [Entry];
    const wallet = entry.items.find(({ name }) => name === 'Wallet') as Item;
    const silent = { text: '', params: [], returns: '', throws: [], examples: [] };
    const members = wallet.members.map((each) =>
      each.name === 'lock' ? { ...each, comment: silent } : each,
    );
    const items = [{ ...wallet, members }];
    expect(findGaps([{ ...entry, items }])).toEqual([
      'graft-wallet: Wallet.lock has no sentence',
      'graft-wallet: Wallet.lock has no example',
    ]);
  });
});

test('the types of options accept undefined wherever one may be absent, for `exactOptionalPropertyTypes`', () => {
  const items = entries.flatMap((entry) => entry.items).filter(({ kind }) => kind === 'type');
  const types = new Map(items.map((item) => [item.name, item]));
  const names = new Set([...types.keys()].filter((name) => /Options$/.test(name)));
  // A set that grows while the loop runs: inherited members count too.
  for (const name of names)
    for (const inherited of types.get(name)?.inherits ?? []) if (types.has(inherited)) names.add(inherited);
  const known = ['createWallet.Options', 'NetworkOptions', 'RelayOptions', 'Look'];
  expect([...names]).toEqual(expect.arrayContaining(known));
  const optional = [...names].flatMap((name) =>
    (types.get(name) as Item).members.filter(({ signature }) => /^(readonly )?\w+\?:/.test(signature)),
  );
  expect(optional.length).toBeGreaterThan(100);
  expect(optional.map(({ signature }) => signature).filter((each) => !/\bundefined\b/.test(each))).toEqual(
    [],
  );
});

test('the guide to errors has each code of errorCode, and no other', () => {
  const codes = [...new Set(Object.values(errorCode))].sort((a, b) => a - b);
  const inGuide = [...section('docs/guides/errors.md', '## Codes').matchAll(/^\| `(-?\d+)` \|/gm)];
  expect(inGuide.map(([, code]) => Number(code)).sort((a, b) => a - b)).toEqual(codes);
});

/** The text of a section, up to the next heading of its rank. */
function section(path: string, heading: string): string {
  const [, text = ''] = readFileSync(path, 'utf8').split(`${heading}\n`);
  return text.split('\n## ')[0] as string;
}
