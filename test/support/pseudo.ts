import type { Words } from '../../src/ui/words/words.js';
import { english } from './english.js';

/**
 * Every text in a made-up language that is written from right to left, with longer words than English: what is not
 * translated, runs out of its place or has a fixed side is seen at once.
 */
export const pseudo: Words = {
  ...(pseudoOf(english) as Words),
  language: 'he',
  direction: 'rtl',
  group: english.group,
  point: english.point,
};

function pseudoOf(value: unknown): unknown {
  if (typeof value === 'string')
    return value
      .split(/(\{\w+\})/)
      .map((part) => (part.startsWith('{') ? part : foreign(part)))
      .join('');
  if (Array.isArray(value)) return value.map(pseudoOf);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, pseudoOf(item)]));
}

/** Each letter becomes a Hebrew one, and each third word is said twice. */
function foreign(text: string): string {
  return text
    .split(' ')
    .flatMap((word, index) => (index % 3 === 2 && word.length > 1 ? [word, word] : [word]))
    .join(' ')
    .replace(/[a-z]/gi, (letter) => String.fromCharCode(0x05d0 + (letter.toLowerCase().charCodeAt(0) - 97)));
}

/** The longer of two texts under each key. */
export const longerTexts = (one: Words, other: Words): Words => longerOf(one, other) as Words;

function longerOf(one: unknown, other: unknown): unknown {
  if (typeof one === 'string' && typeof other === 'string') return other.length > one.length ? other : one;
  if (Array.isArray(one)) return one.map((each, at) => longerOf(each, (other as readonly unknown[])[at]));
  if (typeof one !== 'object' || one === null) return one;
  return Object.fromEntries(
    Object.entries(one).map(([key, each]) => [key, longerOf(each, (other as Record<string, unknown>)[key])]),
  );
}
