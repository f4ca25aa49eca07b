/** Most bytes of a request: eight times the largest transaction in hexadecimal digits. */
const maxRequestBytes = 2 ** 20;

/** The bytes of a text in UTF-8; any number above `limit` if there are more. */
export function bytesOf(text: string, limit: number): number {
  // Each character has at least one byte, so a text with more characters than `limit` is not encoded.
  if (text.length > limit || !/[^\0-\x7f]/.test(text)) return text.length;
  return new TextEncoder().encode(text).length;
}

/**
 * Whether a value is too large for a request. Counts the bytes of its texts, and one byte per value; stops at the limit
 * and makes no copy.
 */
export function exceedsRequestSize(value: unknown): boolean {
  let left = maxRequestBytes;
  const isOver = (node: unknown): boolean => {
    left -= typeof node === 'string' ? bytesOf(node, left) : 1;
    if (left < 0) return true;
    if (typeof node !== 'object' || node === null) return false;
    const list = node as readonly unknown[];
    // Not with Object.keys: a list of millions of keys takes long.
    if (typeof list.length === 'number') {
      for (let at = 0; at < list.length; at++) if (isOver(list[at])) return true;
      return false;
    }
    return Object.keys(node).some((key) => isOver(key) || isOver((node as Record<string, unknown>)[key]));
  };
  try {
    return isOver(value);
  } catch {
    // A getter of the page threw, or the value is nested too deeply.
    return false;
  }
}
