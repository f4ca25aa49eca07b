import { describe, expect, test } from 'vitest';
import { escapeHidden, hasHidden, readable } from '../../../src/rpc/text.js';
import { fc } from '../../support/property.js';

describe('escapeHidden', () => {
  test.each([
    ['soft hyphen', 'a\u00adb', 'a\\u{ad}b'],
    ['tag characters', 'a\u{e0041}', 'a\\u{e0041}'],
    ['variation selectors as a carrier', 'a\ufe01\ufe0f\u{e0100}', 'a\\u{fe01}\\u{fe0f}\\u{e0100}'],
    ['Hangul filler', '\u3164', '\\u{3164}'],
    ['braille blank', '\u2800', '\\u{2800}'],
    ['line separator', 'a\u2028b', 'a\\u{2028}b'],
    ['lone surrogate', 'a\ud800', 'a\\u{d800}'],
    ['carriage return', 'a\rb', 'a\\u{d}b'],
    ['joiner outside an emoji', 'a\u200db', 'a\\u{200d}b'],
    ['invisible separator', 'a\u2063', 'a\\u{2063}'],
    ['musical note without a head', 'a\u{1d159}b', 'a\\u{1d159}b'],
    ['Khitan filler', 'a\u{16fe4}b', 'a\\u{16fe4}b'],
    ['Brahmi joiner', 'a\u{1107f}b', 'a\\u{1107f}b'],
    ['Tifinagh joiner', 'a\u2d7fb', 'a\\u{2d7f}b'],
    ['blank of hieroglyphs', 'a\u{13441}\u{13442}b', 'a\\u{13441}\\u{13442}b'],
    ['place of an object', 'a\ufffcb', 'a\\u{fffc}b'],
    ['private character', 'a\ue000b\u{f0000}', 'a\\u{e000}b\\u{f0000}'],
  ])('%s', (_, text, shown) => {
    expect(escapeHidden(text)).toBe(shown);
    expect(hasHidden(text)).toBe(true);
    expect(escapeHidden(shown)).toBe(shown);
  });

  test.each([
    '👩\u200d🚀',
    '👩🏽\u200d🚀',
    '❤\ufe0f',
    '🏳\ufe0f\u200d🌈',
    '1\ufe0f\u20e3',
    'a\r\nb',
    'é',
    'e\u0301',
  ])('%s is not escaped', (text) => {
    expect(hasHidden(text)).toBe(false);
  });

  test('a Windows line end is one line end', () => {
    expect(escapeHidden('a\r\nb')).toBe('a\nb');
  });
});

describe('readable', () => {
  test.each([
    ['two line feeds', 'a\n\nb', 'a\n\nb'],
    ['three line feeds', 'a\n\n\nb', 'a\n[↵×3]\nb'],
    ['lines of blanks', 'a\n \t\n\u00a0\n\u3000\nb', 'a\n[↵×4]\nb'],
    ['a hundred Windows line ends', `a${'\r\n'.repeat(100)}b`, 'a\n[↵×100]\nb'],
    ['an indentation', `a\n${' '.repeat(32)}b`, `a\n${' '.repeat(32)}b`],
    ['a long blank', `a${'\u00a0'.repeat(500)}b`, 'a [␣×500] b'],
    ['three marks on a letter', 'e\u0301\u0302\u0303', 'e\u0301\u0302\u0303'],
    ['four marks on a letter', 'e\u0301\u0302\u0303\u0304x', 'e\u0301\u0302\u0303\\u{304}x'],
    ['a thousand marks', `e${'\u0301'.repeat(1000)}`, 'e\u0301\u0301\u0301\\u{301}×997'],
    ['a keycap', '1\ufe0f\u20e3', '1\ufe0f\u20e3'],
    ['Thai', 'ที่นี่', 'ที่นี่'],
    ['hidden characters', 'a\u202eb', 'a\\u{202e}b'],
  ])('%s', (_, text, shown) => {
    expect(readable(text)).toBe(shown);
  });

  test('no part of any text is blank or stacked for long, and a second time changes nothing', () => {
    const part = fc.constantFrom(
      'a',
      '\n',
      '\r\n',
      ' ',
      '\t',
      '\u00a0',
      '\u3000',
      '\u0301',
      '\u20dd',
      '\u200b',
      '漢',
    );
    const texts = fc.array(part.chain((each) => fc.nat({ max: 40 }).map((times) => each.repeat(times))));
    fc.assert(
      fc.property(texts, (parts) => {
        const shown = readable(parts.join(''));
        expect(shown).not.toMatch(/\n[^\S\n]*\n[^\S\n]*\n/);
        expect(shown).not.toMatch(/[^\S\n]{35}/);
        expect(shown).not.toMatch(/\p{M}{4}/u);
        expect(readable(shown)).toBe(shown);
      }),
      { seed: 4, numRuns: 400 },
    );
  });
});
