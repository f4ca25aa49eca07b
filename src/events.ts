import { EventEmitter } from 'eventemitter3';
import { callSafely } from './async/listeners.js';

/** A function that an event calls with its payload. */
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

export function createEvents(): Events {
  const emitter = new EventEmitter();
  // One wrapper for each time a listener was added, since eventemitter3 would remove all of them at once.
  const guards = new Map<string, { listener: Listener; guard: Listener }[]>();

  const forget = (event: string, guard: Listener): void => {
    emitter.removeListener(event, guard);
    guards.set(
      event,
      (guards.get(event) ?? []).filter((each) => each.guard !== guard),
    );
  };

  const add = (event: string, listener: Listener, once: boolean): void => {
    if (typeof listener !== 'function') throw new TypeError('The listener must be a function.');
    const guard: Listener = (...args) => {
      if (once) forget(event, guard);
      callSafely(listener, ...args);
    };
    guards.set(event, [...(guards.get(event) ?? []), { listener, guard }]);
    emitter.on(event, guard);
  };

  return {
    on: (event, listener) => add(event, listener, false),
    once: (event, listener) => add(event, listener, true),
    removeListener(event, listener) {
      const newest = (guards.get(event) ?? []).findLast((each) => each.listener === listener);
      if (newest) forget(event, newest.guard);
    },
    removeAllListeners(event) {
      if (event === undefined) guards.clear();
      else guards.delete(event);
      emitter.removeAllListeners(event);
    },
    emit: (event, ...args) => void emitter.emit(event, ...args),
    listenerCount: (event) => emitter.listenerCount(event),
  };
}
