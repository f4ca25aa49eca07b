import { callSafely } from '../async/listeners.js';
import { instantAnswers } from '../methods/instant-answers.js';
import type { ProviderRpcError } from '../rpc/errors.js';
import type { Address, Hex } from '../rpc/schema.js';
import { permittedAccounts, type ReadableSession } from '../session/session.js';
import { createEvents, type Events, type Listener } from './emitter.js';
import { type ProviderEvent, type ProviderEvents, unreachable } from './events.js';
import type { RequestFunction } from './request.js';
import type { JsonRpcPayload, Requests } from './router.js';

/**
 * The EIP-1193 provider of a page, with the older functions that some dapps still use.
 *
 * @example
 * const { provider } = wallet;
 * const [account] = await provider.request({ method: 'eth_requestAccounts' });
 * provider.on('chainChanged', (chainId) => console.log(Number(chainId), account));
 */
export interface Provider {
  /** Tells this provider from others. */
  readonly isGraft: true;
  /** Sends one request (EIP-1193), or a JSON-RPC batch. */
  readonly request: RequestFunction;
  /** Adds a listener of an event. */
  readonly on: Listen;
  /** Adds a listener that is called at most once. */
  readonly once: Listen;
  /** Removes a listener. */
  readonly off: Listen;
  /** The same as `on`. */
  readonly addListener: Listen;
  /** The same as `off`. */
  readonly removeListener: Listen;
  /** Removes the listeners of one event, or of all. */
  removeAllListeners(event?: string): Provider;
  /** The number of listeners of an event. */
  listenerCount(event: string): number;
  /** Whether the last request to the service of the active chain reached it. */
  isConnected(): boolean;
  /** Legacy: use `eth_chainId`, `net_version`, `eth_accounts`. */
  readonly chainId: Hex;
  /** Legacy: the id of the active chain, decimal. */
  readonly networkVersion: string;
  /** Legacy: the first account that the page may use; `null` for none. */
  readonly selectedAddress: Address | null;
  /** Legacy: use `eth_requestAccounts`. */
  enable(): Promise<readonly Address[]>;
  /** Legacy: use `request`. */
  send(method: string, params?: readonly unknown[]): Promise<unknown>;
  send(payload: JsonRpcPayload, callback: JsonRpcCallback): void;
  send(payloads: readonly JsonRpcPayload[], callback: JsonRpcCallback): void;
  send(payload: JsonRpcPayload): Promise<unknown>;
  /** Legacy: use `request`. The callback gets what JSON-RPC calls a response. */
  sendAsync(payload: JsonRpcPayload, callback?: JsonRpcCallback): void;
  sendAsync(payloads: readonly JsonRpcPayload[], callback?: JsonRpcCallback): void;
}

/** Adds or removes a listener. Returns the provider, as in Node's EventEmitter. */
export interface Listen {
  <Name extends ProviderEvent>(event: Name, listener: ProviderEvents[Name]): Provider;
  (event: string, listener: Listener): Provider;
}

/** `response` is a `JsonRpcResponse`; for several payloads an array of them, in the same order. */
// biome-ignore lint/suspicious/noExplicitAny: libraries have their own types for it
export type JsonRpcCallback = (error: Error | null, response?: any) => void;

/** The provider, and the functions that control it. */
export interface ProviderSide {
  readonly provider: Provider;
  /** Emits a result of a subscription. */
  notify(subscription: Hex, result: unknown): void;
  /** Emits `connect` or `disconnect` if the value differs from the last one. */
  setReachable(reachable: boolean): void;
  close(): void;
}

export function createProvider(options: createProvider.Options): ProviderSide {
  const { requests, session, origin } = options;
  const events: Events = createEvents();
  let connected = false;

  const chainId = (): Hex => instantAnswers.eth_chainId(options);

  // Declared as an async function: web3.js recognises an EIP-1193 provider by the name of its constructor.
  async function request(args: unknown, settings?: unknown): Promise<unknown> {
    return requests.request(args, settings);
  }

  function sendAsync(payload: unknown, callback: JsonRpcCallback = () => {}): void {
    requests.respond(payload).then(
      (outcome) => callSafely(callback, ...outcome),
      (error: ProviderRpcError) => callSafely(callback, error),
    );
  }

  function send(first: unknown, second?: unknown): unknown {
    if (typeof first === 'string') return request({ method: first, params: second ?? [] });
    if (typeof second === 'function') return sendAsync(first, second as JsonRpcCallback);
    return request(first);
  }

  const chained =
    <Args extends readonly unknown[]>(change: (...args: Args) => void) =>
    (...args: Args): Provider => {
      change(...args);
      return provider;
    };
  const on = chained(events.on);
  const removeListener = chained(events.removeListener);

  const provider: Provider = {
    isGraft: true,
    request: request as RequestFunction,
    on,
    addListener: on,
    once: chained(events.once),
    removeListener,
    off: removeListener,
    removeAllListeners: chained(events.removeAllListeners),
    listenerCount: events.listenerCount,
    isConnected: () => connected,
    get chainId() {
      return chainId();
    },
    get networkVersion() {
      return instantAnswers.net_version(options);
    },
    get selectedAddress() {
      return instantAnswers.eth_accounts(options)[0] ?? null;
    },
    enable: () => request({ method: 'eth_requestAccounts' }) as Promise<readonly Address[]>,
    send: send as Provider['send'],
    sendAsync: sendAsync as Provider['sendAsync'],
  };

  // Chain and account events are emitted here only, from changes of the session state.
  const unwatch = session.watch((state, previous) => {
    if (state.chainId !== previous.chainId) {
      events.emit('chainChanged', chainId());
      events.emit('networkChanged', String(state.chainId));
    }
    const accounts = permittedAccounts(state, origin);
    if (accounts.join() !== permittedAccounts(previous, origin).join())
      events.emit('accountsChanged', [...accounts]);
  });

  return {
    provider,
    notify: (subscription, result) =>
      events.emit('message', { type: 'eth_subscription', data: { subscription, result } }),
    setReachable(reachable) {
      if (reachable === connected) return;
      connected = reachable;
      if (reachable) events.emit('connect', { chainId: chainId() });
      else events.emit('disconnect', unreachable());
    },
    close() {
      unwatch();
      events.removeAllListeners();
    },
  };
}

export declare namespace createProvider {
  interface Options {
    readonly requests: Requests;
    readonly session: ReadableSession;
    readonly origin: string;
  }
}
