import type { MinedBlock } from '../chain/blocks.js';
import type { Clock } from '../chain/clock.js';
import type { Follower } from '../chain/follower.js';
import type { Visibility } from '../chain/visibility.js';
import type { Hash, Hex, Log, LogCriteria } from '../rpc/schema.js';
import { createLogRanges, type LogRanges } from '../service/log-ranges.js';
import type { Service } from '../service/service.js';
import { mostBlocks } from './history.js';
import { createIds } from './ids.js';
import { createLogsOf, followLogs, type LogsOf } from './logs.js';
import { createMatcher } from './match.js';
import { createPending, type Pending } from './pending.js';
import { type SyncingMessage, watchSyncing } from './syncing.js';

/** What `eth_subscribe` can push (node-facts §7), delivered as EIP-1193 `message` events by the provider. */
export type SubscriptionKind =
  | { readonly kind: 'newHeads' }
  | { readonly kind: 'logs'; readonly criteria: LogCriteria }
  | { readonly kind: 'newPendingTransactions' }
  | { readonly kind: 'syncing' };

export interface Subscriptions {
  /**
   * Resolves with the id (a short QUANTITY, unique in this wallet) once it is known where the chain stands, so
   * that whatever is mined from then on is told; at the latest when the service could not be asked.
   */
  subscribe(kind: SubscriptionKind): Promise<Hex>;
  /** True when the id was known. The last one out stops the follower and uninstalls server filters. */
  unsubscribe(id: Hex): Promise<boolean>;
  /** Ends all of them (the chain was switched, the wallet destroyed). */
  clear(): void;
}

/** `params.result` of geth's notifications: a header, a log, a transaction hash, or the state of syncing. */
export type SubscriptionResult = Header | Log | Hash | SyncingMessage;

/** As geth's: a block without its bodies. Rootstock's own fields stay. */
export type Header = Omit<MinedBlock, 'transactions' | 'uncles'>;

/** Each subscription watches by itself: what they share is the follower, the logs of a block and one filter. */
export function createSubscriptions(options: createSubscriptions.Options): Subscriptions {
  const {
    service,
    follower,
    clock,
    visibility,
    ringSize = 256,
    nextId = createIds('subscription'),
  } = options;
  const { logsOf = createLogsOf(service), logRanges = createLogRanges(service) } = options;
  const { pending = createPending({ service, clock, visibility }) } = options;
  const ends = new Map<Hex, () => void>();

  /** Returns the undo, and where there is something to wait for before events can be promised, that. */
  function begin(id: Hex, wanted: SubscriptionKind): readonly [() => void, Promise<void>?] {
    const active = () => ends.has(id);
    const emit = (result: SubscriptionResult) => {
      if (!active()) return;
      try {
        options.emit(id, result);
      } catch (error) {
        // The page's own fault, reported as such: it must not make us deliver twice.
        globalThis.reportError?.(error);
      }
    };
    switch (wanted.kind) {
      case 'newHeads':
        return [follower.watch(({ added }) => added.map(header).forEach(emit)), follower.catchUp()];
      case 'logs': {
        const { criteria } = wanted;
        const history = (from: number, to: number) =>
          logRanges.read(criteria, Math.max(from, to - mostBlocks + 1), to);
        const matcher = createMatcher(criteria);
        const listener = followLogs({ matcher, logsOf, history, emit, active, ringSize });
        return [follower.watch(listener), follower.catchUp()];
      }
      case 'newPendingTransactions':
        return [pending.watch((hashes) => hashes.forEach(emit)), pending.poll()];
      case 'syncing': {
        const { syncInterval: interval } = options;
        return [watchSyncing({ service, emit, interval, clock, visibility })];
      }
    }
  }

  function unsubscribe(id: Hex): boolean {
    const end = ends.get(id);
    ends.delete(id);
    end?.();
    return end !== undefined;
  }

  return {
    async subscribe(wanted) {
      const id = nextId();
      const [end, ready] = begin(id, wanted);
      ends.set(id, end);
      await ready?.catch(() => {});
      return id;
    },
    unsubscribe: async (id) => unsubscribe(id),
    clear() {
      for (const id of [...ends.keys()]) unsubscribe(id);
    },
  };
}

function header({ transactions: _, uncles: __, ...rest }: MinedBlock): Header {
  return rest as Header;
}

export declare namespace createSubscriptions {
  interface Options {
    readonly service: Service;
    readonly follower: Follower;
    readonly emit: (id: Hex, result: SubscriptionResult) => void;
    /** Of what the filters of the same wallet use too, so that both cost one. */
    readonly logsOf?: LogsOf | undefined;
    readonly logRanges?: LogRanges | undefined;
    readonly pending?: Pending | undefined;
    readonly nextId?: (() => Hex) | undefined;
    /** The follower's. */
    readonly ringSize?: number | undefined;
    /** Milliseconds between looks at `eth_syncing`; a minute by default. */
    readonly syncInterval?: number | undefined;
    readonly clock?: Clock | undefined;
    readonly visibility?: Visibility | undefined;
  }
}
