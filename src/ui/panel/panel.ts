import { own } from '../../rpc/own.js';
import type { Wallet } from '../../wallet.js';
import type { Theme } from '../styles.js';
import type { Language, Words } from '../words/words.js';
import type { PanelView } from './context.js';

/**
 * Puts the panel of a wallet into an element of the page, where it stays: accounts and balances, sending and receiving,
 * activity, connected sites, networks and settings; setting up a wallet where there is none. Returns its undo.
 *
 * @example
 * const remove = panel(document.querySelector('#wallet'), wallet);
 */
export function panel(element: Element, wallet: Wallet, options: panel.Options = {}): () => void {
  const settings = own(options);
  const stopped = new AbortController();
  void import('./mount.js').then(({ mountInline }) => {
    if (!stopped.signal.aborted) mountInline(element, wallet, settings, stopped.signal);
  });
  return () => stopped.abort();
}

/**
 * Opens the panel of a wallet in a window over the page, at one of its views. Resolves when it has closed. Nothing of it is
 * loaded before.
 *
 * @example
 * await openPanel(wallet, 'receive');
 */
export async function openPanel(
  wallet: Wallet,
  view: PanelView = 'home',
  options: Omit<panel.Options, 'view'> = {},
): Promise<void> {
  const { mountModal } = await import('./mount.js');
  await mountModal(wallet, { ...own(options), view });
}

export declare namespace panel {
  interface Options {
    /** What is shown first. Default `home`. */
    readonly view?: PanelView;
    /** Default `auto`: follows the system's colour scheme. The person may choose another one. */
    readonly theme?: Theme;
    /** Default: the first of the browser's languages that there are texts in. The person may choose another one. */
    readonly language?: Language;
    /** Replaces some or all of the texts. */
    readonly words?: Partial<Words>;
  }
}
