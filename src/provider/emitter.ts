import { EventEmitter } from 'eventemitter3';
import { callSafely } from '../async/listeners.js';

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

  // A guard of its own for each time a listener was added: eventemitter3 would remove all of them at once.
  const adder = (add: 'on' | 'once') => (event: string, listener: Listener) => {
    if (typeof listener !== 'function') throw new TypeError('The listener must be a function.');
    const guard: Listener = (...args) => callSafely(listener, ...args);
    emitter[add](event, Object.assign(guard, { listener }));
  };

  return {
    on: adder('on'),
    once: adder('once'),
    removeListener(event, listener) {
      const guards = emitter.listeners(event) as Guard[];
      const newest = guards.findLast((guard) => guard.listener === listener);
      if (newest) emitter.removeListener(event, newest);
    },
    removeAllListeners: (event) => emitter.removeAllListeners(event),
    emit: (event, ...args) => emitter.emit(event, ...args),
    listenerCount: (event) => emitter.listenerCount(event),
  };
}

type Guard = Listener & { readonly listener: Listener };
