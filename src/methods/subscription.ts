import { invalidParams } from '../rpc/errors.js';
import type { Json } from '../rpc/message.js';
import { own } from '../rpc/own.js';
import { positions, refuse, text } from '../rpc/params.js';
import type { Hex, LogCriteria } from '../rpc/schema.js';
import { logFilter } from '../rpc/selectors.js';
import type { SubscriptionKind } from '../subscriptions/subscriptions.js';
import { method } from './method.js';

/**
 * Subscriptions over a service without push: results follow as EIP-1193 `message` events. `fromBlock` and `toBlock` of
 * `logs` are accepted and ignored, as in the node's own subscriptions (docs/notes/node.md#push). After the page slept or
 * was offline, missed results are backfilled first, in order: all logs, and the newest 1,024 headers.
 *
 * `resume` (1 to 64 visible ASCII characters, for `logs` and `newHeads`) names a stored cursor. A subscription with the
 * same name and criteria, also after a reload, continues from there: first the logs of blocks that have left the chain,
 * with `removed: true`, then everything missed (of headers the newest 1,024). Delivery is at least once: after a crash
 * the last results may be repeated, with the same block hash, transaction hash and log index. Cursors belong to the
 * origin and the chain, are shared by its tabs (the most advanced one moves the cursor), survive `eth_unsubscribe`, and
 * are deleted after 30 days, and the oldest beyond 256 or 32 MiB for each origin; one whose name begins with `~` with its
 * `eth_unsubscribe`. Without durable storage they last as long as the page.
 *
 * @throws ProviderRpcError -32005 with `data.reason` `gap` if more than 100,000 blocks of logs were missed, or the cursor of
 * the name was deleted: subscribed again, the name starts at the head. 4901 if the active chain changes before the id is known.
 */
export const eth_subscribe = method<[kind: SubscriptionKind['kind'], options?: SubscriptionOptions], Hex>()(
  readKind,
  async (context, kind) => (await context.following()).subscriptions.subscribe(kind),
);

export interface SubscriptionOptions extends LogCriteria {
  readonly resume?: string | undefined;
}

export const eth_unsubscribe = method<[id: Hex], boolean>()(positions(text), async (context, [id]) =>
  (await context.following()).subscriptions.unsubscribe(id as Hex),
);

function readKind(params: Json): SubscriptionKind {
  const [kind, value] = Array.isArray(params) ? params : [];
  if (Array.isArray(params) && params.length > 2)
    throw invalidParams(`params: at most 2 expected, received ${params.length}`);
  const { options, resume } = readResume(value);
  switch (kind) {
    // web3.js and geth's clients may add an empty options object or `false` ("hashes only").
    case 'newHeads':
      return { kind, resume };
    case 'newPendingTransactions':
    case 'syncing':
      if (resume !== undefined) throw invalidParams(`params[1].resume: ${kind} cannot be resumed`);
      return { kind };
    case 'logs': {
      const { address, topics } = logFilter(options ?? {}, 'params[1]');
      const criteria = { ...(address !== undefined && { address }), ...(topics !== undefined && { topics }) };
      return { kind, criteria, resume };
    }
    default:
      throw invalidParams('params[0]: expected "newHeads", "logs", "newPendingTransactions" or "syncing"');
  }
}

/** Separates the name of the cursor from the other options. */
function readResume(value: Json | undefined): { options: Json | undefined; resume: string | undefined } {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { options: value, resume: undefined };
  const { resume, ...rest } = own(value as { readonly [key: string]: Json });
  const options = own(rest);
  if (resume === undefined || resume === null) return { options, resume: undefined };
  if (typeof resume !== 'string' || !/^[!-~]{1,64}$/.test(resume))
    throw refuse('params[1].resume', 'a name of 1 to 64 visible ASCII characters', resume);
  return { options, resume };
}
