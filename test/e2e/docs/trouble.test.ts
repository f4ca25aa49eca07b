import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

/** The sources of the packages, as one text. */
const sources = ['src', 'packages/kit/src', 'packages/relay/src']
  .flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((path) => `${folder}/${path}`),
  )
  .filter((path) => /\.tsx?$/.test(path))
  .map((path) => readFileSync(path, 'utf8'))
  .join('\n');

/** The headings of the guide, each a message. `…` is what varies. */
function messages(): { readonly ours: string[]; readonly others: string[] } {
  const [ours = '', others = ''] = readFileSync('docs/guides/trouble.md', 'utf8').split(
    '## Messages of others\n',
  );
  const headings = (text: string) => Array.from(text.matchAll(/^### (.+)$/gm), ([, heading = '']) => heading);
  return { ours: headings(ours), others: headings(others) };
}

/** Whether the sources have each part of a message, and it is long enough to be found. */
const isOurs = (message: string): boolean => {
  const parts = message.split('…').map((part) => part.trim());
  return parts.join('').length > 10 && parts.every((part) => sources.includes(part));
};

test('each message in the guide to trouble is one of the sources', () => {
  const { ours } = messages();
  expect(ours.length).toBeGreaterThan(40);
  expect(ours.filter((message) => !isOurs(message))).toEqual([]);
});

test('a message that nothing of ours says is found', () => {
  expect(messages().others.filter(isOurs)).toEqual([]);
  expect(isOurs('The wallet could not be found')).toBe(false);
});
