import { panelTexts } from './panel-words.js';
import { resultTexts } from './result-words.js';
import { chooseWords, dialogTexts, type Language, loadAll, setupTexts, type Words } from './words.js';

/**
 * Loads every text in a language, with some of them replaced.
 *
 * @example
 * const words = await loadWords('es', { connect: 'Entrar' });
 */
export const loadWords = async (language: Language, overrides?: Partial<Words>): Promise<Words> =>
  chooseWords(await loadAll<Words>(language, dialogTexts, setupTexts, panelTexts, resultTexts), overrides);
