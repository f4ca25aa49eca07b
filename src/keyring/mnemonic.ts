import { entropyToMnemonic, mnemonicToEntropy } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { Bytes, encodeText, normalizeText, randomBytes, subtle, wipe } from '../builtins.js';
import { invalidParams } from '../rpc/errors.js';
import { own } from '../rpc/own.js';

/** BIP-39 with the English word list. Import it lazily: it includes the list. */

const wordCounts: readonly number[] = [12, 15, 18, 21, 24];

/** The words of a mnemonic in NFKD and lower case. */
const normalize = (mnemonic: string): string[] =>
  normalizeText(mnemonic, 'NFKD')
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');

/**
 * The entropy of a mnemonic, whose case and spaces do not matter. The caller wipes the result (16 to 32 bytes).
 *
 * @throws ProviderRpcError -32602; the message contains no word, at most the position of one
 */
export function readMnemonic(mnemonic: string): Uint8Array {
  const words = normalize(mnemonic);
  if (!wordCounts.includes(words.length))
    throw invalidParams(`mnemonic: expected 12, 15, 18, 21 or 24 words, received ${words.length}`);
  const unknown = words.findIndex((word) => !wordlist.includes(word));
  if (unknown !== -1) throw invalidParams(`mnemonic: word ${unknown + 1} is not in the English list`);
  try {
    return mnemonicToEntropy(words.join(' '), wordlist);
  } catch {
    throw invalidParams('mnemonic: its checksum is wrong; a word is mistaken or misplaced');
  }
}

export const mnemonicOf = (entropy: Uint8Array): string => entropyToMnemonic(entropy, wordlist);

/** The seed for BIP-32; the caller wipes it (64 bytes). BIP-39 passphrases are not supported. */
export async function seedOf(entropy: Uint8Array): Promise<Uint8Array> {
  const words = encodeText(mnemonicOf(entropy));
  const key = await subtle.importKey('raw', words, 'PBKDF2', false, ['deriveBits']);
  wipe(words);
  const parameters = { name: 'PBKDF2', hash: 'SHA-512', salt: encodeText('mnemonic'), iterations: 2_048 };
  return new Bytes(await subtle.deriveBits(parameters, key, 512));
}

/**
 * A new mnemonic.
 * @throws ProviderRpcError -32602 for a number of words other than 12, 15, 18, 21 or 24
 */
export function createMnemonic(given?: createMnemonic.Options): string {
  const options = own(given);
  const words = options.words ?? 12;
  if (!wordCounts.includes(words)) throw invalidParams('words: expected 12, 15, 18, 21 or 24');
  const random = options.random ?? randomBytes;
  const entropy = random((words / 3) * 4);
  const mnemonic = mnemonicOf(entropy);
  wipe(entropy);
  return mnemonic;
}

export declare namespace createMnemonic {
  interface Options {
    /** Default 12 (128 bits). */
    words?: 12 | 15 | 18 | 21 | 24;
    random?: (length: number) => Uint8Array;
  }
}
