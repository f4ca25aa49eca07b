import { own } from '../rpc/own.js';
import { createElement } from '../ui/elements.js';
import { bodyOfPage } from '../ui/page.js';

const languages = ['en', 'es', 'pt'] as const;

/** Chooses a text by the browser's language. */
export const translated = <T>(texts: { readonly [Name in (typeof languages)[number]]: T }): T =>
  texts[languages.find((each) => each === navigator.language.slice(0, 2)) ?? 'en'];

/**
 * Shows a text with buttons over this document. Nothing is approved with it. Returns a function that removes it.
 *
 * @param kind the value of the host element's `data-graft`
 * @param text `null` for none
 * @param actions the label of each button, and what it does
 * @param onDismiss called at Escape and at the back gesture
 */
export function showNotice(
  kind: string,
  text: string | null,
  actions: readonly (readonly [label: string, act: () => void])[],
  onDismiss?: () => void,
): () => void {
  const root = createElement('div');
  const dialog = createElement('dialog');
  if (text !== null) {
    const paragraph = createElement('p');
    paragraph.textContent = text;
    dialog.append(paragraph);
  }
  for (const [label, act] of actions) {
    const button = createElement('button');
    button.type = 'button';
    button.textContent = label;
    button.addEventListener('click', act);
    dialog.append(button);
  }
  const shadow = root.attachShadow(own({ mode: 'closed' }));
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(styles);
  shadow.adoptedStyleSheets = [sheet];
  shadow.append(dialog);
  root.setAttribute('data-graft', kind);
  dialog.setAttribute('lang', translated<string>({ en: 'en', es: 'es', pt: 'pt' }));
  dialog.addEventListener('cancel', (event) => {
    event.preventDefault();
    onDismiss?.();
  });
  bodyOfPage().append(root);
  dialog.showModal();
  return () => {
    dialog.close();
    root.remove();
  };
}

const styles = `
  :host { all: initial; }
  dialog { color-scheme: light dark; font: 16px/1.4 system-ui, sans-serif; border: 0; border-radius: 12px; padding: 20px;
    background: Canvas; color: CanvasText; box-shadow: 0 8px 40px #0006; max-width: 24em; }
  dialog[open] { display: flex; flex-wrap: wrap; gap: 12px; }
  p { margin: 0; width: 100%; }
  button { font: inherit; min-height: 44px; padding: 0 20px; border-radius: 8px; }
  button:first-of-type { font-weight: 600; }
`;
