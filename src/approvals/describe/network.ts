import type { QuestionNetwork } from '../question.js';
import type { Warning } from '../warning.js';

/** What to weigh about a network: one that a page added shows what that page's endpoint says, whatever its name. */
export const networkWarnings = ({ addedBy, source }: QuestionNetwork): readonly Warning[] =>
  addedBy === undefined
    ? []
    : [{ code: 'added-network', severity: 'caution', detail: `${addedBy}: ${source}` }];
