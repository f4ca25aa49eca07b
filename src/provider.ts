import { createEvents, type Events, type Listener } from './events.js';
import { guarded } from './listeners.js';
import type { Methods } from './methods/index.js';
import type { Method } from './methods/method.js';
import type { Router } from './router.js';
import { errorCode, isProviderRpcError, ProviderRpcError } from './rpc/errors.js';
import type { RequestArguments } from './rpc/message.js';
import type { Address, Hex } from './rpc/schema.js';
import { permittedAccounts, type Session } from './session/session.js';

type WireOf<M> = M extends Method<infer Wire, unknown, never> ? Wire : never;
type ResultOf<M> = M extends Method<infer _Wire, infer Result, never> ? Result : never;

/** `{ method, params }` of every method in the table; `params` may be left out where all are optional. */
export type TypedRequest = {
  [Name in keyof Methods]: readonly [] extends WireOf<Methods[Name]>
    ? { readonly method: Name; readonly params?: WireOf<Methods[Name]> }
    : { readonly method: Name; readonly params: WireOf<Methods[Name]> };
}[keyof Methods];

/** What a method resolves with: exact for a method in the table, `unknown` for any other name. */
export type RequestResult<Name extends string> = Name extends keyof Methods
  ? ResultOf<Methods[Name]>
  : unknown;

export interface RequestFunction {
  <const Request extends TypedRequest>(
    request: Request,
    options?: RequestOptions,
  ): Promise<RequestResult<Request['method']>>;
  // biome-ignore lint/suspicious/noExplicitAny: what EIP-1193 clients expect of a method they do not know
  (request: RequestArguments, options?: RequestOptions): Promise<any>;
}

export interface RequestOptions {
  /** Abandons the request: its HTTP exchange is cancelled, a dialog it opened is closed. */
  readonly signal?: AbortSignal;
}

/** The EIP-1193 provider of one page, with the calls that dapps from before EIP-1193 still make. */
export interface Provider {
  readonly isGraft: true;
  /** @throws ProviderRpcError, always: an `Error` with an integer `code`. */
  readonly request: RequestFunction;
  on(event: ProviderEvent | (string & {}), listener: Listener): Provider;
  once(event: ProviderEvent | (string & {}), listener: Listener): Provider;
  off(event: ProviderEvent | (string & {}), listener: Listener): Provider;
  addListener(event: ProviderEvent | (string & {}), listener: Listener): Provider;
  removeListener(event: ProviderEvent | (string & {}), listener: Listener): Provider;
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
  send(payload: JsonRpcPayload): Promise<unknown>;
  sendAsync(payload: JsonRpcPayload, callback: JsonRpcCallback): void;
}

export type ProviderEvent = 'connect' | 'disconnect' | 'chainChanged' | 'accountsChanged' | 'message';

export interface JsonRpcPayload {
  readonly id?: number | string | null;
  readonly jsonrpc?: string;
  readonly method: string;
  readonly params?: readonly unknown[];
}

export type JsonRpcCallback = (
  error: Error | null,
  response?: { id: number | string | null; jsonrpc: '2.0'; result?: unknown; error?: object },
) => void;

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
    const signal = (settings as RequestOptions | undefined)?.signal;
    try {
      return await router(args, signal instanceof AbortSignal ? signal : undefined);
    } catch (error) {
      throw isProviderRpcError(error) ? error : unforeseen();
    }
  }

  const sendAsync: Provider['sendAsync'] = (payload, callback) => {
    const id = payload?.id ?? null;
    request(payload).then(
      (result) => guarded(callback, null, { id, jsonrpc: '2.0', result }),
      (error: ProviderRpcError) => {
        const { code, message, data } = error;
        const refusal = { code, message, ...(data !== undefined && { data }) };
        guarded(callback, error, { id, jsonrpc: '2.0', error: refusal });
      },
    );
  };

  function send(first: string | JsonRpcPayload, second?: readonly unknown[] | JsonRpcCallback): unknown {
    if (typeof first === 'string') return request({ method: first, params: second ?? [] });
    if (typeof second === 'function') return sendAsync(first, second);
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
    sendAsync,
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
      // 1013 "try again later": wagmi keeps the connection while accounts are left (clients.md D2).
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

/** A fault of ours. Its own text is not shown: nobody has checked it for secrets. */
const unforeseen = () => new ProviderRpcError(errorCode.internal, 'Internal error of the wallet.');
