import { own } from '../../rpc/own.js';
import type { dialogEnglish } from './dialog-en.js';
import type { panelEnglish } from './panel-en.js';

/** The texts of the dialog. A translation that lacks one does not type-check. */
export type DialogWords = typeof dialogEnglish;
/** The texts of the panel, of setting up a wallet and of recovering one. */
export type PanelWords = typeof panelEnglish;
/** Every text of the dialog and the panel by its name. `{name}` in a text is filled in when it is shown. */
export type Words = DialogWords & PanelWords;

/** The languages that there are texts in. */
export type Language = 'en' | 'es' | 'pt';
/** The languages that there are texts in, English first. */
export const languages: readonly Language[] = ['en', 'es', 'pt'];

const dialogWords: Readonly<Record<Language, () => Promise<DialogWords>>> = {
  en: async () => (await import('./dialog-en.js')).dialogEnglish,
  es: async () => (await import('./dialog-es.js')).dialogSpanish,
  pt: async () => (await import('./dialog-pt.js')).dialogPortuguese,
};

const panelWords: Readonly<Record<Language, () => Promise<PanelWords>>> = {
  en: async () => (await import('./panel-en.js')).panelEnglish,
  es: async () => (await import('./panel-es.js')).panelSpanish,
  pt: async () => (await import('./panel-pt.js')).panelPortuguese,
};

/** The first of the browser's languages that there are texts in, else English. */
export function browserLanguage(): Language {
  const preferred: readonly string[] = typeof navigator === 'object' ? (navigator.languages ?? []) : [];
  for (const tag of preferred) {
    const found = languages.find((language) => language === tag.toLowerCase().split('-')[0]);
    if (found) return found;
  }
  return 'en';
}

export const loadDialogWords = async (language: Language, overrides?: Partial<Words>): Promise<DialogWords> =>
  chooseWords(await load(dialogWords, language), overrides);

/**
 * Loads every text in a language, with some of them replaced.
 *
 * @example
 * const words = await loadWords('es', { connect: 'Entrar' });
 */
export const loadWords = async (language: Language, overrides?: Partial<Words>): Promise<Words> => {
  const [dialog, panel] = await Promise.all([load(dialogWords, language), load(panelWords, language)]);
  return chooseWords({ ...dialog, ...panel }, overrides);
};

/** The texts with the given overrides. */
export const chooseWords = <W extends DialogWords>(words: W, overrides?: Partial<Words>): W => ({
  ...words,
  ...overrides,
  warning: { ...words.warning, ...own(overrides).warning },
});

/** English where the chunk of another language does not load. */
const load = <W>(from: Readonly<Record<Language, () => Promise<W>>>, language: Language): Promise<W> =>
  from[language]().catch(() => from.en());
