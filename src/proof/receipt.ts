import { encodeRlp } from '../rpc/rlp.js';
import type { Receipt } from '../rpc/schema.js';
import { dataOf, unsignedOf } from './fields.js';
import { noProof } from './verdict.js';

/** More logs in one receipt are not hashed: they would hold the page up. */
const maxLogs = 4_000;

/**
 * The bytes of a receipt that the trie of its block holds, from what `eth_getTransactionReceipt` returns: outcome, gas used so far,
 * bloom, logs, gas and outcome again.
 *
 * @throws NotProven `claimed`
 */
export function encodeReceipt(receipt: Receipt): Uint8Array {
  if ((receipt.type ?? '0x0') !== '0x0') throw noProof('The receipt is of a type that is not known.');
  if (!/^0x0*[01]$/.test(String(receipt.status))) throw noProof('The receipt does not tell the outcome.');
  if (!Array.isArray(receipt.logs) || receipt.logs.length > maxLogs)
    throw noProof('The receipt has no list of logs, or a longer one than is read.');
  const status = Number(receipt.status) === 1 ? Uint8Array.of(1) : new Uint8Array(0);
  const logs = receipt.logs.map((log) => {
    if (!Array.isArray(log.topics) || log.topics.length > 4) throw noProof('A log has no list of topics.');
    const topics = log.topics.map((_: unknown, at: number) => dataOf(log.topics, String(at), 32));
    return [dataOf(log, 'address', 20), topics, dataOf(log, 'data')];
  });
  const gas = (name: string) => unsignedOf(receipt, name);
  return encodeRlp([
    status,
    gas('cumulativeGasUsed'),
    dataOf(receipt, 'logsBloom', 256),
    logs,
    gas('gasUsed'),
    status,
  ]);
}
