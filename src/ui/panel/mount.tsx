import { waitForBody } from '../dialog/body.js';
import { attachShadow, isolateEvents, openSheet, type Styles } from '../dialog/sheet.js';
import { createElement } from '../elements.js';
import { h, render } from '../h.js';
import { stepStyles } from '../onboarding/stage.js';
import {
  chosenLanguage,
  chosenTheme,
  type Preferences,
  readPreferences,
  writePreferences,
} from '../preferences.js';
import { receive } from '../styles/receive.js';
import { loadPanelWords } from '../words/panel-words.js';
import type { PanelWords } from '../words/words.js';
import { App } from './app.js';
import type { PanelOptions } from './context.js';
import { panelStyles } from './styles.js';
import { createInlineSurface, createSurface, type Surface, SurfaceContext } from './surface.js';
import type { PanelWallet } from './wallet.js';

/** Puts the panel into an element of the page until `signal` aborts. */
export async function mountInline(
  element: Element,
  wallet: PanelWallet,
  options: PanelOptions,
  signal: AbortSignal,
): Promise<void> {
  const words = await wordsFor(options);
  if (signal.aborted) return;
  const host = createElement('div');
  const root = createElement('section');
  host.setAttribute('data-graft', 'panel');
  isolateEvents(host, signal);
  const styles = attachShadow(host, root, chosenTheme(options));
  element.append(host);
  const surface = createInlineSurface(host, signal);
  draw({ root, wallet, options, words, styles, surface, signal });
  signal.addEventListener('abort', () => {
    render(null, root);
    host.remove();
  });
}

/** Closes the window of a wallet's panel, while it is open. */
const closers = new WeakMap<PanelWallet, () => void>();

/** Opens the panel in a modal window, in place of one that is open. Resolves when it has closed. */
export async function mountModal(wallet: PanelWallet, options: PanelOptions): Promise<void> {
  const [words] = await Promise.all([wordsFor(options), waitForBody(new AbortController().signal)]);
  closers.get(wallet)?.();
  const sheet = openSheet({ theme: chosenTheme(options), words });
  const { surface, blocked, moved } = createSurface(sheet.isShown, sheet.attention);
  const root = createElement('section');
  sheet.dialog.setAttribute('aria-label', words.panel);
  sheet.dialog.append(root);
  return new Promise((resolve) => {
    const closed = () => {
      if (closers.get(wallet) === close) closers.delete(wallet);
      render(null, root);
      resolve();
    };
    const close = () => {
      sheet.close();
      closed();
    };
    closers.set(wallet, close);
    draw({ root, wallet, options, words, styles: sheet.styles, surface, close, signal: sheet.signal });
    sheet.use('panel', { closed, blocked, moved });
  });
}

/** Renders the panel, and again in another language when the person chooses one. */
function draw({ root, wallet, options, words, styles, surface, close, signal }: Mounted): void {
  styles.add(...stepStyles, receive, panelStyles);
  const show = (preferences: Preferences, texts: PanelWords): void => {
    root.className = close ? 'panel modal' : 'panel';
    root.setAttribute('lang', texts.language);
    root.setAttribute('dir', texts.direction);
    root.setAttribute('aria-label', texts.panel);
    const prefer = (next: Preferences): void => {
      writePreferences(next);
      styles.setTheme(next.theme ?? options.theme ?? 'auto');
      void wordsFor(options, next).then((nextTexts) => signal.aborted || show(next, nextTexts));
    };
    const start = options.view ?? 'home';
    render(
      <SurfaceContext.Provider value={surface}>
        <App {...{ wallet, start, preferences, prefer, close }} words={texts} />
      </SurfaceContext.Provider>,
      root,
    );
  };
  show(readPreferences(), words);
}

interface Mounted {
  readonly root: HTMLElement;
  readonly wallet: PanelWallet;
  readonly options: PanelOptions;
  readonly words: PanelWords;
  readonly styles: Styles;
  readonly surface: Surface;
  /** Absent for a panel that stays on the page. */
  readonly close?: (() => void) | undefined;
  readonly signal: AbortSignal;
}

const wordsFor = (options: PanelOptions, preferences?: Preferences): Promise<PanelWords> =>
  loadPanelWords(chosenLanguage(options, preferences), options.words);
