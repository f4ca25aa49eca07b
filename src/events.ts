import { EventEmitter } from 'eventemitter3';
import { callSafely } from './async/listeners.js';

// biome-ignore lint/suspicious/noExplicitAny: what an event carries is its own affair (EIP-1193 names five)
export type Listener = (...args: any[]) => void;

/**
 * Node's EventEmitter as EIP-1193 asks for it: a listener added twice runs twice, `removeListener` takes one
 * away (the newest), and a listener that throws harms neither the others nor who emits: its error goes to the
 * page's own error handler.
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
  // One guard for each time a listener was added: eventemitter3 alone would remove them all at once.
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
