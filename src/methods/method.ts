import type { Context, InstantContext } from '../context.js';
import type { Json } from '../rpc/message.js';
import type { Address } from '../rpc/schema.js';

/**
 * Who may call a method. `public`: any page. `person`: any page, and a person is asked. `account`: only for
 * an account that the page was given (else 4100). `refused`: nobody (4200, with the reason).
 */
export type Access = 'public' | 'person' | 'account' | 'refused';

/**
 * One JSON-RPC method, as the router uses it: read `params`, check that the origin holds `account`, `handle`.
 * `Wire` is the tuple of params as a caller writes them and `Result` what the method resolves with: the types
 * of `request()` are derived from these two.
 */
export interface Method<Wire = unknown, Result = unknown, C = Context> {
  readonly access: Access;
  /** @throws ProviderRpcError -32602 naming the value that is wrong. */
  readonly params: (params: Json) => unknown;
  readonly account?: (params: never) => Address;
  readonly handle: (context: C, params: never, request: MethodRequest) => Result | Promise<Result>;
  /** Why a `refused` method is refused: a sentence for the developer. */
  readonly reason?: string;
  /** Carries a type, never a value. */
  readonly wire?: Wire;
}

export interface MethodRequest {
  readonly method: string;
  readonly signal?: AbortSignal;
}

interface Behaviour<Read, Result, C> {
  readonly access: Exclude<Access, 'refused'>;
  readonly account?: (params: NoInfer<Read>) => Address;
  readonly handle: (context: C, params: NoInfer<Read>, request: MethodRequest) => Result | Promise<Result>;
}

/** Defines a method: `method<[wire params], Result>()(readParams, { access, handle })`. */
export const method =
  <Wire extends readonly unknown[], Result>() =>
  <Read>(
    params: (params: Json) => Read,
    behaviour: Behaviour<Read, Result, Context>,
  ): Method<Wire, Result> => ({
    params,
    ...behaviour,
  });

/** The same for the few that are answered before the core has loaded. */
export const instantMethod =
  <Wire extends readonly unknown[], Result>() =>
  <Read>(
    params: (params: Json) => Read,
    behaviour: Behaviour<Read, Result, InstantContext>,
  ): Method<Wire, Result, InstantContext> => ({ params, ...behaviour });

/** A read that goes to the service with the params as read, and whose result is checked and passed on. */
export const forwarded =
  <Wire extends readonly unknown[], Result>() =>
  <Read extends readonly unknown[]>(
    params: (params: Json) => Read,
    check?: (result: unknown, params: Read) => void,
  ): Method<Wire, Result> =>
    method<Wire, Result>()(params, {
      access: 'public',
      handle: (context, read, request) =>
        context.service().request(request.method, read, {
          ...(request.signal && { signal: request.signal }),
          ...(check && { check: (result: unknown) => check(result, read) }),
        }) as Promise<Result>,
    });

/** A method that exists and is not available here. */
export const refused = (reason: string): Method<readonly unknown[], never> => ({
  access: 'refused',
  reason,
  params: (params) => params,
  handle: () => {
    throw new TypeError('A refused method is never handled.');
  },
});
