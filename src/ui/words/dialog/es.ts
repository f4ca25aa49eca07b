import { dialogEnglish } from './en.js';
export const dialogSpanish = dialogEnglish;
