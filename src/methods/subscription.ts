import { logFilter } from '../rpc/criteria.js';
import { invalidParams } from '../rpc/errors.js';
import type { Json } from '../rpc/message.js';
import { positions, text } from '../rpc/params.js';
import type { Hex, LogCriteria } from '../rpc/schema.js';
import type { SubscriptionKind } from '../subscriptions/subscriptions.js';
import { method } from './method.js';

/**
 * Push over a service that has none: events follow as EIP-1193 `message` events. For `logs`, `fromBlock` and
 * `toBlock` are accepted and ignored, as the node's own subscriptions do (node-facts §7).
 */
export const eth_subscribe = method<[kind: SubscriptionKind['kind'], criteria?: LogCriteria], Hex>()(
  readKind,
  {
    access: 'public',
    handle: async (context, kind) => (await context.following()).subscriptions.subscribe(kind),
  },
);

export const eth_unsubscribe = method<[id: Hex], boolean>()(positions(text), {
  access: 'public',
  handle: async (context, [id]) => (await context.following()).subscriptions.unsubscribe(id as Hex),
});

function readKind(params: Json): SubscriptionKind {
  const [kind, criteria] = Array.isArray(params) ? params : [];
  const surplus = Array.isArray(params) ? params.length : 0;
  switch (kind) {
    case 'newHeads':
    case 'newPendingTransactions':
    case 'syncing':
      // web3.js and geth's clients may add an empty options object or `false` ("hashes only").
      if (surplus > 2) throw invalidParams(`params: at most 2 expected, received ${surplus}`);
      return { kind };
    case 'logs': {
      if (surplus > 2) throw invalidParams(`params: at most 2 expected, received ${surplus}`);
      const { address, topics } = logFilter(criteria ?? {}, 'params[1]');
      return {
        kind,
        criteria: { ...(address !== undefined && { address }), ...(topics !== undefined && { topics }) },
      };
    }
    default:
      throw invalidParams('params[0]: expected "newHeads", "logs", "newPendingTransactions" or "syncing"');
  }
}
