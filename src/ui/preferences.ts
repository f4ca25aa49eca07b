import { own } from '../rpc/own.js';
import type { Theme } from './styles.js';
import { type Language, languages } from './words/words.js';

/** What the person chose in the panel's settings. It goes before what the page chose. */
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
