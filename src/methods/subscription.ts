import { logFilter } from '../rpc/criteria.js';
import { invalidParams } from '../rpc/errors.js';
import type { Json } from '../rpc/message.js';
import { own } from '../rpc/own.js';
import { positions, refuse, text } from '../rpc/params.js';
import type { Hex, LogCriteria } from '../rpc/schema.js';
import type { SubscriptionKind } from '../subscriptions/subscriptions.js';
import { method } from './method.js';

/**
 * Push over a service that has none: events follow as EIP-1193 `message` events. For `logs`, `fromBlock` and
 * `toBlock` are accepted and ignored, as the node's own subscriptions do (docs/notes/node.md#push). What was mined while the
 * page slept or was offline comes before anything newer: of logs all, of headers the newest 1,024.
 *
 * `resume` (1 to 64 visible ASCII characters, for `logs` and `newHeads`) names how far the page has been told:
 * subscribed again under the same name with the same criteria, also after a reload, everything since comes first, in
 * order; logs of blocks that have left the chain meanwhile are taken back before (`removed: true`). Of headers the
 * newest 1,024 are made up. Told at least once: after a crash the last ones may come again, the same in block hash,
 * transaction hash and log index. Names belong to the page's origin and to the chain, are shared by its tabs (the
 * furthest of them moves it on), survive `eth_unsubscribe`, and are forgotten after 30 days, or beyond 256. Where
 * the browser stores nothing they last as long as the page.
 *
 * @throws ProviderRpcError -32005 where more than 100,000 blocks of logs were missed; the name then starts anew.
 * 4901 where the wallet leaves the chain before the id is known.
 */
export const eth_subscribe = method<[kind: SubscriptionKind['kind'], options?: SubscriptionOptions], Hex>()(
  readKind,
  {
    access: 'public',
    handle: async (context, kind) => (await context.following()).subscriptions.subscribe(kind),
  },
);

export interface SubscriptionOptions extends LogCriteria {
  readonly resume?: string;
}

export const eth_unsubscribe = method<[id: Hex], boolean>()(positions(text), {
  access: 'public',
  handle: async (context, [id]) => (await context.following()).subscriptions.unsubscribe(id as Hex),
});

function readKind(params: Json): SubscriptionKind {
  const [kind, given] = Array.isArray(params) ? params : [];
  if (Array.isArray(params) && params.length > 2)
    throw invalidParams(`params: at most 2 expected, received ${params.length}`);
  const { options, resume } = readResume(given);
  switch (kind) {
    // web3.js and geth's clients may add an empty options object or `false` ("hashes only").
    case 'newHeads':
      return { kind, ...resume };
    case 'newPendingTransactions':
    case 'syncing':
      if (resume) throw invalidParams(`params[1].resume: there is no going on with ${kind}`);
      return { kind };
    case 'logs': {
      const { address, topics } = logFilter(options ?? {}, 'params[1]');
      const criteria = { ...(address !== undefined && { address }), ...(topics !== undefined && { topics }) };
      return { kind, criteria, ...resume };
    }
    default:
      throw invalidParams('params[0]: expected "newHeads", "logs", "newPendingTransactions" or "syncing"');
  }
}

/** The name under which to go on, and the options without it. */
function readResume(given: Json | undefined): {
  readonly options: Json | undefined;
  readonly resume?: { readonly resume: string };
} {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return { options: given };
  const { resume, ...rest } = given as { readonly [key: string]: Json };
  const options = own(rest);
  if (resume === undefined || resume === null) return { options };
  if (typeof resume !== 'string' || !/^[!-~]{1,64}$/.test(resume))
    throw refuse('params[1].resume', 'a name of 1 to 64 visible ASCII characters', resume);
  return { options, resume: { resume } };
}
