import { describe, expect, test } from 'vitest';
import { resembledNetwork, sameNetworkName } from '../../../src/assets/known-networks.js';
import { fc } from '../../support/property.js';

/** Whether a page's network is refused or a danger. */
const isCaught = (name: string, symbol = 'LEAF') =>
  sameNetworkName(name, []) !== null || resembledNetwork(name, symbol) !== null;

const disguises: Readonly<Record<string, readonly string[]>> = {
  a: ['а', 'α', 'ａ', '𝐚', 'á', 'ᴀ'],
  c: ['с', 'ϲ', 'ｃ', 'ç', 'ᴄ', 'ⅽ', 'ᑕ', '⊂', '©'],
  e: ['е', 'ε', 'ｅ', 'é', 'ᴇ'],
  i: ['і', 'ι', 'l', '1', '|', 'ı', 'í'],
  k: ['к', 'κ', 'ｋ', 'ᴋ'],
  l: ['I', '1', '|', 'ⅼ'],
  m: ['м', 'rn', 'ｍ', 'ᴍ'],
  n: ['п', 'ո', 'ｎ', 'ñ', 'ɴ'],
  o: ['о', 'ο', '0', 'ｏ', 'ö', 'օ', 'ᴏ', '○', '◯', '⚪', '⊙', '🞆', 'Θ', 'Ѳ', 'ㅇ', '〇', 'ᗝ', 'Ო'],
  R: ['Ｒ', 'ʀ', 'Ʀ'.toLowerCase(), '🅡', '🇷', 'Ꭱ'],
  s: ['ѕ', 'ｓ', '5', '$', 'ꜱ'],
  t: ['т', 'τ', 'ｔ', 'ţ', 'ᴛ', '†', 'ꞇ'],
  T: ['Т', 'Τ', 'Ｔ', 'Ꭲ'],
  M: ['М', 'Μ', 'Ｍ', 'Ꮇ'],
  ' ': ['  ', '\u2003', '-', '_', '', ' · '],
};
const names = ['Rootstock', 'Rootstock Mainnet', 'Rootstock Testnet', 'RSK Testnet'];

describe('the name of a network that a page adds', () => {
  test.each([
    'Rootstock Testnet.',
    'Rootstоck Testnet',
    'Rootstock  Testnet',
    'rootstock testnet',
    'ROOTSTOCK MAINNET',
    'Ｒｏｏｔｓｔｏｃｋ Ｔｅｓｔｎｅｔ',
    'Rootst0ck Mainnet',
    'Rootstock-Mainnet',
    'RootstockMainnet',
    'Rootstock Ｌocal',
    'R o o t s t o c k',
    'R.S.K. Mainnet',
    'Ⓡⓞⓞⓣⓢⓣⓞⓒⓚ',
    '🅁🄾🄾🅃🅂🅃🄾🄲🄺',
    'Róotstock Mainnét',
  ])('"%s" is the name of another network', (name) => {
    expect(sameNetworkName(name, [])).not.toBeNull();
  });

  test.each([
    'Rootstock Testnet 2',
    'The Rootstock Network',
    'Roostock Mainnet',
    'Rootstock Mainet',
    'Rootstok',
    'RSK Beta',
    'My rsk node',
    'R S K Network',
    'r.s.k chain',
    'RskSmart',
    'rskchain',
    'MyRSK',
    'Bitcoin Rootstok L2',
    'Rootstok Main Network',
    'Root Stok Chain',
    'RootstokSmart Chain',
    'rootstoksmart',
    'Roots†ock Smart Chain',
    'Rootst○ck chain',
    'RΘΘTSTΘCK chain',
  ])('"%s" resembles Rootstock', (name) => {
    expect(resembledNetwork(name, 'LEAF')).not.toBeNull();
  });

  test.each([
    'RBTC',
    'tRBTC',
    'rbtc',
    'ṚBTC',
    'RВTC',
    'R8TC',
    'tRBТC',
    'RBTC.',
    'Ｒ฿ＴＣ',
    'RBTᑕ',
    'RЬTC',
    'RBT©',
    'ЯBTC',
  ])('the currency symbol %s is that of Rootstock', (symbol) => {
    expect(resembledNetwork('Garden', symbol)).not.toBeNull();
  });

  test.each([
    'Garden',
    'Orchard',
    'Ethereum Mainnet',
    'Polygon',
    'BNB Smart Chain',
    'OP Mainnet',
    'Base',
    'Task Net',
    'Arbitrum One',
    'The Root Network',
    'Avalanche C-Chain',
    'Gnosis',
    'Celo',
    'Cronos Mainnet',
    'zkSync Era',
    'Linea',
    'Scroll',
    'Mantle',
    'BOB',
    'Merlin Mainnet',
    'Core Blockchain Mainnet',
    'Bitlayer Mainnet',
    'Citrea Testnet',
    'Stacks',
    'Rollux',
    'Ronin',
    'Harmony Mainnet Shard 0',
  ])('"%s" is a name of its own', (name) => {
    expect([sameNetworkName(name, ['Meadow']), resembledNetwork(name, 'ETH')]).toEqual([null, null]);
  });

  test('a network that the wallet has keeps its name too', () => {
    expect(sameNetworkName('Gardеn.', ['Garden'])).toBe('Garden');
  });

  test('no disguise of letters and blanks makes another name', () => {
    const disguised = fc
      .constantFrom(...names)
      .chain((name) =>
        fc
          .tuple(...[...name].map((letter) => fc.option(fc.constantFrom(...(disguises[letter] ?? [letter])))))
          .map((choices) => [...name].map((letter, i) => choices[i] ?? letter).join('')),
      );
    fc.assert(
      fc.property(disguised, fc.constantFrom('', '.', ' ', '!', '™', '\u0301'), (name, end) => {
        expect(isCaught(name + end), name + end).toBe(true);
      }),
      { seed: 13, numRuns: 300 },
    );
  });
});
