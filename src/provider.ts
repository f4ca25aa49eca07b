import { callSafely } from './async/listeners.js';
import { createEvents, type Events, type Listener } from './events.js';
import { type RequestFunction, readSettings } from './request.js';
import type { Router } from './router.js';
import { answer, answerBatch, isArray, isBatch, type JsonRpcPayload } from './rpc/batch.js';
import { ProviderRpcError } from './rpc/errors.js';
import { rejectionOf } from './rpc/rejection.js';
import type { Address, Hex } from './rpc/schema.js';
import { permittedAccounts, type Session } from './session/session.js';

/** The EIP-1193 provider of one page, with the calls that dapps from before EIP-1193 still make. */
export interface Provider {
  readonly isGraft: true;
  /** @throws ProviderRpcError, always: an `Error` with an integer `code`. */
  readonly request: RequestFunction;
  readonly on: Listen;
  readonly once: Listen;
  readonly off: Listen;
  readonly addListener: Listen;
  readonly removeListener: Listen;
  removeAllListeners(event?: string): Provider;
  listenerCount(event: string): number;
  /** Whether the service of the active chain could be reached when last tried. */
  isConnected(): boolean;
  /** Legacy: use `eth_chainId`, `net_version`, `eth_accounts`. */
  readonly chainId: Hex;
  readonly networkVersion: string;
  readonly selectedAddress: Address | null;
  /** Legacy: use `eth_requestAccounts`. */
  enable(): Promise<readonly Address[]>;
  /** Legacy: use `request`. */
  send(method: string, params?: readonly unknown[]): Promise<unknown>;
  send(payload: JsonRpcPayload, callback: JsonRpcCallback): void;
  send(payloads: readonly JsonRpcPayload[], callback: JsonRpcCallback): void;
  send(payload: JsonRpcPayload): Promise<unknown>;
  sendAsync(payload: JsonRpcPayload, callback?: JsonRpcCallback): void;
  sendAsync(payloads: readonly JsonRpcPayload[], callback?: JsonRpcCallback): void;
}

/** What the events of EIP-1193 carry. */
export interface ProviderEvents {
  connect: (info: { chainId: Hex }) => void;
  /** Its code is a CloseEvent's: 1013, try again later. */
  disconnect: (error: ProviderRpcError) => void;
  chainChanged: (chainId: Hex) => void;
  accountsChanged: (accounts: Address[]) => void;
  // biome-ignore lint/suspicious/noExplicitAny: what it carries is its `type`'s own affair
  message: (message: { type: string; data: any }) => void;
}

export type ProviderEvent = keyof ProviderEvents;

/** Chainable, as Node's EventEmitter. Of any other event nothing is known. */
export interface Listen {
  <Name extends ProviderEvent>(event: Name, listener: ProviderEvents[Name]): Provider;
  (event: string, listener: Listener): Provider;
}

/** `response` is a `JsonRpcResponse`; of several payloads an array, one for each in their order. */
// biome-ignore lint/suspicious/noExplicitAny: libraries bring types of their own for it
export type JsonRpcCallback = (error: Error | null, response?: any) => void;

/** The provider and the ends of it that only the wallet holds. */
export interface ProviderSide {
  readonly provider: Provider;
  /** Pushes a subscription's result to the page. */
  notify(subscription: Hex, result: unknown): void;
  /** Tells the page whether the chain can be reached. Telling the same twice says nothing. */
  setReachable(reachable: boolean): void;
  close(): void;
}

export function createProvider(options: createProvider.Options): ProviderSide {
  const { router, session, origin } = options;
  const events: Events = createEvents();
  let connected = false;

  const chainId = (): Hex => `0x${session.state().chainId.toString(16)}`;

  // An async function by declaration: web3.js tells an EIP-1193 provider by its constructor's name.
  async function request(args: unknown, settings?: unknown): Promise<unknown> {
    return isBatch(args) ? answerBatch(args, (each) => single(each, settings)) : single(args, settings);
  }

  async function single(args: unknown, settings?: unknown): Promise<unknown> {
    try {
      return await router(args, readSettings(settings));
    } catch (error) {
      throw rejectionOf(error, args);
    }
  }

  function sendAsync(payload: unknown, callback: JsonRpcCallback = () => {}): void {
    if (isArray(payload)) {
      answerBatch(payload, single).then(
        (responses) => callSafely(callback, null, responses),
        (error: ProviderRpcError) => callSafely(callback, error),
      );
      return;
    }
    let failed: Error | null = null;
    const noted = (each: unknown) =>
      single(each).catch((error: ProviderRpcError) => {
        failed = error;
        throw error;
      });
    answer(payload, noted).then((response) => callSafely(callback, failed, response));
  }

  function send(first: unknown, second?: unknown): unknown {
    if (typeof first === 'string') return single({ method: first, params: second ?? [] });
    if (typeof second === 'function') return sendAsync(first, second as JsonRpcCallback);
    return request(first);
  }

  const chained =
    (change: (event: string, listener: Listener) => void) => (event: string, listener: Listener) => {
      change(event, listener);
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
    removeAllListeners(event) {
      events.removeAllListeners(event);
      return provider;
    },
    listenerCount: events.listenerCount,
    isConnected: () => connected,
    get chainId() {
      return chainId();
    },
    get networkVersion() {
      return String(session.state().chainId);
    },
    get selectedAddress() {
      return permittedAccounts(session.state(), origin)[0] ?? null;
    },
    enable: () => request({ method: 'eth_requestAccounts' }) as Promise<readonly Address[]>,
    send: send as Provider['send'],
    sendAsync: sendAsync as Provider['sendAsync'],
  };

  // The one place where state becomes events (architecture, idea 5).
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
      // 1013 "try again later": wagmi keeps the connection while accounts are left (docs/notes/clients.md#events).
      else
        events.emit(
          'disconnect',
          new ProviderRpcError(1013, 'The service of the active chain cannot be reached.'),
        );
    },
    close() {
      unwatch();
      events.removeAllListeners();
    },
  };
}

export declare namespace createProvider {
  interface Options {
    readonly router: Router;
    readonly session: Session;
    readonly origin: string;
  }
}
