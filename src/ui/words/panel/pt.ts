import { panelEnglish } from './en.js';
export const panelPortuguese = panelEnglish;
