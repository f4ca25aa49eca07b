import { own } from '../../rpc/own.js';
import { escapeHidden } from '../../rpc/text.js';

/** The bytes as UTF-8, exactly; `null` when they are not well-formed UTF-8. For parsing, not for showing. */
export function decodeText(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', own({ fatal: true, ignoreBOM: true })).decode(bytes);
  } catch {
    return null;
  }
}

/** The bytes as lenient readers decode them: what is not UTF-8 is replaced. Only for looking for what they could read. */
export const decodeLeniently = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

/** What `MessageQuestion.text` holds: readable text with nothing hidden, or `null` when it is not text. */
export function displayText(bytes: Uint8Array): string | null {
  const text = decodeText(bytes);
  return text === null ? null : escapeHidden(text);
}
