import { own } from '../rpc/own.js';
import type { Theme } from './styles.js';
import { browserLanguage, type Language, languages, type Words } from './words/words.js';

/** How the dialog and the panel look, and what language they speak. */
export interface Look {
  /** Default `auto`: follows the system's colour scheme. The person may choose another one. */
  readonly theme?: Theme | undefined;
  /** Default: the first of the browser's languages that there are texts in. The person may choose another one. */
  readonly language?: Language | undefined;
  /** Replaces some or all of the texts. */
  readonly words?: Partial<Words> | undefined;
  /**
   * Whether a line at the bottom of the page shows what became of a transaction that was approved in the wallet's own dialog: sent,
   * in a block, or failed. `false` is for pages that show it themselves. Default true.
   */
  readonly results?: boolean | undefined;
}

/** The person's choices in the panel's settings. They take precedence over the page's. */
export interface Preferences {
  readonly language?: Language | undefined;
  readonly theme?: Theme | undefined;
}

const key = 'graft:preferences';
const themes: readonly Theme[] = ['auto', 'light', 'dark'];

/** Reads them from `localStorage`, which any script of the origin can write: anything else is ignored. */
export function readPreferences(): Preferences {
  let stored: Preferences | undefined;
  try {
    stored = JSON.parse(localStorage.getItem(key) ?? '{}') as Preferences;
  } catch {}
  const { language, theme } = own(stored);
  return {
    language: languages.find((each) => each === language),
    theme: themes.find((each) => each === theme),
  };
}

/** The colours and the language: the person's choice, else the page's, else the browser's. */
export const chosenTheme = ({ theme }: Look): Theme => readPreferences().theme ?? theme ?? 'auto';
export const chosenLanguage = ({ language }: Look, preferences = readPreferences()): Language =>
  preferences.language ?? language ?? browserLanguage();

/** Without storage (a sandboxed frame), the choice lasts as long as the panel. */
export function writePreferences(preferences: Preferences): void {
  try {
    localStorage.setItem(key, JSON.stringify(preferences));
  } catch {}
}
