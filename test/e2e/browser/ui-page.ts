import type { Answer, Question } from '../../../src/approvals/question.js';
import { ownDeep } from '../../../src/rpc/own-data.js';
import type { RecordedTransaction } from '../../../src/transactions/transactions.js';
import { windowDialog } from '../../../src/ui/dialog/dialog.js';
import { dialog, openPanel, type PanelView, panel } from '../../../src/ui/index.js';
import type { SendQuestion } from '../../../src/ui/results/outcome.js';
import { showResults } from '../../../src/ui/results/result-line.js';
import { shieldEvents } from '../../../src/wallet/event-shield.js';
import { type FakeWallet, fakeWallet } from '../../support/fake-wallet.js';
import { hastenGuard } from '../../support/hasty-guard.js';
import { hastenKdf } from '../../support/hasty-kdf.js';
import { pseudo } from '../../support/pseudo.js';

// As each wallet does when it is made.
shieldEvents();
hastenKdf();
hastenGuard();

/** What the page of the tests of the user interface runs: questions and the panel, with an owner and a wallet of tests. */
export interface UiPage {
  ask(question: Question, options?: UiPage.Options): void;
  open(view: PanelView, holds?: Partial<FakeWallet['holds']>, options?: UiPage.Options): void;
  /** Follows an approved question, with these transactions in the journal. */
  follow(
    question: SendQuestion,
    transactions: readonly RecordedTransaction[],
    options?: UiPage.Options,
  ): void;
  /** Puts the panel into the page. */
  place(view: PanelView, options?: UiPage.Options): void;
  /** What the wallet and the owner were asked for, by name. */
  readonly calls: readonly string[];
  readonly answers: readonly Answer[];
  /** Codes of the questions that could not be shown or answered. */
  readonly failures: readonly number[];
  wallet: FakeWallet;
  /** Forgets what earlier questions and views have changed. */
  reset(): void;
}

export declare namespace UiPage {
  type Options = dialog.Options & {
    readonly pseudo?: true;
    /** As in a window of the wallet. */
    readonly inWindow?: true;
  };
}

const answers: Answer[] = [];
const failures: number[] = [];
const read = ({ pseudo: isPseudo, inWindow: _, ...options }: UiPage.Options = {}) =>
  isPseudo ? { ...options, words: pseudo } : options;
const approvers = new Map<string, ReturnType<typeof dialog>>();

const page: UiPage = {
  wallet: fakeWallet(),
  reset() {
    approvers.clear();
    localStorage.clear();
    page.wallet = fakeWallet();
  },
  answers,
  failures,
  get calls() {
    return page.wallet.calls.map(([name]) => name as string);
  },
  ask(question: Question, options?: UiPage.Options) {
    const key = JSON.stringify(options ?? {});
    const approver = approvers.get(key) ?? (options?.inWindow ? windowDialog : dialog)(read(options));
    approvers.set(key, approver);
    const { wallet } = page;
    const needsOwner = question.locked || ['unlock', 'onboarding'].includes(question.kind);
    approver
      .ask(question, {
        signal: new AbortController().signal,
        unlock: wallet.unlock,
        ...(needsOwner && { owner: wallet }),
      })
      .then(
        (answer) => answers.push(answer),
        ({ code }) => failures.push(code),
      );
  },
  open(view: PanelView, holds?: Partial<FakeWallet['holds']>, options?: UiPage.Options) {
    if (holds) page.wallet = fakeWallet(holds);
    void openPanel(page.wallet, view, read(options));
  },
  follow(question: SendQuestion, transactions: readonly RecordedTransaction[], options?: UiPage.Options) {
    page.wallet = fakeWallet({ transactions });
    const look = read(options);
    const approver = dialog(look);
    const source = { look, wallet: page.wallet, signal: new AbortController().signal };
    // The queue passes questions without prototypes.
    showResults(source, approver, approver.ask, ownDeep(question), 0);
  },
  place(view: PanelView, options?: UiPage.Options) {
    panel(document.querySelector('#place') as Element, page.wallet, { ...read(options), view });
  },
};

Object.assign(window, { ui: page });
