import { bytesToHex, hexToBytes } from '../rpc/hex.js';
import { own } from '../rpc/own.js';
import { decodeRlp, encodeRlp, type RlpItem } from '../rpc/rlp.js';
import type { Hex } from '../rpc/schema.js';
import { type BlockHeader, headerOf } from './header.js';
import { noProof } from './verdict.js';

/**
 * A file that proves one payment: that its transaction and its outcome are in a block, and that Bitcoin's miners have worked on that
 * block and on those after it. It names neither a node nor a wallet (docs/guides/payment-proofs.md#the-format).
 */
export interface PaymentProof {
  /** Tells what the file is. */
  readonly format: 'graft-payment-proof';
  /** The format's. */
  readonly version: 1;
  /** The chain's, such as 30. */
  readonly chainId: number;
  /** The transaction's signed bytes, DATA. */
  readonly transaction: Hex;
  /** The receipt's bytes, DATA: RLP of status, gas used so far, bloom, logs, gas used, status. */
  readonly receipt: Hex;
  /** The place of both in the block, from 0. */
  readonly index: number;
  /** The nodes that lead from the block's transactions root to the transaction, DATA each. */
  readonly transactionNodes: readonly Hex[];
  /** The nodes that lead from the block's receipts root to the receipt, DATA each. */
  readonly receiptNodes: readonly Hex[];
  /** The block of the payment, then those on top of it in their order. */
  readonly blocks: readonly ProofBlock[];
}

/** A block in a proof: all that shows the work on it. DATA each. */
export interface ProofBlock {
  /** RLP of the header's fields as they are hashed, without the Bitcoin header. */
  readonly header: Hex;
  /** 80 bytes. */
  readonly bitcoinHeader: Hex;
  /** The hashes beside the way from the coinbase to the Merkle root, 32 bytes each, at most 960 in all. */
  readonly merkleProof: Hex;
  /** The coinbase as the node keeps it: 8 bytes of count, 32 of SHA-256's state, and the rest. */
  readonly coinbase: Hex;
}

/** A proof whose parts have been read, and not yet held against each other. */
export interface OpenProof {
  readonly chainId: number;
  readonly transaction: Uint8Array;
  readonly receipt: Uint8Array;
  readonly index: number;
  readonly transactionNodes: readonly Uint8Array[];
  readonly receiptNodes: readonly Uint8Array[];
  readonly blocks: readonly BlockHeader[];
}

/** Limits of what is read: a file of 1 MiB, the nodes of a trie, the bytes of one of them, and those of a header's parts. */
export const maxFileSize = 1_048_576;
const maxNodes = 16;
const maxNodeSize = 256;
const maxHeaderSize = 2_048;
const maxMerkleProofSize = 960;
const maxCoinbaseSize = 1_024;
const maxIndex = 0xffff;

/**
 * Reads a proof from its JSON, or from what `JSON.parse` makes of it.
 *
 * @param maxBlocks more are refused
 * @throws NotProven that says what is missing, too large or of another version
 */
export function readProof(proof: unknown, maxBlocks: number): OpenProof {
  const file = membersOf(typeof proof === 'string' ? parse(proof) : proof, 'The proof is not a JSON object.');
  if (file.format !== 'graft-payment-proof') throw noProof('The file is not a payment proof.');
  if (file.version !== 1)
    throw noProof(
      `The proof is of version ${typeof file.version === 'number' ? file.version : '?'}; 1 is known.`,
    );
  const { chainId, index, blocks } = file;
  if (!Number.isSafeInteger(chainId) || (chainId as number) < 1) throw noProof('The proof names no chain.');
  if (!Number.isInteger(index) || (index as number) < 0 || (index as number) > maxIndex)
    throw noProof('The proof has no index of the transaction.');
  if (!Array.isArray(blocks) || blocks.length === 0) throw noProof('The proof has no blocks.');
  if (blocks.length > maxBlocks)
    throw noProof(`The proof has ${blocks.length} blocks; at most ${maxBlocks} are read.`);
  return {
    chainId: chainId as number,
    index: index as number,
    transaction: bytesOf(file, 'transaction', maxFileSize),
    receipt: bytesOf(file, 'receipt', maxFileSize),
    transactionNodes: nodesOf(file, 'transactionNodes'),
    receiptNodes: nodesOf(file, 'receiptNodes'),
    blocks: blocks.map(readBlock),
  };
}

function parse(text: string): unknown {
  if (text.length > maxFileSize) throw noProof('The proof is larger than 1 MiB.');
  try {
    return JSON.parse(text);
  } catch {
    throw noProof('The proof is not JSON: it may be cut off.');
  }
}

type Members = Readonly<Record<string, unknown>>;

function membersOf(value: unknown, rule: string): Members {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw noProof(rule);
  return own(value as Record<string, unknown>);
}

function bytesOf(members: Members, name: string, maxSize: number): Uint8Array {
  const value = members[name];
  if (typeof value !== 'string' || value.length > 2 + 2 * maxSize || !/^0x([0-9a-f]{2})*$/i.test(value))
    throw noProof(`The part ${name} of the proof is missing, too long or not hexadecimal.`);
  return hexToBytes(value as Hex);
}

function nodesOf(members: Members, name: string): readonly Uint8Array[] {
  const nodes = members[name];
  if (!Array.isArray(nodes) || nodes.length === 0 || nodes.length > maxNodes)
    throw noProof(`The part ${name} of the proof is not a list of 1 to ${maxNodes} nodes.`);
  return nodes.map((node) => bytesOf({ [name]: node }, name, maxNodeSize));
}

function readBlock(block: unknown): BlockHeader {
  const members = membersOf(block, 'A block of the proof is not an object.');
  const bitcoinHeader = bytesOf(members, 'bitcoinHeader', 80);
  if (bitcoinHeader.length !== 80) throw noProof('A Bitcoin header of the proof has not 80 bytes.');
  return headerOf(flatListOf(bytesOf(members, 'header', maxHeaderSize)), {
    bitcoinHeader,
    merkleProof: bytesOf(members, 'merkleProof', maxMerkleProofSize),
    coinbase: bytesOf(members, 'coinbase', maxCoinbaseSize),
  });
}

function flatListOf(bytes: Uint8Array): readonly Uint8Array[] {
  const item = listOf(bytes, 'A header of the proof is not RLP.');
  if (!item.every((field) => field instanceof Uint8Array))
    throw noProof('A header of the proof is not flat.');
  return item as readonly Uint8Array[];
}

/** The items of an RLP list. */
export function listOf(bytes: Uint8Array, rule: string): readonly RlpItem[] {
  let item: RlpItem | undefined;
  try {
    item = decodeRlp(bytes);
  } catch {
    // Refused below.
  }
  if (item === undefined || item instanceof Uint8Array) throw noProof(rule);
  return item;
}

/** The JSON of a proof. */
export const writeProof = (proof: OpenProof): PaymentProof => ({
  format: 'graft-payment-proof',
  version: 1,
  chainId: proof.chainId,
  transaction: bytesToHex(proof.transaction),
  receipt: bytesToHex(proof.receipt),
  index: proof.index,
  transactionNodes: proof.transactionNodes.map(bytesToHex),
  receiptNodes: proof.receiptNodes.map(bytesToHex),
  blocks: proof.blocks.map(({ form, bitcoinHeader, merkleProof, coinbase }) => ({
    header: bytesToHex(encodeRlp(form)),
    bitcoinHeader: bytesToHex(bitcoinHeader),
    merkleProof: bytesToHex(merkleProof),
    coinbase: bytesToHex(coinbase),
  })),
});
