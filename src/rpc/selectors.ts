import { limitExceeded } from './core-errors.js';
import { invalidParams } from './errors.js';
import { own } from './own.js';
import {
  address,
  data,
  hash,
  memberReader,
  quantity,
  quantityUpTo,
  type Reader,
  record,
  refuse,
  sameData,
} from './params.js';
import type { Address, BlockReference, BlockSelector, CallObject, LogFilter } from './schema.js';

/** Readers of what a read is about: block selectors (docs/notes/service.md#encodings), call objects and log filters. */

const tags: readonly unknown[] = ['latest', 'earliest', 'pending'];

/** Nodes use signed 64-bit block numbers; a longer value is probably a hash. */
const blockNumber = quantityUpTo(63, 'a block number (QUANTITY)');

/** A block number or one of the three tags of the chain. */
export const blockSelector: Reader<BlockSelector> = (value, path) => {
  if (tags.includes(value)) return value as BlockSelector;
  if (value === 'safe' || value === 'finalized')
    throw invalidParams(`${path}: the tag "${value}" is not known on this proof-of-work chain; use "latest"`);
  if (typeof value !== 'string')
    throw refuse(path, 'a block number (QUANTITY) or "latest", "earliest" or "pending"', value);
  return blockNumber(value, path);
};

/** `requireCanonical` as a boolean (EIP-1898) or as the node's strings. */
const canonicalWords: readonly unknown[] = [undefined, true, false, 'true', 'false'];

/** For some methods also a block hash, or an object with `blockHash` or `blockNumber` (EIP-1898). */
export const blockReference: Reader<BlockReference> = (value, path) => {
  if (typeof value === 'string' && value.length === 66 && /^0x[0-9a-fA-F]{64}$/.test(value))
    return hash(value, path);
  if (typeof value !== 'object' || value === null) return blockSelector(value, path);
  const map = record(value, path, ['blockHash', 'blockNumber', 'requireCanonical']);
  if (map.blockHash !== undefined && map.blockNumber !== undefined)
    throw invalidParams(`${path}: blockHash and blockNumber exclude each other`);
  if (!canonicalWords.includes(map.requireCanonical))
    throw refuse(`${path}.requireCanonical`, 'a boolean', map.requireCanonical ?? null);
  if (map.blockNumber !== undefined)
    return { blockNumber: blockNumber(map.blockNumber, `${path}.blockNumber`) };
  if (map.blockHash === undefined) throw refuse(path, 'blockHash or blockNumber', value);
  // `requireCanonical` is dropped: as a boolean (EIP-1898) it crashes the node, and for canonical blocks the result is the
  // same without it (docs/notes/node.md#form-of-params).
  return { blockHash: hash(map.blockHash, `${path}.blockHash`) };
};

/** The height of a selector; `undefined` for `latest` and `pending`, and without a selector. */
export const heightOfSelector = (selector: BlockSelector | undefined): number | undefined =>
  selector === 'earliest' ? 0 : selector?.startsWith('0x') ? Number(selector) : undefined;

/** The keys of a call object, EIP-1559's included; a transaction has these too. */
export const callKeys = [
  'from',
  'to',
  'gas',
  'gasLimit',
  'gasPrice',
  'value',
  'data',
  'input',
  'nonce',
  'chainId',
  'type',
  'maxFeePerGas',
  'maxPriorityFeePerGas',
  'accessList',
] as const;

/** A call object (docs/notes/service.md#call-object-eth_call-eth_estimategas). EIP-1559 fields are accepted and
 * dropped, because the node ignores them. */
export const callObject: Reader<CallObject> = (value, path) => {
  const read = memberReader(record(value, path, callKeys), path);
  const from = read('from', address);
  const to = read('to', address);
  const gas = read('gas', quantity) ?? read('gasLimit', quantity);
  const gasPrice = read('gasPrice', quantity);
  const amount = read('value', quantity);
  const input = sameData(read('data', data), read('input', data), path);
  return {
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
    ...(gas !== undefined && { gas }),
    ...(gasPrice !== undefined && { gasPrice }),
    ...(amount !== undefined && { value: amount }),
    ...(input !== undefined && { data: input }),
  };
};

const maxAddresses = 1_000;
const maxAlternatives = 1_000;

const addressOrList: Reader<Address | readonly Address[]> = (value, path) => {
  if (!Array.isArray(value)) return address(value, path);
  if (value.length > maxAddresses) throw limitExceeded(`${path}: more than ${maxAddresses} addresses`);
  return value.map((item, i) => address(item, `${path}[${i}]`));
};

/**
 * Normalises topics without changing what they match, because services differ in the forms they accept: `null` for a
 * position that matches anything, no `null` among alternatives, and no trailing position that matches anything.
 */
const topicList: Reader<NonNullable<LogFilter['topics']>> = (value, path) => {
  if (!Array.isArray(value)) throw refuse(path, 'an array of topics', value);
  if (value.length > 4) throw invalidParams(`${path}: a log has at most 4 topics, received ${value.length}`);
  const topics = value.map((topic, i) => {
    const at = `${path}[${i}]`;
    if (topic === null) return null;
    if (!Array.isArray(topic)) return hash(topic, at);
    if (topic.length > maxAlternatives) throw limitExceeded(`${at}: more than ${maxAlternatives} topics`);
    const some = topic.flatMap((each, j) => (each === null ? [] : hash(each, `${at}[${j}]`)));
    return some.length > 0 ? some : null;
  });
  while (topics.at(-1) === null) topics.pop();
  return topics;
};

/** Filter options (docs/notes/service.md#filter-options-eth_newfilter-eth_getlogs). JSON `null` means absent: the node would reject it (docs/notes/node.md#log-ranges). */
export const logFilter: Reader<LogFilter> = (value, path) => {
  const keys = ['fromBlock', 'toBlock', 'address', 'topics', 'blockHash'] as const;
  const read = memberReader(record(value, path, keys), path);
  const fromBlock = read('fromBlock', blockSelector);
  const toBlock = read('toBlock', blockSelector);
  const of = read('address', addressOrList);
  const topics = read('topics', topicList);
  const blockHash = read('blockHash', hash);
  if (blockHash !== undefined && (fromBlock !== undefined || toBlock !== undefined))
    throw invalidParams(`${path}: blockHash excludes fromBlock and toBlock`);
  return own({
    ...(fromBlock !== undefined && { fromBlock }),
    ...(toBlock !== undefined && { toBlock }),
    ...(of !== undefined && { address: of }),
    ...(topics !== undefined && { topics }),
    ...(blockHash !== undefined && { blockHash }),
  });
};
