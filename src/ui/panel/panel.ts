import { invalidParams } from '../../rpc/errors.js';
import { throwNotLoaded } from '../../rpc/not-loaded.js';
import { own } from '../../rpc/own.js';
import type { Look } from '../preferences.js';
import { type PanelOptions, type PanelView, panelViews } from './context.js';
import type { PanelWallet } from './wallet.js';

/**
 * Puts the panel of a wallet into an element of the page, where it stays: accounts and balances, sending and receiving,
 * activity, connected sites, networks and settings, or the setup if there is no wallet. Returns its undo.
 *
 * @example
 * const remove = panel(element, wallet);
 */
export function panel(element: Element, wallet: PanelWallet, options: panel.Options = {}): () => void {
  const settings = own(options);
  requireView(settings.view ?? 'home');
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
 *
 * @throws ProviderRpcError -32602 for a view that there is not, -32002 where the panel does not load
 */
export async function openPanel(
  wallet: PanelWallet,
  view: PanelView = 'home',
  options: Look = {},
): Promise<void> {
  requireView(view);
  const shown = async () => (await import('./mount.js')).mountModal(wallet, own({ ...options, view }));
  await shown().catch(throwNotLoaded);
}

function requireView(view: PanelView): void {
  if (!panelViews.includes(view)) throw invalidParams(`view: expected one of ${panelViews.join(', ')}`);
}

export declare namespace panel {
  /** The options of {@link panel}. */
  type Options = PanelOptions;
}
