import type { Context, InstantContext } from '../context.js';
import type { Json } from '../rpc/message.js';
import { own } from '../rpc/own.js';
import type { Address } from '../rpc/schema.js';
import type { LogRanges } from '../service/logs/ranges.js';
import type { Service } from '../service/service.js';

/**
 * Who may call a method. `public`: any page. `person`: any page, and a person is asked. `account`: only for
 * an account that the page was given (else 4100). `refused`: nobody (4200, with the reason). `absent`: nobody
 * (-32601, with the reason): libraries take another way at once, which on 4200 they do not (docs/notes/clients.md#error-codes).
 */
export type Access = 'public' | 'person' | 'account' | 'refused' | 'absent';

/**
 * One JSON-RPC method, as the router uses it: read `params`, check that the origin holds `account`, `handle`.
 * `Wire` is the params as a caller writes them, a tuple mostly, and `Result` what the method resolves with: the types
 * of `request()` are derived from these two.
 */
export interface Method<Wire = unknown, Result = unknown, C = Context> {
  readonly access: Access;
  /** @throws ProviderRpcError -32602 naming the value that is wrong. */
  readonly params: (params: Json) => unknown;
  readonly account?: (params: never) => Address;
  readonly handle: (context: C, params: never, request: MethodRequest) => Result | Promise<Result>;
  /** Why a method is `refused` or `absent`: a sentence for the developer. */
  readonly reason?: string;
  /** Carries a type, never a value. */
  readonly wire?: Wire;
}

/** What a caller says beside the request itself. */
export interface RequestSettings {
  readonly signal?: AbortSignal;
  /** Told how far a request has come that takes many. */
  readonly onProgress?: (progress: LogRanges.Progress) => void;
}

export interface MethodRequest extends RequestSettings {
  readonly method: string;
}

interface Behaviour<Read, Result, C> {
  readonly access: Exclude<Access, 'refused' | 'absent'>;
  readonly account?: (params: NoInfer<Read>) => Address;
  readonly handle: (context: C, params: NoInfer<Read>, request: MethodRequest) => Result | Promise<Result>;
}

/** Defines a method: `method<[wire params], Result>()(readParams, { access, handle })`. */
export const method =
  <Wire extends object, Result>() =>
  <Read>(params: (params: Json) => Read, behaviour: Behaviour<Read, Result, Context>): Method<Wire, Result> =>
    own({ params, ...behaviour });

/** The same for the few that are answered before the core has loaded. */
export const instantMethod =
  <Wire extends object, Result>() =>
  <Read>(
    params: (params: Json) => Read,
    behaviour: Behaviour<Read, Result, InstantContext>,
  ): Method<Wire, Result, InstantContext> =>
    own({ params, ...behaviour });

/**
 * A read that goes to the service with the params as read, and whose result is checked and passed on. `check`
 * throws the rule that the result breaks; it is told which service answered.
 */
export const forwarded =
  <Wire extends object, Result>() =>
  <Read extends readonly unknown[]>(
    params: (params: Json) => Read,
    check?: (result: unknown, params: Read, service: Service) => void,
  ): Method<Wire, Result> =>
    method<Wire, Result>()(params, {
      access: 'public',
      handle: (context, read, request) => {
        const service = context.service();
        return service.request(request.method, read, {
          ...(request.signal && { signal: request.signal }),
          ...(check && { check: (result: unknown) => check(result, read, service) }),
        }) as Promise<Result>;
      },
    });

const never =
  (access: 'refused' | 'absent') =>
  (reason: string): Method<readonly unknown[], never> =>
    own({
      access,
      reason,
      params: (params: Json) => params,
      handle: () => {
        throw new TypeError('A method without access is never handled.');
      },
    });

/** A method that exists elsewhere and is kept from pages: its params may be secrets. */
export const refused = never('refused');

/** A method that libraries try and this chain or wallet does not have: refused here, so that it costs nothing. */
export const absent = never('absent');
