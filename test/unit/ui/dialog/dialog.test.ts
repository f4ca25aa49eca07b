// @vitest-environment happy-dom
import { afterEach, describe, expect, test } from 'vitest';
import type { Answer, Question } from '../../../../src/approvals/question.js';
import { loadView } from '../../../../src/ui/dialog/views/views.js';
import { dialog } from '../../../../src/ui/index.js';
import { loadDialogWords } from '../../../../src/ui/words/words.js';
import { english } from '../../../support/english.js';
import * as questions from '../../../support/questions.js';

const unlock = async () => {};
const hosts = () =>
  Array.from(document.querySelectorAll('[data-graft]'), (host) => host.getAttribute('data-graft'));

/** Asks a question; `answer()` is undefined while it is open. */
function ask(approver: ReturnType<typeof dialog>, question: Question) {
  const ended = new AbortController();
  let answer: Answer | undefined;
  approver.ask(question, { signal: ended.signal, unlock }).then((given) => {
    answer = given;
  });
  return { abort: () => ended.abort(), answer: () => answer };
}

// The texts and the view of a question are chunks of their own.
await Promise.all([loadDialogWords('en'), loadView('transaction')]);
const settle = () => new Promise((resolve) => setTimeout(resolve, 30));

afterEach(() => document.body.replaceChildren());

describe('dialog', () => {
  test('a question is shown in a closed shadow root until it is aborted', async () => {
    const asked = ask(dialog(), questions.payment);
    await settle();
    expect(hosts()).toEqual(['transaction']);
    expect(document.querySelector('[data-graft]')?.shadowRoot).toBeNull();
    expect(asked.answer()).toBeUndefined();
    asked.abort();
    await settle();
    expect(asked.answer()).toEqual({ approved: false });
    expect(hosts()).toEqual([]);
  });

  test('questions are shown one at a time, in order', async () => {
    const approver = dialog();
    const first = ask(approver, questions.connect);
    const second = ask(approver, questions.payment);
    const third = ask(approver, questions.unlock);
    await settle();
    expect(hosts()).toEqual(['connect']);
    second.abort();
    await settle();
    expect(second.answer()).toEqual({ approved: false });
    expect(hosts()).toEqual(['connect']);
    first.abort();
    await settle();
    expect(hosts()).toEqual(['unlock']);
    third.abort();
  });

  test('leaving the page rejects the question', async () => {
    const asked = ask(dialog(), questions.payment);
    await settle();
    window.dispatchEvent(new Event('pagehide'));
    await settle();
    expect(asked.answer()).toEqual({ approved: false });
  });

  test('a question aborted before its turn is never shown', async () => {
    const asked = ask(dialog(), questions.payment);
    asked.abort();
    await settle();
    expect(hosts()).toEqual([]);
    expect(asked.answer()).toEqual({ approved: false });
  });

  test('the English texts survive JSON', () => {
    expect(JSON.parse(JSON.stringify(english))).toEqual(english);
  });
});
