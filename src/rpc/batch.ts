import { invalidRequest, limitExceeded } from './core-errors.js';
import type { ProviderRpcError } from './errors.js';

/**
 * JSON-RPC 2.0 batches: web3.js 4 passes an array to `request()`, web3.js 1 to `sendAsync`. Each payload is handled like a
 * single request.
 */

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

/** Handles one request; rejects only with a `ProviderRpcError`. */
type Request = (payload: unknown) => Promise<unknown>;

/** Most payloads of a batch: as many requests as a page may have in flight. */
const maxBatch = 1_000;

/**
 * Whether the argument of `request()` is a batch: an array of complete JSON-RPC 2.0 requests. Any other array is an
 * invalid request, because EIP-1193 accepts a single object.
 */
export function isBatch(args: unknown): args is readonly unknown[] {
  try {
    // An array that is too long is not iterated: a sparse one may have any length.
    return Array.isArray(args) && isComplete(args[0]) && (args.length > maxBatch || args.every(isComplete));
  } catch {
    // A getter or a proxy of the page threw.
    return false;
  }
}

const isComplete = (payload: Partial<JsonRpcPayload> | null): boolean =>
  payload?.jsonrpc === '2.0' && idOf(payload) !== null && typeof payload.method === 'string';

/** One response per payload, in the same order; a failed payload does not affect the others. */
export async function answerBatch(
  payloads: readonly unknown[],
  request: Request,
): Promise<JsonRpcResponse[]> {
  const length = read(() => payloads.length) ?? 0;
  if (length === 0) throw invalidRequest('Expected requests, received an empty array.');
  if (length > maxBatch)
    throw limitExceeded(`A batch of ${length} requests is too long (at most ${maxBatch}).`);
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
export const isArray = (value: unknown): value is readonly unknown[] =>
  read(() => Array.isArray(value)) === true;

/** Turns the outcome of `request` into a JSON-RPC response. Never rejects. */
export async function answer(payload: unknown, request: Request): Promise<JsonRpcResponse> {
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
  try {
    const { id } = payload as JsonRpcPayload;
    return typeof id === 'string' || typeof id === 'number' ? id : null;
  } catch {
    return null;
  }
}
