import { bytesToHex, hexToBytes } from '../rpc/hex.js';
import { concatBytes } from '../rpc/rlp.js';
import type { Hex } from '../rpc/schema.js';
import { doubleSha256 } from './address.js';

/** A Bitcoin transaction, as far as a peg-out needs it. */
export interface BitcoinTransaction {
  /** As explorers show it: 64 hexadecimal digits. */
  readonly id: string;
  readonly outputs: readonly BitcoinOutput[];
}

/** An output of a Bitcoin transaction. */
export interface BitcoinOutput {
  /** satoshis */
  readonly amount: bigint;
  /** The bytes of its script. */
  readonly script: Hex;
}

/** Satoshis that can exist. */
export const maxSatoshis = 21_000_000n * 10n ** 8n;

/**
 * Reads a serialized transaction, with or without the witness of BIP 144. Returns `null` unless the bytes are exactly one
 * transaction in its only form.
 */
export function readTransaction(raw: Hex): BitcoinTransaction | null {
  try {
    return read(hexToBytes(raw));
  } catch (reason) {
    if (reason === malformed) return null;
    throw reason;
  }
}

const malformed = Symbol('malformed');

function must(holds: boolean): asserts holds {
  if (!holds) throw malformed;
}

function read(bytes: Uint8Array): BitcoinTransaction {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  let at = 0;
  /** Moves past `length` bytes, and returns where they begin. */
  const skip = (length: number): number => {
    must(length <= bytes.length - at);
    at += length;
    return at - length;
  };
  const number = (size: 2 | 4): number =>
    size === 2 ? view.getUint16(skip(2), true) : view.getUint32(skip(4), true);
  /** A length in Bitcoin's variable form. A longer form than needed is refused, as nodes refuse it. */
  const count = (): number => {
    const first = view.getUint8(skip(1));
    if (first < 0xfd) return first;
    must(first < 0xff);
    const value = number(first === 0xfd ? 2 : 4);
    must(value >= (first === 0xfd ? 0xfd : 0x1_0000));
    return value;
  };
  /** Reads `length` items. A false length ends with the bytes, since an item has at least one. */
  const list = <T>(item: () => T): readonly T[] => {
    const items: T[] = [];
    for (let left = count(); left > 0; left -= 1) items.push(item());
    return items;
  };

  skip(4);
  const hasWitness = bytes[at] === 0;
  if (hasWitness) {
    skip(1);
    must(view.getUint8(skip(1)) === 1);
  }
  const start = at;
  const inputs = list(() => {
    skip(36);
    skip(count());
    skip(4);
  });
  must(inputs.length > 0);
  const outputs = list((): BitcoinOutput => {
    const amount = view.getBigUint64(skip(8), true);
    must(amount <= maxSatoshis);
    const length = count();
    const from = skip(length);
    return { amount, script: bytesToHex(bytes.subarray(from, from + length)) };
  });
  must(outputs.length > 0);
  const end = at;
  if (hasWitness) for (const _ of inputs) list(() => skip(count()));
  const locktime = skip(4);
  must(at === bytes.length);

  // The id leaves the witness out.
  const parts = [bytes.subarray(0, 4), bytes.subarray(start, end), bytes.subarray(locktime)];
  return { id: bytesToHex(doubleSha256(concatBytes(...parts)).reverse()).slice(2), outputs };
}
