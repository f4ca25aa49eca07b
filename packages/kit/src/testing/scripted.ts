import type { Answer, Approver, Question } from '../../../../src/approvals/question.js';
import { own } from '../../../../src/rpc/own.js';
import type { Hash } from '../../../../src/rpc/schema.js';
import type { Wallet } from '../../../../src/wallet/wallet.js';
import { requireMembers } from './checks.js';
import { approveWith, type Choice, choiceNames } from './choice.js';
import { createGranting, readPermission, type TestPermission } from './grant.js';
import { factsOf, isMatch, printFields, type QuestionMatch, requireMatch } from './match.js';

/** The decision on a question. `approved: true` may come with a choice, such as the accounts to share. */
export type Verdict =
  | 'approve'
  | 'reject'
  | { readonly approved: false }
  | ({ readonly approved: true } & Choice);

/** Answers every question that it fits. */
export interface AnswerRule extends QuestionMatch {
  /** The decision on the question. */
  readonly answer: Verdict;
}

/**
 * Answers questions without the test: the first rule that fits decides, or a function, which leaves a question to the
 * test by returning `undefined`.
 */
export type Answers =
  | readonly AnswerRule[]
  | ((question: Question) => Verdict | undefined | Promise<Verdict | undefined>);

/**
 * The questions of a wallet in the hands of a test.
 *
 * @example
 * const asked = await questions.nextQuestion({ kind: 'transaction' }); // stays open
 * console.log(factsOf(asked).value);
 * await questions.reject({ kind: 'transaction' });
 * await questions.expectNoQuestion();
 */
export interface TestQuestions {
  /** Every question so far, oldest first, with those that a rule has answered; without those of a `grant`. */
  readonly asked: readonly Question[];
  /**
   * Waits for the next question and approves it. Resolves with it once the answer has been given.
   *
   * @param match what the question must be; everything by default
   * @param choice the accounts to share, the gas price or the allowance, where the question offers them
   * @throws Error if another question was asked, or does not offer the choice, and then stays open; or if none was asked
   * within the time limit
   *
   * @example
   * await questions.approve({ kind: 'transaction', value: 10n ** 16n });
   */
  approve(match?: QuestionMatch, choice?: Choice): Promise<Question>;
  /** Waits for the next question and rejects it, as {@link TestQuestions.approve}. The page gets 4001. */
  reject(match?: QuestionMatch): Promise<Question>;
  /** Waits for the next question and resolves with it. It stays open. @throws Error as {@link TestQuestions.approve} */
  nextQuestion(match?: QuestionMatch): Promise<Question>;
  /**
   * Resolves if no question is open now and none is asked for a while, or until an action has ended, even one that a rule
   * answers. It fails as soon as one is asked, which stays open.
   *
   * @param during an action, whose result is the result; or how long to wait, milliseconds, 250 by default
   * @throws Error that says what was asked; as the action
   *
   * @example
   * await questions.expectNoQuestion(() => wallet.provider.request({ method: 'eth_gasPrice' }));
   */
  expectNoQuestion<Result = void>(during?: number | (() => Result | Promise<Result>)): Promise<Result>;
}

/**
 * An approver whose questions a test answers, one by one or by rules. For tests only.
 *
 * @example
 * const person = scripted({ timeout: 60_000 });
 * const wallet = createWallet({ networks, approver: () => person });
 * addEventListener('pagehide', () => person.fail(new Error('The page was left'))); // no wait lasts longer
 */
export interface ScriptedApprover extends Approver, TestQuestions {
  /**
   * Gives the site of a wallet that asks this approver a permission to send without a question, on the active chain: as the site
   * requests it, with its questions approved here. Connects the site first where it isn't.
   *
   * @returns the context of the permission, for `wallet.endPermission`
   * @throws Error naming the member that is wrong; ProviderRpcError as `wallet_requestExecutionPermissions`
   *
   * @example
   * const person = scripted();
   * const wallet = createWallet({ networks, approver: () => person });
   * await person.grant(wallet, { amount: 10n ** 15n, payees: ['0x5afe51de5afe51de5afe51de5afe51de5afe51de'] });
   */
  grant(wallet: Pick<Wallet, 'provider'>, permission: TestPermission): Promise<Hash>;
  /** Makes every wait for a question fail with this error: the wallet cannot ask. */
  fail(error: Error): void;
}

interface OpenQuestion {
  readonly question: Question;
  /** Gives the answer. Resolves when it has reached the wallet. */
  settle(answer: Answer): Promise<void>;
}

/**
 * An approver for a test that decides in its own course: `approve`, `reject` and `nextQuestion` wait for a question, and
 * fail with what was asked instead. For tests only: it signs without a person.
 *
 * @example
 * const person = scripted({ password: 'a long password', answers: [{ kind: 'connect', answer: 'approve' }] });
 * const wallet = createWallet({ networks, approver: () => person });
 * const sent = wallet.provider.request({
 *   method: 'eth_sendTransaction',
 *   params: [{ from: account, to: recipient, value: '0x1' }],
 * });
 * await person.approve({ kind: 'transaction', value: 1n });
 * await sent;
 */
export const scripted = (options: scripted.Options = {}): ScriptedApprover => createScripted(options);

/**
 * @param explain says why no question may have been asked, for that error
 */
export function createScripted(options: scripted.Options, explain?: () => string): ScriptedApprover {
  requireMembers('options', options, ['answers', 'password', 'timeout', 'perform']);
  const { answers = [], password, timeout = 10_000, perform } = own(options);
  requireAnswers(answers);
  const asked: Question[] = [];
  const open = new Set<OpenQuestion>();
  let failure: Error | undefined;
  const granting = createGranting();
  /** Called when a question was asked that a rule has not answered, or none can be. */
  const waiting = new Set<() => void>();
  /** Called with each question, before it is answered. */
  const watching = new Set<() => void>();
  const notify = () => {
    for (const wake of waiting) wake();
  };

  const fail = (error: Error) => {
    failure = error;
    notify();
  };

  const decide = async (question: Question): Promise<Answer | undefined> => {
    const verdict =
      typeof answers === 'function'
        ? await answers(question)
        : answers.find((rule) => isMatch(question, rule))?.answer;
    return verdict === undefined ? undefined : answerOf(question, verdict);
  };

  /** Leaves a question to the test. */
  const askTest = (question: Question, signal: AbortSignal): Promise<Answer> =>
    new Promise((resolve) => {
      // Withdrawn while a rule was asked.
      if (signal.aborted) return resolve({ approved: false });
      const entry: OpenQuestion = {
        question,
        async settle(answer) {
          open.delete(entry);
          try {
            await perform?.(question, answer);
          } catch (error) {
            if (!signal.aborted) open.add(entry);
            throw error;
          }
          resolve(answer);
        },
      };
      signal.addEventListener('abort', () => {
        open.delete(entry);
        resolve({ approved: false });
      });
      open.add(entry);
      notify();
    });

  /** Resolves with whether anything has happened within so many milliseconds. */
  const change = (milliseconds: number): Promise<boolean> =>
    new Promise((resolve) => {
      const end = (happened: boolean) => {
        clearTimeout(timer);
        waiting.delete(wake);
        resolve(happened);
      };
      const wake = () => end(true);
      const timer = setTimeout(() => end(false), milliseconds);
      waiting.add(wake);
    });

  async function next(match: QuestionMatch): Promise<OpenQuestion> {
    requireMatch('match', match);
    const end = Date.now() + timeout;
    for (;;) {
      if (failure) throw failure;
      const found = [...open].find(({ question }) => isMatch(question, match));
      if (found) return found;
      if (open.size > 0)
        throw new Error(
          `Expected the question ${printFields(match)}, but was asked ${print([...open].map(({ question }) => question))}`,
        );
      if (!(await change(end - Date.now())))
        throw new Error(
          `No question was asked within ${timeout} ms; expected ${printFields(match)}${explain ? `. ${explain()}` : ''}`,
        );
    }
  }

  async function whileRunning<Result>(action: () => Result | Promise<Result>): Promise<Result> {
    const { length } = asked;
    if (open.size > 0) throw unexpected([...open].map(({ question }) => question));
    let wake = () => {};
    const disturbed = new Promise<void>((resolve) => {
      wake = resolve;
    });
    for (const set of [watching, waiting]) set.add(wake);
    const running = (async () => action())();
    try {
      await Promise.race([running, disturbed]);
    } finally {
      for (const set of [watching, waiting]) set.delete(wake);
      running.catch(() => {});
    }
    if (failure) throw failure;
    if (asked.length > length) throw unexpected(asked.slice(length));
    return running;
  }

  async function settle(match: QuestionMatch, verdict: Verdict): Promise<Question> {
    const { question, settle: give } = await next(match);
    await give(answerOf(question, verdict));
    return question;
  }

  return {
    asked,
    async approve(match = {}, choice = {}) {
      requireMembers('choice', choice, choiceNames);
      return settle(match, { ...choice, approved: true });
    },
    reject: (match = {}) => settle(match, 'reject'),
    nextQuestion: async (match = {}) => (await next(match)).question,
    async expectNoQuestion<Result>(during: number | (() => Result | Promise<Result>) = 250) {
      if (failure) throw failure;
      if (typeof during === 'function') return whileRunning(during);
      if (open.size === 0) await change(during);
      if (failure) throw failure;
      if (open.size > 0) throw unexpected([...open].map(({ question }) => question));
      return undefined as Result;
    },
    grant: async ({ provider }, permission) => granting.grant(provider, readPermission(permission)),
    fail,
    async ask(question, session) {
      if (granting.isOwn(question)) {
        if (question.locked && password === undefined) return { approved: false };
        if (question.locked) await session.unlock(password as string);
        return { approved: true };
      }
      asked.push(question);
      for (const wake of watching) wake();
      let decided: Answer | undefined;
      try {
        decided = await decide(question);
        if (decided !== undefined) await perform?.(question, decided);
      } catch (error) {
        const refusal: Answer = { approved: false };
        if (session.signal.aborted) return refusal;
        // The rule is wrong, and the test does not wait here: it learns that at its next wait.
        fail(error as Error);
        await perform?.(question, refusal);
        return refusal;
      }
      const answer = decided ?? (await askTest(question, session.signal));
      if (answer.approved && question.locked) {
        if (password === undefined) return { approved: false };
        await session.unlock(password);
      }
      return answer;
    },
  };
}

export declare namespace scripted {
  /** The options of {@link scripted}. */
  interface Options {
    /** Answers questions without the test. Default: every question waits for the test. */
    readonly answers?: Answers | undefined;
    /** Unlocks the wallet for a question that needs the keys. Without it, such a question is refused while locked. */
    readonly password?: string | undefined;
    /** Milliseconds to wait for a question. Default 10,000. */
    readonly timeout?: number | undefined;
    /** Carries an answer out, for example by clicks in a dialog, before the wallet gets it. */
    readonly perform?: ((question: Question, answer: Answer) => Promise<void>) | undefined;
  }
}

/** @throws Error naming what is wrong */
function requireAnswers(answers: Answers): void {
  if (typeof answers === 'function') return;
  if (!Array.isArray(answers)) throw new Error('answers: expected a list of rules, or a function');
  for (const [at, rule] of (answers as readonly AnswerRule[]).entries()) {
    requireMatch(`answers[${at}]`, rule, ['answer']);
    requireVerdict(`answers[${at}].answer`, rule.answer);
  }
}

/** @throws Error naming what is wrong */
function requireVerdict(what: string, verdict: Verdict): void {
  if (verdict === 'approve' || verdict === 'reject') return;
  const expected = `${what}: expected "approve", "reject" or an object with approved: true or false`;
  if (typeof verdict !== 'object' || verdict === null) throw new Error(expected);
  requireMembers(what, verdict, ['approved', ...choiceNames]);
  if (typeof own(verdict).approved !== 'boolean') throw new Error(expected);
}

/** @throws Error naming what is wrong, or not offered */
function answerOf(question: Question, verdict: Verdict): Answer {
  requireVerdict('answers', verdict);
  if (typeof verdict === 'string') return verdict === 'approve' ? { approved: true } : { approved: false };
  const { approved, ...choice } = own(verdict);
  return approved ? approveWith(choice, question) : { approved };
}

const unexpected = (questions: readonly Question[]): Error =>
  new Error(`Expected no question, but was asked ${print(questions)}`);

const print = (questions: readonly Question[]): string =>
  questions.map((question) => printFields(factsOf(question))).join(' and ');
