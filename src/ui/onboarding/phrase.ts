import { mnemonicToEntropy } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { fill } from '../h.js';
import { Problem } from '../pieces/errors.js';
import type { PanelWords } from '../words/words.js';

/** Import it lazily: it includes the list of words. */

/**
 * Reads a recovery phrase that a person typed or pasted: case, spaces, commas and the numbers of a list do not matter.
 * @throws Problem that says which word is wrong, by its position
 */
export function readPhrase(text: string, words: PanelWords): string {
  const typed = text
    .normalize('NFKD')
    .toLowerCase()
    .split(/[\s,;]+/)
    .map((word) => word.replace(/^(\d{1,2}[.):-]*|[•*-]+)/, '').replace(/\.$/, ''))
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
