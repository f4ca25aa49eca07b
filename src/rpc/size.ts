/** Bytes of a request: eight times the largest transaction as hexadecimal digits. */
const most = 2 ** 20;

/** Bytes of a text as UTF-8; of one that is longer than `limit` only that it is. */
export function bytesOf(text: string, limit: number): number {
  // Each character takes a byte at least: what is too long is not looked at.
  if (text.length > limit || !/[^\0-\x7f]/.test(text)) return text.length;
  return new TextEncoder().encode(text).length;
}

/**
 * Whether a value is more than a request may carry: its texts, and a byte for each value. Counts no further than it
 * must, and copies nothing.
 */
export function isTooLarge(value: unknown): boolean {
  let left = most;
  const isOver = (node: unknown): boolean => {
    left -= typeof node === 'string' ? bytesOf(node, left) : 1;
    if (left < 0) return true;
    if (typeof node !== 'object' || node === null) return false;
    const list = node as readonly unknown[];
    // Not by their keys, which a list of millions would be long in giving.
    if (typeof list.length === 'number') {
      for (let at = 0; at < list.length; at++) if (isOver(list[at])) return true;
      return false;
    }
    return Object.keys(node).some((key) => isOver(key) || isOver((node as Record<string, unknown>)[key]));
  };
  try {
    return isOver(value);
  } catch {
    // The page's own: a getter that throws, or values that are nested without end.
    return false;
  }
}
