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

/** Whether the text is nothing but 32 bytes in hexadecimal, base64, base58 or as a number: they may be the hash of anything. */
export const isEncodedHash = (text: string): boolean =>
  /^\s*(?:(?:0[xX])?[\da-fA-F]{64}|[\w+/-]{43}=?|[1-9A-HJ-NP-Za-km-z]{42,44}|\d{76,78})\s*$/.test(text);

/** The bytes as text with hidden characters escaped, for `MessageQuestion.text`; `null` if they are not UTF-8. */
export function displayText(bytes: Uint8Array): string | null {
  const text = decodeText(bytes);
  return text === null ? null : escapeHidden(text);
}
