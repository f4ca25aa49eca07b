import { callSafely } from '../async/listeners.js';
import type { Context } from '../methods/context.js';
import { laterTables, readTable } from '../methods/index.js';
import type { Method, RequestSettings } from '../methods/method.js';
import {
  invalidRequest,
  limitExceeded,
  methodNotFound,
  unauthorized,
  unsupportedMethod,
} from '../rpc/core-errors.js';
import type { ProviderRpcError } from '../rpc/errors.js';
import { exceedsRequestSize, readRequest } from '../rpc/message.js';
import { methodFacts } from '../rpc/method-facts/method-facts.js';
import type { Unsupported } from '../rpc/method-facts/unsupported-rows.js';
import type { Observation } from '../rpc/observation.js';
import { own } from '../rpc/own.js';
import { rejectionOf } from '../rpc/rejection.js';
import type { LogRanges } from '../service/logs/ranges.js';
import { permittedAccounts } from '../session/session.js';
import { maxInFlight, type RequestOptions } from './request.js';

/** The requests of a page: their router, and the batches and limits before it. */

/** A request of the legacy `send` and `sendAsync`: JSON-RPC with its id. */
export interface JsonRpcPayload {
  /** Repeated in the response. */
  readonly id?: number | string | null;
  /** `2.0`. */
  readonly jsonrpc?: string;
  /** The name of the method. */
  readonly method: string;
  /** The params by position. Default: none. */
  readonly params?: readonly unknown[];
}

/** The response to one payload: it has either `result` or `error`. */
export interface JsonRpcResponse {
  /** Id of the payload; `null` where it has none. */
  readonly id: number | string | null;
  /** The version of the protocol. */
  readonly jsonrpc: '2.0';
  /** The method's result. */
  readonly result?: unknown;
  /** The method's error. */
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** The provider's methods for requests, which get the page's arguments unchanged. */
export interface Requests {
  /** EIP-1193 `request`, also of a JSON-RPC batch. @throws ProviderRpcError, always */
  request(args: unknown, settings?: unknown): Promise<unknown>;
  /**
   * Answers a JSON-RPC payload, or an array of them, as the callback of `sendAsync` gets it: an error or `null`, then the
   * response or the array of responses. A single payload that fails has both.
   *
   * @throws ProviderRpcError for an array that is empty or too long
   */
  respond(payload: unknown): Promise<readonly [error: ProviderRpcError | null, response: unknown]>;
}

/** Requests that are counted while they are in flight. */
export interface CountedRequests extends Requests {
  /** Whether as many are in flight as may be: the next one is refused. */
  isFull(): boolean;
}

/** Handles a request in four steps: find the method, read its params, authorize, handle. */
export type Router = (args: unknown, settings?: RequestSettings) => Promise<unknown>;

export function createRouter(options: createRouter.Options): Router {
  const { context, refuse, observation } = options;

  const authorize = (method: Method, params: unknown): void => {
    const account = method.account?.(params as never);
    if (account === undefined) return;
    if (!permittedAccounts(context.session.state(), context.origin).includes(account))
      throw unauthorized('The requested account and/or method has not been authorized by the user.');
  };

  return async (args, settings) => {
    const { method: name, params: untrusted } = readRequest(args);
    const method = readTable.get(name) ?? findLater(name) ?? (await laterTableFor(name)()).get(name);
    const observer = observation?.by;
    // The page may have put anything into a name that is not known.
    const observed = observer?.asked(method || (await unsupported(name)) ? name : undefined, context);
    try {
      // Refused before the params are read, since they may be secrets.
      if (!method) throw notAnswered(name, await unsupported(name));
      if (refuse.has(name)) throw unsupportedMethod(name, 'This page does not allow it.');
      const params = method.params(untrusted);
      authorize(method, params);
      const request = own({ ...settings, method: name });
      const result = await method.handle(observed?.context ?? context, params as never, request);
      observed?.answered();
      return result;
    } catch (error) {
      observed?.failed(error);
      throw error;
    }
  };
}

/** The table of a method that does not load with the core. */
function laterTableFor(name: string): (typeof laterTables)['further'] {
  const { signs, transacts, follows } = methodFacts(name);
  return laterTables[signs ? 'signs' : transacts ? 'transacts' : follows ? 'follows' : 'further'];
}

const findLater = (name: string): Method | undefined => laterTableFor(name).peek()?.get(name);

/** The row of a method that is not answered, from a chunk of its own. Where that does not load, the method is unknown. */
async function unsupported(name: string): Promise<Unsupported | undefined> {
  const loaded = await import('../rpc/method-facts/unsupported-rows.js').catch(() => undefined);
  const rows: Readonly<Record<string, Unsupported>> = loaded?.unsupportedRows ?? {};
  return Object.hasOwn(rows, name) ? rows[name] : undefined;
}

const notAnswered = (name: string, row: Unsupported | undefined): ProviderRpcError =>
  row?.access === 'refused' ? unsupportedMethod(name, row.reason) : methodNotFound(name, row?.reason);

export declare namespace createRouter {
  interface Options {
    readonly context: Context;
    /** Methods that the page's owner has disabled: they are refused with 4200. */
    readonly refuse: ReadonlySet<string>;
    readonly observation?: Observation | undefined;
  }
}

/**
 * Has a router answer what a page passes: single requests and batches, of a limited size and number. web3.js 4 passes a batch
 * to `request()`, web3.js 1 to `sendAsync`; each payload is handled like a single request.
 */
export function createRequests({ router, limit = maxInFlight }: createRequests.Options): CountedRequests {
  let inFlight = 0;
  const isFull = () => inFlight >= limit;

  async function request(args: unknown, settings?: unknown, isOfBatch = false): Promise<unknown> {
    if (!isOfBatch && isBatch(args)) return answerBatch(args, (each) => request(each, settings, true));
    if (isFull()) throw limitExceeded(`There are too many requests in flight already (${limit}).`);
    inFlight++;
    try {
      if (exceedsRequestSize(membersOf(args)))
        throw limitExceeded('The request is too large: at most 1 MiB.');
      return await router(args, readSettings(settings));
    } catch (error) {
      throw rejectionOf(error, args);
    } finally {
      inFlight--;
    }
  }

  const single = (payload: unknown): Promise<unknown> => request(payload, undefined, true);

  return {
    request,
    isFull,
    async respond(payload) {
      if (isArray(payload)) return [null, await answerBatch(payload, single)];
      let failed: ProviderRpcError | null = null;
      const recordFailure = (each: unknown) =>
        single(each).catch((error: ProviderRpcError) => {
          failed = error;
          throw error;
        });
      const response = await answer(payload, recordFailure);
      return [failed, response];
    },
  };
}

export declare namespace createRequests {
  interface Options {
    readonly router: Router;
    /** Requests in flight at most, each of a batch counted. Default {@link maxInFlight}. */
    readonly limit?: number | undefined;
  }
}

/** The method and params of a request; `undefined` if they cannot be read, which the router refuses with the reason. */
const membersOf = (args: unknown): unknown =>
  read(() => {
    const { method, params } = args as { method?: unknown; params?: unknown };
    return Array.isArray(args) ? undefined : { method, params };
  });

/** Reads the untrusted options of a request. Values of a wrong type are ignored. */
function readSettings(settings: unknown) {
  try {
    const { signal, onProgress, untilDecided } = own((settings ?? undefined) as RequestOptions | undefined);
    return {
      signal: signal instanceof AbortSignal ? signal : undefined,
      onProgress:
        typeof onProgress === 'function'
          ? (progress: LogRanges.Progress) => callSafely(onProgress, progress)
          : undefined,
      untilDecided: untilDecided === true ? true : undefined,
    };
  } catch {
    // A getter or a proxy of the page threw.
    throw invalidRequest('The options of the request cannot be read.');
  }
}

/** Handles one payload; rejects only with a `ProviderRpcError`. */
type Answer = (payload: unknown) => Promise<unknown>;

/**
 * Whether the argument of `request()` is a batch: an array of complete JSON-RPC 2.0 requests. Any other array is an
 * invalid request, because EIP-1193 accepts a single object.
 */
export const isBatch = (args: unknown): args is readonly unknown[] =>
  read(
    () =>
      Array.isArray(args) &&
      isComplete(args[0]) &&
      // An array that is too long is not iterated: a sparse one may have any length.
      (args.length > maxInFlight || args.every(isComplete)),
  ) === true;

const isComplete = (payload: Partial<JsonRpcPayload> | null): boolean =>
  payload?.jsonrpc === '2.0' && idOf(payload) !== null && typeof payload.method === 'string';

/** One response per payload, in the same order; a failed payload does not affect the others. */
export async function answerBatch(payloads: readonly unknown[], request: Answer): Promise<JsonRpcResponse[]> {
  const length = read(() => payloads.length) ?? 0;
  if (length === 0) throw invalidRequest('Expected requests, received an empty array.');
  if (length > maxInFlight)
    throw limitExceeded(`A batch of ${length} requests is too long (at most ${maxInFlight}).`);
  // Not `map`, which skips the holes of a sparse array: each index gets a response.
  return Promise.all(
    Array.from({ length }, (_, at) =>
      answer(
        read(() => payloads[at]),
        request,
      ),
    ),
  );
}

/** Reading may run a getter or a proxy of the page; a payload that throws is an invalid request. */
function read<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}

/** `Array.isArray`, for which a revoked proxy throws. */
const isArray = (value: unknown): value is readonly unknown[] => read(() => Array.isArray(value)) === true;

/** Turns the outcome of `request` into a JSON-RPC response. Never rejects. */
export async function answer(payload: unknown, request: Answer): Promise<JsonRpcResponse> {
  const id = idOf(payload);
  try {
    return { id, jsonrpc: '2.0', result: await request(payload) };
  } catch (error) {
    const { code, message, data } = error as ProviderRpcError;
    return { id, jsonrpc: '2.0', error: { code, message, ...(data !== undefined && { data }) } };
  }
}

/** The id of a payload: a string or a number; `null` if it has none or reading it throws. */
function idOf(payload: unknown): number | string | null {
  const id = read(() => (payload as JsonRpcPayload).id);
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}
