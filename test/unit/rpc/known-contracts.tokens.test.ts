import { describe, expect, test } from 'vitest';
import { imitatedSymbol } from '../../../src/assets/likeness.js';
import { knownToken, listedTokens } from '../../../src/rpc/known-contracts.js';

const stranger = `0x${'9a'.repeat(20)}` as const;
const rif = '0x19f64674d8a5b4e652319f5e239efd3bc969a1fe';

test('a known token is one address on one network', () => {
  expect(knownToken(31, rif)).toEqual({ symbol: 'tRIF', decimals: 18 });
  expect(knownToken(30, rif)).toBeNull();
  expect(knownToken(33, rif)).toBeNull();
  expect(knownToken(30, '0x779ded0c9e1022225f8e0630b35a9b54be713736')).toEqual({
    symbol: 'USDT0',
    decimals: 6,
  });
});

test.each([
  [30, ['RIF', 'USDRIF', 'DOC', 'WRBTC', 'USDT0', 'stRIF', 'BPRO']],
  [31, ['tRIF', 'USDRIF', 'DOC', 'WRBTC', 'USDT0']],
  [33, []],
  [1, []],
])('the tokens of chain %i', (chainId, symbols) => {
  const tokens = listedTokens(chainId);
  expect(tokens.map(({ symbol }) => symbol)).toEqual(symbols);
  for (const { address } of tokens) expect(address).toMatch(/^0x[0-9a-f]{40}$/);
  expect(new Set(tokens.map(({ address }) => address)).size).toBe(tokens.length);
});

describe('imitatedSymbol', () => {
  test.each([
    ['RIF', 'RIF'],
    ['rif', 'RIF'],
    ['RlF', 'RIF'],
    ['RІF', 'RIF'],
    ['ＲＩＦ', 'RIF'],
    ['R\u200bIF', 'RIF'],
    ['USDTO', 'USDT0'],
    ['USD₮0', 'USDT0'],
    ['DΟC', 'DOC'],
    ['RBTC', 'RBTC'],
    ['rВTC', 'RBTC'],
    ['RBTᑕ', 'RBTC'],
    ['RЬTC', 'RBTC'],
    ['RBT©', 'RBTC'],
    ['D○C', 'DOC'],
    ['DΘC', 'DOC'],
    // Letters with a hook, a stroke or a bar.
    ['RBƬC', 'RBTC'],
    ['RBTƇ', 'RBTC'],
    ['RɃȾC', 'RBTC'],
    ['ⱤBTȻ', 'RBTC'],
    ['RƖF', 'RIF'],
    ['ꞦIꞘ', 'RIF'],
    ['WꞦBTC', 'WRBTC'],
    ['ⱲRBTC', 'WRBTC'],
    ['ĐØꞒ', 'DOC'],
    ['DOⲤ', 'DOC'],
    ['ƁⱣRO', 'BPRO'],
    ['R\u{1d159}IF', 'RIF'],
    ['R\u{16fe4}IF', 'RIF'],
  ])('%s at another address imitates %s', (symbol, imitated) => {
    expect(imitatedSymbol(30, stranger, symbol, 'RBTC')).toBe(imitated);
  });

  test('RBTC is imitated on the test network too', () => {
    expect(imitatedSymbol(31, stranger, 'RBTC', 'tRBTC')).toBe('RBTC');
    expect(imitatedSymbol(31, stranger, 'TRBTC', 'tRBTC')).toBe('tRBTC');
  });

  test.each(['LEAF', 'RIFX', 'XRIF', 'RLF', ''])('the symbol "%s" imitates no other', (symbol) => {
    expect(imitatedSymbol(30, stranger, symbol, 'RBTC')).toBeNull();
  });

  test('the token itself imitates nothing, whatever it calls itself', () => {
    expect(imitatedSymbol(31, rif, 'tRIF', 'tRBTC')).toBeNull();
    expect(imitatedSymbol(31, rif, 'DOC', 'tRBTC')).toBeNull();
  });

  test('on another network only its coin has a symbol', () => {
    expect(imitatedSymbol(100, stranger, 'RIF', 'LEAF')).toBeNull();
    expect(imitatedSymbol(100, stranger, 'LEAF', 'LEAF')).toBe('LEAF');
  });
});
