import { expect, test } from 'vitest';
import { readPhrase } from '../../../../src/ui/onboarding/phrase.js';
import { english } from '../../../support/english.js';

const words = ['abandon', ...Array<string>(10).fill('abandon'), 'about'];
const phrase = words.join(' ');
const numbered = (write: (word: string, number: number) => string, between = ' ') =>
  words.map((word, index) => write(word, index + 1)).join(between);

test.each([
  ['with numbers and full stops', numbered((word, number) => `${number}. ${word}`)],
  ['with numbers against the words', numbered((word, number) => `${number}.${word}`, '\n')],
  ['with numbers alone', numbered((word, number) => `${number} ${word}`)],
  ['with brackets', numbered((word, number) => `${number}) ${word}`, '\n')],
  ['with colons', numbered((word, number) => `${number}: ${word}`, '\t')],
  ['with leading zeros', numbered((word, number) => `${String(number).padStart(2, '0')} ${word}`)],
  ['with numbers in brackets', numbered((word, number) => `(${number}) ${word}`)],
  ['with numbers in square brackets', numbered((word, number) => `[${number}] ${word}`, '\n')],
  ['with number signs', numbered((word, number) => `#${number} ${word}`)],
  ['with slashes', numbered((word, number) => `${number}/${word}`)],
  ['with dashes', numbered((word, number) => `${number} – ${word}`, '\n')],
  ['with circled numbers', numbered((word, number) => `${String.fromCodePoint(0x245f + number)} ${word}`)],
  ['with numbers behind the words', numbered((word, number) => `${word} (${number})`)],
  ['in quotation marks', `“${phrase}”`],
  ['each in quotation marks', words.map((word) => `"${word}"`).join(', ')],
  ['with zero-width spaces', words.join('\u200b')],
  ['with commas', words.join(', ')],
  ['with commas alone', words.join(',')],
  ['as a list of points', words.map((word) => `- ${word}`).join('\n')],
  ['in capitals, with a full stop at the end', `${phrase.toUpperCase()}.`],
])('a phrase that is pasted %s is read', (_, text) => {
  expect(readPhrase(text, english)).toBe(phrase);
});

test.each([
  ['a word with a digit in it', phrase.replace('about', 'ab0ut'), 'Word 12 isn’t'],
  ['a word of another language', phrase.replace('about', 'ábaco'), 'Word 12 isn’t'],
  ['a number too many', `1. ${phrase} 13. about`, '13'],
  ['a wrong checksum', phrase.replace('about', 'abandon'), 'phrase'],
])('%s is still named', (_, text, part) => {
  expect(() => readPhrase(text, english)).toThrow(part);
});
