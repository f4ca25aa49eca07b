import { invalidRequest, limitExceeded, type ProviderRpcError } from './errors.js';

/**
 * JSON-RPC 2.0 batches, for who speaks JSON-RPC to a provider: web3.js 4 gives `request()` an array, web3.js 1
 * gives one to `sendAsync`. Each payload is a request like any other; nothing here reads its params.
 */

export interface JsonRpcPayload {
  readonly id?: number | string | null;
  readonly jsonrpc?: string;
  readonly method: string;
  readonly params?: readonly unknown[];
}

export interface JsonRpcResponse {
  readonly id: number | string | null;
  readonly jsonrpc: '2.0';
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** Answers one request; rejects with nothing but a `ProviderRpcError`. */
type Request = (payload: unknown) => Promise<unknown>;

/** More would only be refused one by one: as many as a page may have in flight. */
const longest = 1_000;

/**
 * Whether the argument of `request()` is a batch: an array of complete JSON-RPC 2.0 requests. Any other array is
 * no request at all (EIP-1193 takes a single object), and refused as such.
 */
export function isBatch(args: unknown): args is readonly unknown[] {
  try {
    // Not looked through where it is too long: a sparse one may be of any length.
    return Array.isArray(args) && isComplete(args[0]) && (args.length > longest || args.every(isComplete));
  } catch {
    // A getter or a proxy of the page threw.
    return false;
  }
}

const isComplete = (payload: Partial<JsonRpcPayload> | null): boolean =>
  payload?.jsonrpc === '2.0' && idOf(payload) !== null && typeof payload.method === 'string';

/** One response for each payload, in their order; a payload that fails does not fail the others. */
export async function answerBatch(
  payloads: readonly unknown[],
  request: Request,
): Promise<JsonRpcResponse[]> {
  const length = read(() => payloads.length) ?? 0;
  if (length === 0) throw invalidRequest('Expected requests, received an empty array.');
  if (length > longest)
    throw limitExceeded(`A batch of ${length} requests is too long (at most ${longest}).`);
  // Not `map`, which passes over the holes of a sparse array: each place gets a response.
  return Promise.all(
    Array.from({ length }, (_, at) =>
      answer(
        read(() => payloads[at]),
        request,
      ),
    ),
  );
}

/** Reading may run the page's own code, a getter or a proxy: what cannot be read is no request. */
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

/** What `request` resolves or rejects with, as a JSON-RPC response. Never rejects. */
export async function answer(payload: unknown, request: Request): Promise<JsonRpcResponse> {
  const id = idOf(payload);
  try {
    return { id, jsonrpc: '2.0', result: await request(payload) };
  } catch (error) {
    const { code, message, data } = error as ProviderRpcError;
    return { id, jsonrpc: '2.0', error: { code, message, ...(data !== undefined && { data }) } };
  }
}

/** JSON-RPC: a string or a number; `null` where there is none, or where reading it throws. */
function idOf(payload: unknown): number | string | null {
  try {
    const { id } = payload as JsonRpcPayload;
    return typeof id === 'string' || typeof id === 'number' ? id : null;
  } catch {
    return null;
  }
}
