import { callSafely } from '../async/listeners.js';
import { answer, answerBatch, isArray, isBatch } from '../rpc/batch.js';
import { invalidRequest, limitExceeded } from '../rpc/core-errors.js';
import type { ProviderRpcError } from '../rpc/errors.js';
import { own } from '../rpc/own.js';
import { rejectionOf } from '../rpc/rejection.js';
import { exceedsRequestSize } from '../rpc/size.js';
import type { LogRanges } from '../service/logs/ranges.js';
import type { RequestOptions } from './request.js';
import type { Router } from './router.js';

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

/** Has a router answer what a page passes: single requests and batches, of a limited size and number. */
export function createRequests({ router, maxInFlight = 1_000 }: createRequests.Options): Requests {
  let inFlight = 0;

  async function request(args: unknown, settings?: unknown, isOfBatch = false): Promise<unknown> {
    if (!isOfBatch && isBatch(args)) return answerBatch(args, (each) => request(each, settings, true));
    if (inFlight >= maxInFlight)
      throw limitExceeded(`There are too many requests in flight already (${maxInFlight}).`);
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
    /** Requests in flight at most, each of a batch counted. Default 1,000. */
    readonly maxInFlight?: number;
  }
}

/** The method and params of a request; `undefined` if they cannot be read, which the router refuses with the reason. */
function membersOf(args: unknown): unknown {
  try {
    const { method, params } = args as { method?: unknown; params?: unknown };
    return Array.isArray(args) ? undefined : { method, params };
  } catch {
    return undefined;
  }
}

/** Reads the untrusted options of a request. Values of a wrong type are ignored. */
function readSettings(settings: unknown) {
  try {
    const { signal, onProgress, untilDecided } = own((settings ?? undefined) as RequestOptions | undefined);
    return {
      ...(signal instanceof AbortSignal && { signal }),
      ...(typeof onProgress === 'function' && {
        onProgress: (progress: LogRanges.Progress) => callSafely(onProgress, progress),
      }),
      ...(untilDecided === true && { untilDecided }),
    };
  } catch {
    // A getter or a proxy of the page threw.
    throw invalidRequest('The options of the request cannot be read.');
  }
}
