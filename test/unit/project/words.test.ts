import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { english } from '../../support/english.js';
import { filesIn, sourcesIn } from '../../support/files.js';

/** How comments, the titles of tests and the texts of the dialog and the panel read: a sentence begins with its subject or its verb, in the field's words. */

const beginnings = /^(Of|Whose|Whoever|Who|What|That|From which|By which)\b/;
const avoided =
  /\b(whoever|anew|told|hears|nobody|anybody|so far as is known|is none|mend(s|ed)?|of use|stands in)\b/i;

/** The comments of a module as single lines; successive `//` are one. */
function commentsOf(code: string): string[] {
  const found = code.matchAll(/\/\*\*?([\s\S]*?)\*\/|(?:^|[ \t])\/\/ ?(.*(?:\n[ \t]*\/\/ ?.*)*)/gm);
  return Array.from(found, ([, block, lines]) =>
    (block ?? lines ?? '').replace(/\s*\n[ \t]*(\*|\/\/)? ?/g, ' ').trim(),
  );
}

const sentencesOf = (comment: string): string[] =>
  comment.split(/(?<=[.!?]) +|(?=@\w)/).map((each) => each.replace(/^@(\w+) +(\w+ +)?/, '').trim());

const titlesOf = (code: string): string[] =>
  Array.from(
    code.matchAll(/\b(?:test|describe)(?:\.each(?:<[^>]*>)?\([^)]*\))?\(\s*(['`"])((?:(?!\1).)*)\1,/g),
    ([, , title = '']) => title,
  );

const isUnlike = (sentence: string): boolean =>
  (beginnings.test(sentence) && !sentence.endsWith('?')) || avoided.test(sentence);

/** Phrases that read as translated, in texts for a person, who gets contractions. */
const stiff =
  /\b(no longer able|at present|bears|(do|does|did|is|are|was|were|has|have|could|would|will) not|cannot|so far|meanwhile|may be told|somebody)\b/i;

const textsOf = (value: unknown): string[] =>
  typeof value === 'string' ? [value] : Object.values(value as object).flatMap(textsOf);

const read = (path: string): string => readFileSync(path, 'utf8');

test('sentences are found in comments of every form', () => {
  expect(commentsOf('/** One. Two\n * three. */\nlet a; // Four.\n  // Five\n  // six.\n"http://x"')).toEqual(
    ['One. Two three.', 'Four. Five six.'],
  );
  expect(sentencesOf('Reads it. @param name the name')).toEqual(['Reads it.', 'the name']);
  expect(titlesOf("test('a title', () => {}); test.each([1])('%d is one', () => {});")).toEqual([
    'a title',
    '%d is one',
  ]);
  for (const each of ['Of this page.', 'What is asked.', 'It is told of it.', 'Asked anew.'])
    expect(isUnlike(each)).toBe(true);
  for (const each of ['Whether it is open.', 'The page of it.', 'What now?'])
    expect(isUnlike(each)).toBe(false);
});

test('every sentence of a comment begins with its subject or its verb', () => {
  const found = sourcesIn('src').flatMap((path) =>
    commentsOf(read(path)).flatMap((comment) =>
      sentencesOf(comment).flatMap((each) => (isUnlike(each) ? [`${path}: ${each}`] : [])),
    ),
  );
  expect(found).toEqual([]);
});

test('so does every title of a test', () => {
  const found = filesIn('test', '.test.ts').flatMap((path) =>
    titlesOf(read(path)).flatMap((each) => (isUnlike(each) ? [`${path}: ${each}`] : [])),
  );
  expect(found).toEqual([]);
});

test('so does every text of the dialog and the panel in English, with contractions', () => {
  const found = textsOf(english).flatMap((text) =>
    sentencesOf(text).filter((each) => isUnlike(each) || stiff.test(each) || /\w'\w/.test(each)),
  );
  expect(found).toEqual([]);
});
