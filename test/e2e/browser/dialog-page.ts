import type { Answer, Approver, Question } from '../../../src/approvals/question.js';
import { ProviderRpcError } from '../../../src/rpc/errors.js';
import { dialog } from '../../../src/ui/index.js';
import { hastenKdf } from '../../support/hasty-kdf.js';

hastenKdf();

/** The script of the page in `dialog.timed.test.ts`. `window.ask` starts a question; `window.answers` has the answers so far. */
export interface DialogPage {
  ask(question: Question, options?: dialog.Options): void;
  abort(): void;
  readonly answers: Answer[];
  /** Codes of the questions that have no answer. */
  readonly failures: number[];
  readonly unlocks: string[];
  /** Keys and clicks that listeners of the page saw while the event rose. */
  readonly heard: string[];
}

let ended = new AbortController();
const answers: Answer[] = [];
const failures: number[] = [];
const unlocks: string[] = [];
const heard: string[] = [];
for (const type of ['keydown', 'click', 'input'] as const)
  document.addEventListener(type, (event) => heard.push(event.type));

const unlock: Approver.Session['unlock'] = async (credential) => {
  const password = typeof credential === 'string' ? credential : 'a passkey';
  unlocks.push(password);
  if (password === 'held') await new Promise((resolve) => document.addEventListener('release', resolve));
  if (password !== 'correct horse' && password !== 'held')
    throw new ProviderRpcError(4100, 'The password is wrong.');
};

Object.assign(window, {
  answers,
  failures,
  unlocks,
  heard,
  ask(question: Question, options?: dialog.Options) {
    ended = new AbortController();
    // Any page around this one may ask in it: how much of its covers is seen, is tried here.
    dialog({ frameMayAsk: Array.from(location.ancestorOrigins ?? []), ...options })
      .ask(question, { signal: ended.signal, unlock })
      .then(
        (answer) => answers.push(answer),
        ({ code }) => failures.push(code),
      );
  },
  abort: () => ended.abort(),
} satisfies DialogPage);
