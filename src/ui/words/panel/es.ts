import { panelEnglish } from './en.js';
export const panelSpanish = panelEnglish;
