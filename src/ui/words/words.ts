import { own } from '../../rpc/own.js';
import type { dialogEnglish } from './dialog-en.js';
import type { panelEnglish } from './panel-en.js';
import type { resultEnglish } from './result-en.js';
import type { setupEnglish } from './setup-en.js';

/** The texts of the dialog by their names. */
export type DialogWords = typeof dialogEnglish;
/** The texts of the dialog and of the steps that it shows: setting up a wallet, recovering one, receiving. */
export type StepWords = DialogWords & typeof setupEnglish;
/** The texts of the line that shows what became of a transaction. */
export type ResultWords = DialogWords & typeof resultEnglish;
/** The texts of the panel and of the steps that it shows. */
export type PanelWords = StepWords & typeof panelEnglish;
/** Every text of the wallet by its name. `{name}` in a text is filled in when it is shown. */
export type Words = PanelWords & ResultWords;

/** The languages that there are texts in. */
export type Language = 'en' | 'es' | 'pt';
/** The languages that there are texts in, English first. */
export const languages: readonly Language[] = ['en', 'es', 'pt'];

/** The texts of each language. A unit test holds that each JSON file has the keys and places of the English texts. */
export type Texts = Readonly<Record<Language, () => Promise<unknown>>>;

export const dialogTexts: Texts = {
  en: async () => (await import('./dialog-en.js')).dialogEnglish,
  es: async () => (await import('./dialog-es.json', { with: { type: 'json' } })).default,
  pt: async () => (await import('./dialog-pt.json', { with: { type: 'json' } })).default,
};

export const setupTexts: Texts = {
  en: async () => (await import('./setup-en.js')).setupEnglish,
  es: async () => (await import('./setup-es.json', { with: { type: 'json' } })).default,
  pt: async () => (await import('./setup-pt.json', { with: { type: 'json' } })).default,
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
  chooseWords(await load<DialogWords>(dialogTexts, language), overrides);

export const loadStepWords = async (language: Language, overrides?: Partial<Words>): Promise<StepWords> =>
  chooseWords(await loadAll<StepWords>(language, dialogTexts, setupTexts), overrides);

/** The texts with the given overrides. */
export const chooseWords = <W extends DialogWords>(words: W, overrides?: Partial<Words>): W => ({
  ...words,
  ...overrides,
  warning: { ...words.warning, ...own(overrides).warning },
});

/** Loads several parts of the texts into one object. */
export const loadAll = async <W>(language: Language, ...parts: readonly Texts[]): Promise<W> =>
  Object.assign({}, ...(await Promise.all(parts.map((texts) => load<object>(texts, language)))));

/** English where the chunk of another language does not load. */
const load = async <W>(texts: Texts, language: Language): Promise<W> =>
  (await texts[language]().catch(() => texts.en())) as W;
