import { own } from '../../rpc/own.js';

export type Body =
  | { readonly text: string; readonly trouble?: never }
  | { readonly trouble: 'too-large' | 'not-json' };

/**
 * Reads the body as text, without a byte order mark. Counts bytes after decompression, so that neither a long body nor a
 * compressed one takes more memory than `maxBytes`.
 *
 * @throws the platform's error when the connection breaks; it may contain the URL, so it must not be passed on
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
 * The seconds of `Retry-After` (RFC 9110 §10.2.3), a number or a date; `undefined` if it is absent or invalid. A date is
 * compared with the server's `Date`, because the device's clock may be wrong. Pages see the header only if the service
 * exposes it (CORS).
 */
export function readRetryAfter(headers: Headers): number | undefined {
  const value = headers.get('retry-after');
  if (value === null) return undefined;
  const seconds = /^\d+$/.test(value)
    ? Number(value)
    : (Date.parse(value) - Date.parse(headers.get('date') ?? '')) / 1000;
  return seconds > 0 ? Math.ceil(seconds) : undefined;
}
