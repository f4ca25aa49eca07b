import { limitExceeded } from './core-errors.js';
import { invalidParams } from './errors.js';
import { own } from './own.js';
import { address, data, hash, quantity, type Reader, record, refuse } from './params.js';
import type { Address, CallObject, Hex, LogFilter } from './schema.js';
import { blockSelector } from './selectors.js';

/** Readers of the call object and the filter options. */

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
  const call = record(value, path, callKeys);
  const read = <T>(key: (typeof callKeys)[number], reader: Reader<T>): T | undefined => {
    const member = call[key];
    return member === undefined || member === null ? undefined : reader(member, `${path}.${key}`);
  };
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

/** `data` and its alias `input`: one of them, or both and equal. */
export function sameData(first: Hex | undefined, second: Hex | undefined, path: string): Hex | undefined {
  if (first !== undefined && second !== undefined && first !== second)
    throw invalidParams(`${path}: data and input are both given and differ`);
  return first ?? second;
}

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
  if (topics.length > 4)
    throw invalidParams(`${path}: a log has at most 4 topics, received ${topics.length}`);
  return topics;
};

const filterKeys = ['fromBlock', 'toBlock', 'address', 'topics', 'blockHash'] as const;

/** Filter options (docs/notes/service.md#filter-options-eth_newfilter-eth_getlogs). JSON `null` means absent: the node would reject it (docs/notes/node.md#log-ranges). */
export const logFilter: Reader<LogFilter> = (value, path) => {
  const filter = record(value, path, filterKeys);
  const read = <T>(key: (typeof filterKeys)[number], reader: Reader<T>): T | undefined => {
    const member = filter[key];
    return member === undefined || member === null ? undefined : reader(member, `${path}.${key}`);
  };
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
