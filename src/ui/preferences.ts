import { own } from '../rpc/own.js';
import type { Theme } from './styles.js';
import { type Language, languages, type Words } from './words/words.js';

/** How the dialog and the panel look, and what language they speak. */
export interface Look {
  /** Default `auto`: follows the system's colour scheme. The person may choose another one. */
  readonly theme?: Theme | undefined;
  /** Default: the first of the browser's languages that there are texts in. The person may choose another one. */
  readonly language?: Language | undefined;
  /** Replaces some or all of the texts. */
  readonly words?: Partial<Words> | undefined;
}

/** The person's choices in the panel's settings. They take precedence over the page's. */
export interface Preferences {
  readonly language?: Language;
  readonly theme?: Theme;
}

const key = 'graft:preferences';
const themes: readonly Theme[] = ['auto', 'light', 'dark'];

/** Reads them from `localStorage`, which any script of the origin can write: anything else is ignored. */
export function readPreferences(): Preferences {
  try {
    const { language, theme } = own(JSON.parse(localStorage.getItem(key) ?? '{}') as Preferences);
    return own({
      ...(languages.includes(language as Language) && { language: language as Language }),
      ...(themes.includes(theme as Theme) && { theme: theme as Theme }),
    });
  } catch {
    return own({});
  }
}

/** Without storage (a sandboxed frame), the choice lasts as long as the panel. */
export function writePreferences(preferences: Preferences): void {
  try {
    localStorage.setItem(key, JSON.stringify(preferences));
  } catch {}
}
