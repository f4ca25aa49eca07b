/**
 * Makes untrusted text safe to show: no character may be invisible or change the reading order.
 */

/**
 * Characters without a picture that Unicode does not call ignorable: blanks of Braille and hieroglyphs, a note without a head,
 * joiners, a filler, the place of an object.
 */
const blank = '\\u2800\\u2D7F\\uFFFC\\u{1107F}\\u{13440}-\\u{13442}\\u{16FE4}\\u{1D159}';

/**
 * Controls (except line feed and tab), bidirectional and zero-width marks, lone surrogates, private characters and invisible blanks. Emoji
 * stay: a joiner between two, a variation selector after one or in a keycap.
 */
const hidden = new RegExp(
  [
    '(?<!(?:\\p{Extended_Pictographic}|\\p{Emoji_Modifier})\\uFE0F?)\\u200D',
    '\\u200D(?!\\p{Extended_Pictographic})',
    '(?<!\\p{Extended_Pictographic})[\\uFE0E\\uFE0F](?!\\u20E3)',
    `(?![\\n\\t])(?!\\u200D|\\uFE0E|\\uFE0F)[\\p{Cc}\\p{Cf}\\p{Co}\\p{Cs}\\p{Default_Ignorable_Code_Point}\\p{Zl}\\p{Zp}${blank}]`,
  ].join('|'),
  'gu',
);

/** The text with every hidden character written as `\u{202e}`. Applying it twice changes nothing more. */
export const escapeHidden = (text: string): string =>
  text.replace(/\r\n/g, '\n').replace(hidden, (mark) => `\\u{${mark.codePointAt(0)?.toString(16)}}`);

export const hasHidden = (text: string): boolean => text.replace(/\r\n/g, '\n').search(hidden) >= 0;

/** A line feed and at least two more, with nothing but blanks between them. */
const emptyLines = /\n(?:[^\S\n]*\n){2,}/g;
const longBlank = /[^\S\n]{33,}/g;
/** More marks on one letter than any spelling needs: they are drawn over the lines around it. */
const stackedMarks = /(\p{M}{3})(\p{M}+)/gu;

/**
 * The text as a dialog may show it: {@link escapeHidden}, and nothing in it can push what comes after out of view or cover
 * what is around it. Empty lines, long blanks and stacked marks are replaced by signs with their number. Applying it twice
 * changes nothing more.
 */
export const readable = (text: string): string =>
  escapeHidden(text)
    .replace(emptyLines, (run) => `\n[↵×${run.split('\n').length - 1}]\n`)
    .replace(longBlank, (run) => ` [␣×${run.length}] `)
    .replace(stackedMarks, (_, kept: string, more: string) => {
      const [first = '', ...others] = more;
      const count = others.length === 0 ? '' : `×${others.length + 1}`;
      return `${kept}\\u{${first.codePointAt(0)?.toString(16)}}${count}`;
    });
