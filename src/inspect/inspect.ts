/// <reference lib="esnext.disposable" preserve="true" />
import { createListeners } from '../async/listeners.js';
import type { WalletEvent } from '../rpc/observation.js';
import { own } from '../rpc/own.js';
import type { Hex } from '../rpc/schema.js';
import { printSnapshot } from './print.js';
import type {
  HttpCounts,
  InspectedChain,
  InspectedRequest,
  InspectedSubscription,
  PermissionCounts,
  QuestionCounts,
  Snapshot,
} from './snapshot.js';

/**
 * The part of a wallet that {@link inspect} uses.
 *
 * @example
 * const stop = wallet.observe(({ kind, at }) => console.log(kind, at));
 */
export interface Observable {
  /** Calls `listener` with each event from now on. Returns its undo. */
  observe(listener: (event: WalletEvent) => void): () => void;
}

/**
 * Counts what a wallet does, from {@link inspect} until `stop`. Also `using inspection = inspect(wallet)`.
 *
 * @example
 * using inspection = inspect(wallet);
 * const unwatch = inspection.watch(() => console.log(inspection.snapshot().http.requests));
 * await wallet.provider.request({ method: 'eth_gasPrice' });
 * inspection.clear();
 * unwatch();
 */
export interface Inspection extends Disposable {
  /** The counts now. A later event does not change it. */
  snapshot(): Snapshot;
  /** {@link Inspection.snapshot} as a plain text table, for consoles and failing tests. */
  print(): string;
  /** Calls `listener` after each event. Returns its undo. */
  watch(listener: () => void): () => void;
  /** Resets the counts; lasting state (subscriptions, quotas, heads, the lead) stays. */
  clear(): void;
  /** Ends the counting and removes all listeners. The counts stay. */
  stop(): void;
}

type Mutable<T> = { -readonly [Name in keyof T]: T[Name] };

/**
 * Counts what a wallet does, in bounded memory.
 *
 * @example
 * const inspection = inspect(wallet);
 * await wallet.provider.request({ method: 'eth_blockNumber' });
 * console.log(inspection.print());
 * inspection.stop();
 */
export function inspect(wallet: Observable, options: inspect.Options = {}): Inspection {
  const { capacity = 200 } = own(options);
  const listeners = createListeners<[]>();
  const methods = new Map<string, ReturnType<typeof createCounting>>();
  const requests = new Map<number, Mutable<InspectedRequest>>();
  const chains = new Map<number, Mutable<InspectedChain>>();
  const subscriptions = new Map<Hex, Mutable<InspectedSubscription>>();
  const questions = new Map<string, Mutable<QuestionCounts>>();
  const permissions = new Map<string, Mutable<PermissionCounts>>();
  let http: Mutable<HttpCounts> = { ...noHttp };
  let tabs = { leads: false, answeredByOthers: 0, served: 0 };

  const of = (method: string) => entry(methods, method, () => createCounting(method));
  const chain = (chainId: number) =>
    entry(chains, chainId, () => ({ chainId, reorganisations: 0, cost: 0, served: 0 }));
  const subscription = ({ id, chainId }: WalletEvent.Subscription | WalletEvent.Delivered) =>
    entry(subscriptions, id, () => ({ id, chainId, durable: false, delivered: 0 }));
  const question = (kind: string) =>
    entry(questions, kind, () => ({ of: kind, asked: 0, approved: 0, refused: 0, failed: 0 }));
  const permission = (origin: string) =>
    entry(permissions, origin, () => ({ origin, granted: 0, used: 0, short: 0, ended: 0 }));

  function count(event: WalletEvent): void {
    switch (event.kind) {
      case 'asked': {
        const { id, at, method, origin, chainId } = event;
        of(method).asked += 1;
        requests.set(id, { id, at, method, origin, chainId });
        for (const oldest of requests.keys()) if (requests.size > capacity) requests.delete(oldest);
        return;
      }
      case 'answered': {
        const counts = of(event.method);
        counts.ended += event.ms;
        if (event.code === undefined) counts.answered += 1;
        else counts.failed += 1;
        const request = requests.get(event.id);
        if (!request) return;
        request.ms = event.ms;
        request.from = event.from;
        if (event.code !== undefined) request.code = event.code;
        return;
      }
      case 'read':
        of(event.method).from[event.from] += 1;
        if (event.from === 'tab') tabs.answeredByOthers += 1;
        return;
      case 'http': {
        const { methods: names, status = 0, cost, ms, bytes, retries } = event;
        for (const name of names) {
          of(name).sent += 1;
          of(name).cost += cost / names.length;
        }
        http.requests += 1;
        http.calls += names.length;
        http.retries += retries;
        http.failed += status >= 200 && status < 300 ? 0 : 1;
        http.bytes += bytes;
        http.ms += ms;
        http.cost += cost;
        chain(event.chainId).cost += cost;
        return;
      }
      case 'quota': {
        const { used, perDay, left, state, slowdown } = event;
        chain(event.chainId).quota = { used, perDay, left, state, slowdown };
        return;
      }
      case 'head':
        chain(event.chainId).head = { number: event.number, hash: event.hash };
        return;
      case 'reorganisation':
        chain(event.chainId).reorganisations += 1;
        return;
      case 'subscription':
        if (event.state === 'ended') subscriptions.delete(event.id);
        else Object.assign(subscription(event), { of: event.of, durable: event.durable });
        return;
      case 'delivered': {
        const counts = subscription(event);
        counts.delivered += 1;
        if (event.block !== undefined) counts.block = event.block;
        return;
      }
      case 'leader':
        tabs.leads = event.leads;
        return;
      case 'served':
        tabs.served += 1;
        of(event.method).served += 1;
        chain(event.chainId).served += 1;
        return;
      case 'question':
        question(event.of)[event.state] += 1;
        return;
      case 'permission':
        permission(event.origin)[event.what] += 1;
        return;
    }
  }

  const remove = wallet.observe((event) => {
    // Without a prototype, so that a page's additions to `Object.prototype` do not count as fields of the event.
    count(own(event));
    listeners.emit();
  });
  const stop = (): void => {
    remove();
    listeners.clear();
  };

  const snapshot = (): Snapshot => ({
    methods: [...methods.values()]
      .map(({ ended, from, ...counts }) => ({
        ...counts,
        from: { ...from },
        ms: mean(ended, counts.answered + counts.failed),
      }))
      .sort((a, b) => (a.method < b.method ? -1 : 1)),
    http: { ...http, ms: mean(http.ms, http.requests) },
    requests: copies(requests).reverse(),
    chains: copies(chains),
    subscriptions: copies(subscriptions),
    questions: copies(questions),
    permissions: copies(permissions),
    tabs: { ...tabs },
  });

  const inspection = {
    snapshot,
    print: () => printSnapshot(snapshot()),
    watch: listeners.add,
    clear() {
      methods.clear();
      requests.clear();
      questions.clear();
      permissions.clear();
      http = { ...noHttp };
      tabs = { leads: tabs.leads, answeredByOthers: 0, served: 0 };
      for (const each of chains.values()) Object.assign(each, { reorganisations: 0, cost: 0, served: 0 });
      for (const each of subscriptions.values()) each.delivered = 0;
      listeners.emit();
    },
    stop,
  };
  // Browsers of 2023 have no `Symbol.dispose`.
  return Object.assign(inspection, Symbol.dispose && { [Symbol.dispose]: stop }) as Inspection;
}

export declare namespace inspect {
  /** The options of {@link inspect}. */
  interface Options {
    /** Requests of the page that are kept one by one. Default 200. */
    readonly capacity?: number | undefined;
  }
}

/** The counts of one method; `ended` is the sum of the durations. */
const createCounting = (method: string) => ({
  method,
  asked: 0,
  answered: 0,
  failed: 0,
  ended: 0,
  from: { cache: 0, shared: 0, tab: 0, service: 0 },
  sent: 0,
  cost: 0,
  served: 0,
});

const noHttp: HttpCounts = { requests: 0, calls: 0, retries: 0, failed: 0, bytes: 0, ms: 0, cost: 0 };

const mean = (sum: number, count: number): number => (count === 0 ? 0 : Math.round(sum / count));

const copies = <T extends object>(map: ReadonlyMap<unknown, T>): T[] =>
  Array.from(map.values(), (value) => ({ ...value }));

function entry<Key, Value>(map: Map<Key, Value>, key: Key, create: () => NoInfer<Value>): Value {
  const value = map.get(key) ?? create();
  map.set(key, value);
  return value;
}
