import type { ProviderRpcError } from '../rpc/errors.js';
import { own } from '../rpc/own.js';
import { copyOf, requestAborted, tooNested } from './errors/errors.js';

/** One caller of a request in flight. */
export interface Waiter {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** A request that identical calls share; `stop` aborts it, when the last of them has been aborted. */
export interface InFlightRequest {
  readonly waiters: Set<Waiter>;
  readonly stop: () => void;
}

/** Adds a caller to the request. When `signal` aborts, only this caller rejects. */
export function join(
  { waiters, stop }: InFlightRequest,
  method: string,
  signal: AbortSignal | undefined,
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const released =
      <Value>(settle: (value: Value) => void) =>
      (value: Value): void => {
        signal?.removeEventListener('abort', leave);
        settle(value);
      };
    const waiter: Waiter = { resolve: released(resolve), reject: released(reject) };
    const leave = () => {
      reject(requestAborted(method));
      waiters.delete(waiter);
      if (waiters.size === 0) stop();
    };
    waiters.add(waiter);
    signal?.addEventListener('abort', leave, own({ once: true }));
  });
}

/**
 * Resolves each waiter with a result of its own: a page that changes its result must not change what the wallet reads.
 * All copies are made before the first waiter is resolved.
 *
 * @param isShared whether all get the same result, since none changes it
 */
export function resolveAll(
  result: unknown,
  waiters: ReadonlySet<Waiter>,
  method: string,
  isShared?: boolean,
): void {
  const mutable = !isShared && typeof result === 'object' && result !== null;
  let results: unknown[];
  try {
    results = [...waiters].map((_, index) => (mutable && index > 0 ? structuredClone(result) : result));
  } catch {
    // structuredClone overflowed the stack. Sharing one mutable result is not an alternative.
    throw tooNested(method);
  }
  for (const [index, { resolve }] of [...waiters].entries()) resolve(results[index]);
}

/** Rejects each waiter with an error of its own. All copies are made before the first is rejected. */
export function rejectAll(error: ProviderRpcError, waiters: ReadonlySet<Waiter>): void {
  const errors = [...waiters].map((_, index) => (index > 0 ? copyOf(error) : error));
  for (const [index, { reject }] of [...waiters].entries()) reject(errors[index]);
}
