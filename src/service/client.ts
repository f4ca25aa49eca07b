import { lazy } from '../async/lazy.js';
import { withTimeout } from '../async/with-timeout.js';
import { errorCode, limitExceeded, ProviderRpcError } from '../rpc/errors.js';
import { own } from '../rpc/own.js';
import { createRefusals } from './cache/negative-cache.js';
import { createEndpoints, type Endpoint } from './endpoints.js';
import type { DescribeRevert } from './errors/error-signatures.js';
import { diagnose, isSend } from './errors/errors.js';
import { revertMessage } from './errors/revert.js';
import { createTransport } from './http/transport.js';
import { changesState } from './idempotency.js';
import { type Asker, type Exchange, handOut, join, refuse } from './in-flight.js';
import type { Network } from './networks.js';
import type { Budget } from './rate-limit/limiter.js';
import type { Turn } from './rate-limit/token-bucket.js';
import { createRedactor } from './redact.js';
import { createAsk } from './retry.js';
import type { Service } from './service.js';

export declare namespace createService {
  interface Options {
    network: Network;
    fetch?: typeof globalThis.fetch | undefined;
    /** Milliseconds for one request with all its retries. Default 10,000. */
    deadline?: number | undefined;
    /** HTTP requests one read may cost. Default 6: of a service that fails 3 times in 10, 0.07 % of reads fail. */
    attempts?: number | undefined;
    /** Milliseconds before the first retry. Default 100; ten times that after a rate limit. */
    backoff?: number | undefined;
    /** Milliseconds an endpoint that failed is passed over. Default 30,000. */
    coolDown?: number | undefined;
    /** Different requests under way at once, above which a page is refused more. Default 1,000. */
    maxInFlight?: number | undefined;
    /** Most bytes of one reply, after decompression. Default 10 MiB and a little. */
    maxBytes?: number | undefined;
    /** Milliseconds, monotonic. */
    now?: (() => number) | undefined;
    /** 0 to 1, for jitter. */
    random?: (() => number) | undefined;
    /** A revert in words, from its payload; what it says is redacted and cut. Default: known reasons only. */
    describeRevert?: DescribeRevert | undefined;
    /** Loads what its endpoints may be asked, with the first request. Default: everything. */
    budget?: (() => Promise<Budget>) | undefined;
    /** Asked after a connection failed. Default `navigator.onLine`, true where there is none. */
    online?: (() => boolean) | undefined;
  }
}

/** Milliseconds that an error waits for words on it, and the first request for the budget. */
const patience = 1_000;

/** The {@link Service} over HTTP. Nothing is sent before it is asked. */
export function createService(given: createService.Options): Service {
  const options = own(given);
  const { network, maxInFlight = 1000, backoff = 100, now = () => performance.now() } = options;
  const describe = options.describeRevert;
  const redact = createRedactor(network.urls);
  const transports = network.urls.map((url) =>
    createTransport({
      url,
      redact,
      fetch: options.fetch,
      maxBytes: options.maxBytes,
      batch: network.batch,
    }),
  );
  const endpoints = createEndpoints({
    chainId: network.chainId,
    transports,
    now,
    coolDown: options.coolDown ?? 30_000,
    rateWait: backoff * 10,
  });
  const ask = createAsk({
    endpoints,
    deadline: options.deadline ?? 10_000,
    // The node gives up after 5 s (docs/notes/node.md#limits-of-one-request): of 10 s, 6 leave it that and another endpoint a chance.
    share: network.urls.length > 1 ? 0.6 : 1,
    attempts: options.attempts ?? 6,
    backoff,
    now,
    random: options.random ?? Math.random,
    online: options.online ?? (() => globalThis.navigator?.onLine !== false),
    ready() {
      if (!budget && options.budget) loading ??= withTimeout(patience, load);
      return budget ? undefined : loading;
    },
    accountOf: ({ transport }) => budget?.accounts[transports.indexOf(transport)],
    onSend: (method) => sent.set(method, (sent.get(method) ?? 0) + 1),
    onContact: (reached) => {
      if (!reached) refusals.clear();
      if (reached === reachable) return;
      reachable = reached;
      for (const listener of [...listeners]) listener(reached);
    },
  });
  const refusals = createRefusals({ now });
  const sent = new Map<string, number>();
  const inFlight = new Map<string, UnderWay>();
  const listeners = new Set<(reachable: boolean) => void>();
  let running = 0;
  let shared = 0;
  let reachable = true;
  let budget: Budget | undefined;
  let loading: Promise<void> | undefined;
  const none = new Map<never, number>();

  // Needed before anything is signed, so a page that only reads does not load it.
  const chainCheck = lazy(async () =>
    (await import('./chain-check.js')).createChainCheck({
      ...{ chainId: network.chainId, endpoints, ask, now, redact },
    }),
  );

  /** Without it requests go out as they come; the next one asks for it again. */
  async function load(): Promise<void> {
    try {
      budget = await options.budget?.();
    } catch {
      loading = undefined;
    }
  }

  function start(method: string, params: readonly unknown[], turn: Turn, key?: string, signal?: AbortSignal) {
    if (running >= maxInFlight)
      throw limitExceeded(`There are too many requests in flight (${maxInFlight})`, { reason: 'in-flight' });
    running++;
    // Who has no signal never leaves: there is nothing to stop.
    const connection = signal && new AbortController();
    const leave = () => {
      if (key !== undefined && inFlight.get(key) === exchange) inFlight.delete(key);
    };
    const askers = new Set<Asker>();
    const exchange: UnderWay = {
      askers,
      turn,
      stop() {
        leave();
        connection?.abort();
      },
    };
    const question = refusals.begin(method);
    let refuser: Endpoint | undefined;
    const ended = () => {
      running--;
      question.ended();
      leave();
    };
    ask(method, params, turn, connection?.signal, (endpoint) => {
      refuser = endpoint;
    })
      .then(
        ({ result, endpoint }) => {
          exchange.answeredBy = endpoint;
          question.answered(result);
          ended();
          handOut(result, askers, method);
        },
        async (cause) => {
          const error = await described(cause);
          if (refuser) question.refused(error, key, refuser);
          ended();
          throw error;
        },
      )
      .catch((error) => refuse(error, askers));
    if (key !== undefined) inFlight.set(key, exchange);
    return exchange;
  }

  async function described(error: ProviderRpcError): Promise<ProviderRpcError> {
    const { code, data, service } = error;
    if (code !== errorCode.executionReverted || typeof data !== 'string') return error;
    const words = describe && (await withTimeout(patience, async () => describe(data)));
    return typeof words === 'string'
      ? new ProviderRpcError(code, revertMessage(redact(words)), data, service)
      : error;
  }

  /** A running request that can be shared. @throws ProviderRpcError if the answer is known to be a refusal */
  function find(method: string, key: string | undefined, urgency: number): UnderWay | undefined {
    const found = key === undefined ? undefined : inFlight.get(key);
    if (found && !found.turn.refused) {
      shared++;
      found.turn.urgency = Math.min(found.turn.urgency, urgency);
      return found;
    }
    const refusal = refusals.find(method, key, () => endpoints.next(none)?.endpoint);
    if (refusal) throw refusal;
    return undefined;
  }

  return {
    network,
    async request(method, params, settings) {
      const { signal, check, priority = 'read' } = own(settings);
      if (signal?.aborted) throw diagnose({ method, trouble: 'aborted' }, redact).error;
      const key = changesState(method) ? undefined : JSON.stringify([method, params]);
      const urgency = isSend(method) ? 0 : urgencyOf[priority];
      for (let left = key === undefined ? 1 : network.urls.length; ; left--) {
        const exchange = find(method, key, urgency) ?? start(method, params, own({ urgency }), key, signal);
        const result = await join(exchange, method, signal);
        try {
          check?.(result);
          return result;
        } catch (error) {
          const text = error instanceof Error ? error.message : 'malformed';
          const fault = diagnose({ method, trouble: 'broken', text }, redact);
          if (left <= 1 || !exchange.answeredBy) throw fault.error;
          endpoints.failed(exchange.answeredBy, fault);
        }
      }
    },
    reachable: () => reachable,
    watch(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    usage: () => ({ sent: Object.fromEntries(sent), shared, quota: budget?.usage() }),
    stretch: () => budget?.stretch() ?? 1,
    verifyChain: async () => (await chainCheck())(),
  };
}

/** An exchange, and who of its askers is the most urgent. */
interface UnderWay extends Exchange {
  readonly turn: Turn;
  answeredBy?: Endpoint;
}

const urgencyOf = { person: 0, read: 1, background: 2 } satisfies Record<Service.Priority, number>;
