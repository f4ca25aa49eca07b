import {
  chooseWords,
  dialogTexts,
  type Language,
  loadAll,
  type ResultWords,
  type Texts,
  type Words,
} from './words.js';

export const resultTexts: Texts = {
  en: async () => (await import('./result-en.js')).resultEnglish,
  es: async () => (await import('./result-es.json', { with: { type: 'json' } })).default,
  pt: async () => (await import('./result-pt.json', { with: { type: 'json' } })).default,
};

export const loadResultWords = async (language: Language, overrides?: Partial<Words>): Promise<ResultWords> =>
  chooseWords(await loadAll<ResultWords>(language, dialogTexts, resultTexts), overrides);
