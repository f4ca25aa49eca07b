import { escapeHidden } from '../../rpc/text.js';

/** The bytes as UTF-8, exactly; `null` when they are not well-formed UTF-8. For parsing, not for showing. */
export function decodeText(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** What `MessageQuestion.text` holds: readable text with nothing hidden, or `null` when it is not text. */
export function displayText(bytes: Uint8Array): string | null {
  const text = decodeText(bytes);
  return text === null ? null : escapeHidden(text);
}
