import { showNotice, translated } from './notice.js';

const texts = {
  en: ['Continue in the wallet', 'Cancel'],
  es: ['Continuar en la billetera', 'Cancelar'],
  pt: ['Continuar na carteira', 'Cancelar'],
} as const;

/**
 * Shows a button that opens the wallet's window. It approves nothing, so covering it gains nothing.
 *
 * @returns the outcome of `open`; `null` if the person dismisses it or `signal` aborts
 */
export function showButton<T>(open: () => T, signal: AbortSignal): Promise<T | null> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve(null);
    const [proceed, cancel] = translated<readonly [string, string]>(texts);
    const end = (opened: T | null): void => {
      close();
      signal.removeEventListener('abort', dismiss);
      resolve(opened);
    };
    const dismiss = () => end(null);
    const actions = [[proceed, () => end(open())] as const, [cancel, dismiss] as const];
    const close = showNotice('continue', null, actions, dismiss);
    signal.addEventListener('abort', dismiss);
  });
}
