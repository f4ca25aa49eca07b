import {
  chooseWords,
  dialogTexts,
  type Language,
  loadAll,
  type PanelWords,
  setupTexts,
  type Texts,
  type Words,
} from './words.js';

export const panelTexts: Texts = {
  en: async () => (await import('./panel-en.js')).panelEnglish,
  es: async () => (await import('./panel-es.json', { with: { type: 'json' } })).default,
  pt: async () => (await import('./panel-pt.json', { with: { type: 'json' } })).default,
};

export const loadPanelWords = async (language: Language, overrides?: Partial<Words>): Promise<PanelWords> =>
  chooseWords(await loadAll<PanelWords>(language, dialogTexts, setupTexts, panelTexts), overrides);
