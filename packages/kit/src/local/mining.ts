import { _SHA256, sha256 } from '@noble/hashes/sha2.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { concatBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import { formOf } from '../../../../src/proof/header.js';
import { rootOfValues } from '../../../../src/proof/trie.js';
import { targetOf } from '../../../../src/proof/work.js';
import { bytesToHex, bytesToInteger } from '../../../../src/rpc/hex.js';
import { encodeRlp } from '../../../../src/rpc/rlp.js';
import type { Block, Hash, Hex } from '../../../../src/rpc/schema.js';
import type { Switches } from './dialect.js';

/** Mines as Rootstock's chain is mined: in a Bitcoin block whose coinbase names the block (docs/notes/node.md#proofs). */

export type MiningRules = Pick<Switches, 'headerVersion' | 'nodeFields'>;

/**
 * The block with its hash and its merged-mining fields, from all of its other fields. The first nonce that suffices is taken, so the
 * same fields give the same hash.
 */
export function mineBlock(block: Block, { headerVersion, nodeFields }: MiningRules): Block {
  const form = formOf(block, headerVersion);
  const mergedMiningHash = keccak_256(encodeRlp(form));
  const coinbase = coinbaseOf(mergedMiningHash);
  // A Bitcoin block of a development node has no other transaction.
  const path = nodeFields ? [] : [1, 2, 3].map((step) => sha256(utf8ToBytes(`${step}`)));
  const root = path.reduce((node, step) => twice(concatBytes(node, step.slice().reverse())), coinbase.hash);
  const bitcoinHeader = headerAbove(root, block);
  return {
    ...block,
    hash: bytesToHex(keccak_256(encodeRlp([...form, bitcoinHeader]))),
    hashForMergedMining: bytesToHex(mergedMiningHash),
    bitcoinMergedMiningHeader: bytesToHex(bitcoinHeader),
    bitcoinMergedMiningCoinbaseTransaction: bytesToHex(coinbase.compressed),
    bitcoinMergedMiningMerkleProof: bytesToHex(concatBytes(...path)),
  };
}

/** The root of the trie of a block's transactions or receipts. */
export const rootOf = (values: readonly Uint8Array[]): Hash => bytesToHex(rootOfValues(values));

const twice = (bytes: Uint8Array): Uint8Array => sha256(sha256(bytes));

/** The beginning of a coinbase transaction: whole blocks of 64 bytes. */
const beginning = new Uint8Array(832);
const lockTime = new Uint8Array(4);

/** SHA-256 whose state can be read. */
class OpenSha256 extends _SHA256 {
  state(): Uint8Array {
    const state = new DataView(new ArrayBuffer(32));
    for (const [at, word] of this.get().entries()) state.setInt32(4 * at, word);
    return new Uint8Array(state.buffer);
  }
}

const count = new Uint8Array(8);
new DataView(count.buffer).setBigUint64(0, BigInt(beginning.length));
const midstate = concatBytes(count, new OpenSha256().update(beginning).state());

function coinbaseOf(mergedMiningHash: Uint8Array): { hash: Uint8Array; compressed: Uint8Array } {
  const tail = concatBytes(utf8ToBytes('RSKBLOCK:'), mergedMiningHash, lockTime);
  return { hash: twice(concatBytes(beginning, tail)), compressed: concatBytes(midstate, tail) };
}

/** Finds a Bitcoin header with enough work: of difficulty 1 every third one has. */
function headerAbove(merkleRoot: Uint8Array, { difficulty, timestamp }: Block): Uint8Array {
  const header = new Uint8Array(80);
  const fields = new DataView(header.buffer);
  fields.setUint32(0, 0x20000000, true);
  header.set(merkleRoot, 36);
  fields.setUint32(68, Number(timestamp), true);
  fields.setUint32(72, 0x207fffff, true);
  const target = targetOf(BigInt(difficulty as Hex));
  for (let nonce = 0; bytesToInteger(twice(header).reverse()) > target; ) fields.setUint32(76, ++nonce, true);
  return header;
}
