import { own } from '../rpc/own.js';
import type { Theme } from '../ui/styles.js';
import { inspect, type Observable } from './inspect.js';

/**
 * Shows a wallet's activity live: its requests and where they were answered, the daily quota, subscriptions, and which tab
 * leads. For developers, in English. It counts at once and loads its view on demand. Returns its undo.
 *
 * @param element where it stays; `undefined`: at the bottom of the page's body
 * @example
 * const remove = inspector(document.querySelector('#inspector') ?? undefined, wallet);
 */
export function inspector(
  element: Element | undefined,
  wallet: Observable,
  options: inspector.Options = {},
): () => void {
  const { theme = 'auto', capacity } = own(options);
  const inspection = inspect(wallet, { capacity });
  const stopped = new AbortController();
  stopped.signal.addEventListener('abort', inspection.stop);
  import('./draw-inspector.js').then(
    ({ drawInspector }) =>
      stopped.signal.aborted || drawInspector(element, inspection, theme, stopped.signal),
    (error) => globalThis.reportError?.(error),
  );
  return () => stopped.abort();
}

export declare namespace inspector {
  /** The options of {@link inspector}. */
  interface Options extends inspect.Options {
    /** Default `auto`: as the browser prefers. */
    readonly theme?: Theme | undefined;
  }
}
