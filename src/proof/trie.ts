import { bytesToHex, bytesToInteger, integerToBytes } from '../rpc/hex.js';
import { keccak256 } from '../rpc/keccak.js';
import { concatBytes, encodeRlp } from '../rpc/rlp.js';
import type { Hash } from '../rpc/schema.js';
import { contradiction } from './verdict.js';

/**
 * Rootstock's binary trie (RSKIP-107), which holds the transactions and the receipts of a block by their index. A node is flags, the
 * bits of the key that all below it share, its children and its value.
 */

/** The key of the transaction or receipt at an index. */
export const indexKey = (index: number): Uint8Array => encodeRlp(integerToBytes(BigInt(index)));

/** The bits of the first byte of a node. */
const version = 0x40;
const versionMask = 0xc0;
const hasLongValue = 0x20;
const hasPath = 0x10;
const hasLeft = 8;
const hasRight = 4;
const leftIsEmbedded = 2;
const rightIsEmbedded = 1;

/** A value that is longer is kept beside the trie, and a node that is longer is not written into its parent. */
const maxValueLength = 32;
const maxEmbeddedLength = 44;

/** The most nodes from the root to a value: the keys of two bytes have 16 bits. */
const maxNodes = 16;

/** The value at a key, by its length and its hash. */
export interface Leaf {
  readonly length: number;
  readonly hash: Hash;
}

/**
 * Checks that a trie holds a value at a key.
 *
 * @param nodes bytes of the nodes on the way, in any order; those that are embedded may be absent
 * @throws NotProven `contradicted`
 */
export function checkInTrie(
  root: Uint8Array,
  key: Uint8Array,
  value: Uint8Array,
  nodes: readonly Uint8Array[],
): void {
  if (!isLeafOf(leafAt(root, key, nodes), value))
    throw contradiction('The trie holds something else at this index.');
}

export const isLeafOf = ({ length, hash }: Leaf, value: Uint8Array): boolean =>
  length === value.length && hash === bytesToHex(keccak256(value));

/**
 * The leaf to which nodes lead from the root of a trie: whatever they are, no other value is at this key.
 *
 * @throws NotProven `contradicted`
 */
export function leafAt(root: Uint8Array, key: Uint8Array, nodes: readonly Uint8Array[]): Leaf {
  const byHash = new Map(nodes.map((node) => [bytesToHex(keccak256(node)), node]));
  const open = (reference: Reference): Uint8Array => {
    const node = reference.node ?? byHash.get(bytesToHex(reference.hash));
    if (node === undefined) throw contradiction('The nodes of the trie do not lead to its root.');
    return node;
  };
  let rest = bitsOf(key);
  let node = readNode(open({ hash: root }));
  for (let depth = 1; ; depth++) {
    if (!rest.startsWith(node.path)) throw contradiction('The trie has nothing at this index.');
    rest = rest.slice(node.path.length);
    if (rest === '') return { length: node.valueLength, hash: node.valueHash };
    const child = rest.startsWith('0') ? node.left : node.right;
    if (!child) throw contradiction('The trie has nothing at this index.');
    if (depth === maxNodes) throw contradiction('The trie is too deep.');
    node = readNode(open(child));
    rest = rest.slice(1);
  }
}

type Reference =
  | { readonly node: Uint8Array; readonly hash?: never }
  | { readonly node?: never; readonly hash: Uint8Array };

interface TrieNode {
  /** Its bits as digits. */
  readonly path: string;
  readonly left: Reference | undefined;
  readonly right: Reference | undefined;
  readonly valueLength: number;
  readonly valueHash: Hash;
}

function readNode(bytes: Uint8Array): TrieNode {
  let at = 0;
  const take = (length: number): Uint8Array => {
    if (at + length > bytes.length) throw contradiction('A node of the trie is cut off.');
    at += length;
    return bytes.subarray(at - length, at);
  };
  const byte = (): number => take(1)[0] as number;
  const flags = byte();
  if ((flags & versionMask) !== version) throw contradiction('A node of the trie has another version.');
  const path = flags & hasPath ? readPath(byte, take) : '';
  const child = (isThere: number, isEmbedded: number): Reference | undefined => {
    if (!isThere) return;
    return isEmbedded ? { node: take(byte()) } : { hash: take(32) };
  };
  const left = child(flags & hasLeft, flags & leftIsEmbedded);
  const right = child(flags & hasRight, flags & rightIsEmbedded);
  if (left || right) readCount(byte, take);
  if (flags & hasLongValue) {
    const valueHash = bytesToHex(take(32));
    return { path, left, right, valueHash, valueLength: Number(bytesToInteger(take(3))) };
  }
  const value = bytes.subarray(at);
  return { path, left, right, valueHash: bytesToHex(keccak256(value)), valueLength: value.length };
}

type Take = (length: number) => Uint8Array;

/** A path of 1 to 32 bits or of 160 to 382 has a length of one byte. */
function readPath(byte: () => number, take: Take): string {
  const first = byte();
  const bits = first < 32 ? first + 1 : first < 255 ? first + 128 : readCount(byte, take);
  return bitsOf(take(Math.ceil(bits / 8))).slice(0, bits);
}

/** A number as Bitcoin writes those of its messages. */
function readCount(byte: () => number, take: Take): number {
  const first = byte();
  if (first < 0xfd) return first;
  return Number(
    bytesToInteger(
      take(2 ** (first - 0xfc))
        .slice()
        .reverse(),
    ),
  );
}

const bitsOf = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(2).padStart(8, '0')).join('');

/** The root of a trie that holds these values, each at its index. */
export function rootOfValues(values: readonly Uint8Array[]): Uint8Array {
  const root = trieOf(values);
  return keccak256(root ? root.bytes : encodeRlp(new Uint8Array(0)));
}

/**
 * The nodes from the leaf at an index up to the root, as `rsk_getTransactionReceiptNodesByHash` returns them: embedded ones among
 * them.
 */
export function nodesAbove(values: readonly Uint8Array[], index: number): readonly Uint8Array[] {
  const nodes: Uint8Array[] = [];
  let rest = bitsOf(indexKey(index));
  for (let node = trieOf(values); node; ) {
    nodes.unshift(node.bytes);
    rest = rest.slice(node.path.length);
    const child: Built | undefined = rest.startsWith('0') ? node.left : node.right;
    node = rest === '' ? undefined : child;
    rest = rest.slice(1);
  }
  return nodes;
}

const trieOf = (values: readonly Uint8Array[]): Built | undefined =>
  build(values.map((value, index) => [bitsOf(indexKey(index)), value]));

/** The bits of a key below some node, and its value. */
type Entry = readonly [bits: string, value: Uint8Array];

interface Built {
  readonly path: string;
  readonly left: Built | undefined;
  readonly right: Built | undefined;
  readonly bytes: Uint8Array;
  /** Bytes of it, of its value and of all below it. */
  readonly size: number;
}

function build(entries: readonly Entry[]): Built | undefined {
  const [first] = entries;
  if (!first) return;
  let path = first[0];
  for (const [bits] of entries) while (!bits.startsWith(path)) path = path.slice(0, -1);
  const value = entries.find(([bits]) => bits.length === path.length)?.[1];
  const below = (bit: string) =>
    build(
      entries
        .filter(([bits]) => bits[path.length] === bit)
        .map(([bits, each]) => [bits.slice(path.length + 1), each]),
    );
  return write(path, value, below('0'), below('1'));
}

function write(
  path: string,
  value: Uint8Array | undefined,
  left: Built | undefined,
  right: Built | undefined,
): Built {
  const isLong = value !== undefined && value.length > maxValueLength;
  const flags =
    version |
    (isLong ? hasLongValue : 0) |
    (path ? hasPath : 0) |
    (left ? hasLeft : 0) |
    (right ? hasRight : 0) |
    (isEmbedded(left) ? leftIsEmbedded : 0) |
    (isEmbedded(right) ? rightIsEmbedded : 0);
  const sizeBelow = (left?.size ?? 0) + (right?.size ?? 0);
  const bytes = concatBytes(
    Uint8Array.of(flags),
    ...(path ? [lengthOfPath(path.length), packed(path)] : []),
    ...[left, right].flatMap((child) => (child ? writeChild(child) : [])),
    ...(left || right ? [writeCount(sizeBelow)] : []),
    ...(value === undefined ? [] : isLong ? [keccak256(value), threeBytes(value.length)] : [value]),
  );
  return { path, left, right, bytes, size: sizeBelow + bytes.length + (isLong ? value.length : 0) };
}

const isEmbedded = (node: Built | undefined): boolean =>
  node !== undefined && !node.left && !node.right && node.bytes.length <= maxEmbeddedLength;

const writeChild = (child: Built): Uint8Array[] =>
  isEmbedded(child) ? [Uint8Array.of(child.bytes.length), child.bytes] : [keccak256(child.bytes)];

function lengthOfPath(bits: number): Uint8Array {
  if (bits <= 32) return Uint8Array.of(bits - 1);
  return bits >= 160 && bits <= 382
    ? Uint8Array.of(bits - 128)
    : concatBytes(Uint8Array.of(255), writeCount(bits));
}

/** Bits as bytes, the last one filled up with zeros. */
const packed = (bits: string): Uint8Array =>
  Uint8Array.from(bits.match(/.{1,8}/g) ?? [], (each) => Number.parseInt(each.padEnd(8, '0'), 2));

function writeCount(count: number): Uint8Array {
  if (count < 0xfd) return Uint8Array.of(count);
  const [marker, length] = count <= 0xffff ? [0xfd, 2] : [0xfe, 4];
  return Uint8Array.of(marker, ...Array.from({ length }, (_, at) => (count >>> (8 * at)) & 0xff));
}

const threeBytes = (length: number): Uint8Array =>
  Uint8Array.of(length >>> 16, (length >>> 8) & 0xff, length & 0xff);
