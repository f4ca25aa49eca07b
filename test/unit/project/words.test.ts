import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { proseOf } from '../../support/docs/prose.js';
import { english } from '../../support/english.js';
import { filesIn, sourcesIn } from '../../support/files.js';
import { nodesOf, parsed } from '../../support/syntax.js';

/**
 * How comments, documents, the titles of tests and the texts of the dialog, the panel and the inspector read: a sentence
 * begins with its subject or its verb, in the field's words.
 */

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

/** The first arguments of `test` and `describe`, also after `.each(…)`, `.skipIf(…)` and the like. */
const titlesOf = (code: string): string[] =>
  Array.from(
    code.matchAll(/(?:\b(?:test|describe)[\w.]*\(|[)`]\()\s*(['"`])((?:\\.|(?!\1)[^\\])*)\1,/g),
    ([, , title = '']) => title,
  );

const isUnlike = (sentence: string): boolean =>
  (beginnings.test(sentence) && !sentence.endsWith('?')) || avoided.test(sentence);

/** The same of a text that may begin in lower case, as a title and a cell do. */
const isUnlikeInAnyCase = (text: string): boolean => isUnlike(text.charAt(0).toUpperCase() + text.slice(1));

/** Phrases that read as translated, in texts for a person, who gets contractions. */
const stiff =
  /\b(no longer able|at present|bears|(do|does|did|is|are|was|were|has|have|could|would|will) not|cannot|so far|meanwhile|may be told|somebody)\b/i;

const textsOf = (value: unknown): string[] =>
  typeof value === 'string' ? [value] : Object.values(value as object).flatMap(textsOf);

/** The text in JSX, strings and templates of a module, with `{}` for what is filled in. */
const textsIn = (module: ReturnType<typeof parsed>): readonly string[] =>
  [...nodesOf(module.program)].flatMap(({ type, value, quasis }) => {
    if (quasis) return [quasis.map((each) => each.value.raw).join('{}')];
    return (type === 'Literal' || type === 'JSXText') && typeof value === 'string' ? [value.trim()] : [];
  });

const isUnlikeOrStiff = (sentence: string): boolean =>
  isUnlike(sentence) || stiff.test(sentence) || /\w'\w/.test(sentence);

const read = (path: string): string => readFileSync(path, 'utf8');

const documents = [
  ...readdirSync('.'),
  ...['docs', 'examples', 'packages'].flatMap((folder) => filesIn(folder)),
].filter((path) => path.endsWith('.md') && !path.startsWith('docs/.vitepress/'));

test('sentences are found in comments of every form', () => {
  expect(commentsOf('/** One. Two\n * three. */\nlet a; // Four.\n  // Five\n  // six.\n"http://x"')).toEqual(
    ['One. Two three.', 'Four. Five six.'],
  );
  expect(sentencesOf('Reads it. @param name the name')).toEqual(['Reads it.', 'the name']);
  for (const each of ['Of this page.', 'What is asked.', 'It is told of it.', 'Asked anew.'])
    expect(isUnlike(each)).toBe(true);
  for (const each of ['Whether it is open.', 'The page of it.', 'What now?'])
    expect(isUnlike(each)).toBe(false);
});

test('titles are found whatever the arguments of each are', () => {
  const code = `test('a title', () => {});
    test.each([1])('%d is one', () => {});
    test.each([() => f(')'), g()])("it's %s", async () => {});
    describe.skipIf(!has())(\`of a \${kind}\`, () => {});`;
  expect(titlesOf(code)).toEqual(['a title', '%d is one', "it's %s", `of a \${kind}`]);
  for (const each of ['of a token is named', 'what is asked', 'that closes'])
    expect(isUnlikeInAnyCase(each)).toBe(true);
});

test('sentences of a document are found in paragraphs, lists and cells, and none in code', () => {
  const text = `# A title

A paragraph that
goes on. **Bold.** (In brackets.)

- one item
  goes on

  \`\`\`ts
  // Inline code.
  \`\`\`
1. another
| Head | |
|---|:-:|
| a cell. Its \`\\|\` | |`;
  expect(proseOf(text)).toEqual({
    headings: ['A title', 'Head'],
    sentences: [
      ...['A paragraph that goes on.', 'Bold.', '(In brackets.)', 'one item goes on', 'another'],
      ...['a cell.', 'Its `\\|`'],
    ],
  });
});

test('every sentence of a comment begins with its subject or its verb', () => {
  const found = ['src', 'packages/kit/src', 'packages/relay/src']
    .flatMap(sourcesIn)
    .flatMap((path) =>
      commentsOf(read(path)).flatMap((comment) =>
        sentencesOf(comment).flatMap((each) => (isUnlike(each) ? [`${path}: ${each}`] : [])),
      ),
    );
  expect(found).toEqual([]);
});

test('every sentence of a document does so too, and its headings keep to the words', () => {
  expect(documents.length).toBeGreaterThan(55);
  const found = documents.flatMap((path) => {
    const { headings, sentences } = proseOf(read(path));
    const wrong = [...sentences.filter(isUnlikeInAnyCase), ...headings.filter((each) => avoided.test(each))];
    return wrong.map((each) => `${path}: ${each}`);
  });
  expect(found).toEqual([]);
});

test('every title of a test does so too, and none is just default', () => {
  const found = ['test', 'packages']
    .flatMap((folder) => filesIn(folder, '.test.ts'))
    .flatMap((path) =>
      titlesOf(read(path)).flatMap((each) =>
        isUnlikeInAnyCase(each) || each === 'default' ? [`${path}: ${each}`] : [],
      ),
    );
  expect(found).toEqual([]);
});

test('so does every text of the dialog and the panel in English, with contractions', () => {
  const found = textsOf(english).flatMap((text) => sentencesOf(text).filter(isUnlikeOrStiff));
  expect(found).toEqual([]);
});

test('texts of a module are found in its JSX, strings and templates', () => {
  const code = `const a = <p title='One'>Two <b>three</b></p>, b = \`Of \${n}, \${c ? \`\${d} late\` : ''}\`;`;
  expect(textsIn(parsed('a.tsx', code)).filter(Boolean)).toEqual([
    ...['One', 'Two', 'three'],
    ...['Of {}, {}', '{} late'],
  ]);
});

test('so does every text of the inspector', () => {
  const found = ['draw-inspector.tsx', 'print.ts', 'view.tsx'].flatMap((name) =>
    textsIn(parsed(`src/inspect/${name}`)).flatMap((text) => sentencesOf(text).filter(isUnlikeOrStiff)),
  );
  expect(found).toEqual([]);
});
