/** Opens windows of the wallet, within a click of the person. */
export interface Popup {
  /** Opens one now. `null` if the browser blocks it. */
  open(path: string): Window | null;
  /**
   * Opens one now if the person has just clicked, else shows a button that opens it. `null` if it was blocked or
   * dismissed.
   */
  offer(path: string): Promise<Window | null>;
  /** Removes the button. */
  close(): void;
}

const features = 'popup,width=440,height=720';

export function createPopup(host: string): Popup {
  const closing = new AbortController();
  const open = (path: string) => window.open(`${host}/${path}`, '_blank', features);
  return {
    open,
    async offer(path) {
      // Firefox has it from version 120 on; before, trying is the only way to know.
      const { userActivation } = navigator as { userActivation?: UserActivation };
      const opened = (userActivation?.isActive ?? true) ? open(path) : null;
      if (opened) return opened;
      const { showButton } = await import('./continue-button.js');
      return showButton(() => open(path), closing.signal);
    },
    close: () => closing.abort(),
  };
}
