import { fill } from '../h.js';
import { Problem } from '../pieces/errors.js';
import type { PanelWords } from '../words/words.js';

/**
 * Reads a recovery phrase that a person typed: case and spaces do not matter.
 * @throws Problem that says which word is wrong, by its position
 */
export async function readPhrase(text: string, words: PanelWords): Promise<string> {
  const [{ validateMnemonic }, { wordlist }] = await Promise.all([
    import('@scure/bip39'),
    import('@scure/bip39/wordlists/english.js'),
  ]);
  const typed = text.normalize('NFKD').toLowerCase().split(/\s+/).filter(Boolean);
  if (![12, 15, 18, 21, 24].includes(typed.length))
    throw new Problem(fill(words.phraseCount, { count: typed.length }));
  const unknown = typed.findIndex((word) => !wordlist.includes(word));
  if (unknown >= 0) throw new Problem(fill(words.phraseWord, { number: unknown + 1 }));
  const phrase = typed.join(' ');
  if (!validateMnemonic(phrase, wordlist)) throw new Problem(words.phraseChecksum);
  return phrase;
}
