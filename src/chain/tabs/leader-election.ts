/** Elects the tab that sends the requests of all tabs of the origin: the one that holds a Web Lock. */
export interface LeaderElection {
  /** Whether this tab leads. A tab that slept may be wrong until it learns that its lock was stolen. */
  isLeader(): boolean;
  /** Queues for the lock. A tab that is closed or crashes releases it at once. */
  join(): void;
  /** Releases the lock, or leaves the queue. */
  leave(): void;
  /** Takes the lock from a leader that holds it and does not answer: frozen, or busy for too long. */
  steal(): void;
}

/** The part of Web Locks that is used here. */
export type Locks = Pick<LockManager, 'request'>;

export function createLeaderElection(options: createLeaderElection.Options): LeaderElection {
  const { name, locks, onChange, onRefused } = options;
  /** Ends the request for the lock, queued or granted. */
  let current: (() => void) | undefined;
  let leads = false;

  const setLeads = (next: boolean) => {
    if (leads === next) return;
    leads = next;
    onChange(next);
  };

  async function requestLock(lockOptions: (signal: AbortSignal) => LockOptions): Promise<void> {
    const queued = new AbortController();
    let release = () => {};
    const end = () => {
      queued.abort();
      release();
    };
    current = end;
    try {
      await locks.request(name, lockOptions(queued.signal), () => {
        // The tab left while the lock was being granted.
        if (current !== end) return undefined;
        const held = new Promise<void>((resolve) => {
          release = resolve;
        });
        setLeads(true);
        return held;
      });
    } catch (error) {
      if (current !== end) return;
      current = undefined;
      setLeads(false);
      // The error of a stolen lock. With any other, Web Locks cannot be used here.
      if (error instanceof DOMException && error.name === 'AbortError') join();
      else onRefused();
    }
  }

  function join(): void {
    if (!current) void requestLock((signal) => ({ signal }));
  }

  function leave(): void {
    const end = current;
    current = undefined;
    end?.();
    setLeads(false);
  }

  return {
    isLeader: () => leads,
    join,
    leave,
    steal() {
      if (leads) return;
      leave();
      void requestLock(() => ({ steal: true }));
    },
  };
}

export declare namespace createLeaderElection {
  interface Options {
    /** Name of the lock. */
    readonly name: string;
    readonly locks: Locks;
    /** Called when this tab becomes the leader or ceases to be it. */
    readonly onChange: (leads: boolean) => void;
    /** Called when Web Locks cannot be used (a sandboxed frame): there will be no leader. */
    readonly onRefused: () => void;
  }
}
