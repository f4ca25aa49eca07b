import { own } from '../../rpc/own.js';
import { escapeHidden } from '../../rpc/text.js';

/** The bytes decoded as UTF-8; `null` if they are not well-formed. For parsing, not for display. */
export function decodeText(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', own({ fatal: true, ignoreBOM: true })).decode(bytes);
  } catch {
    return null;
  }
}

/** The bytes decoded as lenient readers do it, with replacement characters. Only for searching. */
export const decodeLeniently = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

/** The bytes as text with hidden characters escaped, for `MessageQuestion.text`; `null` if they are not UTF-8. */
export function displayText(bytes: Uint8Array): string | null {
  const text = decodeText(bytes);
  return text === null ? null : escapeHidden(text);
}
