import { hexToBytes, integerToBytes } from '../rpc/hex.js';
import { encodeRlp, type RlpItem } from '../rpc/rlp.js';
import type { Block, Hex, Receipt } from '../rpc/schema.js';

/** The raw forms that the `rsk_` methods give, in RSKj's field order. */

const bytes = (hex: unknown) => hexToBytes(hex as Hex);
const integer = (hex: unknown) => integerToBytes(BigInt(hex as Hex));

export const encodeHeader = (block: Block): Uint8Array =>
  encodeRlp([
    ...[block.parentHash, block.sha3Uncles, block.miner, block.stateRoot].map(bytes),
    ...[block.transactionsRoot, block.receiptsRoot, block.logsBloom].map(bytes),
    ...[block.difficulty, block.number, block.gasLimit, block.gasUsed, block.timestamp].map(integer),
    bytes(block.extraData),
    ...[block.paidFees, block.minimumGasPrice].map(integer),
    integer(`0x${block.uncles.length.toString(16)}`),
    bytes(block.bitcoinMergedMiningHeader),
    bytes(block.bitcoinMergedMiningMerkleProof),
    bytes(block.bitcoinMergedMiningCoinbaseTransaction),
  ]);

export function encodeReceipt(receipt: Receipt): Uint8Array {
  const status = integer(receipt.status ?? '0x1');
  const logs: RlpItem[] = receipt.logs.map((log) => [
    bytes(log.address),
    log.topics.map(bytes),
    bytes(log.data),
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
