/**
 * Removes what must never be seen from text that the service wrote: a server may echo the path that carries
 * our API key (docs/notes/service.md#authentication; docs/notes/security.md#nl-5-no-secret-gets-out).
 *
 * Taken out, in any letter case: each URL, its origin, its path, and every path segment or query value long
 * enough to be a key, also in its percent-decoded form.
 */
export function createRedactor(urls: readonly string[]): (text: string) => string {
  const secrets = new Set<string>();
  for (const each of urls) {
    const url = new URL(each);
    const segments = [...url.pathname.split('/'), ...url.searchParams.values()].filter(
      (segment) => segment.length >= 8,
    );
    for (const secret of [url.href, url.origin, url.pathname, ...segments]) {
      // "/" alone is the path of an endpoint without a key.
      if (secret.length > 1) secrets.add(secret).add(decoded(secret));
    }
  }
  const longestFirst = [...secrets].sort((a, b) => b.length - a.length);
  const pattern = new RegExp(longestFirst.map((secret) => secret.replace(/\W/g, '\\$&')).join('|'), 'gi');
  return (text) => text.replace(pattern, '[redacted]');
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
