import type { Clock } from '../async/clock.js';
import { createListeners } from '../async/listeners.js';
import { walletClosed } from '../rpc/errors.js';

/** Milliseconds without a use of the keys until they lock: 15 minutes. */
export const defaultIdle = 900_000;
/** Milliseconds until they lock, used or not: 8 hours. */
export const defaultAbsolute = 28_800_000;

/**
 * Holds an unlocked value and drops it on `lock()`, after a timeout, when the page is left, and when another page of
 * this origin locks.
 */
export interface Lock<T> {
  /** The value; `null` when locked. */
  held(): T | null;
  /**
   * The value, also after the idle timeout, for what needs no person (docs/notes/permissions.md#keys). `null`
   * after any other lock, once the page is left, and after the absolute timeout.
   */
  kept(): T | null;
  /** Holds `value` and starts the timeouts, those of `term` if given. @throws ProviderRpcError 4900 once closed */
  unlock(value: T, term?: Term): void;
  /** Replaces the value, if there is one. */
  replace(value: T): void;
  /** Restarts the idle timeout. */
  touch(): void;
  /** Applies an idle time that has changed. */
  reschedule(): void;
  /** Moves the end of the term; does nothing while locked. */
  extend(until: number): void;
  /** Locks this page and the other pages of the channel. */
  lock(): void;
  /** Locks this page only. */
  lockHere(): void;
  /** Locks the other pages only. */
  lockOthers(): void;
  /** Locks the other pages that hold their value for a term: it may have begun before they listened for locks. */
  endTerms(): void;
  /** Calls `listener` after each lock and unlock of this page. Returns its undo. */
  watch(listener: (locked: boolean) => void): () => void;
  /** @throws ProviderRpcError 4900 once closed */
  requireOpen(): void;
  /** Locks this page alone and for good; its listeners get that lock and nothing after it. */
  close(): void;
}

export function createLock<T>(options: createLock.Options): Lock<T> {
  const { channelName } = options;
  const listeners = createListeners<[locked: boolean]>();
  let value: T | null = null;
  /** The value after an idle timeout, while {@link createLock.Options.keeps} says so. */
  let kept: T | null = null;
  let keptTimer: unknown;
  let channel: BroadcastChannel | null = null;
  let hasTerm = false;
  let closed = false;

  const requireOpen = () => {
    if (closed) throw walletClosed();
  };
  const lockHere = () => lockWith(null);
  /** Locks, and keeps a value for what needs no person. */
  const lockWith = (next: T | null) => {
    const wasHeld = value !== null;
    value = null;
    kept = next;
    options.clock.clearTimeout(keptTimer);
    if (wasHeld) autoLock.stop();
    tune();
    if (kept === null) globalThis.removeEventListener?.('pagehide', lockHere);
    if (wasHeld) listeners.emit(true);
  };
  const expire = () => {
    const left = autoLock.absoluteLeft();
    if (left > 0 && options.keeps?.()) {
      lockWith(value);
      keptTimer = options.clock.setTimeout(lockHere, left);
      if (typeof keptTimer === 'object') (keptTimer as { unref?(): void }).unref?.();
    } else lockHere();
    options.expired?.();
  };
  const autoLock = createAutoLock({ ...options, expire });
  const unlessLocked =
    <Args extends unknown[]>(act: (...args: Args) => void) =>
    (...args: Args): void => {
      if (value !== null) act(...args);
    };

  const openChannel = (): BroadcastChannel | null => {
    if (channelName === null || typeof BroadcastChannel === 'undefined') return null;
    try {
      const opened = new BroadcastChannel(channelName);
      // In Node an open channel keeps the process alive; browsers have no such method.
      const { unref } = opened as { unref?: () => void };
      if (typeof unref === 'function') unref.call(opened);
      return opened;
    } catch {
      // An opaque origin may not open one.
      return null;
    }
  };
  /**
   * Opens the channel, or closes it where there is nothing to receive: an open one keeps the page out of the back-forward
   * cache.
   */
  const tune = () => {
    if (value === null && kept === null) {
      channel?.close();
      channel = null;
      return;
    }
    channel ??= openChannel();
    // Any script of the origin can post here, so a message can lock and do nothing else.
    if (channel !== null)
      channel.onmessage = ({ data }: MessageEvent<unknown>) => {
        if (data === 'lock' || (data === 'end terms' && hasTerm)) lockHere();
      };
  };
  const post = (message: 'lock' | 'end terms') => {
    const poster = channel ?? openChannel();
    poster?.postMessage(message);
    if (poster !== channel) poster?.close();
  };
  const lockOthers = () => post('lock');

  return {
    held() {
      if (value !== null && autoLock.expired()) expire();
      return value;
    },
    kept() {
      if (value !== null && autoLock.expired()) expire();
      if (kept !== null && autoLock.absoluteLeft() <= 0) lockHere();
      return value ?? kept;
    },
    unlock(next, term) {
      requireOpen();
      const wasLocked = value === null;
      value = next;
      kept = null;
      options.clock.clearTimeout(keptTimer);
      hasTerm = term !== undefined;
      autoLock.start(term);
      if (!wasLocked) return;
      tune();
      globalThis.addEventListener?.('pagehide', lockHere);
      listeners.emit(false);
    },
    replace(next) {
      if (value !== null) value = next;
      else if (kept !== null) kept = next;
    },
    touch: unlessLocked(autoLock.touch),
    reschedule: unlessLocked(autoLock.reschedule),
    extend: unlessLocked(autoLock.extend),
    lock() {
      if (closed) return;
      lockHere();
      lockOthers();
    },
    lockHere,
    lockOthers,
    endTerms: () => post('end terms'),
    watch: listeners.add,
    requireOpen,
    close() {
      closed = true;
      lockHere();
      listeners.clear();
    },
  };
}

export declare namespace createLock {
  interface Options extends Omit<createAutoLock.Options, 'expire'> {
    /** Whether the value is kept after an idle timeout. Default: never. */
    readonly keeps?: (() => boolean) | undefined;
    /** Called after a timeout has locked it. */
    readonly expired?: (() => void) | undefined;
    /** Name of the BroadcastChannel that carries locks between pages; `null` for none. */
    readonly channelName: string | null;
  }
}

/**
 * Decides when unlocked keys must lock. Measures by both clocks and takes the longer time: the monotonic one may stand
 * still while the machine sleeps, and the wall clock may be set back.
 */
export interface AutoLock {
  /** Restarts the timeouts; those of `term` where an earlier unlock goes on. */
  start(term?: Term): void;
  /** Restarts the idle timeout, and moves the end of a term, milliseconds since 1970. */
  extend(until: number): void;
  /** Restarts the idle timeout: the keys were used. */
  touch(): void;
  /** Reschedules the timer after a change of the idle timeout. */
  reschedule(): void;
  /** Check at every use, since browsers delay the timers of hidden pages. */
  expired(): boolean;
  /** Milliseconds until the absolute timeout; 0 or less once it has passed. */
  absoluteLeft(): number;
  stop(): void;
}

/** The time of an unlock that another page began. Milliseconds since 1970. */
export interface Term {
  /** When the credential was given: the absolute timeout counts from then. */
  readonly since: number;
  /** When it expires at the latest, whatever is used. */
  readonly until: number;
}

export function createAutoLock(options: createAutoLock.Options): AutoLock {
  const { clock, idle, absolute, expire } = options;
  const read = () => ({ wall: clock.now(), steady: clock.monotonic() });
  let started = read();
  let used = started;
  /** The end of the term, milliseconds after `begun`. */
  let limit = Number.POSITIVE_INFINITY;
  let begun = started;
  let timer: unknown;

  const elapsedSince = (start: typeof started) => {
    const { wall, steady } = read();
    return Math.max(wall - start.wall, steady - start.steady);
  };
  const remaining = () =>
    Math.min(idle() - elapsedSince(used), absolute - elapsedSince(started), limit - elapsedSince(begun));
  const schedule = () => {
    clock.clearTimeout(timer);
    // A timer counts at most 2³¹ - 1 ms: after that, schedule the rest.
    const delay = Math.min(Math.max(remaining(), 0), 2_147_483_647);
    timer = clock.setTimeout(() => (remaining() <= 0 ? expire() : schedule()), delay);
    // In Node, an unlocked keyring must not keep a process alive that has nothing else to do.
    if (typeof timer === 'object') (timer as { unref?(): void }).unref?.();
  };

  return {
    start(term) {
      begun = read();
      used = begun;
      limit = term ? term.until - begun.wall : Number.POSITIVE_INFINITY;
      const age = term ? Math.max(begun.wall - term.since, 0) : 0;
      started = { wall: begun.wall - age, steady: begun.steady - age };
      schedule();
    },
    extend(until) {
      used = read();
      if (limit !== Number.POSITIVE_INFINITY) {
        begun = used;
        limit = until - begun.wall;
      }
      schedule();
    },
    touch() {
      used = read();
      schedule();
    },
    reschedule: schedule,
    expired: () => remaining() <= 0,
    absoluteLeft: () => absolute - elapsedSince(started),
    stop() {
      clock.clearTimeout(timer);
    },
  };
}

export declare namespace createAutoLock {
  interface Options {
    readonly clock: Clock;
    /** Milliseconds without a use until it expires. */
    readonly idle: () => number;
    /** Milliseconds from the start until it expires, used or not. */
    readonly absolute: number;
    readonly expire: () => void;
  }
}
