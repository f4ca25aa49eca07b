import { callSafely } from './async/listeners.js';

// biome-ignore lint/suspicious/noExplicitAny: each event has its own arguments
export type Listener = (...args: any[]) => void;

/**
 * An event emitter with the semantics of Node's, as EIP-1193 requires: a listener that was added twice runs twice, and
 * `removeListener` removes the newest of them. An error thrown by a listener becomes an uncaught error of the page.
 */
export interface Events {
  on(event: string, listener: Listener): void;
  once(event: string, listener: Listener): void;
  removeListener(event: string, listener: Listener): void;
  removeAllListeners(event?: string): void;
  emit(event: string, ...args: unknown[]): void;
  listenerCount(event: string): number;
}

interface Entry {
  readonly listener: Listener;
  readonly once: boolean;
}

export function createEvents(): Events {
  /** In the order of adding. Replaced by each change, so that an event under way reaches those it began with. */
  const entries = new Map<string, readonly Entry[]>();
  const entriesOf = (event: string) => entries.get(event) ?? [];

  const add = (event: string, listener: Listener, once: boolean): void => {
    if (typeof listener !== 'function') throw new TypeError('The listener must be a function.');
    entries.set(event, [...entriesOf(event), { listener, once }]);
  };

  const remove = (event: string, entry: Entry): void => {
    const left = entriesOf(event).filter((each) => each !== entry);
    if (left.length > 0) entries.set(event, left);
    else entries.delete(event);
  };

  return {
    on: (event, listener) => add(event, listener, false),
    once: (event, listener) => add(event, listener, true),
    removeListener(event, listener) {
      const newest = entriesOf(event).findLast((each) => each.listener === listener);
      if (newest) remove(event, newest);
    },
    removeAllListeners(event) {
      if (event === undefined) entries.clear();
      else entries.delete(event);
    },
    emit(event, ...args) {
      for (const entry of entriesOf(event)) {
        if (entry.once) remove(event, entry);
        callSafely(entry.listener, ...args);
      }
    },
    listenerCount: (event) => entriesOf(event).length,
  };
}
