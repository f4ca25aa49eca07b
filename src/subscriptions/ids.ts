import { errorCode, ProviderRpcError } from '../rpc/errors.js';
import { toQuantity } from '../rpc/hex.js';
import type { Hex } from '../rpc/schema.js';

/**
 * Unique, short QUANTITY ids. The node's have 74 characters, which no library reads as a number
 * (docs/notes/clients.md#ids-of-filters). They start at a random number below 2^31, so that an id from an earlier page is
 * unknown in this one. `kind` keeps the ids of subscriptions and filters apart.
 */
export function createIds(kind: 'subscription' | 'filter', random: () => number = Math.random): () => Hex {
  let last = Math.floor(random() * 2 ** 30) * 2 + (kind === 'filter' ? 1 : 0);
  return () => {
    last += 2;
    return toQuantity(last);
  };
}

/** Subscriptions of a page, and filters, since each is matched against every block. */
export const maxPerPage = 1_000;

/**
 * How many missed headers are delivered after a sleep, each at the cost of a request: a night of Rootstock, about half a
 * minute (150 ms a request, six at once) and four percent of the daily quota.
 */
export const maxHeaders = 1_024;

/** Rejects requests for an id that are pending while the chain is switched or the wallet closed. */
export const chainLeft = () =>
  new ProviderRpcError(errorCode.chainDisconnected, 'The wallet left the chain meanwhile.');
