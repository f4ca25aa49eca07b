/** Bytes of a request: eight times the largest transaction as hexadecimal digits. */
const most = 2 ** 20;

/** Bytes of a text as UTF-8, or some number above `limit` if there are more than `limit`. */
export function bytesOf(text: string, limit: number): number {
  // Each character takes at least one byte: a text that is too long need not be encoded.
  if (text.length > limit || !/[^\0-\x7f]/.test(text)) return text.length;
  return new TextEncoder().encode(text).length;
}

/**
 * Whether a value is too large for a request: the bytes of its texts, and one byte for each value. Stops counting at
 * the limit, and copies nothing.
 */
export function isTooLarge(value: unknown): boolean {
  let left = most;
  const isOver = (node: unknown): boolean => {
    left -= typeof node === 'string' ? bytesOf(node, left) : 1;
    if (left < 0) return true;
    if (typeof node !== 'object' || node === null) return false;
    const list = node as readonly unknown[];
    // Not by its keys: listing millions of them takes long.
    if (typeof list.length === 'number') {
      for (let at = 0; at < list.length; at++) if (isOver(list[at])) return true;
      return false;
    }
    return Object.keys(node).some((key) => isOver(key) || isOver((node as Record<string, unknown>)[key]));
  };
  try {
    return isOver(value);
  } catch {
    // A getter of the page threw, or values are nested too deep.
    return false;
  }
}
