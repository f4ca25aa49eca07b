import { bytesToHex, bytesToInteger } from '../rpc/hex.js';
import { keccak256 } from '../rpc/keccak.js';
import { encodeRlp } from '../rpc/rlp.js';
import type { Block, Hash } from '../rpc/schema.js';
import { countOf, dataOf, shortDataOf, signedOf, unsignedOf } from './fields.js';
import type { ChainRules } from './rules.js';
import { beyondProof, contradiction, noProof } from './verdict.js';

/** A block's header, and the proof of Bitcoin's work on it. */
export interface BlockHeader extends MergedMining {
  /** The fields that are hashed, in their order, but for the Bitcoin header. */
  readonly form: readonly Uint8Array[];
  readonly number: number;
  readonly hash: Hash;
  readonly parentHash: Hash;
  readonly transactionsRoot: Uint8Array;
  readonly receiptsRoot: Uint8Array;
  readonly difficulty: bigint;
  /** Unix seconds. */
  readonly timestamp: number;
  /** How many siblings it includes. */
  readonly uncles: number;
}

/** The fields that prove the work of Bitcoin's miners. */
export interface MergedMining {
  /** 80 bytes. */
  readonly bitcoinHeader: Uint8Array;
  /** Hashes of 32 bytes each, from the coinbase to the root. */
  readonly merkleProof: Uint8Array;
  /** The coinbase without its beginning: 8 bytes that count it, the 32 of SHA-256's state after it, and the rest. */
  readonly coinbase: Uint8Array;
}

/** The fields of the node's blocks that can tell a form of header, beside those that every block has. */
const knownFields = new Set([
  ...['number', 'hash', 'parentHash', 'mixHash', 'nonce', 'sha3Uncles', 'logsBloom', 'transactionsRoot'],
  ...['stateRoot', 'receiptsRoot', 'miner', 'difficulty', 'totalDifficulty', 'extraData', 'size', 'gasLimit'],
  ...['gasUsed', 'timestamp', 'transactions', 'uncles', 'minimumGasPrice', 'hashForMergedMining', 'paidFees'],
  ...[
    'bitcoinMergedMiningHeader',
    'bitcoinMergedMiningCoinbaseTransaction',
    'bitcoinMergedMiningMerkleProof',
  ],
  ...['cumulativeDifficulty', 'rskPteEdges', 'baseEvent'],
]);

/**
 * Reads the header of a block as `eth_getBlockBy…` returns it, and holds its hash against its fields.
 *
 * @throws NotProven
 */
export function readHeader(block: Block, rules: ChainRules): BlockHeader {
  const number = countOf(block, 'number');
  const hash = bytesToHex(dataOf(block, 'hash', 32));
  if (number === 0 && rules.genesis !== undefined && hash !== rules.genesis)
    throw contradiction('Its first block is not that of this chain.');
  if (number < rules.coveredFrom)
    throw beyondProof(`Blocks below ${rules.coveredFrom} have a form that is not covered.`);
  const mining: MergedMining = {
    bitcoinHeader: dataOf(block, 'bitcoinMergedMiningHeader', 80),
    merkleProof: shortDataOf(block, 'bitcoinMergedMiningMerkleProof'),
    coinbase: shortDataOf(block, 'bitcoinMergedMiningCoinbaseTransaction'),
  };
  for (const form of formsOf(block)) {
    const header = headerOf(form, mining);
    if (header.hash === hash) return header;
  }
  if (!Object.keys(block).every((name) => knownFields.has(name)))
    throw noProof('The block has a form that is not known.');
  throw contradiction('The hash of the block is not that of its fields.');
}

/** The places of fields. */
const at = {
  ...{ parentHash: 0, transactionsRoot: 4, receiptsRoot: 5, bloom: 6 },
  ...{ difficulty: 7, number: 8, timestamp: 11, uncles: 15, ummRoot: 16 },
};

/**
 * The header with these hashed fields.
 *
 * @throws NotProven `claimed` if a field has another length than it can have
 */
export function headerOf(form: readonly Uint8Array[], mining: MergedMining): BlockHeader {
  const field = (place: number, minLength: number, maxLength: number): Uint8Array => {
    const found = form[place];
    if (!found || found.length < minLength || found.length > maxLength)
      throw noProof(`Field ${place} of a header is missing or has a wrong length.`);
    return found;
  };
  const hash = (place: number) => field(place, 32, 32);
  const count = (place: number) => Number(bytesToInteger(field(place, 0, 6)));
  return {
    ...mining,
    form,
    number: count(at.number),
    hash: bytesToHex(keccak256(encodeRlp([...form, mining.bitcoinHeader]))),
    parentHash: bytesToHex(hash(at.parentHash)),
    transactionsRoot: hash(at.transactionsRoot),
    receiptsRoot: hash(at.receiptsRoot),
    difficulty: bytesToInteger(field(at.difficulty, 1, 33)),
    timestamp: count(at.timestamp),
    uncles: count(at.uncles),
  };
}

/** A header's version (RSKIP-351). Versions 1 and 2 hash what they add to it beside the bloom. */
export type HeaderVersion = 0 | 1 | 2;

/**
 * The forms that a header with these fields can have: its JSON tells neither its version nor whether the root of RSKIP-UMM, which is
 * empty, is among the hashed fields.
 */
function* formsOf(block: Block): Generator<readonly Uint8Array[]> {
  const form = formOf(block, 0);
  yield form;
  yield form.filter((_, place) => place !== at.ummRoot);
  yield formOf(block, 2);
  yield formOf(block, 1);
}

const none = new Uint8Array(0);

/**
 * The fields that the hash for merged mining is of, in their order; the block's hash is of these and the Bitcoin header.
 *
 * @throws NotProven `claimed`
 */
export function formOf(block: Block, version: HeaderVersion): Uint8Array[] {
  if (!Array.isArray(block.uncles) || block.uncles.length > 10)
    throw noProof('The block does not list its uncles.');
  const miner = dataOf(block, 'miner', 20);
  const bloom = dataOf(block, 'logsBloom', 256);
  const edges = edgesOf(block);
  return [
    dataOf(block, 'parentHash', 32),
    dataOf(block, 'sha3Uncles', 32),
    // A block without a miner has an empty field.
    miner.some((byte) => byte > 0) ? miner : none,
    dataOf(block, 'stateRoot', 32),
    dataOf(block, 'transactionsRoot', 32),
    dataOf(block, 'receiptsRoot', 32),
    version === 0
      ? bloom
      : compressed(version, [keccak256(bloom), ...(version === 2 ? [eventOf(block)] : []), ...edges]),
    signedOf(block, 'difficulty'),
    unsignedOf(block, 'number'),
    signedOf(block, 'gasLimit'),
    unsignedOf(block, 'gasUsed'),
    unsignedOf(block, 'timestamp'),
    shortDataOf(block, 'extraData'),
    unsignedOf(block, 'paidFees'),
    signedOf(block, 'minimumGasPrice'),
    block.uncles.length === 0 ? none : Uint8Array.of(block.uncles.length),
    none,
    ...(version === 0 ? edges : []),
  ];
}

/**
 * The header's bytes as `rsk_getRawBlockHeaderBy…` returns them: of version 0 those whose hash is the block's, of others with the
 * bloom and what the version adds.
 *
 * @throws NotProven `claimed`
 */
export function encodeHeader(block: Block, version: HeaderVersion): Uint8Array {
  const bitcoinHeader = dataOf(block, 'bitcoinMergedMiningHeader');
  const form = formOf(block, block.number === '0x0' ? 0 : version);
  if (block.number === '0x0') return encodeRlp([...form.slice(0, at.ummRoot), bitcoinHeader]);
  if (version === 0) return encodeRlp([...form, bitcoinHeader]);
  form[at.bloom] = dataOf(block, 'logsBloom', 256);
  const added = [Uint8Array.of(version), ...edgesOf(block), ...(version === 2 ? [eventOf(block)] : [])];
  return encodeRlp([...form, ...added, bitcoinHeader]);
}

const compressed = (version: HeaderVersion, extension: readonly Uint8Array[]): Uint8Array =>
  encodeRlp([Uint8Array.of(version), keccak256(encodeRlp(extension))]);

const eventOf = (block: Block): Uint8Array =>
  (block.baseEvent ?? null) === null ? none : shortDataOf(block, 'baseEvent');

/** The ends of the lists of transactions that run beside each other (RSKIP-144), two bytes each, the low one first. */
function edgesOf({ rskPteEdges }: Block): Uint8Array[] {
  if ((rskPteEdges ?? null) === null) return [];
  if (
    !Array.isArray(rskPteEdges) ||
    rskPteEdges.length > 64 ||
    !rskPteEdges.every((each) => Number.isInteger(each) && each >>> 16 === 0)
  )
    throw noProof('The field rskPteEdges is no list of short numbers.');
  return [Uint8Array.from(rskPteEdges.flatMap((each: number) => [each & 0xff, each >> 8]))];
}
