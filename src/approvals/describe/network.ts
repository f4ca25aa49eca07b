import type { QuestionNetwork } from '../question.js';
import type { Warning } from '../warning.js';

/** Warns of a network that a page added: everything shown about it comes from that page's endpoint. */
export const networkWarnings = ({ addedBy, source }: QuestionNetwork): readonly Warning[] =>
  addedBy === undefined
    ? []
    : [{ code: 'added-network', severity: 'caution', detail: `${addedBy}: ${source}` }];
