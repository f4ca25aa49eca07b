import { keccak_256 } from '@noble/hashes/sha3.js';
import { errorCode, invalidParams, ProviderRpcError } from '../../../../src/rpc/errors.js';
import { bytesToHex } from '../../../../src/rpc/hex.js';
import { type Json, toJson } from '../../../../src/rpc/message.js';
import { hash, record } from '../../../../src/rpc/params.js';
import type { Hash, Hex, LogCriteria } from '../../../../src/rpc/schema.js';
import { logFilter } from '../../../../src/rpc/selectors.js';

/** A pushed stream, shared by all equal subscriptions of one chain. */
export interface Topic {
  readonly kind: 'newHeads' | 'logs' | 'graft_steps';
  /** The subscription in its canonical form, as JSON: equal for equal subscriptions. */
  readonly key: string;
  /** 16 bytes of the hash of {@link key}: the id of its subscriptions. */
  readonly id: Hex;
  /** The filter of `logs`. */
  readonly criteria?: LogCriteria | undefined;
}

/** The subscription that the params of `eth_subscribe` request. */
export interface Wanted {
  readonly topic: Topic;
  /** The block after which `graft_steps` begins. */
  readonly since?: Hash | undefined;
}

/**
 * Reads the params of `eth_subscribe`.
 * @throws ProviderRpcError -32601 for a kind that the relay does not have, -32602 for a wrong filter
 */
export function readSubscription(params: readonly unknown[]): Wanted {
  const [kind, options] = params;
  if (typeof kind !== 'string') throw invalidParams('params[0]: expected the kind of a subscription');
  if (kind !== 'newHeads' && kind !== 'logs' && kind !== 'graft_steps')
    throw new ProviderRpcError(
      errorCode.methodNotFound,
      'this relay has no such subscription: newHeads, logs or graft_steps',
    );
  if (params.length > 2) throw invalidParams(`params: at most 2 expected, received ${params.length}`);
  // Libraries may add an empty object or `false` ("hashes only").
  if (kind === 'newHeads') return { topic: topicOf(kind) };
  const criteria = toJson(options ?? {}, 'params[1]');
  if (kind === 'logs') return { topic: topicOf(kind, canonicalCriteria(criteria)) };
  const { since } = record(criteria, 'params[1]', ['since']);
  const isFromBlock = since !== undefined && since !== null;
  return { topic: topicOf(kind), since: isFromBlock ? hash(since, 'params[1].since') : undefined };
}

/** The topic with this key; `undefined` for other texts. */
export function topicOfKey(key: string): Topic | undefined {
  try {
    return readSubscription(JSON.parse(key) as unknown[]).topic;
  } catch {
    return undefined;
  }
}

function topicOf(kind: Topic['kind'], criteria?: LogCriteria): Topic {
  const key = JSON.stringify(criteria ? [kind, criteria] : [kind]);
  const bytes = keccak_256(new TextEncoder().encode(key)).slice(0, 16);
  return { kind, key, id: bytesToHex(bytes), criteria };
}

/** In lower case, without repetitions, in one order, and without what matches anything. */
function canonicalCriteria(criteria: Json): LogCriteria {
  const { address, topics = [] } = logFilter(criteria, 'params[1]');
  const addresses = setOf(address);
  const positions = topics.map((each) => (each === null ? null : setOf(each)));
  return {
    ...(addresses.length > 0 && { address: addresses }),
    ...(positions.length > 0 && { topics: positions }),
  };
}

const setOf = (values: Hex | readonly (Hex | null)[] | undefined): Hex[] =>
  [...new Set([values ?? []].flat().filter((each) => each !== null))].sort();
