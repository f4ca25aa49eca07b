import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { describe, expect, test } from 'vitest';
import { derivePrivateKey } from '../../../src/keyring/hd.js';
import { createMnemonic, mnemonicOf, readMnemonic, seedOf } from '../../../src/keyring/mnemonic.js';
import { addressOf } from '../../../src/keyring/signer.js';
import { bip39, bip39Accounts } from '../../support/vectors.js';

const bytes = (text: string) => hexToBytes(text.slice(2));
const about = (bip39[0] as { mnemonic: string }).mnemonic;

describe('readMnemonic', () => {
  test.each(bip39)('$entropy', ({ entropy, mnemonic }) => {
    expect(readMnemonic(mnemonic)).toEqual(bytes(entropy));
    expect(mnemonicOf(bytes(entropy))).toBe(mnemonic);
  });

  test('capitals, spaces and compatibility forms do not matter (import-026)', () => {
    const untidy = `  Abandon  abandon ${'abandon\t'.repeat(8)}\nabandon ABOUT `;
    expect(readMnemonic(untidy)).toEqual(readMnemonic(about));
    expect(readMnemonic(about.replace('about', 'ａｂｏｕｔ'))).toEqual(readMnemonic(about));
  });

  test.each([
    ['import-021, 11 words', 'abandon '.repeat(11), 'received 11'],
    ['import-022, checksum', 'abandon '.repeat(12), 'checksum'],
    ['import-024, empty', '', 'received 0'],
    ['13 words', `${about} abandon`, 'received 13'],
    ['a word that is not in the list', about.replace('about', 'secretword'), 'word 12'],
    ['the first of two', `wrong1 ${about.replace('about', 'wrong2').slice(8)}`, 'word 1 '],
  ])('%s', (_name, mnemonic, includes) => {
    let message = '';
    try {
      readMnemonic(mnemonic);
    } catch (error) {
      expect(error).toMatchObject({ code: -32602 });
      message = (error as Error).message;
    }
    expect(message).toContain('mnemonic');
    expect(message).toContain(includes);
    for (const word of ['abandon', 'about', 'secretword', 'wrong1', 'wrong2'])
      expect(message).not.toContain(word);
  });
});

describe('seedOf', () => {
  test.each(bip39Accounts)('$address', async ({ mnemonic, seed, path, privateKey, address }) => {
    const derived = await seedOf(readMnemonic(mnemonic));
    if (seed !== undefined) expect(bytesToHex(derived)).toBe(seed.slice(2));
    const key = await derivePrivateKey(derived, path);
    if (privateKey !== undefined) expect(key).toEqual(bytes(privateKey));
    expect(addressOf(key)).toBe(address);
  });
});

describe('createMnemonic', () => {
  test('12 words of the list, never twice the same', () => {
    const made = Array.from({ length: 20 }, () => createMnemonic());
    expect(new Set(made).size).toBe(20);
    for (const mnemonic of made) {
      expect(readMnemonic(mnemonic)).toHaveLength(16);
      for (const word of mnemonic.split(' ')) expect(wordlist).toContain(word);
    }
  });

  test.each([12, 15, 18, 21, 24] as const)('%i words', (words) => {
    expect(createMnemonic({ words }).split(' ')).toHaveLength(words);
  });

  test('random', () => {
    expect(createMnemonic({ random: (length) => new Uint8Array(length) })).toBe(about);
  });

  test('another number of words', () => {
    expect(() => createMnemonic({ words: 13 as 12 })).toThrow(expect.objectContaining({ code: -32602 }));
  });
});
