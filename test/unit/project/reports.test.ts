import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { kinds, pageOf, thread } from '../../reports/page.js';

const path = 'docs/reports.md';

/** The strings that a file gives to calls before a function or options, such as titles of tests; none for a missing file. */
function titlesOf(file: string): ReadonlySet<string> {
  if (!existsSync(file)) return new Set();
  const titles = /\(\s*(['"`])((?:\\.|(?!\1)[^\\])+)\1,\s*(?:async\b|\(|\w+ =>|\{)/gs;
  const found = readFileSync(file, 'utf8').matchAll(titles);
  return new Set([...found].map(([, , title = '']) => title.replace(/\\(.)/g, '$1')));
}

test('docs/reports.md matches the table of reports', () => {
  const page = pageOf();
  const committed = existsSync(path) ? readFileSync(path, 'utf8') : '';
  if (committed !== page) writeFileSync(path, page);
  expect(committed, 'The page was regenerated: review and commit it').toBe(page);
});

test('every test that the table names exists', () => {
  const named = kinds.flatMap(({ id, tests }) => tests.map((each) => ({ id, ...each })));
  const files = new Map([...new Set(named.map(({ file }) => file))].map((file) => [file, titlesOf(file)]));
  expect(named.filter(({ file, title }) => !files.get(file)?.has(title))).toEqual([]);
});

test('every report is an issue or a pull request on GitHub, named once', () => {
  const urls = kinds.flatMap(({ threads }) => Object.keys(threads));
  expect(urls.filter((url) => !thread.test(url))).toEqual([]);
  expect(urls.filter((url, at) => urls.indexOf(url) !== at)).toEqual([]);
});

test('every kind has an id of its own, two sentences, reports with titles, and tests', () => {
  expect(new Set(kinds.map(({ id }) => id)).size).toBe(kinds.length);
  const isSentence = (text: string) => /^(?:[A-Z`]).*[^.]\.$/s.test(text) && !text.includes('|');
  const incomplete = kinds.filter(
    ({ reported, graft, threads, tests }) =>
      !isSentence(reported) ||
      !isSentence(graft) ||
      Object.keys(threads).length === 0 ||
      Object.values(threads).some((title) => title.trim() === '') ||
      tests.length === 0,
  );
  expect(incomplete.map(({ id }) => id)).toEqual([]);
});
