import { userRejected } from '../rpc/core-errors.js';
import { own } from '../rpc/own.js';

/**
 * Runs one task for all callers that pass the same `key` while it is in flight. A caller whose `signal` aborts is
 * refused (4001) and leaves the task to the others; when the last one has left, the task's own signal aborts, and
 * later calls start a new task.
 */
export type Dedupe = <T>(
  key: string,
  task: (signal: AbortSignal) => Promise<T>,
  signal?: AbortSignal,
) => Promise<T>;

interface InFlight {
  readonly outcome: Promise<unknown>;
  /** Callers that wait for the outcome. */
  waiting: number;
  readonly abort: () => void;
}

export function createDedupe(): Dedupe {
  const byKey = new Map<string, InFlight>();

  const start = (key: string, task: (signal: AbortSignal) => Promise<unknown>): InFlight => {
    const controller = new AbortController();
    const remove = () => {
      if (byKey.get(key) === inFlight) byKey.delete(key);
    };
    const inFlight: InFlight = {
      outcome: task(controller.signal).finally(remove),
      waiting: 0,
      abort() {
        remove();
        controller.abort();
      },
    };
    byKey.set(key, inFlight);
    return inFlight;
  };

  return <T>(key: string, task: (signal: AbortSignal) => Promise<T>, signal?: AbortSignal) =>
    new Promise<T>((resolve, reject) => {
      if (signal?.aborted) return reject(userRejected());
      const inFlight = byKey.get(key) ?? start(key, task);
      const onAbort = () => {
        reject(userRejected());
        if (--inFlight.waiting === 0) inFlight.abort();
      };
      inFlight.waiting++;
      signal?.addEventListener('abort', onAbort, own({ once: true }));
      const stopListening = () => signal?.removeEventListener('abort', onAbort);
      inFlight.outcome.then(
        (outcome) => {
          stopListening();
          resolve(outcome as T);
        },
        (error: unknown) => {
          stopListening();
          reject(error);
        },
      );
    });
}
