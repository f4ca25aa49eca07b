import type { Hex, LogCriteria } from '../rpc/schema.js';

/** What `eth_subscribe` can push (node-facts §7), delivered as EIP-1193 `message` events by the provider. */
export type SubscriptionKind =
  | { readonly kind: 'newHeads' }
  | { readonly kind: 'logs'; readonly criteria: LogCriteria }
  | { readonly kind: 'newPendingTransactions' }
  | { readonly kind: 'syncing' };

export interface Subscriptions {
  /** Resolves with the id (a short QUANTITY, unique in this wallet) at once; events follow. */
  subscribe(kind: SubscriptionKind): Promise<Hex>;
  /** True when the id was known. The last one out stops the follower and uninstalls server filters. */
  unsubscribe(id: Hex): Promise<boolean>;
  /** Ends all of them (the chain was switched, the wallet destroyed). */
  clear(): void;
}
