import { dialogEnglish } from '../../src/ui/words/dialog-en.js';
import { panelEnglish } from '../../src/ui/words/panel-en.js';
import { resultEnglish } from '../../src/ui/words/result-en.js';
import { setupEnglish } from '../../src/ui/words/setup-en.js';
import type { Words } from '../../src/ui/words/words.js';

/** Every English text. */
export const english: Words = { ...dialogEnglish, ...setupEnglish, ...panelEnglish, ...resultEnglish };
