import { callSafely } from '../async/listeners.js';
import type { Observation, Observer, RequestContext, WalletEvent } from '../rpc/observation.js';
import { own } from '../rpc/own.js';
import { membersOf } from '../rpc/own-data.js';
import type { Hex } from '../rpc/schema.js';

/** An event before it is stamped with its time. */
type Unstamped = WalletEvent extends infer Each
  ? Each extends WalletEvent
    ? Omit<Each, 'at'>
    : never
  : never;

/** From the nearest to the furthest. */
const sources = ['local', 'cache', 'shared', 'tab', 'service'] as const;

/** The listeners of each observed wallet. */
const listenersOf = new WeakMap<Observation, Set<(event: WalletEvent) => void>>();

/** Adds a listener until `signal` aborts. Removing the last one detaches the observer, so that the wallet emits no events. */
export function observe(
  observation: Observation,
  listener: (event: WalletEvent) => void,
  signal: AbortSignal,
): void {
  if (signal.aborted) return;
  const listeners = listenersOf.get(observation) ?? new Set();
  listenersOf.set(observation, listeners);
  const entry = (event: WalletEvent) => callSafely(listener, event);
  listeners.add(entry);
  observation.by ??= createObserver((event) => {
    for (const each of [...listeners]) each(event);
  });
  const remove = () => {
    listeners.delete(entry);
    if (listeners.size === 0) delete observation.by;
  };
  signal.addEventListener('abort', remove, own({ once: true }));
}

/**
 * Builds the events of `wallet.observe` from the reports of the wallet's parts. No other module does: an event gets the
 * fields that are named here and nothing else of a report. Loads with the first observer.
 */
function createObserver(emit: (event: WalletEvent) => void): Observer {
  const report = (event: Unstamped): void => emit({ ...event, at: Date.now() } as WalletEvent);
  /** The furthest source so far, by the id of an unanswered request. */
  const open = new Map<number, WalletEvent.Answered['from']>();
  const subscriptions = new Map<Hex, Omit<WalletEvent.Subscription, 'at' | 'state'>>();
  /** The quota last reported, by chain. */
  const quotas = new Map<number, string>();
  let requests = 0;
  let questions = 0;

  return {
    asked(name, context) {
      const id = ++requests;
      const method = name ?? 'unknown';
      const begun = Date.now();
      const { chainId } = context.session.state();
      open.set(id, 'local');
      report({ kind: 'asked', id, method, origin: context.origin, chainId });
      const answered = (code?: number): void => {
        const from = open.get(id) ?? 'local';
        open.delete(id);
        const ms = elapsedSince(begun);
        report({ kind: 'answered', id, method, ms, from, ...(code !== undefined && { code }) });
      };
      return {
        context: tagged(context, id),
        answered: () => answered(),
        failed: (error) => answered(codeOf(error)),
      };
    },
    read(chainId, method, from, asked) {
      const before = asked === undefined ? undefined : open.get(asked);
      if (before && sources.indexOf(from) > sources.indexOf(before)) open.set(asked as number, from);
      report({ kind: 'read', chainId, method, from, ...(asked !== undefined && { asked }) });
    },
    posted(service, url, calls, reply) {
      const begun = Date.now();
      const { chainId } = service.network;
      const ended = (posted: object): void => {
        const { status, text } = own(posted as { status?: number; text?: string });
        const { quota } = own(service.usage());
        report({
          kind: 'http',
          chainId,
          host: new URL(url).host,
          methods: calls.map(({ method }) => method),
          retries: calls.filter(({ attempt }) => attempt > 1).length,
          ...(status !== undefined && { status }),
          ms: elapsedSince(begun),
          // A failure's text is its description.
          bytes: 'ok' in posted && text !== undefined ? new TextEncoder().encode(text).length : 0,
          cost: quota ? calls.length : 0,
        });
        if (!quota) return;
        const { today: used, perDay, state } = quota;
        const left = perDay === null ? null : Math.max(0, perDay - used);
        const slowdown = service.slowdown?.() ?? 1;
        const shown = JSON.stringify([used, state, slowdown]);
        if (quotas.get(chainId) === shown) return;
        quotas.set(chainId, shown);
        report({ kind: 'quota', chainId, used, perDay, left, state, slowdown });
      };
      reply.then(ended, () => ended({}));
    },
    head: (chainId, { number, hash }) => report({ kind: 'head', chainId, number: Number(number), hash }),
    step(chainId, { removed, added }) {
      if (removed.length > 0)
        report({ kind: 'reorganisation', chainId, removed: removed.length, added: added.length });
    },
    subscription(chainId, id, of, resume) {
      const subscription = { kind: 'subscription', chainId, id, of, durable: resume !== undefined } as const;
      subscriptions.set(id, subscription);
      report({ ...subscription, state: 'created' });
    },
    unsubscribed(id) {
      const subscription = subscriptions.get(id);
      if (subscription && subscriptions.delete(id)) report({ ...subscription, state: 'ended' });
    },
    delivered(chainId, id, result) {
      const { number, blockNumber = number, removed } = membersOf(result);
      const block = Number(blockNumber ?? Number.NaN);
      const event = { kind: 'delivered', chainId, id, removed: removed === true } as const;
      report({ ...event, ...(Number.isSafeInteger(block) && { block }) });
    },
    leader: (chainId, leads) => report({ kind: 'leader', chainId, leads }),
    served: (chainId, method) => report({ kind: 'served', chainId, method }),
    contradicted: (chainId, { method, host, why, number }) =>
      report({ kind: 'contradicted', chainId, method, host, why, ...(number !== undefined && { number }) }),
    permission: (what, { chainId, origin, context }) =>
      report({ kind: 'permission', what, chainId, origin, context }),
    question({ kind: of, origin }, answer) {
      const id = ++questions;
      const begun = Date.now();
      const at = (state: WalletEvent.Question['state']): void =>
        report({ kind: 'question', id, of, origin, state, ms: elapsedSince(begun) });
      at('asked');
      answer.then(
        (value) => at(membersOf(value).approved === true ? 'approved' : 'refused'),
        () => at('failed'),
      );
    },
  };
}

/** Milliseconds. The clock may have been set back meanwhile. */
const elapsedSince = (begun: number): number => Math.max(0, Date.now() - begun);

/** Only a number is taken from an error. */
function codeOf(error: unknown): number {
  const { code } = Object(error) as { code?: unknown };
  return Number.isSafeInteger(code) ? (code as number) : -32603;
}

/** The same context, whose reads carry the id of the request. */
function tagged<C extends RequestContext>(context: C, asked: number): C {
  const tag = (service: ReturnType<NonNullable<C['reads']>>) => ({
    ...service,
    request: (method: string, params: readonly unknown[], options?: object) =>
      service.request(method, params, own({ ...options, asked })),
  });
  return {
    ...context,
    ...(context.reads && { reads: () => tag(context.reads?.() as never) }),
    ...(context.sends && { sends: () => tag(context.sends?.() as never) }),
  };
}
