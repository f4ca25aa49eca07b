import { anySignal } from '../async/cancellation.js';
import { noWindow, popupBlocked } from './errors.js';
import { windowFeatures } from './protocol.js';

/** Opens windows of the wallet, within a click of the person. */
export interface Popup {
  /** Opens a window now. Returns `null` outside a click, or where the browser blocks it. */
  open(path: string): Window | null;
  /**
   * Opens one now in a click, else shows a button that opens it.
   * @throws ProviderRpcError -32002 `popup-blocked` if the person dismisses the button or `signal` aborts; `no-window` if the
   * browser opens none in spite of a click
   */
  offer(path: string, signal?: AbortSignal): Promise<Window>;
  /** Removes the button. */
  close(): void;
}

/** Whether this is a click, in which a window may open. `undefined` before Firefox 120. */
export function isInClick(): boolean | undefined {
  const { userActivation } = navigator as { userActivation?: UserActivation };
  return userActivation?.isActive;
}

/** @param host the wallet's origin */
export function createPopup(host: string): Popup {
  const closing = new AbortController();
  const open = (path: string) =>
    isInClick() === false ? null : window.open(`${host}/${path}`, '_blank', windowFeatures);
  return {
    open,
    async offer(path, unneeded) {
      const opened = open(path);
      if (opened) return opened;
      if (isInClick()) throw noWindow();
      const { showButton } = await import('./continue-button.js');
      const [signal, release] = anySignal(closing.signal, unneeded);
      const clicked = await showButton(() => ({ window: open(path) }), signal);
      release();
      if (!clicked) throw popupBlocked();
      if (!clicked.window) throw noWindow();
      return clicked.window;
    },
    close: () => closing.abort(),
  };
}
