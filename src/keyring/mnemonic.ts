import { entropyToMnemonic, mnemonicToEntropy } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { invalidParams } from '../rpc/errors.js';
import { Bytes, encodeText, normalizeText, randomBytes, setBytes, subtle, wipe } from './builtins.js';

/** BIP-39 with the English word list. Import it lazily: it includes the list. */

const wordCounts: readonly number[] = [12, 15, 18, 21, 24];

/**
 * The entropy of a mnemonic, whose case and spaces do not matter. The caller wipes the result (16 to 32 bytes).
 *
 * @throws ProviderRpcError -32602; the message contains no word, at most the position of one
 */
export function readMnemonic(mnemonic: string): Uint8Array {
  const words = normalizeText(mnemonic, 'NFKD').toLowerCase().match(/\S+/g) ?? [];
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

/**
 * A BIP-39 passphrase as bytes, which the caller wipes; none for an empty one.
 * @throws ProviderRpcError -32602 for one of over 1 KiB
 */
export function readPassphrase(passphrase: string): Uint8Array {
  const bytes = encodeText(normalizeText(passphrase, 'NFKD'));
  if (bytes.length <= 1_024) return bytes;
  wipe(bytes);
  throw invalidParams('passphrase: it is too long: at most 1,024 bytes');
}

/** The seed for BIP-32; the caller wipes it (64 bytes). `passphrase` as {@link readPassphrase} returns it. */
export async function seedOf(
  entropy: Uint8Array,
  passphrase: Uint8Array = new Bytes(0),
): Promise<Uint8Array> {
  const words = encodeText(mnemonicOf(entropy));
  const key = await subtle.importKey('raw', words, 'PBKDF2', false, ['deriveBits']);
  wipe(words);
  const prefix = encodeText('mnemonic');
  const salt = new Bytes(prefix.length + passphrase.length);
  setBytes(salt, prefix);
  setBytes(salt, passphrase, prefix.length);
  const parameters = { name: 'PBKDF2', hash: 'SHA-512', salt, iterations: 2_048 };
  try {
    return new Bytes(await subtle.deriveBits(parameters, key, 512));
  } finally {
    wipe(salt);
  }
}

/**
 * A new mnemonic.
 * @throws ProviderRpcError -32602 for a number of words other than 12, 15, 18, 21 or 24
 */
export function createMnemonic(words = 12): string {
  if (!wordCounts.includes(words)) throw invalidParams('words: expected 12, 15, 18, 21 or 24');
  const entropy = randomBytes((words / 3) * 4);
  const mnemonic = mnemonicOf(entropy);
  wipe(entropy);
  return mnemonic;
}
