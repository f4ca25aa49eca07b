import type { ProviderRpcError } from '../rpc/errors.js';
import { own } from '../rpc/own.js';
import { copyOf, diagnose } from './errors/errors.js';

/** One who waits for an exchange. */
export interface Asker {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** A request under way and those who wait for it; it is given up when the last of them leaves. */
export interface Exchange {
  readonly askers: Set<Asker>;
  readonly stop: () => void;
}

/** Waits for the answer until `signal` aborts: one who leaves takes nothing from the others. */
export function join(
  { askers, stop }: Exchange,
  method: string,
  signal: AbortSignal | undefined,
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const settled = () => signal?.removeEventListener('abort', leave);
    const asker: Asker = {
      resolve(result) {
        settled();
        resolve(result);
      },
      reject(error) {
        settled();
        reject(error);
      },
    };
    const leave = () => {
      reject(diagnose({ method, trouble: 'aborted' }, String).error);
      askers.delete(asker);
      if (askers.size === 0) stop();
    };
    askers.add(asker);
    signal?.addEventListener('abort', leave, own({ once: true }));
  });
}

/**
 * Gives each asker a result of its own: a page that writes into its own must not change what the wallet reads.
 * All copies are made before anybody gets one.
 */
export function handOut(result: unknown, askers: ReadonlySet<Asker>, method: string): void {
  const mutable = typeof result === 'object' && result !== null;
  let results: unknown[];
  try {
    results = [...askers].map((_, index) => (mutable && index > 0 ? structuredClone(result) : result));
  } catch {
    // The stack was too short for it; a result that everybody could write into is no way out.
    throw diagnose({ method, trouble: 'nested' }, String).error;
  }
  for (const [index, { resolve }] of [...askers].entries()) resolve(results[index]);
}

/** Rejects each with an error of its own, all made before anybody gets one. */
export function refuse(error: ProviderRpcError, askers: ReadonlySet<Asker>): void {
  const errors = [...askers].map((_, index) => (index > 0 ? copyOf(error) : error));
  for (const [index, { reject }] of [...askers].entries()) reject(errors[index]);
}
