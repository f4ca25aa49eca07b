import type { Methods } from '../methods/index.js';
import type { Method } from '../methods/method.js';
import type { RequestArguments } from '../rpc/message.js';
import type { LogRanges } from '../service/logs/ranges.js';

/** Maximum requests of a page in flight, each of a batch counted; and requests of a batch. */
export const maxInFlight = 1_000;

type WireOf<M> = M extends Method<infer Wire, unknown, never> ? Wire : never;
type ResultOf<M> = M extends Method<infer _Wire, infer Result, never> ? Result : never;

/** The `params` of a method, a tuple or an object. They may be left out if all of them are optional. */
type ParamsOf<Wire> = readonly [] extends Wire
  ? { readonly params?: Wire | undefined }
  : { readonly params: Wire };

/** `{ method, params }` of each supported method; the types of the params follow from the method table. */
export type TypedRequest = {
  [Name in keyof Methods]: { readonly method: Name } & ParamsOf<Readonly<WireOf<Methods[Name]>>>;
}[keyof Methods];

/** A request whose method is not supported, with unchecked params. It rejects with -32601. */
export interface OtherRequest<Name extends string> extends RequestArguments {
  /** Any name that the method table does not have. */
  readonly method: Name extends keyof Methods ? never : Name;
}

/** The result type of a method; `unknown` for a method that is not supported. */
export type RequestResult<Name extends string> = Name extends keyof Methods
  ? ResultOf<Methods[Name]>
  : unknown;

/**
 * EIP-1193 `request`. Params and result are typed by the method's name.
 *
 * @example
 * const balance = await wallet.provider.request({ method: 'eth_getBalance', params: [account, 'latest'] });
 *
 * @throws ProviderRpcError, always: an `Error` with an integer `code`. Frequent codes: 4001 refused by the person, 4100
 * not authorized or locked, 4200 method not allowed, 4900 wallet closed, 4901 wrong or unconfigured chain, 4902 unknown
 * chain, -32601 unknown method, -32602 invalid params, -32003 transaction refused, -32005 limit exceeded, 3 reverted
 */
export interface RequestFunction {
  <const Name extends string>(
    request: OtherRequest<Name>,
    options?: RequestOptions,
    // biome-ignore lint/suspicious/noExplicitAny: what EIP-1193 clients expect of a method they do not know
  ): Promise<any>;
  // The last overload, so that type errors refer to the params of the method.
  <const Request extends TypedRequest>(
    request: Request,
    options?: RequestOptions,
  ): Promise<RequestResult<Request['method']>>;
}

/** Options of a request. */
export interface RequestOptions {
  /** Aborts the request: its HTTP request is cancelled, and its dialog closes. */
  readonly signal?: AbortSignal | undefined;
  /** For `eth_getLogs` of a range that takes several requests: called after each one with the blocks read so far. */
  readonly onProgress?: ((progress: LogRanges.Progress) => void) | undefined;
  /** For `wallet_watchAsset`: answers `true` once the person has decided, whatever they decided. Default: at once. */
  readonly untilDecided?: boolean | undefined;
}
