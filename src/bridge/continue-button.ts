import { own } from '../rpc/own.js';
import { createElement } from '../ui/elements.js';
import { bodyOfPage } from '../ui/page.js';

const texts = {
  en: ['Continue in the wallet', 'Cancel'],
  es: ['Continuar en la billetera', 'Cancelar'],
  pt: ['Continuar na carteira', 'Cancelar'],
} as const;

/**
 * Shows one button over the page that opens the wallet's window. It belongs to the page: nothing is approved with it.
 *
 * @returns the window; `null` if the person dismisses it, the browser blocks the window even so, or `signal` aborts
 */
export function showButton(open: () => Window | null, signal: AbortSignal): Promise<Window | null> {
  return new Promise((resolve) => {
    const root = createElement('div');
    const dialog = createElement('dialog');
    const language = navigator.language.slice(0, 2);
    const [proceed, cancel] = texts[language as keyof typeof texts] ?? texts.en;
    const end = (opened: Window | null): void => {
      dialog.close();
      root.remove();
      signal.removeEventListener('abort', onAbort);
      resolve(opened);
    };
    const onAbort = () => end(null);
    const add = (text: string, act: () => void) => {
      const button = createElement('button');
      button.type = 'button';
      button.textContent = text;
      button.addEventListener('click', act);
      dialog.append(button);
    };
    const shadow = root.attachShadow(own({ mode: 'closed' }));
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(styles);
    shadow.adoptedStyleSheets = [sheet];
    shadow.append(dialog);
    root.setAttribute('data-graft', 'continue');
    dialog.setAttribute('lang', language in texts ? language : 'en');
    add(proceed, () => end(open()));
    add(cancel, () => end(null));
    dialog.addEventListener('cancel', () => end(null));
    signal.addEventListener('abort', onAbort);
    bodyOfPage().append(root);
    dialog.showModal();
  });
}

const styles = `
  :host { all: initial; }
  dialog { color-scheme: light dark; font: 16px/1.4 system-ui, sans-serif; border: 0; border-radius: 12px; padding: 20px;
    background: Canvas; color: CanvasText; box-shadow: 0 8px 40px #0006; }
  dialog[open] { display: flex; flex-wrap: wrap; gap: 12px; }
  button { font: inherit; min-height: 44px; padding: 0 20px; border-radius: 8px; }
  button:first-child { font-weight: 600; }
`;
