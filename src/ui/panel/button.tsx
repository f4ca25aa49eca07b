import { own } from '../../rpc/own.js';
import { attachShadow, isolateEvents } from '../dialog/sheet.js';
import { createElement } from '../elements.js';
import { Fragment, h, render } from '../h.js';
import { bodyOfPage } from '../page.js';
import { button } from '../pieces/fields.js';
import { icon } from '../pieces/icons.js';
import { chosenLanguage, chosenTheme, type Look } from '../preferences.js';
import type { Palette } from '../styles.js';
import type { Language } from '../words/words.js';
import { openPanel } from './panel.js';
import type { PanelWallet } from './wallet.js';

/** Shows a small button in a corner of the page that opens the panel. Returns its undo. */
export function panelButton(wallet: PanelWallet, options: panelButton.Options = {}): () => void {
  const settings = own(options);
  const { side = 'end', label } = settings;
  const language = chosenLanguage(settings);
  const stopped = new AbortController();
  const host = createElement('div');
  const root = createElement('div');
  root.className = `panel opener ${side}`;
  host.setAttribute('data-graft', 'button');
  isolateEvents(host, stopped.signal);
  attachShadow(host, root, chosenTheme(settings)).add(styles);
  const show = (text: string) =>
    render(
      button(
        <>
          {icon('icon', 'M3 6.5h14v9H3z', 'M3 6.5 13 4v2.5M13.5 11v.01')}
          <span>{text}</span>
        </>,
        open,
      ),
      root,
    );
  const open = () =>
    void openPanel(wallet, 'home', settings).catch(
      () => stopped.signal.aborted || show(notLoadedLabels[language]),
    );
  show(label ?? labels[language]);
  const place = () => bodyOfPage().append(host);
  // A script in the head runs before there is a body.
  if (bodyOfPage()) place();
  else addEventListener('DOMContentLoaded', place, own({ once: true, signal: stopped.signal }));
  stopped.signal.addEventListener('abort', () => {
    render(null, root);
    host.remove();
  });
  return () => stopped.abort();
}

export declare namespace panelButton {
  interface Options extends Look {
    /** The lower corner at the start or the end of a line. Default `end`. */
    readonly side?: 'start' | 'end' | undefined;
    /** Default: “Wallet”, in the language of the panel. */
    readonly label?: string | undefined;
  }
}

/** These texts are shown before the others have loaded. */
const labels: Readonly<Record<Language, string>> = { en: 'Wallet', es: 'Billetera', pt: 'Carteira' };
const notLoadedLabels: Readonly<Record<Language, string>> = {
  en: 'Not loaded. Reload the page.',
  es: 'No se ha cargado. Recarga la página.',
  pt: 'Não carregou. Recarregue a página.',
};

const styles = (palette: Palette): string => `
.opener { position: fixed; z-index: 2147483000; bottom: 16px; background: none; }
.opener.start { inset-inline-start: 16px; }
.opener.end { inset-inline-end: 16px; }
.opener button { display: inline-flex; align-items: center; gap: 8px; min-height: 48px; padding: 10px 16px; border: 1px solid ${palette.line}; border-radius: 99px; background: ${palette.ground}; box-shadow: 0 2px 12px rgb(0 0 0 / .18); }
.opener button:hover { background: ${palette.sunken}; }
.icon { width: 20px; height: 20px; }
`;
