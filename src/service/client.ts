import { errorCode, limitExceeded, ProviderRpcError } from '../rpc/errors.js';
import { toQuantity } from '../rpc/hex.js';
import type { Hex } from '../rpc/schema.js';
import { changesState, createAsk } from './attempts.js';
import { createEndpoints, type Endpoint } from './endpoints.js';
import { diagnose } from './errors.js';
import type { Network } from './networks.js';
import { createRedactor } from './redact.js';
import type { Service } from './service.js';
import { createTransport } from './transport.js';

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
    /** Asked after a connection failed. Default `navigator.onLine`, true where there is none. */
    online?: (() => boolean) | undefined;
  }
}

/** Milliseconds for which what an endpoint said of its chain holds: behind its URL another node may take over. */
const confirmationHolds = 60_000;

/** One who waits for an exchange. */
interface Asker {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** A request under way and those who wait for it; it is given up when the last of them leaves. */
interface Exchange {
  readonly askers: Set<Asker>;
  readonly stop: () => void;
}

/** The {@link Service} over HTTP. Nothing is sent before it is asked. */
export function createService(options: createService.Options): Service {
  const { network, maxInFlight = 1000, backoff = 100, now = () => performance.now() } = options;
  const redact = createRedactor(network.urls);
  const endpoints = createEndpoints({
    chainId: network.chainId,
    transports: network.urls.map((url) =>
      createTransport({ url, redact, fetch: options.fetch, maxBytes: options.maxBytes }),
    ),
    now,
    coolDown: options.coolDown ?? 30_000,
    rateWait: backoff * 10,
  });
  const ask = createAsk({
    endpoints,
    deadline: options.deadline ?? 10_000,
    // The node gives up after 5 s (node-facts §1.2): of 10 s, 6 leave it that and another endpoint a chance.
    share: network.urls.length > 1 ? 0.6 : 1,
    attempts: options.attempts ?? 6,
    backoff,
    now,
    random: options.random ?? Math.random,
    online: options.online ?? (() => globalThis.navigator?.onLine !== false),
    onSend: (method) => sent.set(method, (sent.get(method) ?? 0) + 1),
    onContact: (reached) => {
      if (reached === reachable) return;
      reachable = reached;
      for (const listener of [...listeners]) listener(reached);
    },
  });
  const sent = new Map<string, number>();
  const inFlight = new Map<string, Exchange>();
  const listeners = new Set<(reachable: boolean) => void>();
  let running = 0;
  let shared = 0;
  let reachable = true;
  let verifying: Promise<void> | undefined;
  const none = new Map<never, number>();

  function start(method: string, params: readonly unknown[], key: string | undefined): Exchange {
    if (running >= maxInFlight) {
      throw limitExceeded(`There are too many requests in flight (${maxInFlight})`, { reason: 'in-flight' });
    }
    running++;
    const connection = new AbortController();
    const leave = () => {
      if (key !== undefined && inFlight.get(key) === exchange) inFlight.delete(key);
    };
    const askers = new Set<Asker>();
    const exchange: Exchange = {
      askers,
      stop() {
        leave();
        connection.abort();
      },
    };
    const ended = () => {
      running--;
      leave();
    };
    ask(method, params, connection.signal)
      .then(
        ({ result }) => {
          ended();
          handOut(result, askers, method);
        },
        (error) => {
          ended();
          throw error;
        },
      )
      .catch((error) => {
        for (const { reject } of askers) reject(error);
      });
    if (key !== undefined) inFlight.set(key, exchange);
    return exchange;
  }

  const isConfirmed = (endpoint: Endpoint | undefined) =>
    endpoint?.confirmedAt !== undefined && now() - endpoint.confirmedAt <= confirmationHolds;

  async function verify(): Promise<void> {
    // Ends: each turn confirms an endpoint or shuts it.
    while (!isConfirmed(endpoints.next(none)?.endpoint)) {
      const { result, endpoint } = await ask('eth_chainId', []);
      if (!isQuantity(result)) {
        throw diagnose({ method: 'eth_chainId', trouble: 'broken', text: 'not a QUANTITY' }, redact).error;
      }
      if (BigInt(result) === BigInt(network.chainId)) endpoint.confirmedAt = now();
      else endpoints.refuse(endpoint, wrongChain(network.chainId, result));
    }
  }

  return {
    network,
    async request(method, params, { signal, check } = {}) {
      if (signal?.aborted) throw diagnose({ method, trouble: 'aborted' }, redact).error;
      const key = changesState(method) ? undefined : JSON.stringify([method, params]);
      const underWay = key === undefined ? undefined : inFlight.get(key);
      if (underWay) shared++;
      const result = await join(underWay ?? start(method, params, key), method, signal);
      try {
        check?.(result);
      } catch (error) {
        const text = error instanceof Error ? error.message : 'malformed';
        throw diagnose({ method, trouble: 'broken', text }, redact).error;
      }
      return result;
    },
    reachable: () => reachable,
    watch(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    usage: () => ({ sent: Object.fromEntries(sent), shared }),
    verifyChain() {
      verifying ??= verify().finally(() => {
        verifying = undefined;
      });
      return verifying;
    },
  };
}

/** Waits for the answer until `signal` aborts: one who leaves takes nothing from the others. */
function join({ askers, stop }: Exchange, method: string, signal: AbortSignal | undefined): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const settled = () => signal?.removeEventListener('abort', leave);
    const asker: Asker = {
      resolve(result) {
        settled();
        resolve(result);
      },
      reject(error) {
        settled();
        reject(error);
      },
    };
    const leave = () => {
      reject(diagnose({ method, trouble: 'aborted' }, String).error);
      askers.delete(asker);
      if (askers.size === 0) stop();
    };
    askers.add(asker);
    signal?.addEventListener('abort', leave, { once: true });
  });
}

/**
 * Gives each asker a result of its own: a page that writes into its own must not change what the wallet reads.
 * All copies are made before anybody gets one.
 */
function handOut(result: unknown, askers: ReadonlySet<Asker>, method: string): void {
  const mutable = typeof result === 'object' && result !== null;
  let results: unknown[];
  try {
    results = [...askers].map((_, index) => (mutable && index > 0 ? structuredClone(result) : result));
  } catch {
    // The stack was too short for it; a result that everybody could write into is no way out.
    throw diagnose({ method, trouble: 'nested' }, String).error;
  }
  for (const [index, { resolve }] of [...askers].entries()) resolve(results[index]);
}

const isQuantity = (value: unknown): value is Hex =>
  typeof value === 'string' && /^0x(0|[1-9a-f][0-9a-f]{0,15})$/i.test(value);

/** Signing for the chain an endpoint claims would let it replay us elsewhere: the configuration decides. */
const wrongChain = (expected: number, served: Hex) =>
  new ProviderRpcError(
    errorCode.chainDisconnected,
    `The service serves chain ${served}, not the configured chain ${toQuantity(expected)}`,
    { reason: 'wrong-chain' },
  );
