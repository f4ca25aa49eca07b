/** `graft-wallet/ui`: the dialog and the panel, which the wallet loads by itself when they are first needed. */
export { dialog } from './dialog/dialog.js';
export type { PanelView } from './panel/context.js';
export { openPanel, panel } from './panel/panel.js';
export type { Look } from './preferences.js';
export type { Theme } from './styles.js';
export { loadWords } from './words/all-words.js';
export { type Language, languages, type Words } from './words/words.js';
