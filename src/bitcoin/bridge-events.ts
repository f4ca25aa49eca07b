import { wordOf } from '../rpc/hex.js';
import { bridge } from '../rpc/known-contracts.js';
import { isDataField } from '../rpc/results.js';
import type { Address, Hash, Hex, Log } from '../rpc/schema.js';
import { type BitcoinNetwork, toSatoshis } from './network.js';
import { type BitcoinTransaction, readTransaction } from './transaction.js';

/**
 * Events of the bridge about peg-outs (rskj, BridgeEvents), decoded strictly: a log of another contract, with other topics, or with
 * data that is not the canonical encoding of the arguments is left out.
 */

/** Hashes of their signatures: the first topics. */
export const topics = {
  /** `release_request_received(address,string,uint256)`, since RSKIP-326. */
  received: '0x1a4457a4460d48b40c5280955faf8e4685fa73f0866f7d8f573bdd8e64aca5b1',
  /** `release_request_received(address,bytes,uint256)`, before. */
  receivedBefore: '0x8e04e2f2c246a91202761c435d6a4971bdc7af0617f0c739d900ecd12a6d7266',
  /** `release_request_rejected(address,uint256,int256)` */
  rejected: '0xb607c3e1fbe6b38cd145b15b837f7b722b199caa60e3057b36c141adee3b75e7',
  /** `batch_pegout_created(bytes32,bytes)` */
  batch: '0x483d0191cc4e784b04a41f6c4801a0766b43b1fdd0b9e3e6bfdca74e5b05c2eb',
  /** `pegout_confirmed(bytes32,uint256)` */
  confirmed: '0xc287f602476eeef8a547a3b82e79045c827c51362ff153f728b6d839bad099ef',
  /** `release_btc(bytes32,bytes)` */
  release: '0x655929b56d5c5a24f81ee80267d5151b9d680e7e703387999922e9070bc98a02',
} as const satisfies Record<string, Hash>;

/** A request to release bitcoin that the bridge has taken. */
export interface ReceivedEvent {
  readonly sender: Address;
  /** The characters of a Bitcoin address, or the 20 bytes of its hash. */
  readonly destination: Hex;
  /** satoshis */
  readonly amount: bigint;
}

/** A request that the bridge has refused. */
export interface RejectedEvent {
  readonly sender: Address;
  /** satoshis */
  readonly amount: bigint;
  /** 1: too little. 2: the sender is a contract. 3: the fee is too high for the amount. */
  readonly reason: 1 | 2 | 3;
}

/** A Bitcoin transaction that the bridge has made for several requests. */
export interface BatchEvent {
  /** The transaction of Rootstock that made it. */
  readonly transaction: Hash;
  /** The batch's second topic, by which its confirmation is found. */
  readonly topic: Hash;
  readonly block: number;
  /** The transactions that asked, in the order of the outputs. */
  readonly requests: readonly Hash[];
}

/** Hexadecimal digits of an ABI word. */
const wordLength = 64;

/**
 * Reads data that begins with so many words, of which the first may be the offset of bytes behind them. The readers of
 * `rpc/abi-values.ts` would load with all that decodes calls.
 *
 * @returns the bytes, empty without any, and the words; `null` unless the data is exactly their canonical encoding
 */
function dataOf(
  { data }: Log,
  { words: count, hasBytes = false }: { readonly words: number; readonly hasBytes?: boolean },
): { readonly bytes: Hex; readonly words: readonly bigint[] } | null {
  const digits = data.slice(2).toLowerCase();
  const head = count * wordLength;
  if (digits.length < (hasBytes ? head + wordLength : head)) return null;
  const wordAt = (at: number) => BigInt(`0x${digits.slice(at, at + wordLength)}`);
  const words = Array.from({ length: count }, (_, index) => wordAt(index * wordLength));
  if (!hasBytes) return digits.length === head ? { bytes: '0x', words } : null;

  const start = head + wordLength;
  const end = start + 2 * Number(wordAt(head));
  const content = digits.slice(start, end);
  const padding = digits.slice(end);
  const isWhole = content.length === end - start && digits.length % wordLength === 0;
  const isCanonical = digits.startsWith(wordOf(BigInt(head / 2))) && /^0{0,63}$/.test(padding);
  return isWhole && isCanonical ? { bytes: `0x${content}`, words } : null;
}

/** The second topic; `null` if the log is not this event of the bridge. Services may leave members out. */
function subjectOf(log: Partial<Log>, topic: Hash): Hash | null {
  const { address, data, removed, topics: [first, second, ...rest] = [] } = log;
  const isEvent = address?.toLowerCase() === bridge && first?.toLowerCase() === topic && rest.length === 0;
  if (!isEvent || removed === true || second === undefined || !isDataField(data)) return null;
  return second.toLowerCase() as Hash;
}

/** The address in a topic; `null` if there are other bits. */
const addressIn = (topic: Hash): Address | null => (/^0x0{24}/.test(topic) ? `0x${topic.slice(26)}` : null);

/** The amount of an event in satoshis, whose unit its height tells. */
const amountOf = (amount: bigint, { blockNumber }: Log, { weiFrom }: BitcoinNetwork): bigint =>
  Number(blockNumber) < weiFrom ? amount : toSatoshis(amount);

/** Reads `release_request_received` in both of its forms. */
export function readReceived(log: Log, network: BitcoinNetwork): ReceivedEvent | null {
  const subject = subjectOf(log, topics.received) ?? subjectOf(log, topics.receivedBefore);
  const sender = addressIn(subject ?? '0x');
  const read = sender && dataOf(log, { words: 2, hasBytes: true });
  if (!sender || !read) return null;
  const [, amount] = read.words as [bigint, bigint];
  return { sender, destination: read.bytes, amount: amountOf(amount, log, network) };
}

/** Reads `release_request_rejected`. */
export function readRejected(log: Log, network: BitcoinNetwork): RejectedEvent | null {
  const sender = addressIn(subjectOf(log, topics.rejected) ?? '0x');
  const read = sender && dataOf(log, { words: 2 });
  if (!sender || !read) return null;
  const [amount, code] = read.words as [bigint, bigint];
  const reason = Number(code);
  if (reason !== 1 && reason !== 2 && reason !== 3) return null;
  return { sender, amount: amountOf(amount, log, network), reason };
}

/** Reads `batch_pegout_created`. */
export function readBatch(log: Log): BatchEvent | null {
  const topic = subjectOf(log, topics.batch);
  const read = topic && dataOf(log, { words: 1, hasBytes: true });
  if (!topic || !read || !log.transactionHash) return null;
  const digits = read.bytes.slice(2);
  if (digits.length === 0 || digits.length % wordLength > 0) return null;
  const requests = (digits.match(/.{64}/g) as string[]).map((each): Hash => `0x${each}`);
  const transaction = log.transactionHash.toLowerCase() as Hash;
  return { transaction, topic, block: Number(log.blockNumber), requests };
}

/** Whether it is the `pegout_confirmed` of a batch, which names the block that made the batch. */
export const isConfirmation = (log: Log, { topic, block }: BatchEvent): boolean =>
  subjectOf(log, topics.confirmed) === topic && dataOf(log, { words: 1 })?.words[0] === BigInt(block);

/** Reads the `release_btc` of a batch: the signed Bitcoin transaction. */
export function readRelease(log: Log, { transaction }: BatchEvent): BitcoinTransaction | null {
  if (subjectOf(log, topics.release) !== transaction) return null;
  const read = dataOf(log, { words: 1, hasBytes: true });
  return read && readTransaction(read.bytes);
}
