import { createListeners } from '../async/listeners.js';
import { walletClosed } from '../rpc/errors.js';
import { createAutoLock, type Term } from './auto-lock.js';

/**
 * Holds an unlocked value and drops it on `lock()`, after a timeout, when the page is left, and when another page of
 * this origin locks.
 */
export interface Lock<T> {
  /** The value; `null` when locked. */
  held(): T | null;
  /** Holds `value` and starts the timeouts, those of `term` if given. @throws ProviderRpcError 4900 once closed */
  unlock(value: T, term?: Term): void;
  /** Replaces the value; does nothing while locked. */
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
  let channel: BroadcastChannel | null = null;
  let hasTerm = false;
  let closed = false;

  const requireOpen = () => {
    if (closed) throw walletClosed();
  };
  const lockHere = () => {
    if (value === null) return;
    value = null;
    autoLock.stop();
    tune();
    globalThis.removeEventListener?.('pagehide', lockHere);
    listeners.emit(true);
  };
  const expire = () => {
    lockHere();
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
    if (value === null) {
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
    unlock(next, term) {
      requireOpen();
      const wasLocked = value === null;
      value = next;
      hasTerm = term !== undefined;
      autoLock.start(term);
      if (!wasLocked) return;
      tune();
      globalThis.addEventListener?.('pagehide', lockHere);
      listeners.emit(false);
    },
    replace(next) {
      if (value !== null) value = next;
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
    /** Called after a timeout has locked it. */
    readonly expired?: (() => void) | undefined;
    /** Name of the BroadcastChannel that carries locks between pages; `null` for none. */
    readonly channelName: string | null;
  }
}
