import { methodNotFound } from '../../../../src/rpc/core-errors.js';
import { invalidParams, isProviderRpcError } from '../../../../src/rpc/errors.js';
import { toJson } from '../../../../src/rpc/message.js';
import { methodFacts, methodNames } from '../../../../src/rpc/method-facts/method-facts.js';
import { own } from '../../../../src/rpc/own.js';
import { membersOf } from '../../../../src/rpc/own-data.js';
import { data } from '../../../../src/rpc/params.js';
import { parseSigned } from '../../../../src/rpc/signed-transaction.js';
import { readSubscription } from '../heads/topics.js';
import { type Refusal, refused } from '../refusal.js';

/**
 * Decides which requests clients may make. A relay answers reads, signed transactions and subscriptions. It refuses only what it
 * must: what is not on the list, what cannot be a transaction of this chain, and what would cost too much. Params that are wrong
 * in another way go to the service, so that a client behind the relay reads the service's own words.
 */
export interface Policy {
  /** `chainId` is the chain of the request; absent, any chain of the relay. */
  judge(method: string, params: readonly unknown[], chainId?: number): Permitted | Refusal;
  /** Maximum characters of a message: of this method, or of any other one. */
  maxLength(method?: string): number;
  /** All methods on the list. */
  readonly methods: readonly string[];
}

export interface Permitted {
  readonly kind: 'read' | 'send' | 'subscription';
  /** Requests to the service that it is expected to cost. */
  readonly cost: number;
}

/** Changes the list of methods. */
export interface MethodOptions {
  /** Only these of the listed methods. `eth_chainId`, `net_version` and what subscriptions need always stay. */
  readonly only?: readonly string[] | undefined;
  /** These as well. Never a method of a module in {@link neverRelayed}, nor one that needs keys, a person, or state at the node. */
  readonly also?: readonly string[] | undefined;
}

/** Modules of wallets, with keys, the node’s operation, or answers of any size. */
export const neverRelayed = [
  'admin_',
  'db_',
  'debug_',
  'engine_',
  'evm_',
  'miner_',
  'mnr_',
  'personal_',
  'sco_',
  'shh_',
  'txpool_',
  'wallet_',
] as const;

/** Methods that are answered unless the owner narrows the list. */
const relayed = methodNames().filter((name) => methodFacts(name).isRelayed);

/** Whether the list may be widened by this method: not by one that needs keys, a person, or state at the node. */
export function mayBeRelayed(method: string): boolean {
  const { access, asksPerson, effect, follows, isOnce } = methodFacts(method);
  return (
    /^[a-z0-9]+_\w{1,60}$/i.test(method) &&
    !neverRelayed.some((prefix) => method.toLowerCase().startsWith(prefix)) &&
    !access &&
    !asksPerson &&
    follows !== 'filter' &&
    !(isOnce && effect !== 'send')
  );
}

/** The one send that a relay answers: what was signed elsewhere. */
export const signedSend = 'eth_sendRawTransaction';

/** Characters of a message: 64 kB, and 256 kB and an envelope for a signed transaction. */
const maxMessage = 65_536;
const maxSend = 262_144 + 1_024;

/** Blocks of one `eth_getLogs`, and how many of them cost as much as one request. */
const maxRange = 2_000;
const blocksPerRequest = 200;

/** Addresses of a filter, and alternatives for each of its four topics. */
const maxAddresses = 20;
const maxAlternatives = 10;

/** Without them a wallet could not tell the chain, nor follow it. */
const isNeeded = (method: string): boolean =>
  method === 'eth_chainId' || method === 'net_version' || methodFacts(method).follows === 'subscription';

export function createPolicy({ chains, methods = {}, height = () => null }: createPolicy.Options): Policy {
  const { only, also = [] } = own(methods);
  const listed = new Set([
    ...(only ? relayed.filter((method) => only.includes(method) || isNeeded(method)) : relayed),
    ...also.filter(mayBeRelayed),
  ]);

  /** @throws ProviderRpcError for what breaks a rule */
  function permit(method: string, params: readonly unknown[], chainId: number | undefined): Permitted {
    if (method === 'eth_subscribe') {
      if (params[0] === 'logs') checkWidth(params[1], 'params[1]');
      readSubscription(params);
      return { kind: 'subscription', cost: 0 };
    }
    if (method === 'eth_unsubscribe') {
      if (params.length !== 1 || typeof params[0] !== 'string' || params[0].length > 66)
        throw invalidParams('params[0]: expected the id of a subscription');
      return { kind: 'subscription', cost: 0 };
    }
    if (method === signedSend) {
      checkTransaction(params, chainId === undefined ? chains : [chainId]);
      return { kind: 'send', cost: 1 };
    }
    if (method === 'eth_getLogs') {
      const head =
        chainId === undefined && chains.length > 1 ? null : height(chainId ?? (chains[0] as number));
      return { kind: 'read', cost: costOfLogs(params, head) };
    }
    return { kind: 'read', cost: 1 };
  }

  return {
    methods: [...listed],
    judge(method, params, chainId) {
      try {
        if (!listed.has(method)) throw methodNotFound(method);
        return permit(method, params, chainId);
      } catch (error) {
        if (!isProviderRpcError(error)) throw error;
        return refused(error.code, error.message);
      }
    },
    maxLength: (method) => (method === signedSend ? maxSend : maxMessage),
  };
}

export declare namespace createPolicy {
  interface Options {
    /** Chain ids of the relay. */
    readonly chains: readonly number[];
    readonly methods?: MethodOptions | undefined;
    /** The newest block of a chain: where a range without an end ends. `null` while it is not known. */
    readonly height?: ((chainId: number) => number | null) | undefined;
  }
}

function checkTransaction(params: readonly unknown[], chains: readonly number[]): void {
  if (params.length !== 1) throw invalidParams(`params: 1 expected, received ${params.length}`);
  const raw = data(toJson(params[0]), 'params[0]');
  let first: unknown;
  for (const chainId of chains) {
    try {
      // Whether the chain has typed transactions, the service says.
      parseSigned(raw, chainId, 'params[0]', true);
      return;
    } catch (error) {
      first ??= error;
    }
  }
  throw first;
}

/** Refuses more addresses or topics than a filter may have; other errors are left to the reader of the filter. */
function checkWidth(criteria: unknown, path: string): void {
  const { address, topics } = membersOf(criteria);
  if (Array.isArray(address) && address.length > maxAddresses)
    throw invalidParams(`${path}.address: more than ${maxAddresses} addresses`);
  if (!Array.isArray(topics)) return;
  if (topics.length > 4)
    throw invalidParams(`${path}.topics: a log has at most 4 topics, received ${topics.length}`);
  for (const [i, topic] of topics.entries())
    if (Array.isArray(topic) && topic.length > maxAlternatives)
      throw invalidParams(`${path}.topics[${i}]: more than ${maxAlternatives} topics`);
}

function costOfLogs([criteria]: readonly unknown[], head: number | null): number {
  checkWidth(criteria, 'params[0]');
  const { fromBlock = 'latest', toBlock = 'latest', blockHash } = membersOf(criteria);
  if (typeof blockHash === 'string') return 1;
  const from = heightOf(fromBlock ?? 'latest', head);
  const to = heightOf(toBlock ?? 'latest', head);
  // The head is not known, or a selector that the service refuses.
  if (from === null || to === null) return fromBlock === toBlock ? 1 : maxRange / blocksPerRequest;
  const blocks = to - from + 1;
  if (blocks > maxRange)
    throw invalidParams(`params[0]: a range of more than ${maxRange} blocks; ask for several shorter ones`);
  return Math.max(1, Math.ceil(blocks / blocksPerRequest));
}

function heightOf(selector: unknown, head: number | null): number | null {
  if (selector === 'earliest') return 0;
  if (selector === 'latest' || selector === 'pending') return head;
  return typeof selector === 'string' && /^0x[0-9a-f]{1,16}$/i.test(selector) ? Number(selector) : null;
}
