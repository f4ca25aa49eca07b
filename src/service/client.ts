import { withTimeout } from '../async/cancellation.js';
import { lazy } from '../async/lazy.js';
import { createListeners } from '../async/listeners.js';
import { limitExceeded } from '../rpc/core-errors.js';
import { errorCode, ProviderRpcError } from '../rpc/errors.js';
import { methodFacts, mustNotRepeat, sends } from '../rpc/method-facts/method-facts.js';
import { throwNotLoaded } from '../rpc/not-loaded.js';
import type { Observation } from '../rpc/observation.js';
import { own } from '../rpc/own.js';
import { createNegativeCache } from './cache/negative-cache.js';
import { createEndpoints, type Endpoint } from './endpoints.js';
import type { createDiagnosis } from './errors/diagnose.js';
import { requestAborted } from './errors/errors.js';
import type { DescribeRevert } from './errors/solidity-errors.js';
import { createTransport } from './http/transport.js';
import { type InFlightRequest, join, rejectAll, resolveAll, type Waiter } from './in-flight.js';
import type { Network } from './networks.js';
import type { Limiter } from './rate-limit/limiter.js';
import type { Admission } from './rate-limit/token-bucket.js';
import { createRetryingRequest, type RetryingRequest } from './retry.js';
import type { Service } from './service.js';

export declare namespace createService {
  interface Options extends Pick<createTransport.Options, 'fetch' | 'maxBytes' | 'nodeErrors'> {
    network: Network;
    /** Milliseconds for one request with all its retries. Default 10,000. */
    deadline?: number | undefined;
    /** Milliseconds before the first retry. Default 100; ten times that after a rate limit. */
    backoff?: number | undefined;
    /** Milliseconds for which an endpoint that failed is avoided. Default 30,000. */
    coolDown?: number | undefined;
    /** The dapp of another origin that is charged for requests which name no payer. Default: none. */
    dapp?: string | null | undefined;
    /** Most different requests in flight for one dapp; more are refused with -32005. Default 1,000. */
    maxInFlight?: number | undefined;
    /** Milliseconds, monotonic. */
    now?: (() => number) | undefined;
    /** 0 to 1, for jitter. */
    random?: (() => number) | undefined;
    /** Describes a revert from its payload; the text is redacted and shortened. Default: standard reasons only. */
    describeRevert?: DescribeRevert | undefined;
    /** Loads the rate limiter with the first request. Default: no limit. */
    limiter?: (() => Promise<Limiter>) | undefined;
    /** Whether the device is online, read after a connection failed. Default `navigator.onLine`, or true without it. */
    online?: (() => boolean) | undefined;
    observation?: Observation | undefined;
    /** Called after each reply that cannot be true, of a network that is verified. */
    onContradicted?: (() => void) | undefined;
    /** Default: loads with the first failure. */
    createDiagnosis?: typeof createDiagnosis | undefined;
    /** Whether equal requests in flight get the same result: for callers that change none. Default false. */
    sharesResults?: boolean | undefined;
  }
}

/** Milliseconds that a revert waits for its description, and the first request for the rate limiter. */
const patience = 1_000;

/** The {@link Service} over HTTP. Sends nothing before the first request. */
export function createService(given: createService.Options): Service {
  const options = own(given);
  const { network, observation, maxInFlight = 1000, backoff = 100, deadline = 10_000 } = options;
  const { now = () => performance.now(), random = Math.random } = options;
  const describe = options.describeRevert;
  const { push } = own(network);
  const secrets = push === undefined ? network.urls : [...network.urls, push];
  const diagnosis = lazy(async () => {
    const create = options.createDiagnosis ?? (await import('./errors/diagnose.js')).createDiagnosis;
    return create(secrets);
  });
  const transports = network.urls.map((url) =>
    createTransport({
      url,
      diagnosis,
      fetch: options.fetch,
      maxBytes: options.maxBytes,
      batch: network.batch,
      nodeErrors: options.nodeErrors,
      onPost: (calls, reply) => observation?.by?.posted(service, url, calls, reply),
    }),
  );
  const endpoints = createEndpoints({
    chainId: network.chainId,
    transports,
    now,
    random,
    coolDown: options.coolDown ?? 30_000,
    backoff,
    // An outage is not longer than a request waits.
    patience: deadline,
  });
  const limiterOf = ({ transport }: Endpoint) => limiter?.endpoints[transports.indexOf(transport)];
  const onSend = (method: string): void => void sent.set(method, (sent.get(method) ?? 0) + 1);
  const requestWithRetries = createRetryingRequest({
    endpoints,
    deadline,
    // The node stops at 5 s: 6 of 10 s leave it those 5 and another endpoint the rest
    // (docs/notes/node.md#limits-of-one-request).
    share: network.urls.length > 1 ? 0.6 : 1,
    backoff,
    now,
    random,
    online: options.online ?? (() => globalThis.navigator?.onLine !== false),
    ready() {
      if (!limiter && options.limiter) loading ??= withTimeout(patience, load);
      return limiter ? undefined : loading;
    },
    limiterOf,
    onSend,
    onContact: (reached) => {
      if (!reached) negativeCache.clear();
      if (reached === reachable) return;
      reachable = reached;
      listeners.emit(reached);
    },
  });
  const negativeCache = createNegativeCache({ now });
  const sent = new Map<string, number>();
  const inFlight = new Map<string, SharedRequest>();
  const listeners = createListeners<[reachable: boolean]>();
  /** Requests in flight, by the dapp that has started them. */
  const running = new Map<string | null, number>();
  const dapp = options.dapp ?? null;
  let shared = 0;
  let reachable = true;
  let limiter: Limiter | undefined;
  let loading: Promise<void> | undefined;

  // Loads before the first signature: a page that only reads does not need it.
  const chainCheck = lazy(async () =>
    (await import('./chain-check.js')).createChainCheck({
      chainId: network.chainId,
      endpoints,
      request: requestWithRetries,
      now,
    }),
  );

  const verification = lazy(async () => {
    const { createVerifiedRequest } = await import('./verified/verified-request.js').catch(throwNotLoaded);
    const below = { endpoints, transports, now, limiterOf, onSend, request: requestWithRetries };
    return createVerifiedRequest({ ...options, ...below });
  });
  const send: RetryingRequest =
    network.verify === undefined
      ? requestWithRetries
      : async (method, ...call) =>
          (methodFacts(method).proof ? (await verification()).request : requestWithRetries)(method, ...call);

  /** If the chunk does not load, requests are not limited, and the next one loads it again. */
  async function load(): Promise<void> {
    try {
      limiter = await options.limiter?.();
    } catch {
      loading = undefined;
    }
  }

  /** A new request in flight, which the caller sends. @throws ProviderRpcError -32005 if there are too many */
  function open(method: string, admission: ChargedAdmission, key?: string, signal?: AbortSignal) {
    const { dapp } = admission.payer;
    const others = running.get(dapp) ?? 0;
    if (others >= maxInFlight)
      throw limitExceeded(`There are too many requests in flight (${maxInFlight})`, { reason: 'in-flight' });
    running.set(dapp, others + 1);
    // Without a signal no caller can leave, so the request is never aborted.
    const connection = signal && new AbortController();
    const removeFromMap = () => {
      if (key !== undefined && inFlight.get(key) === request) inFlight.delete(key);
    };
    const waiters = new Set<Waiter>();
    const cacheEntry = negativeCache.begin(method);
    const ended = () => {
      running.set(dapp, (running.get(dapp) ?? 1) - 1);
      cacheEntry.ended();
      removeFromMap();
      // Reads after a send get a new request: the answers of those in flight may be older than the send.
      if (sends(method)) inFlight.clear();
    };
    const request: SharedRequest = {
      waiters,
      admission,
      signal: connection?.signal,
      stop() {
        removeFromMap();
        connection?.abort();
      },
      settle: (sent) =>
        void sent
          .then(
            ({ result, endpoint }) => {
              request.answeredBy = endpoint;
              cacheEntry.answered(result);
              ended();
              resolveAll(result, waiters, method, options.sharesResults);
            },
            async (cause) => {
              const error = await described(cause);
              if (request.refusedBy) cacheEntry.refused(error, key, request.refusedBy);
              ended();
              throw error;
            },
          )
          .catch((error) => rejectAll(error, waiters)),
    };
    if (key !== undefined) inFlight.set(key, request);
    return request;
  }

  async function described(error: ProviderRpcError): Promise<ProviderRpcError> {
    const { code, data, service } = error;
    if (code !== errorCode.executionReverted || typeof data !== 'string') return error;
    const words = describe && (await withTimeout(patience, async () => describe(data)));
    if (typeof words !== 'string') return error;
    return new ProviderRpcError(code, (await diagnosis()).revertMessage(words), data, service);
  }

  /** An identical request in flight. @throws ProviderRpcError a refusal that is cached */
  function find(
    method: string,
    key: string | undefined,
    urgency: number,
    payer: Service.Payer,
    observe: (from: 'cache') => void,
  ): SharedRequest | undefined {
    const found = key === undefined ? undefined : inFlight.get(key);
    if (found && !found.admission.refused) {
      shared++;
      const { admission } = found;
      admission.urgency = Math.min(admission.urgency, urgency);
      // It must not wait in the queue of one dapp when another one waits for it.
      if (admission.payer.dapp !== payer.dapp && admission.payer.dapp !== null) admission.payer.dapp = null;
      return found;
    }
    const refusal = negativeCache.find(method, key, () => endpoints.next()?.endpoint);
    if (!refusal) return undefined;
    observe('cache');
    throw refusal;
  }

  const service: Service = {
    network,
    async request(method, params, settings) {
      const { signal, check, asked, elsewhere, priority = 'read', payer = own({ dapp }) } = own(settings);
      const observe = (from: 'cache' | 'shared' | 'service') =>
        observation?.by?.read(network.chainId, method, from, asked);
      if (signal?.aborted) throw requestAborted(method);
      if (elsewhere) endpoints.behind();
      const key = mustNotRepeat(method) ? undefined : JSON.stringify([method, params]);
      const urgency = sends(method) ? 0 : urgencyOf[priority];
      for (let left = key === undefined ? 1 : network.urls.length; ; left--) {
        const found = find(method, key, urgency, payer, observe);
        const request = found ?? open(method, own({ urgency, payer }), key, signal);
        if (!found)
          request.settle(
            send(method, params, request.admission, request.signal, (endpoint) => {
              request.refusedBy = endpoint;
            }),
          );
        observe(found ? 'shared' : 'service');
        const result = await join(request, method, signal);
        try {
          check?.(result);
          return result;
        } catch (error) {
          const text = error instanceof Error ? error.message : 'malformed';
          const fault = (await diagnosis().catch(throwNotLoaded)).of({ method, trouble: 'broken', text });
          if (left <= 1 || !request.answeredBy) throw fault.error;
          endpoints.failed(request.answeredBy, fault);
        }
      }
    },
    reachable: () => reachable,
    watch: listeners.add,
    usage: () => ({ sent: Object.fromEntries(sent), shared, quota: limiter?.usage() }),
    slowdown: () => limiter?.slowdown(dapp) ?? 1,
    verifyChain: async () => (await chainCheck())(),
    verification: network.verify && verification,
  };
  return service;
}

/** A request in flight, with the urgency of its most urgent waiter. */
interface SharedRequest extends InFlightRequest {
  readonly admission: ChargedAdmission;
  /** Aborts once no caller waits. */
  readonly signal: AbortSignal | undefined;
  /** Takes the outcome for all callers. */
  settle(sent: ReturnType<RetryingRequest>): void;
  answeredBy?: Endpoint | undefined;
  refusedBy?: Endpoint | undefined;
}

type ChargedAdmission = Admission & { readonly payer: Service.Payer };

const urgencyOf = { person: 0, read: 1, background: 2 } satisfies Record<Service.Priority, number>;
