import { own } from '../../rpc/own.js';
import type { dialogEnglish } from './dialog-en.js';
import type { panelEnglish } from './panel-en.js';
import type { setupEnglish } from './setup-en.js';

/** The texts of the dialog by their names. */
export type DialogWords = typeof dialogEnglish;
/** The texts of the dialog and of the steps that it shows: setting up a wallet, recovering one, receiving. */
export type StepWords = DialogWords & typeof setupEnglish;
/** Every text of the dialog and the panel by its name. `{name}` in a text is filled in when it is shown. */
export type Words = StepWords & typeof panelEnglish;

/** The languages that there are texts in. */
export type Language = 'en' | 'es' | 'pt';
/** The languages that there are texts in, English first. */
export const languages: readonly Language[] = ['en', 'es', 'pt'];

/** The texts of each language. A unit test holds that each JSON file has the keys and places of the English texts. */
type Texts = Readonly<Record<Language, () => Promise<unknown>>>;

const dialogTexts: Texts = {
  en: async () => (await import('./dialog-en.js')).dialogEnglish,
  es: async () => (await import('./dialog-es.json', { with: { type: 'json' } })).default,
  pt: async () => (await import('./dialog-pt.json', { with: { type: 'json' } })).default,
};

const setupTexts: Texts = {
  en: async () => (await import('./setup-en.js')).setupEnglish,
  es: async () => (await import('./setup-es.json', { with: { type: 'json' } })).default,
  pt: async () => (await import('./setup-pt.json', { with: { type: 'json' } })).default,
};

const panelTexts: Texts = {
  en: async () => (await import('./panel-en.js')).panelEnglish,
  es: async () => (await import('./panel-es.json', { with: { type: 'json' } })).default,
  pt: async () => (await import('./panel-pt.json', { with: { type: 'json' } })).default,
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

/**
 * Loads every text in a language, with some of them replaced.
 *
 * @example
 * const words = await loadWords('es', { connect: 'Entrar' });
 */
export const loadWords = async (language: Language, overrides?: Partial<Words>): Promise<Words> =>
  chooseWords(await loadAll<Words>(language, dialogTexts, setupTexts, panelTexts), overrides);

/** The texts with the given overrides. */
export const chooseWords = <W extends DialogWords>(words: W, overrides?: Partial<Words>): W => ({
  ...words,
  ...overrides,
  warning: { ...words.warning, ...own(overrides).warning },
});

const loadAll = async <W>(language: Language, ...parts: readonly Texts[]): Promise<W> =>
  Object.assign({}, ...(await Promise.all(parts.map((texts) => load<object>(texts, language)))));

/** English where the chunk of another language does not load. */
const load = async <W>(texts: Texts, language: Language): Promise<W> =>
  (await texts[language]().catch(() => texts.en())) as W;
