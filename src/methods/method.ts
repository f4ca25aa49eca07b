import type { Json } from '../rpc/message.js';
import { checkOf } from '../rpc/method-facts/method-facts.js';
import type { Address } from '../rpc/schema.js';
import type { LogRanges } from '../service/logs/ranges.js';
import type { Service } from '../service/service.js';
import type { Context } from './context.js';

/**
 * A JSON-RPC method, as the router runs it: read `params`, check the permission for `account`, `handle`. `Wire` is the
 * type of the params as a caller writes them, mostly a tuple. The types of `request()` follow from `Wire` and `Result`.
 */
export interface Method<Wire = unknown, Result = unknown, C = Context> {
  /** Validates the params. @throws ProviderRpcError -32602 naming the value that is wrong */
  readonly params: (params: Json) => unknown;
  /** The account that the page needs a permission for. */
  readonly account?: ((params: never) => Address) | undefined;
  readonly handle: (context: C, params: never, request: MethodRequest) => Result | Promise<Result>;
  /** Only a type: never set. */
  readonly wire?: Wire | undefined;
}

/** The options of a request. */
export interface RequestSettings {
  readonly signal?: AbortSignal | undefined;
  /** Called with the progress of a request that takes many HTTP requests. */
  readonly onProgress?: ((progress: LogRanges.Progress) => void) | undefined;
  /** Whether a request that is answered before the person decides waits for them. */
  readonly untilDecided?: boolean | undefined;
}

export interface MethodRequest extends RequestSettings {
  readonly method: string;
}

/** Defines a method: `method<[wire params], Result>()(readParams, handle, account)`. */
export const method =
  <Wire extends object, Result>() =>
  <Read>(
    params: (params: Json) => Read,
    handle: (context: Context, params: NoInfer<Read>, request: MethodRequest) => Result | Promise<Result>,
    account?: (params: NoInfer<Read>) => Address,
  ): Method<Wire, Result> => ({ params, handle, account });

/**
 * Defines a read that is forwarded to the service with the validated params. Its result is checked as its row says.
 * @param form converts the result to the one form that pages get (`rpc/canonical.ts`)
 * @param note called with each result that has passed the check
 */
export const forwarded =
  <Wire extends object, Result>() =>
  <Read extends readonly unknown[]>(
    params: (params: Json) => Read,
    form?: (result: Result, params: Read) => Result,
    note?: (result: unknown, service: Service) => void,
  ): Method<Wire, Result> =>
    method<Wire, Result>()(params, async (context, read, { method, signal }) => {
      const service = context.reads();
      const checkRow = checkOf(method, read);
      const check = (result: unknown) => {
        checkRow?.(result);
        note?.(result, service);
      };
      const result = (await service.request(method, read, { signal, check })) as Result;
      return form ? form(result, read) : result;
    });
