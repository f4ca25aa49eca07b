import { isHash } from '../../rpc/results.js';
import { isHeadPoll } from '../../service/steady/contradiction.js';

/**
 * A request that tabs may send through their leader: only those of the follower, the subscriptions and the filters.
 * Reads of a page and sends are not among them, so a message of another tab can only make this one read the chain.
 */
export interface TabRequest {
  readonly method: string;
  readonly params: readonly unknown[];
  readonly key: string;
  /**
   * How long the answer is valid:
   * - `poll`: it changes with time;
   * - `height`: until the next poll of the head;
   * - `immutable`: for ever;
   * - `uninstall`: not at all; the request ends the tab's use of a server filter.
   */
  readonly kind: 'poll' | 'height' | 'immutable' | 'uninstall';
  /** Milliseconds: how old a poll may be where the request does not say. */
  readonly maxAge: number;
}

/** Milliseconds between polls while new heads are pushed; they also show whether all were. */
export const livePollingInterval = 60_000;

/** Milliseconds. */
const pendingMaxAge = 5_000;
const syncingMaxAge = 60_000;

/** `null` for a request that is not shared. Params are copied, so that what is sent is what was checked. */
export function readTabRequest(method: string, params: readonly unknown[]): TabRequest | null {
  const [first, second] = params;
  const request = (kind: TabRequest['kind'], copy: readonly unknown[], maxAge = 0): TabRequest | null =>
    params.length === copy.length
      ? { method, params: copy, key: JSON.stringify([method, copy]), kind, maxAge }
      : null;
  switch (method) {
    case 'eth_getBlockByNumber':
      if (isHeadPoll(method, params)) return request('poll', [first, second]);
      if (first === 'pending' && second === true) return request('poll', [first, second], pendingMaxAge);
      return isText(first, /^0x[0-9a-f]{1,13}$/) && second === false
        ? request('height', [first, second])
        : null;
    case 'eth_getBlockByHash':
      return isHash(first) && second === false ? request('immutable', [first, second]) : null;
    case 'eth_getLogs': {
      const hash = (first as { blockHash?: unknown } | null | undefined)?.blockHash;
      const isAlone = isHash(hash) && Object.keys(first as object).length === 1;
      return isAlone ? request('immutable', [{ blockHash: hash }]) : null;
    }
    case 'eth_getTransactionReceipt':
      return isHash(first) ? request('height', [first]) : null;
    case 'eth_getBlockReceipts':
      return isHash(first) ? request('immutable', [first]) : null;
    case 'eth_syncing':
      return request('poll', [], syncingMaxAge);
    case 'eth_newPendingTransactionFilter':
      return request('immutable', []);
    case 'eth_getFilterChanges':
      return isFilterId(first) ? request('poll', [first], pendingMaxAge) : null;
    case 'eth_uninstallFilter':
      return isFilterId(first) ? request('uninstall', [first]) : null;
    default:
      return null;
  }
}

/** The poll of the head. */
export const headPoll = readTabRequest('eth_getBlockByNumber', ['latest', false]) as TabRequest;
/** Installs the one server filter of pending transactions that all tabs poll. */
export const installFilter = readTabRequest('eth_newPendingTransactionFilter', []) as TabRequest;

function isText(value: unknown, form: RegExp): value is string {
  return typeof value === 'string' && form.test(value);
}

/** Id of a server filter: a QUANTITY by specification, 74 characters from the node (docs/notes/node.md#filter-ids). */
export function isFilterId(value: unknown): value is string {
  return isText(value, /^0x[0-9a-f]{1,80}$/i);
}
