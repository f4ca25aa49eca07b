import { mnemonicToEntropy } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { fill } from '../h.js';
import { Problem } from '../pieces/errors.js';
import type { StepWords } from '../words/words.js';

/** Import it lazily: it includes the list of words. */

/**
 * Reads a recovery phrase that a person typed or pasted: case, spaces, commas, quotes and the numbers of a list do not matter.
 * @throws Problem that names the position of the wrong word
 */
export function readPhrase(text: string, words: StepWords): string {
  const typed = text
    .normalize('NFKD')
    .toLowerCase()
    // Invisible characters, which a web page may put between words, count as spaces.
    .split(/[\s,;\p{Cf}]+/u)
    .map((word) => word.replace(/^[^\p{L}]+|[^\p{L}\p{M}]+$/gu, ''))
    .filter(Boolean);
  if (![12, 15, 18, 21, 24].includes(typed.length))
    throw new Problem(fill(words.phraseCount, { count: typed.length }));
  const unknown = typed.findIndex((word) => !wordlist.includes(word));
  if (unknown >= 0) throw new Problem(fill(words.phraseWord, { number: unknown + 1 }));
  const phrase = typed.join(' ');
  try {
    mnemonicToEntropy(phrase, wordlist).fill(0);
  } catch {
    throw new Problem(words.phraseChecksum);
  }
  return phrase;
}
