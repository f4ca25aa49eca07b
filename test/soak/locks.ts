import type { MessagePort } from 'node:worker_threads';

/**
 * Web Locks between threads, which Node lacks: the part of the specification that wallets use. A tab holds a lock
 * until it releases it, ends, or another tab steals it; a frozen tab keeps its locks. Tabs of one thread use
 * test/support/fake-origin.ts instead.
 */

interface Wish {
  readonly kind: 'wish';
  readonly id: number;
  readonly name: string;
  readonly ifAvailable: boolean;
  readonly steal: boolean;
}

interface Gone {
  readonly kind: 'gone';
  readonly id: number;
  readonly name: string;
}

interface Word {
  readonly kind: 'granted' | 'unavailable' | 'stolen';
  readonly id: number;
}

/** Grants the locks, in the thread that outlives the tabs. */
export function createLockDesk() {
  /** The first of each name holds it, the others wait. */
  const queues = new Map<string, { readonly port: MessagePort; readonly id: number }[]>();
  const say = (port: MessagePort, word: Word) => port.postMessage(word);

  function leave(name: string, leaves: (place: { port: MessagePort; id: number }) => boolean): void {
    const queue = queues.get(name) ?? [];
    const [holder] = queue;
    const left = queue.filter((place) => !leaves(place));
    queues.set(name, left);
    const [next] = left;
    if (next && next !== holder) say(next.port, { kind: 'granted', id: next.id });
  }

  return {
    serve(port: MessagePort): void {
      port.on('message', (message: Wish | Gone) => {
        const { id, name } = message;
        if (message.kind === 'gone') return leave(name, (place) => place.port === port && place.id === id);
        const queue = queues.get(name) ?? [];
        queues.set(name, queue);
        const [holder] = queue;
        if (message.ifAvailable && holder) return say(port, { kind: 'unavailable', id });
        if (message.steal) {
          if (holder) say(holder.port, { kind: 'stolen', id: holder.id });
          queue.splice(0, 1, { port, id });
        } else queue.push({ port, id });
        if (queue.length === 1 || message.steal) say(port, { kind: 'granted', id });
      });
    },
    /** The tab has ended: closed, or crashed. */
    forget(port: MessagePort): void {
      for (const name of queues.keys()) leave(name, (place) => place.port === port);
    },
  };
}

type Callback = (lock: { readonly name: string; readonly mode: 'exclusive' } | null) => unknown;

/** `navigator.locks` of one tab; exclusive locks only. */
export function createLocks(port: MessagePort) {
  const heard = new Map<number, (word: Word) => void>();
  let last = 0;
  port.on('message', (word: Word) => heard.get(word.id)?.(word));
  port.unref();

  function request(name: string, options: LockOptions, callback: Callback): Promise<unknown> {
    const { ifAvailable = false, steal = false, signal } = options;
    return new Promise((resolve, reject) => {
      last += 1;
      const id = last;
      const aborted = () => new DOMException('The request was aborted', 'AbortError');
      const end = () => {
        heard.delete(id);
        signal?.removeEventListener('abort', abort);
        port.postMessage({ kind: 'gone', id, name } satisfies Gone);
      };
      const abort = () => {
        end();
        reject(signal?.reason ?? aborted());
      };
      if (signal?.aborted) return reject(signal.reason);
      signal?.addEventListener('abort', abort);
      heard.set(id, async ({ kind }) => {
        if (kind === 'stolen') {
          heard.delete(id);
          return reject(aborted());
        }
        signal?.removeEventListener('abort', abort);
        try {
          resolve(await callback(kind === 'granted' ? { name, mode: 'exclusive' } : null));
        } catch (error) {
          reject(error);
        } finally {
          if (kind === 'granted' && heard.has(id)) end();
          heard.delete(id);
        }
      });
      port.postMessage({ kind: 'wish', id, name, ifAvailable, steal } satisfies Wish);
    });
  }

  return {
    request: (name: string, ...rest: [Callback] | [LockOptions, Callback]) =>
      rest.length === 1 ? request(name, {}, rest[0]) : request(name, ...rest),
  };
}
