import type { Json } from '../rpc/message.js';
import { own } from '../rpc/own.js';
import type { Address } from '../rpc/schema.js';
import type { LogRanges } from '../service/logs/ranges.js';
import type { Service } from '../service/service.js';
import type { Context } from './context.js';

/**
 * Callers that a method admits.
 * - `public`: any page.
 * - `person`: any page; the person is asked.
 * - `account`: a page with a permission for the account, else 4100.
 * - `refused`: no page (4200 with the reason).
 * - `absent`: no page (-32601 with the reason, on which libraries use their fallback, unlike on 4200;
 *   docs/notes/clients.md#error-codes).
 */
export type Access = 'public' | 'person' | 'account' | 'refused' | 'absent';

/**
 * A JSON-RPC method, as the router runs it: read `params`, check the permission for `account`, `handle`. `Wire` is the
 * type of the params as a caller writes them, mostly a tuple. The types of `request()` follow from `Wire` and `Result`.
 */
export interface Method<Wire = unknown, Result = unknown, C = Context> {
  readonly access: Access;
  /** Validates the params. @throws ProviderRpcError -32602 naming the value that is wrong */
  readonly params: (params: Json) => unknown;
  readonly account?: (params: never) => Address;
  readonly handle: (context: C, params: never, request: MethodRequest) => Result | Promise<Result>;
  /** Why a method is `refused` or `absent`, as a sentence for the developer. */
  readonly reason?: string;
  /** Only a type: never set. */
  readonly wire?: Wire;
}

/** The options of a request. */
export interface RequestSettings {
  readonly signal?: AbortSignal;
  /** Called with the progress of a request that takes many HTTP requests. */
  readonly onProgress?: (progress: LogRanges.Progress) => void;
  /** Whether a request that is answered before the person decides waits for them. */
  readonly untilDecided?: boolean;
}

export interface MethodRequest extends RequestSettings {
  readonly method: string;
}

/** How a method is run once its params were read. */
export interface Behaviour<Read, Result, C> {
  readonly access: Exclude<Access, 'refused' | 'absent'>;
  readonly account?: (params: NoInfer<Read>) => Address;
  readonly handle: (context: C, params: NoInfer<Read>, request: MethodRequest) => Result | Promise<Result>;
}

/** Defines a method: `method<[wire params], Result>()(readParams, { access, handle })`. */
export const method =
  <Wire extends object, Result>() =>
  <Read>(params: (params: Json) => Read, behaviour: Behaviour<Read, Result, Context>): Method<Wire, Result> =>
    own({ params, ...behaviour });

/**
 * Defines a read that is forwarded to the service with the validated params. The result is checked and passed on.
 * @param check throws an error that names the rule which the result breaks
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
        const service = context.reads();
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

/** Defines a known method that pages may not call. Its params are never read, since they may be secrets. */
export const refused = never('refused');

/** Defines a method that libraries probe and neither the chain nor the wallet has. It costs no request. */
export const absent = never('absent');
