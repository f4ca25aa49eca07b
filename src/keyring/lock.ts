import { createListeners } from '../async/listeners.js';
import { errorCode, ProviderRpcError } from '../rpc/errors.js';
import { createAutoLock } from './auto-lock.js';
import type { Clock } from '../async/clock.js';

/**
 * Holds what is unlocked, and lets go of it: when told, after a time, when the page is left, and when another
 * page of this origin locks.
 */
export interface Lock<T> {
  /** What is unlocked now; `null` when locked. */
  held(): T | null;
  /** Holds `value`, and counts the time from now. @throws ProviderRpcError 4900 once closed */
  unlock(value: T): void;
  /** Holds `value` instead, while unlocked. */
  replace(value: T): void;
  /** Somebody used the keys. */
  touch(): void;
  /** Locks this page and tells the others. */
  lock(): void;
  /** Tells the others only. */
  lockOthers(): void;
  /** A listener that throws harms neither the others nor who locks. */
  watch(listener: (locked: boolean) => void): () => void;
  /** @throws ProviderRpcError 4900 once closed */
  requireOpen(): void;
  /** Locks this page alone, tells its listeners of that and of nothing after, and never unlocks again. */
  close(): void;
}

export function createLock<T>(options: createLock.Options): Lock<T> {
  const { channelName } = options;
  const listeners = createListeners<[locked: boolean]>();
  let value: T | null = null;
  let channel: BroadcastChannel | null = null;
  let closed = false;

  const requireOpen = () => {
    if (closed) throw new ProviderRpcError(errorCode.disconnected, 'The wallet of this page was closed.');
  };
  const lockHere = () => {
    if (value === null) return;
    value = null;
    autoLock.stop();
    // A closed channel keeps nothing out of the back-forward cache, and a locked page need not listen.
    channel?.close();
    channel = null;
    globalThis.removeEventListener?.('pagehide', lockHere);
    listeners.emit(true);
  };
  const autoLock = createAutoLock({ ...options, expire: lockHere });

  const openChannel = (): BroadcastChannel | null => {
    if (channelName === null || typeof BroadcastChannel === 'undefined') return null;
    try {
      const opened = new BroadcastChannel(channelName);
      // Node keeps a process alive for it; browsers have no such method.
      const { unref } = opened as { unref?: () => void };
      if (typeof unref === 'function') unref.call(opened);
      return opened;
    } catch {
      return null; // An opaque origin has none.
    }
  };
  const lockOthers = () => {
    const poster = channel ?? openChannel();
    poster?.postMessage('lock');
    if (poster !== channel) poster?.close();
  };

  return {
    held() {
      if (value !== null && autoLock.expired()) lockHere();
      return value;
    },
    unlock(next) {
      requireOpen();
      const wasLocked = value === null;
      value = next;
      autoLock.start();
      if (!wasLocked) return;
      channel = openChannel();
      // News only: what it says is believed of nothing but locking.
      if (channel !== null)
        channel.onmessage = ({ data }: MessageEvent<unknown>) => {
          if (data === 'lock') lockHere();
        };
      globalThis.addEventListener?.('pagehide', lockHere);
      listeners.emit(false);
    },
    replace(next) {
      if (value !== null) value = next;
    },
    touch() {
      if (value !== null) autoLock.touch();
    },
    lock() {
      if (closed) return;
      lockOthers();
      lockHere();
    },
    lockOthers,
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
  interface Options {
    readonly clock: Clock;
    readonly idle: number;
    readonly absolute: number;
    /** The BroadcastChannel that pages tell each other by; `null` for none. */
    readonly channelName: string | null;
  }
}
