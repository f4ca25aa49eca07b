import type { Answer, Approver, Question } from '../../approvals/question.js';
import { own } from '../../rpc/own.js';
import type { Hash } from '../../rpc/schema.js';
import type { RecordedTransaction, TransactionsOptions } from '../../transactions/transactions.js';
import { attachShadow, isolateEvents } from '../dialog/sheet.js';
import { createElement, isPageVisible } from '../elements.js';
import { Fragment, h, render } from '../h.js';
import { bodyOfPage } from '../page.js';
import type { PanelWallet } from '../panel/wallet.js';
import { codeOf } from '../pieces/errors.js';
import { button } from '../pieces/fields.js';
import { icon } from '../pieces/icons.js';
import { chosenLanguage, chosenTheme, type Look } from '../preferences.js';
import { loadResultWords } from '../words/result-words.js';
import type { ResultWords } from '../words/words.js';
import { findSent, isSendQuestion, outcomeOf, type SendQuestion, type SentOutcome } from './outcome.js';
import { resultStyles } from './styles.js';
import { type Summary, summarize, usualWait } from './summary.js';

/**
 * A line at the bottom of the page that shows what became of the transactions that were approved last: sent, in a block, or
 * failed and why. It takes no focus and approves nothing; its one action starts a question like any other.
 */
export interface ResultLine {
  /** Makes room while a question is open. Follows what was approved in it. */
  during(question: Question, answer: Promise<Answer>): void;
  /**
   * Follows the transactions of an approved question.
   * @param askedAt milliseconds since 1970
   */
  follow(question: SendQuestion, askedAt: number): void;
}

/** The wallet that knows what became of its transactions. */
export interface ResultSource {
  readonly look?: Look | undefined;
  readonly wallet: Pick<PanelWallet, 'watch' | 'transactions' | 'speedUp'>;
  /** Aborts when the wallet is destroyed. */
  readonly signal: AbortSignal;
}

/** Milliseconds for which a success stays. It stays longer while the page is hidden, or the pointer or the focus is at the line. */
const successStays = 12_000;
/** Milliseconds for which a refusal must last: the wallet may ask again with a better price. */
const refusalDelay = 2_000;
/** Milliseconds between the appearance of a live region and its text, without which screen readers stay silent. */
const announceDelay = 100;
/** Milliseconds after which approved transactions that were not signed are forgotten. */
const signingTimeout = 300_000;

interface Sought {
  readonly question: SendQuestion;
  readonly askedAt: number;
  /** When it is forgotten, milliseconds since 1970. */
  readonly until: number;
}

interface Shown {
  readonly question: SendQuestion;
  readonly hashes: readonly Hash[];
  readonly outcomes: readonly SentOutcome[];
}

/** The line of each dialog, of which there is one for each wallet. */
const lines = new WeakMap<Approver, ResultLine>();

/**
 * Follows an approved question of a dialog. From the first one on, each question of the dialog is asked with the line making room.
 *
 * @param ask asks in the dialog alone
 */
export function showResults(
  source: ResultSource,
  approver: Approver,
  ask: Approver['ask'],
  question: SendQuestion,
  askedAt: number,
): void {
  const line = lines.get(approver) ?? createResultLine(source);
  lines.set(approver, line);
  approver.ask = (next, session) => {
    const answer = ask(next, session);
    line.during(next, answer);
    return answer;
  };
  line.follow(question, askedAt);
}

function createResultLine({ look: given, wallet, signal }: ResultSource): ResultLine {
  const look = own(given);
  const host = createElement('div');
  const root = createElement('div');
  host.setAttribute('data-graft', 'result');
  root.className = 'result';
  isolateEvents(host, signal);
  const styles = attachShadow(host, root, chosenTheme(look));
  styles.add(resultStyles);

  let words: ResultWords | undefined;
  /** Approved, and not in the journal yet. */
  let sought: Sought | null = null;
  let shown: Shown | null = null;
  /** Transactions of earlier questions: an equal one may be approved again. */
  const known = new Set<Hash>();
  /** Questions that are open. */
  let open = 0;
  let isSilent = false;
  let isBusy = false;
  let problem: string | null = null;
  let refusedAt: number | null = null;
  let timers: ReturnType<typeof setTimeout>[] = [];

  const later = (milliseconds: number, act: () => void): void => {
    timers.push(setTimeout(act, milliseconds));
  };

  const close = (): void => {
    sought = shown = null;
    draw();
  };

  /** A refusal counts as unsent until it has lasted. */
  const settled = (outcome: SentOutcome): SentOutcome =>
    outcome.state === 'refused' && refusedAt !== null && Date.now() - refusedAt < refusalDelay
      ? { ...outcome, state: 'unsent' }
      : outcome;

  /** Draws again when time alone changes the line. */
  function schedule({ tone }: Summary, { outcomes }: Shown): void {
    const now = Date.now();
    if (refusedAt !== null && now - refusedAt < refusalDelay) later(refusedAt + refusalDelay - now, draw);
    for (const { entry } of outcomes)
      if (now - entry.createdAt < usualWait) later(entry.createdAt + usualWait - now, draw);
    if (tone === 'good' && open === 0) later(successStays, closeUnlessUsed);
  }

  function closeUnlessUsed(): void {
    if (!isPageVisible() || root.matches(':hover, :focus-within')) later(successStays / 4, closeUnlessUsed);
    else close();
  }

  function draw(): void {
    for (const timer of timers) clearTimeout(timer);
    timers = [];
    if (!shown?.outcomes.length || !words || signal.aborted) {
      render(null, root);
      host.remove();
      return;
    }
    if (!host.isConnected) {
      bodyOfPage().append(host);
      isSilent = true;
    }
    root.toggleAttribute('data-away', open > 0);
    if (isSilent && open === 0)
      later(announceDelay, () => {
        isSilent = false;
        draw();
      });
    const summary = summarize(shown.question, shown.outcomes.map(settled), words, Date.now());
    if (!isSilent) schedule(summary, shown);
    root.setAttribute('lang', words.language);
    root.setAttribute('dir', words.direction);
    root.setAttribute('data-tone', summary.tone);
    const { slow } = summary;
    render(
      <>
        <p class="news" role="status" aria-live="polite" key="news">
          {!isSilent && <span>{problem ?? summary.text}</span>}
        </p>
        {slow &&
          button(words.resultSpeedUp, () => void speedUp(slow.hash), {
            class: 'fast',
            key: 'fast',
            'aria-disabled': isBusy ? 'true' : undefined,
          })}
        {button(icon('cross', 'M5.5 5.5l9 9M14.5 5.5l-9 9'), close, {
          class: 'close',
          key: 'close',
          'aria-label': words.close,
        })}
      </>,
      root,
    );
  }

  async function speedUp(hash: Hash): Promise<void> {
    if (isBusy) return;
    isBusy = true;
    problem = null;
    draw();
    try {
      await wallet.speedUp(hash);
    } catch (error) {
      if (codeOf(error) !== 4001) problem = words?.resultNotFaster ?? null;
    }
    isBusy = false;
    draw();
  }

  const listed = async (which: TransactionsOptions): Promise<readonly RecordedTransaction[]> =>
    (await wallet.transactions(which)).map((entry) => own(entry));

  /**
   * Looks for the transactions of the approved question, and reads those that are shown.
   * @returns whether the line has changed
   */
  async function read(): Promise<boolean> {
    const approved = sought;
    if (approved) {
      const list = await listed({ chainId: approved.question.network.chainId });
      const others = list.filter(({ hash }) => !known.has(hash));
      const hashes = findSent(approved.question, others, approved.askedAt);
      const isLate = Date.now() > approved.until;
      if (sought === approved && (hashes || isLate)) {
        sought = null;
        if (hashes) show(approved.question, hashes);
      }
    }
    const subject = shown;
    if (!subject) return false;
    const rivals = await Promise.all(subject.hashes.map((hash) => listed({ hash })));
    const outcomes = rivals.map(outcomeOf).filter((each) => each !== null);
    if (shown !== subject || JSON.stringify(outcomes) === JSON.stringify(subject.outcomes)) return false;
    if (outcomes.every(({ state }) => state !== 'refused')) refusedAt = null;
    else refusedAt ??= Date.now();
    problem = null;
    shown = { ...subject, outcomes };
    return true;
  }

  let isReading = false;
  let isStale = false;
  async function update(): Promise<void> {
    isStale = true;
    if (isReading) return;
    isReading = true;
    while (isStale && (sought || shown) && !signal.aborted) {
      isStale = false;
      // After a failure of the storage, the next change of the journal is another chance.
      if (await read().catch(() => false)) draw();
    }
    isReading = false;
  }

  const unwatch = wallet.watch(() => void update());
  window.addEventListener('pagehide', close, own({ signal }));
  signal.addEventListener('abort', () => {
    unwatch();
    close();
  });

  /** Whether a question replaces one of the transactions of a batch, which the line goes on to follow. */
  function isOfBatch(question: SendQuestion): boolean {
    if (question.kind === 'calls' || question.replacement === undefined) return false;
    const { account, network, transaction } = question;
    const isReplaced = ({ entry }: SentOutcome) =>
      entry.from === account.address &&
      entry.chainId === network.chainId &&
      BigInt(entry.nonce) === BigInt(transaction.nonce);
    return shown?.question.kind === 'calls' && shown.outcomes.some(isReplaced);
  }

  function show(question: SendQuestion, hashes: readonly Hash[]): void {
    for (const hash of hashes) known.add(hash);
    shown = { question, hashes, outcomes: [] };
    refusedAt = null;
  }

  /** A replacement may never be signed, so the earlier transaction stays until it is. */
  async function follow(question: SendQuestion, askedAt: number): Promise<void> {
    if (!isSendQuestion(question)) return;
    if (!isOfBatch(question)) {
      sought = { question, askedAt, until: Date.now() + signingTimeout };
      if (question.kind === 'calls' || question.replacement === undefined) shown = null;
    }
    problem = null;
    styles.setTheme(chosenTheme(look));
    words = await loadResultWords(chosenLanguage(look), look.words).catch(() => words);
    await update();
    draw();
  }

  return {
    async during(question, answer) {
      const askedAt = Date.now();
      open++;
      draw();
      // The page gets the error of a question that could not be shown.
      const { approved } = await answer.catch(() => ({ approved: false }));
      open--;
      isSilent = true;
      if (approved && 'total' in question) void follow(question, askedAt);
      draw();
    },
    follow: (question, askedAt) => void follow(question, askedAt),
  };
}
