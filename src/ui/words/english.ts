import { dialogEnglish } from './dialog/en.js';
import { panelEnglish } from './panel/en.js';
import type { Words } from './words.js';

/** Every English text, for those who translate them. */
export const english: Words = { ...dialogEnglish, ...panelEnglish };
