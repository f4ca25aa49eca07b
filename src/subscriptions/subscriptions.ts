import { type Clock, systemClock } from '../async/clock.js';
import { lazy } from '../async/lazy.js';
import { type Loadable, whenLoaded } from '../async/when-loaded.js';
import type { MinedBlock } from '../chain/blocks.js';
import type { Follower } from '../chain/follower.js';
import type { Visibility } from '../chain/visibility.js';
import { canonicalBlock, canonicalLog } from '../rpc/canonical.js';
import { limitExceeded } from '../rpc/core-errors.js';
import { invalidParams } from '../rpc/errors.js';
import { throwNotLoaded } from '../rpc/not-loaded.js';
import type { Observation } from '../rpc/observation.js';
import { own } from '../rpc/own.js';
import type { Hash, Hex, Log, LogCriteria } from '../rpc/schema.js';
import type { Service } from '../service/service.js';
import type { Storage } from '../storage/storage.js';
import type { DurableRequest } from './durable/resume.js';
import { chainLeft, createIds, maxHeaders, maxPerPage } from './ids.js';
import type { LogEvents } from './log-events.js';
import { createPendingTransactions, type PendingTransactions } from './pending.js';
import { type SyncingMessage, watchSyncing } from './syncing.js';

/**
 * The kinds of subscription of `eth_subscribe` (docs/notes/node.md#push), delivered as EIP-1193 `message` events by the provider.
 */
export type SubscriptionKind =
  | { readonly kind: 'newHeads'; readonly resume?: string | undefined }
  | { readonly kind: 'logs'; readonly criteria: LogCriteria; readonly resume?: string | undefined }
  | { readonly kind: 'newPendingTransactions' }
  | { readonly kind: 'syncing' };

export interface Subscriptions {
  /**
   * Resolves with the id (a short QUANTITY, unique in this wallet) once the head is known, so that every later block is
   * delivered; at the latest when the request for the head has failed.
   *
   * Blocks that were mined while the page slept, was offline or could not reach the service are delivered before newer
   * ones: all logs, and the newest {@link maxHeaders} headers.
   *
   * With `resume`, a name that the page chooses, the events since the last delivery under this name come first, after
   * the id has been returned: see {@link DurableSubscriptions}.
   * @throws ProviderRpcError -32005 if too many blocks were missed under the name, or its cursor was dropped; subscribed
   * again, it starts at the head.
   */
  subscribe(kind: SubscriptionKind): Promise<Hex>;
  /** True if the id was known. The last unsubscription stops the follower and uninstalls server filters. */
  unsubscribe(id: Hex): Promise<boolean>;
  /** Ends all of them (the chain was switched, the wallet destroyed). */
  clear(): void;
}

/** `params.result` of geth's notifications: a header, a log, a transaction hash, or the state of syncing. */
export type SubscriptionResult = Header | Log | Hash | SyncingMessage;

/** As geth's: a block without its transactions. Rootstock's own fields are kept. */
export type Header = Omit<MinedBlock, 'transactions' | 'uncles'>;

/** Each subscription has its own listener; they share the follower, the logs of a block and one server filter. */
export function createSubscriptions(options: createSubscriptions.Options): Subscriptions {
  const { service, follower, logEvents, observation, storage, origin = '' } = own(options);
  const { clock = systemClock, visibility } = own(options);
  const nextId = createIds('subscription');
  const pending = createPendingTransactions({ service, clock, visibility });
  const ends = new Map<Hex, (isUnsubscribed?: boolean) => void>();
  const resumption = lazy(async () => {
    const [{ createDurableSubscriptions }, { logsOf, logRanges }] = await Promise.all([
      import('./durable/resume.js').catch(throwNotLoaded),
      logEvents(),
    ]);
    if (!storage) throw invalidParams('params[1].resume: nothing is stored here');
    return createDurableSubscriptions({
      ...{ service, follower, logsOf, logRanges, storage, origin, clock, visibility },
    });
  });

  /** Emits to the page until it has unsubscribed, in the form of the methods' results. */
  function emitter(id: Hex) {
    const emit = (result: SubscriptionResult) => {
      if (!ends.has(id)) return;
      try {
        options.emit(id, result);
        observation?.by?.delivered(service.network.chainId, id, result);
      } catch (error) {
        // An error in the page's listener is reported as uncaught: it must not cause a second delivery.
        globalThis.reportError?.(error);
      }
    };
    return {
      emit,
      emitLog: (log: Log) => emit(canonicalLog(log)),
      emitHeader: (block: MinedBlock) => emit(header(block)),
    };
  }

  /** Returns its undo and, if events can only be guaranteed after some preparation, a promise of that. */
  function begin(id: Hex, wanted: SubscriptionKind): Begun | Promise<Begun> {
    const active = () => ends.has(id);
    const { emit, emitLog, emitHeader } = emitter(id);
    switch (wanted.kind) {
      case 'newHeads':
        return [
          follower.watch(({ added }) => added.forEach(emitHeader), { headers: maxHeaders }),
          follower.catchUp(),
        ];
      case 'logs': {
        // In the same turn as other subscriptions, it shares their poll of the head.
        return whenLoaded(
          logEvents,
          ({ watch }): Begun =>
            active() ? [watch(wanted.criteria, active, emitLog), follower.catchUp()] : [() => {}],
        );
      }
      case 'newPendingTransactions':
        return watchPending(pending, emit);
      case 'syncing':
        return [watchSyncing({ service, emit, clock, visibility })];
    }
  }

  async function resume(id: Hex, wanted: DurableRequest): Promise<void> {
    const begin = await resumption();
    if (!ends.has(id)) return;
    const resumed = begin(wanted, emitter(id));
    ends.set(id, resumed.end);
    await resumed.ready;
    // Not before the page has the id: libraries drop events of unknown ids.
    clock.setTimeout(resumed.open, 0);
  }

  function unsubscribe(id: Hex, byPage = false): boolean {
    const end = ends.get(id);
    ends.delete(id);
    observation?.by?.unsubscribed(id);
    end?.(byPage);
    return end !== undefined;
  }

  return {
    async subscribe(wanted) {
      if (ends.size >= maxPerPage) throw limitExceeded(`There are too many subscriptions (${maxPerPage})`);
      const id = nextId();
      const { kind, resume: name } = own(wanted as DurableRequest);
      observation?.by?.subscription(service.network.chainId, id, kind, name);
      ends.set(id, () => {});
      try {
        if (name !== undefined) await resume(id, wanted as DurableRequest);
        else {
          const begun = begin(id, wanted);
          const [end, ready] = begun instanceof Promise ? await begun : begun;
          if (ends.has(id)) ends.set(id, end);
          else end();
          await ready?.catch(() => {});
        }
      } catch (error) {
        unsubscribe(id);
        throw error;
      }
      if (!ends.has(id)) throw chainLeft();
      return id;
    },
    unsubscribe: async (id) => unsubscribe(id, true),
    clear() {
      for (const id of [...ends.keys()]) unsubscribe(id);
    },
  };
}

/** The undo of a subscription, and what must be awaited before its events are certain. */
type Begun = readonly [end: () => void, ready?: Promise<void>];

/** Ignores hashes seen before the baseline poll. */
function watchPending(
  pending: PendingTransactions,
  emit: (hash: Hash) => void,
): readonly [() => void, Promise<void>] {
  let begun = false;
  const end = pending.watch((hashes) => {
    if (begun) hashes.forEach(emit);
  });
  const ready = pending.poll().finally(() => {
    begun = true;
  });
  return [end, ready];
}

function header(block: MinedBlock): Header {
  const { transactions: _, uncles: __, ...rest } = canonicalBlock(block);
  return rest as Header;
}

export declare namespace createSubscriptions {
  interface Options {
    readonly service: Service;
    readonly follower: Follower;
    readonly emit: (id: Hex, result: SubscriptionResult) => void;
    /** Loads what logs need. Shared with the filters of the wallet. */
    readonly logEvents: Loadable<LogEvents>;
    /** Stores the cursors of `resume`, which is not available without it. */
    readonly storage?: Storage | undefined;
    /** The page's origin: each origin has names of its own. */
    readonly origin?: string | undefined;
    readonly observation?: Observation | undefined;
    readonly clock?: Clock | undefined;
    readonly visibility?: Visibility | undefined;
  }
}
