import { createKeyDetector } from './key-detector.js';

/**
 * Returns a function that removes the endpoints' URLs from texts of the service: a server may echo the path, which
 * contains the API key (docs/notes/service.md#authentication; docs/notes/security.md#nl-5-no-secret-gets-out).
 *
 * It removes, in any letter case, each URL, its origin, its path, and every path segment or query value of at least 8
 * characters, also percent-decoded. A text that still holds a part of a key in some other spelling ({@link createKeyDetector})
 * comes from a service that hides it, and is removed as a whole.
 *
 * @param maxLength characters of a text. A longer one becomes `[too long]`, since everybody who may call a contract chooses its
 *   words, and the search takes milliseconds. Default 16,384.
 */
export function createRedactor(urls: readonly string[], maxLength = maxRedacted): (text: string) => string {
  const secrets = new Set<string>();
  const keys = new Set<string>();
  for (const each of urls) {
    const url = new URL(each);
    const segments = [...url.pathname.split('/'), ...url.searchParams.values()].filter(
      (segment) => segment.length >= 8,
    );
    for (const secret of [url.href, url.origin, url.pathname, ...segments]) {
      // The path of an endpoint without a key is "/".
      if (secret.length > 1) secrets.add(secret).add(decoded(secret));
    }
    const labels = url.hostname
      .split('.')
      .filter((label) => /^(?=.*\d)(?=.*[a-z])[a-z\d-]{16,}$/.test(label));
    for (const key of [...segments, ...labels]) keys.add(key).add(decoded(key));
  }
  const byLength = [...secrets].sort((a, b) => b.length - a.length);
  const pattern = new RegExp(byLength.map((secret) => secret.replace(/\W/g, '\\$&')).join('|'), 'gi');
  const hasKey = createKeyDetector([...keys], maxLength * growth);
  return (text) => {
    if (text.length > maxLength) return '[too long]';
    const plain = text.replace(pattern, '[redacted]');
    return hasKey(plain) ? '[redacted]' : plain;
  };
}

/** Characters of a text that is searched for keys. */
export const maxRedacted = 2 ** 14;
/** Letters, on average, that a character of a text may stand for. The maximum for bytes in hexadecimal is three. */
const growth = 4;

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
