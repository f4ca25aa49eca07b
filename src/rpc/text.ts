/**
 * Makes untrusted text safe to show: no character may be invisible or change the reading order.
 */

/**
 * Controls (except line feed and tab), bidirectional and zero-width marks, lone surrogates and invisible blanks. Emoji
 * stay: a joiner between two, a variation selector after one or in a keycap.
 */
const hidden = new RegExp(
  [
    '(?<!(?:\\p{Extended_Pictographic}|\\p{Emoji_Modifier})\\uFE0F?)\\u200D',
    '\\u200D(?!\\p{Extended_Pictographic})',
    '(?<!\\p{Extended_Pictographic})[\\uFE0E\\uFE0F](?!\\u20E3)',
    '(?![\\n\\t])(?!\\u200D|\\uFE0E|\\uFE0F)[\\p{Cc}\\p{Cf}\\p{Cs}\\p{Default_Ignorable_Code_Point}\\p{Zl}\\p{Zp}\\u2800]',
  ].join('|'),
  'gu',
);

/** The text with every hidden character written as `\u{202e}`. Applying it twice changes nothing more. */
export const escapeHidden = (text: string): string =>
  text.replace(/\r\n/g, '\n').replace(hidden, (mark) => `\\u{${mark.codePointAt(0)?.toString(16)}}`);

export const hasHidden = (text: string): boolean => text.replace(/\r\n/g, '\n').search(hidden) >= 0;
