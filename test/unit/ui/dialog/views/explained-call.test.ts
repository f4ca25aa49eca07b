// @vitest-environment happy-dom
import { expect, test } from 'vitest';
import type { ExplainedField, TransactionQuestion } from '../../../../../src/approvals/question.js';
import { render } from '../../../../../src/ui/h.js';
import { english } from '../../../../support/english.js';
import * as questions from '../../../../support/questions.js';
import { viewOf } from '../../../../support/render.js';

const show = (fields: readonly ExplainedField[]) => {
  const { described } = questions.explainedCall;
  const question = {
    ...questions.explainedCall,
    described: { ...described, explained: { ...described?.explained, fields } },
  } as TransactionQuestion;
  const root = document.createElement('div');
  const view = viewOf(question, english);
  render([view.title, view.lead, view.subject, view.more], root);
  return root.textContent ?? '';
};

test('a time before all times is shown', () => {
  expect(show([{ label: 'Until', kind: 'time', seconds: `${-(2n ** 255n)}` }])).toContain('Until');
});
