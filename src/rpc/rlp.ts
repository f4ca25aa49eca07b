import { bytesToInteger, integerToBytes } from './hex.js';

/** Recursive length prefix (Ethereum yellow paper, appendix B), as far as transactions, headers and receipts need it. */

export type RlpItem = Uint8Array | readonly RlpItem[];

export function encodeRlp(item: RlpItem): Uint8Array {
  if (item instanceof Uint8Array) {
    const [first] = item;
    if (item.length === 1 && first !== undefined && first < 0x80) return item;
    return concatBytes(lengthPrefix(item.length, 0x80), item);
  }
  const payload = concatBytes(...item.map(encodeRlp));
  return concatBytes(lengthPrefix(payload.length, 0xc0), payload);
}

function lengthPrefix(length: number, offset: number): Uint8Array {
  if (length < 56) return Uint8Array.of(offset + length);
  const size = integerToBytes(BigInt(length));
  return concatBytes(Uint8Array.of(offset + 55 + size.length), size);
}

/**
 * Decodes one item: a byte string, or a list of items.
 * @throws RangeError for truncated, trailing or non-canonically long input, and for lists nested deeper than an access
 * list is.
 */
export function decodeRlp(bytes: Uint8Array): RlpItem {
  const item = readItem(bytes, 0);
  if (item.end !== bytes.length) throw new RangeError('RLP: more than one item');
  return decodeItem(bytes, item, 0);
}

/** A transaction is a list with an access list, a list of pairs with a list of keys; a receipt is one with logs and their topics. */
const maxDepth = 4;

function decodeItem(bytes: Uint8Array, { isList, start, end }: Span, depth: number): RlpItem {
  if (!isList) return bytes.subarray(start, end);
  if (depth === maxDepth) throw new RangeError('RLP: nested too deeply');
  const items: RlpItem[] = [];
  for (let at = start; at < end; ) {
    const item = readItem(bytes.subarray(0, end), at);
    items.push(decodeItem(bytes, item, depth + 1));
    at = item.end;
  }
  return items;
}

interface Span {
  readonly isList: boolean;
  readonly start: number;
  readonly end: number;
}

function readItem(bytes: Uint8Array, at: number): Span {
  const first = bytes[at];
  if (first === undefined) throw new RangeError('RLP: truncated');
  if (first < 0x80) return { isList: false, start: at, end: at + 1 };
  const isList = first >= 0xc0;
  const short = first - (isList ? 0xc0 : 0x80);
  let start = at + 1;
  let length = short;
  if (short > 55) {
    const size = bytes.subarray(start, start + short - 55);
    length = Number(bytesToInteger(size));
    start += short - 55;
    if (size[0] === 0 || length < 56) throw new RangeError('RLP: non-canonical length');
  } else if (!isList && length === 1 && (bytes[start] ?? 0x80) < 0x80) {
    throw new RangeError('RLP: non-canonical byte');
  }
  if (start + length > bytes.length) throw new RangeError('RLP: truncated');
  return { isList, start, end: start + length };
}

/** The bytes of all parts, one after the other. */
export function concatBytes(...parts: readonly Uint8Array[]): Uint8Array {
  const joined = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}
