import { errorCode, ProviderRpcError } from '../rpc/errors.js';
import { toQuantity } from '../rpc/hex.js';
import type { Hex } from '../rpc/schema.js';

/**
 * Short QUANTITY ids, each once: the node's are 74 characters, which no library reads as a number (docs/notes/clients.md#ids-of-filters). They start anywhere below 2^31, so that an id kept from an earlier page is unknown in this one.
 *
 * `kind` keeps two counters of one wallet apart without their knowing each other.
 */
export function createIds(kind: 'subscription' | 'filter', random: () => number = Math.random): () => Hex {
  let last = Math.floor(random() * 2 ** 30) * 2 + (kind === 'filter' ? 1 : 0);
  return () => {
    last += 2;
    return toQuantity(last);
  };
}

/** The most subscriptions of a page, and the most filters: each is matched against every block. */
export const mostAtOnce = 1_000;

/** For whoever waits for an id while the wallet turns to another chain, or is closed. */
export const chainLeft = () =>
  new ProviderRpcError(errorCode.chainDisconnected, 'The wallet left the chain meanwhile.');
