import type { Question } from '../../src/approvals/question.js';
import { createFrame, type Frame } from '../../src/ui/dialog/frame.js';
import type { View } from '../../src/ui/dialog/views/view.js';
import { loadView, type ViewKind, viewKind } from '../../src/ui/dialog/views/views.js';
import { type Content, render } from '../../src/ui/h.js';
import type { DialogWords } from '../../src/ui/words/words.js';
import { english } from './english.js';

const kinds: readonly ViewKind[] = [
  'connect',
  'connect-and-sign-in',
  'transaction',
  'calls',
  'calls-status',
  'message',
  'typed-data',
  'switch-chain',
  'add-chain',
  'watch-asset',
  'permission',
  'pay-elsewhere',
  'unlock',
];
const views = new Map(
  await Promise.all(kinds.map(async (kind) => [kind as string, await loadView(kind)] as const)),
);

/** The view of a question, of whichever kind. */
export const viewOf = (question: Question, words: DialogWords): View =>
  (views.get(viewKind(question) ?? '') as (asked: Question, words: DialogWords) => View)(question, words);

/** The frame around the view of a question, in a dialog that is on no page. */
export const frameOf = (
  question: Question,
  words: DialogWords = english,
  view = viewOf(question, words),
): Frame =>
  createFrame(question, view, words, document.createElement('dialog'), {
    unlockBy: question.locked || question.kind === 'unlock' ? 'password' : null,
  });

/** Content of the dialog in an element that is on no page. */
export function rendered(...content: readonly Content[]): HTMLDivElement {
  const root = document.createElement('div');
  render(content, root);
  return root;
}
