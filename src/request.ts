import { callSafely } from './async/listeners.js';
import type { Methods } from './methods/index.js';
import type { Method } from './methods/method.js';
import { invalidRequest } from './rpc/errors.js';
import type { RequestArguments } from './rpc/message.js';
import { own } from './rpc/own.js';
import type { LogRanges } from './service/logs/ranges.js';

/** The types of `request()`: its params and results are those of the method table. */

type WireOf<M> = M extends Method<infer Wire, unknown, never> ? Wire : never;
type ResultOf<M> = M extends Method<infer _Wire, infer Result, never> ? Result : never;

/** `params` of a method, tuple or object; they may be left out where all are optional. */
type ParamsOf<Wire> = readonly [] extends Wire
  ? { readonly params?: Wire | undefined }
  : { readonly params: Wire };

/** `{ method, params }` of every method in the table. */
export type TypedRequest = {
  [Name in keyof Methods]: { readonly method: Name } & ParamsOf<Readonly<WireOf<Methods[Name]>>>;
}[keyof Methods];

/** A request whose method is not in the table: nothing is known of its params. */
export interface OtherRequest<Name extends string> extends RequestArguments {
  readonly method: Name extends keyof Methods ? never : Name;
}

/** What a method resolves with: exact for a method in the table, `unknown` for any other name. */
export type RequestResult<Name extends string> = Name extends keyof Methods
  ? ResultOf<Methods[Name]>
  : unknown;

export interface RequestFunction {
  <const Name extends string>(
    request: OtherRequest<Name>,
    options?: RequestOptions,
    // biome-ignore lint/suspicious/noExplicitAny: what EIP-1193 clients expect of a method they do not know
  ): Promise<any>;
  // The last one: what does not fit is explained by its method's own params.
  <const Request extends TypedRequest>(
    request: Request,
    options?: RequestOptions,
  ): Promise<RequestResult<Request['method']>>;
}

export interface RequestOptions {
  /** Abandons the request: its HTTP exchange is cancelled, a dialog it opened is closed. */
  readonly signal?: AbortSignal | undefined;
  /** `eth_getLogs` of a range that takes many requests: called after each answer with the blocks read so far. */
  readonly onProgress?: ((progress: LogRanges.Progress) => void) | undefined;
}

/** A page's own settings: what is none is left out, and a callback that throws harms nobody. */
export function readSettings(settings: unknown) {
  try {
    const { signal, onProgress } = own((settings ?? undefined) as RequestOptions | undefined);
    return {
      ...(signal instanceof AbortSignal && { signal }),
      ...(typeof onProgress === 'function' && {
        onProgress: (progress: LogRanges.Progress) => callSafely(onProgress, progress),
      }),
    };
  } catch {
    // Reading may run the page's own code: a getter, a proxy.
    throw invalidRequest('The options of the request cannot be read.');
  }
}
