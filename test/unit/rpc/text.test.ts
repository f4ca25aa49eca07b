import { describe, expect, test } from 'vitest';
import { escapeHidden, hasHidden } from '../../../src/rpc/text.js';

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
