/** Which tab asks the service for all tabs of its origin: the one that holds a Web Lock. */
export interface Leader {
  /** Whether this tab leads now. A tab that slept believes so until it hears that its lock was stolen. */
  lead(): boolean;
  /** Stands in line: leads as soon as nobody else does (closed and crashed tabs lose their lock at once). */
  join(): void;
  /** Leads no more, and waits no more: no lock is held, and the next in line leads. */
  leave(): void;
  /** Leads now. For a leader that holds the lock and does not answer: frozen, or busy for too long. */
  steal(): void;
}

/** The part of Web Locks that is used here. */
export type Locks = Pick<LockManager, 'request'>;

/** One request for the lock, waiting or holding. */
interface Place {
  end(): void;
}

export function createLeader(options: createLeader.Options): Leader {
  const { name, locks, onChange, onRefused } = options;
  let place: Place | undefined;
  let leads = false;

  const set = (now: boolean) => {
    if (leads === now) return;
    leads = now;
    onChange(now);
  };

  async function ask(how: (signal: AbortSignal) => LockOptions): Promise<void> {
    const waiting = new AbortController();
    let release = () => {};
    const mine: Place = {
      end() {
        waiting.abort();
        release();
      },
    };
    place = mine;
    try {
      await locks.request(name, how(waiting.signal), () => {
        // Left while the lock was on its way here.
        if (place !== mine) return undefined;
        const held = new Promise<void>((resolve) => {
          release = resolve;
        });
        set(true);
        return held;
      });
    } catch (error) {
      if (place !== mine) return;
      place = undefined;
      set(false);
      if (isAbort(error)) join();
      else onRefused();
    }
  }

  function join(): void {
    if (!place) void ask((signal) => ({ signal }));
  }

  function leave(): void {
    const left = place;
    place = undefined;
    left?.end();
    set(false);
  }

  return {
    lead: () => leads,
    join,
    leave,
    steal() {
      if (leads) return;
      leave();
      void ask(() => ({ steal: true }));
    },
  };
}

/** How the holder of a lock hears that it was stolen. Any other failure: Web Locks are not to be had here. */
const isAbort = (error: unknown): boolean => error instanceof DOMException && error.name === 'AbortError';

export declare namespace createLeader {
  interface Options {
    /** Of the lock. */
    readonly name: string;
    readonly locks: Locks;
    /** Called when this tab begins or ceases to lead. */
    readonly onChange: (leads: boolean) => void;
    /** Called when the lock may not be asked for (a sandboxed frame): nobody will ever lead here. */
    readonly onRefused: () => void;
  }
}
