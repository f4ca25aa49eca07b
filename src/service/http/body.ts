import { own } from '../../rpc/own.js';

/** What HTTP itself carries of a reply: its body, within a limit, and the wish to be asked later. */

export type Body =
  | { readonly text: string; readonly trouble?: never }
  | { readonly trouble: 'too-large' | 'not-json' };

/**
 * The body as text, without a byte order mark. Counts the bytes as they come out of decompression, so that
 * neither a long body nor a small one that inflates takes more memory than `maxBytes`.
 *
 * @throws what the platform throws when the connection breaks: it may carry the URL, keep nothing of it.
 */
export async function readBody(response: Response, maxBytes: number): Promise<Body> {
  const reader = response.body?.getReader();
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for (let part = await reader?.read(); part?.value; part = await reader?.read()) {
    bytes += part.value.byteLength;
    if (bytes > maxBytes) return own({ trouble: 'too-large' });
    parts.push(part.value);
  }
  try {
    const decoder = new TextDecoder('utf-8', own({ fatal: true }));
    const text = parts.map((part) => decoder.decode(part, { stream: true })).join('');
    return own({ text: text + decoder.decode() });
  } catch {
    return own({ trouble: 'not-json' });
  }
}

/**
 * Seconds of `Retry-After` (RFC 9110 §10.2.3), a number or a date; `undefined` where there is none or no sense
 * in it. A date is read against the server's own clock: ours may be a day off. Pages see the header only
 * where the service exposes it.
 */
export function readRetryAfter(headers: Headers): number | undefined {
  const value = headers.get('retry-after');
  if (value === null) return undefined;
  const seconds = /^\d+$/.test(value)
    ? Number(value)
    : (Date.parse(value) - Date.parse(headers.get('date') ?? '')) / 1000;
  return seconds > 0 ? Math.ceil(seconds) : undefined;
}
