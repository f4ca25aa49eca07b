/** Consecutive characters of a key that must not leave. */
const windowLength = 8;
/** Encodings that are undone one after another, as long as their texts have no more than so many characters. */
const maxLayers = 3;
const maxNested = 2 ** 15;
/** Characters of all that is decoded, for each that a text may have. */
const allLayers = 8;

/**
 * Returns a function that finds 8 consecutive characters of a key in a text: in any letter case, reversed, with invisible
 * characters, blanks or punctuation between them, and encoded, also several times: percent, hexadecimal, base64, escapes of
 * JSON and HTML, character codes.
 *
 * @param maxLength characters that a text may have in its simplest form, where one ligature may become 18 letters; all that it
 *   decodes to may have {@link allLayers} times as many. A text with more counts as one that hides a key. Default: no bound.
 */
export function createKeyDetector(
  keys: readonly string[],
  maxLength = Number.POSITIVE_INFINITY,
): (text: string) => boolean {
  const windows = new Set(keys.flatMap(windowsOf));
  /** Marks the first two characters of each window: few positions of other texts need a closer comparison. */
  const begins = new Uint8Array(2 ** 14);
  const pairAt = (text: string, at: number) =>
    ((text.charCodeAt(at) & 127) << 7) | (text.charCodeAt(at + 1) & 127);
  for (const each of windows) begins[pairAt(each, 0)] = 1;

  const isIn = (text: string): boolean => {
    for (let at = 0; at + windowLength <= text.length; at++)
      if (begins[pairAt(text, at)] && windows.has(text.slice(at, at + windowLength))) return true;
    return false;
  };
  const hasKey = (visible: string): boolean => {
    const lower = visible.toLowerCase();
    return isIn(lower) || isIn(lettersOf(lower));
  };

  return (text) => {
    if (windows.size === 0 || text.length < windowLength) return false;
    let layer = [text];
    let left = maxLength * allLayers;
    for (let depth = 0; ; depth++) {
      const seen: string[] = [];
      for (const each of layer) {
        const visible = visibleOf(each, maxLength);
        left -= visible.length;
        if (visible.length > maxLength || left < 0 || hasKey(visible)) return true;
        seen.push(visible);
      }
      const length = layer.reduce((sum, each) => sum + each.length, 0);
      if (depth === maxLayers || (depth > 0 && length > maxNested)) return false;
      layer = layer.flatMap((each, at) => decodings(each, seen[at] as string));
      if (depth === 0 && text.length <= maxNested) layer.push([...text].reverse().join(''));
    }
  };
}

/**
 * The parts that are searched for: of the key with its punctuation and without it, and of its base64 at each alignment, whose
 * letter case may be lost; all of them forwards and backwards.
 */
function windowsOf(key: string): string[] {
  const visible = visibleOf(key).toLowerCase();
  // A segment such as `mainnet-archive-2` is made of words, which may be in any message.
  const hasWords = /(^|[-_.])(?=[a-z]*[g-z])[a-z]{5,19}($|[-_.])/.test(key);
  const isRandom = (each: string) =>
    (/\d/.test(each) || (!hasWords && /[a-z]/.test(each))) && !isSequence(each);
  const ofKey = [visible, lettersOf(visible)].flatMap(windowsIn).filter(isRandom);
  if (hasWords || !/^[ -~]*$/.test(key)) return ofKey;
  const ofBase64 = [key, key.replace(/[^A-Za-z0-9]+/g, '')].flatMap((each) =>
    ['', ' ', '  '].flatMap((before) => {
      // Characters that depend on the neighbours of the key are left out.
      const first = Math.ceil((before.length * 4) / 3);
      const end = Math.floor(((before.length + each.length) * 4) / 3);
      return windowsIn(
        lettersOf(
          btoa(before + each)
            .slice(first, end)
            .toLowerCase(),
        ),
      );
    }),
  );
  return [...ofKey, ...ofBase64];
}

/** Whether it is like `12345678`, which may be in any text. */
const isSequence = (text: string) => {
  const steps = new Set([...text].slice(1).map((each, at) => codeOf(each) - text.charCodeAt(at)));
  return steps.size === 1 && Math.abs([...steps][0] as number) === 1;
};

const windowsIn = (text: string): string[] =>
  [text, [...text].reverse().join('')].flatMap((each) =>
    Array.from({ length: Math.max(0, each.length - windowLength + 1) }, (_, at) =>
      each.slice(at, at + windowLength),
    ),
  );

/** Compatible letters in their simplest form, without combining and invisible characters and blanks. */
function visibleOf(text: string, maxLength = Number.POSITIVE_INFINITY): string {
  if (/^[!-~]*$/.test(text)) return text;
  let visible = '';
  // In pieces, so that little more than `maxLength` characters are made.
  for (const piece of text.match(/.{1,1024}/gsu) ?? []) {
    visible += piece.normalize('NFKD').replace(/[\p{C}\p{M}\s]+/gu, '');
    if (visible.length > maxLength) break;
  }
  return visible;
}
const lettersOf = (text: string) => text.replace(/[^a-z0-9]+/g, '');

/** The texts that may be encoded in this one, whose simplest form is `visible`. */
function decodings(text: string, visible: string): string[] {
  const found: string[] = [];
  for (const each of new Set([visible, visible.replace(/[^A-Za-z0-9%\\&#={}]+/g, '')])) {
    const unescaped = each.replace(escapes, (_, byte, unit, point, decimal, octal) => {
      const digits = byte ?? unit ?? point ?? decimal ?? octal ?? '0';
      return fromCode(Number.parseInt(digits, octal ? 8 : decimal ? 10 : 16));
    });
    if (unescaped !== each) found.push(unescaped.replace(/[\x80-\xff]{2,}/g, decoded));
  }
  // Blanks may separate numbers, or digits.
  for (const each of new Set([text, visible])) {
    const codes = (each.match(/\d+/g) ?? []).map(Number);
    if (codes.length < windowLength) continue;
    found.push(codes.map(fromCode).join(''), fromBytes(codes.map((code) => (code < 256 ? code : 0))));
  }
  const hex = lettersOf(visible.toLowerCase()).replace(/(?:0?x|u00)(?=[0-9a-f]{2})/g, '');
  for (const run of hex.match(/[0-9a-f]{16,}/g) ?? [])
    for (const start of [0, 1])
      found.push(decoded(run.slice(start).replace(/../g, (pair) => fromCode(Number.parseInt(pair, 16)))));
  const base64 = visible
    .replace(/-/g, '+')
    .replace(/_/g, '/')
    .replace(/[^A-Za-z0-9+/]+/g, '');
  // Where the encoded part begins is unknown.
  for (let start = 0; start < 4; start++) {
    const end = (base64.length - start) % 4 === 1 ? -1 : undefined;
    const part = base64.slice(start, end);
    if (part.length > windowLength) found.push(decoded(atob(part)));
  }
  return found;
}

/** Escapes of URLs and quoted-printable, JSON and strings, HTML, and C; those of blanks have no digits. */
const escapes =
  /(?:%|\\x|=)([0-9a-f]{2})|\\u([0-9a-f]{4})|(?:\\u\{|&#x)([0-9a-f]{1,6})[;}]?|&#(\d{1,7});?|\\([0-7]{3})|\\[nrtbfv]/gi;

const codeOf = (letter: string) => letter.charCodeAt(0);
const fromCode = (code: number) => String.fromCharCode(Math.min(code, 0xffff));
/** UTF-8; other numbers and invalid sequences become characters that are ignored. */
const fromBytes = (codes: Iterable<number>) => new TextDecoder().decode(Uint8Array.from(codes));
/** Text of bytes that are given as characters; of many bytes only what is ASCII, which is faster. */
const decoded = (bytes: string) =>
  bytes.length > maxNested ? bytes.replace(/[^!-~]+/g, '') : fromBytes(Uint8Array.from(bytes, codeOf));
