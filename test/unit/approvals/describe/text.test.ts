import { describe, expect, test } from 'vitest';
import { decodeText, displayText } from '../../../../src/approvals/describe/text.js';

const bytes = (text: string) => new TextEncoder().encode(text);

describe('displayText', () => {
  test('letters of any language, tabs and line breaks are shown as they are', () => {
    expect(displayText(bytes('Hello,\n\tworld – señor 你好 שלום'))).toBe('Hello,\n\tworld – señor 你好 שלום');
  });

  test('bidirectional, zero-width and control characters are written out (message-009)', () => {
    expect(displayText(bytes('pay \u202e 001 \u202c to\u200b you\u0007'))).toBe(
      'pay \\u{202e} 001 \\u{202c} to\\u{200b} you\\u{7}',
    );
  });

  test('bytes that are not UTF-8 are not text', () => {
    expect(displayText(Uint8Array.of(0xff, 0xfe))).toBeNull();
    expect(displayText(Uint8Array.of(0xc0, 0xaf))).toBeNull();
    expect(displayText(Uint8Array.of(0xed, 0xa0, 0x80))).toBeNull();
  });

  test('a byte order mark is shown, not swallowed', () => {
    expect(displayText(bytes('\ufeffhi'))).toBe('\\u{feff}hi');
    expect(decodeText(bytes('\ufeffhi'))).toBe('\ufeffhi');
  });
});
