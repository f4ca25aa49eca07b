import type { Clock } from '../../src/async/clock.js';
import type { Locks } from '../../src/chain/tabs/leader-election.js';
import { type OpenTabChannel, readTabMessage, type TabMessage } from '../../src/chain/tabs/protocol.js';
import type { Service } from '../../src/service/service.js';
import { createFakeVisibility } from './fake-visibility.js';

/** One tab of {@link createFakeOrigin}: its browser APIs, and the events of its life. */
export interface FakeTab {
  readonly clock: Clock;
  readonly locks: Locks;
  readonly open: OpenTabChannel;
  readonly page: ReturnType<typeof createFakeVisibility>;
  /** The same service; its replies wait while the tab is frozen and are dropped when it was killed. */
  reach(service: Service): Service;
  /** Delays timers, messages and lock callbacks until `thaw`. */
  freeze(): void;
  thaw(): void;
  /** Ends the tab and releases its locks. */
  kill(): void;
}

interface Request {
  readonly tab: Home;
  readonly callback: (lock: Lock | null) => unknown;
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

interface Home {
  run(task: () => void): void;
  state: 'runs' | 'frozen' | 'dead';
}

interface Listener {
  readonly tab: Home;
  readonly name: string;
  hear(data: unknown): void;
}

/** Web Locks (with `steal`, `signal`) and BroadcastChannel of one origin, between tabs in this process. */
export function createFakeOrigin(clock: Clock) {
  const queues = new Map<string, Request[]>();
  const holders = new Map<string, Request>();
  const listeners = new Set<Listener>();
  const said: TabMessage[] = [];
  let refused: 'locks' | 'channel' | undefined;

  function grantNext(name: string): void {
    if (holders.has(name)) return;
    const next = queues.get(name)?.shift();
    if (!next) return;
    if (next.tab.state === 'dead') {
      grantNext(name);
      return;
    }
    holders.set(name, next);
    next.tab.run(async () => {
      const result = await next.callback({ name, mode: 'exclusive' } as Lock);
      if (holders.get(name) === next) holders.delete(name);
      next.resolve(result);
      grantNext(name);
    });
  }

  function request(tab: Home, name: string, options: LockOptions, callback: Request['callback']) {
    return new Promise((resolve, reject) => {
      const aborted = () => new DOMException('aborted', 'AbortError');
      const mine: Request = { tab, callback, resolve, reject: (error) => tab.run(() => reject(error)) };
      if (refused === 'locks') {
        reject(new DOMException('not here', 'SecurityError'));
        return;
      }
      const queue = queues.get(name) ?? [];
      queues.set(name, queue);
      if (options.steal) {
        holders.get(name)?.reject(aborted());
        holders.delete(name);
        queue.unshift(mine);
      } else queue.push(mine);
      options.signal?.addEventListener('abort', () => {
        if (!queue.includes(mine)) return;
        queue.splice(queue.indexOf(mine), 1);
        mine.reject(aborted());
      });
      queueMicrotask(() => grantNext(name));
    });
  }

  function createTab(): FakeTab {
    const waiting: (() => void)[] = [];
    const page = createFakeVisibility();
    const home: Home = {
      state: 'runs',
      run(task) {
        if (home.state === 'runs') queueMicrotask(() => (home.state === 'runs' ? task() : home.run(task)));
        else if (home.state === 'frozen') waiting.push(task);
      },
    };
    return {
      page,
      reach: (service) => ({
        ...service,
        request: (...args) =>
          new Promise((resolve, reject) => {
            service.request(...args).then(
              (result) => home.run(() => resolve(result)),
              (error) => home.run(() => reject(error)),
            );
          }),
      }),
      clock: {
        now: clock.now,
        monotonic: clock.monotonic,
        setTimeout: (run, delay) => clock.setTimeout(() => home.run(run), delay),
        clearTimeout: clock.clearTimeout,
      },
      locks: {
        request: (name: string, options: LockOptions, callback: Request['callback']) =>
          request(home, name, options, callback),
      } as unknown as Locks,
      open(name, hear) {
        if (refused === 'channel') throw new DOMException('not here', 'SecurityError');
        const listener: Listener = {
          tab: home,
          name,
          hear(data) {
            const message = readTabMessage(data);
            if (message && listeners.has(listener)) hear(message);
          },
        };
        listeners.add(listener);
        return {
          post(message) {
            if (home.state === 'dead') return;
            said.push(message);
            broadcast(name, message, home);
          },
          close: () => void listeners.delete(listener),
        };
      },
      freeze() {
        home.state = 'frozen';
      },
      thaw() {
        home.state = 'runs';
        for (const task of waiting.splice(0)) home.run(task);
      },
      kill() {
        home.state = 'dead';
        for (const listener of [...listeners]) if (listener.tab === home) listeners.delete(listener);
        for (const [name, holder] of [...holders]) {
          if (holder.tab !== home) continue;
          holders.delete(name);
          grantNext(name);
        }
      },
    };
  }

  function broadcast(name: string, data: unknown, from?: Home): void {
    for (const listener of listeners) {
      if (listener.tab === from || listener.name !== name) continue;
      const copy = structuredClone(data);
      listener.tab.run(() => listener.hear(copy));
    }
  }

  return {
    createTab,
    said,
    /** Names of the locks that are held. */
    held: () => [...holders.keys()],
    waiting: () => [...queues.values()].flat().length,
    listeners: () => listeners.size,
    names: () => [...new Set([...listeners].map(({ name }) => name))],
    /** Sends a message that no tab sent to every listener. */
    inject(data: unknown) {
      for (const name of new Set([...listeners].map((listener) => listener.name))) broadcast(name, data);
    },
    refuse(what: 'locks' | 'channel') {
      refused = what;
    },
  };
}
