import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js';
import { mnemonicToSeedSync } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { describe, expect, test } from 'vitest';
import { derivePrivateKey } from '../../../src/keyring/hd.js';
import {
  createMnemonic,
  mnemonicOf,
  readMnemonic,
  readPassphrase,
  seedOf,
} from '../../../src/keyring/mnemonic.js';
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

describe('a passphrase', () => {
  test.each(['TREZOR', '', 'pässwörd ñ 25', '㍍ガバヴァぱばぐゞちぢ十人十色', ' spaces count '])(
    'gives the seed that other libraries give: %j',
    async (passphrase) => {
      for (const { entropy, mnemonic } of bip39.slice(0, 3)) {
        const seed = await seedOf(bytes(entropy), readPassphrase(passphrase));
        expect(seed).toEqual(mnemonicToSeedSync(mnemonic, passphrase));
      }
    },
  );

  test('gives the seed of the published vector', async () => {
    const seed = await seedOf(readMnemonic(about), readPassphrase('TREZOR'));
    expect(bytesToHex(seed)).toBe(
      'c55257c360c07c72029aebc1b53c05ed0362ada38ead3e3e9efa3708e53495531f09a6987599d18264c1e1c92f2cf141630c7a3c4ab7c81b2f001698e7463b04',
    );
  });

  test('is the same in any normal form, and has at most 1,024 bytes', () => {
    expect(readPassphrase('é'.normalize('NFC'))).toEqual(readPassphrase('é'.normalize('NFD')));
    expect(readPassphrase('x'.repeat(1_024))).toHaveLength(1_024);
    expect(() => readPassphrase('x'.repeat(1_025))).toThrow(expect.objectContaining({ code: -32602 }));
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
    expect(createMnemonic(words).split(' ')).toHaveLength(words);
  });

  test('another number of words', () => {
    expect(() => createMnemonic(13)).toThrow(expect.objectContaining({ code: -32602 }));
  });
});
