import { dialogEnglish } from './en.js';
export const dialogPortuguese = dialogEnglish;
