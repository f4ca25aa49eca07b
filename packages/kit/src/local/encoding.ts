import { hexToBytes, integerToBytes } from '../../../../src/rpc/hex.js';
import type { Block, Hex, Receipt } from '../../../../src/rpc/schema.js';
import { encodeRlp } from '../../../../src/rpc/transaction.js';

/** RLP encodings for the `rsk_getRaw…` methods, in RSKj's field order. */

const bytes = (hex: unknown) => hexToBytes(hex as Hex);
const integer = (hex: unknown) => integerToBytes(BigInt(hex as Hex));

export const encodeHeader = (block: Block): Uint8Array =>
  encodeRlp([
    bytes(block.parentHash),
    bytes(block.sha3Uncles),
    bytes(block.miner),
    bytes(block.stateRoot),
    bytes(block.transactionsRoot),
    bytes(block.receiptsRoot),
    bytes(block.logsBloom),
    integer(block.difficulty),
    integer(block.number),
    integer(block.gasLimit),
    integer(block.gasUsed),
    integer(block.timestamp),
    bytes(block.extraData),
    integer(block.paidFees),
    integer(block.minimumGasPrice),
    integer(`0x${block.uncles.length.toString(16)}`),
    bytes(block.bitcoinMergedMiningHeader),
    bytes(block.bitcoinMergedMiningMerkleProof),
    bytes(block.bitcoinMergedMiningCoinbaseTransaction),
  ]);

export function encodeReceipt(receipt: Receipt): Uint8Array {
  const status = integer(receipt.status ?? '0x1');
  const logs = receipt.logs.map(({ address, topics, data }) => [
    bytes(address),
    topics.map(bytes),
    bytes(data),
  ]);
  return encodeRlp([
    status,
    integer(receipt.cumulativeGasUsed),
    bytes(receipt.logsBloom),
    logs,
    integer(receipt.gasUsed),
    status,
  ]);
}
