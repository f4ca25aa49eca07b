import type { OwnerAccount } from '../../approvals/owner.js';
import type { Answer, Approver, Question } from '../../approvals/question.js';
import { withTimeout } from '../../async/cancellation.js';
import { own } from '../../rpc/own.js';
import type { Address } from '../../rpc/schema.js';
import { readable } from '../../rpc/text.js';
import type { Flow, FlowOutcome, Stage, Step } from '../onboarding/stage.js';
import { textsOfSteps, textsOfUnlocking, unprovenIn, wordsForError } from '../pieces/errors.js';
import type { DialogWords, StepWords } from '../words/words.js';
import { cannotShow } from './body.js';
import { confirmDelay, dangerDelay, guardAgainstClickjacking } from './clickjacking-guard.js';
import { createFrame, type Frame } from './frame.js';
import { watchReading } from './reading.js';
import type { Obstacle, Sheet } from './sheet.js';
import type { View } from './views/view.js';
import { loadView, viewKind } from './views/views.js';

/**
 * Shows one question in a sheet until it is approved, rejected or aborted. The sheet stays open: the caller closes it, or shows
 * the next question in it.
 * @throws ProviderRpcError -32002 if the page removes it
 */
export async function present(
  question: Question,
  session: Approver.Session,
  options: present.Options,
): Promise<Answer> {
  const rejected: Answer = { approved: false };
  const { words } = options;
  const { passkeyOnly } = own(session);
  const escaped = escapeStrings(question);
  const kind = viewKind(question);
  const [load, passkeys] = await Promise.all([kind && loadView(kind), countPasskeys(session, question)]);
  const view = load && own((load as (question: Question, words: DialogWords) => View)(escaped, words));
  const flow = view ? null : await import('../onboarding/onboarding.js');
  const flowWords = view ? null : await options.loadStepWords();
  if (session.signal.aborted) return rejected;

  const sheet = options.openSheet();
  if (view?.styles) sheet.styles.add(view.styles);
  if (flow) sheet.styles.add(...flow.styles);
  const ended = new AbortController();
  const { signal } = ended;

  return new Promise<Answer>((resolve, fail) => {
    const asksToUnlock = question.locked || question.kind === 'unlock';
    const mayChoose = asksToUnlock && !passkeyOnly;
    const firstWay = passkeyOnly || passkeys > 0 ? 'passkey' : 'password';
    let unlockBy: 'password' | 'passkey' | null = asksToUnlock ? firstWay : null;
    /** The step of a flow that is shown in place of the question. */
    let step: Step | null = null;
    let stepWords = flowWords;
    let stopReading = new AbortController();

    function end(answer: Answer): void {
      if (signal.aborted) return;
      ended.abort();
      if (frame.password !== null) frame.password.value = '';
      // The sheet stays open for the question which accounts to share.
      if (question.kind === 'onboarding' && answer.approved) frame.showBusy(words.working);
      resolve(answer);
    }

    const reject = (): void => end(rejected);

    /** Only a person refuses. */
    function onClosed(by: 'person' | 'page'): void {
      if (by === 'page') fail(cannotShow('The page has removed the dialog'));
      reject();
    }

    /** The answer for the current choice; null while the choice cannot be approved. */
    const currentAnswer = (): Answer | null => (view?.answer ? view.answer() : { approved: true });

    async function approve(): Promise<void> {
      if (step) return submit(step);
      const answer = currentAnswer();
      if (answer === null) return;
      if (unlockBy !== null && !view?.informs && !(await unlock())) return;
      end(answer);
    }

    async function unlock(): Promise<boolean> {
      const field = frame.password;
      const credential = unlockBy === 'passkey' ? ({ passkey: true } as const) : (field?.value ?? '');
      if (credential === '') {
        showError(words.passwordMissing, field);
        return false;
      }
      const open = (acceptUnproven: readonly Address[]) => session.unlock(credential, { acceptUnproven });
      const error = await whileBusy(words.unlocking, () => open([]));
      if (error === null) return true;
      const found = unprovenIn(error.reason);
      if (found && session.owner) {
        await showFlow(async () => {
          const { startUnproven, styles } = await import('../onboarding/unproven.js');
          return { styles, start: (stage) => startUnproven(stage, found, open) };
        });
        return false;
      }
      showError(wordsForError(error.reason, textsOfUnlocking(credential, words), words.unlockFailed), field);
      return false;
    }

    async function submit(current: Step): Promise<void> {
      const error = await whileBusy(current.busy ?? words.working, async () => current.submit());
      // The next step could not take the focus while it was inert.
      if (step !== null && step !== current) focusFirst();
      if (error === null || step !== current || !stepWords) return;
      showError(wordsForError(error.reason, textsOfSteps(stepWords), stepWords.failed), null);
    }

    /** Runs a task during which nothing can be confirmed. Resolves with its error, or `null`. */
    async function whileBusy(text: string, task: () => Promise<void>): Promise<{ reason: unknown } | null> {
      guard.block('busy', true);
      frame.showError(null);
      frame.showBusy(text);
      try {
        await task();
        return null;
      } catch (reason) {
        return { reason };
      } finally {
        guard.block('busy', false);
        frame.showBusy(null);
      }
    }

    function showError(message: string, field: HTMLInputElement | null): void {
      if (signal.aborted) return;
      frame.showError(readable(message));
      field?.focus();
      field?.select();
      // The error line moves the buttons, so a click under way may hit another one.
      guard.restart();
    }

    /** Blocks approval until all of the question or step that is not collapsed has been in view. */
    function awaitReading(): void {
      stopReading.abort();
      stopReading = new AbortController();
      signal.addEventListener('abort', () => stopReading.abort());
      const { signal: stopped } = stopReading;
      if (view?.informs) return;
      guard.block('unread', true);
      const onChange = (isRead: boolean): void => {
        guard.block('unread', !isRead);
        frame.showUnread(!isRead);
      };
      watchReading(frame.ends, onChange, stopped);
    }

    /** Blocks approval at once, but shows the reason only after `messageDelay`: an animation ends before that. */
    function createBlocker(reason: Obstacle, message: string): (isBlocked: boolean) => void {
      let timer: ReturnType<typeof setTimeout> | undefined;
      signal.addEventListener('abort', () => clearTimeout(timer));
      return (isBlocked) => {
        if (view?.informs) return;
        clearTimeout(timer);
        guard.block(reason, isBlocked);
        guard.restart();
        if (isBlocked) timer = setTimeout(() => frame.showError(message), messageDelay);
        else frame.showError(null);
      };
    }

    const settings = (): Frame.Settings => ({
      unlockBy,
      onReject: reject,
      onFlow: view?.flow && showFlow.bind(null, view.flow.load),
      onOtherWay: mayChoose && passkeys > 0 ? switchUnlocking : undefined,
      onForgot: mayChoose && session.owner ? recover : undefined,
    });

    function switchUnlocking(): void {
      unlockBy = unlockBy === 'passkey' ? 'password' : 'passkey';
      if (view) frame.show(view, settings());
      guard.restart();
      (frame.password ?? frame.heading).focus();
    }

    /** Shows the flow that replaces a wallet whose password is forgotten. */
    const recover = () =>
      void showFlow(async () => {
        const { startRecovery: start, styles } = await import('../onboarding/recovery.js');
        return { styles, start };
      });

    /** Shows a flow in place of the question. Returns to the question afterwards, if it still applies. */
    async function showFlow(load: () => Promise<Flow>): Promise<void> {
      const loaded = await Promise.all([load(), options.loadStepWords()]).catch(() => null);
      if (loaded === null) return showError(words.notLoaded, null);
      const [{ styles, start }, texts] = loaded;
      sheet.styles.add(...styles);
      const stage = createStage(texts, (outcome, accounts = []) => {
        step = null;
        if (outcome === 'done') unlockBy = null;
        if (outcome === 'done' && question.kind === 'unlock') return end({ approved: true });
        // The account that was asked about may not be one of the restored wallet.
        const isThere =
          'account' in question && accounts.some(({ address }) => address === question.account.address);
        if (view && (outcome === 'cancelled' || (outcome === 'done' && isThere))) showView(view);
        else reject();
      });
      if (!signal.aborted) start(stage);
    }

    function createStage(
      all: StepWords,
      over: (outcome: FlowOutcome, accounts?: readonly OwnerAccount[]) => void,
    ): Stage {
      stepWords = all;
      return {
        owner: session.owner as NonNullable<typeof session.owner>,
        words: all,
        signal,
        show(shown) {
          const next = own(shown);
          if (signal.aborted) return;
          step = next;
          frame.show(next, {
            isStep: true,
            onReject: next.other?.act ?? (() => over('cancelled')),
            reject: next.other?.label ?? words.cancel,
            only: next.only,
            isSevere: next.isSevere,
          });
          guard.setDelay(next.isSevere ? dangerDelay : confirmDelay);
          guard.block('choice', false);
          awaitReading();
          focusFirst();
        },
        done: (accounts) => void (signal.aborted || over('done', accounts)),
        erased: () => void (signal.aborted || over('erased')),
        cancel: () => void (signal.aborted || over('cancelled')),
      };
    }

    function showView(next: View): void {
      frame.show(next, settings());
      guard.setDelay(delayOf(next));
      guard.block('choice', currentAnswer() === null);
      awaitReading();
      (frame.password ?? frame.heading).focus();
    }

    /** The first field of a step, else its heading. */
    function focusFirst(): void {
      const field = frame.body.querySelector<HTMLElement>('input:not([type=file]), textarea');
      (field ?? frame.heading).focus();
    }

    const isDangerous = escaped.warnings.some(({ severity }) => severity === 'danger');
    /** A dialog that only informs can be closed without the longer delay of a warning. */
    const delayOf = (shown: View | null) => (isDangerous && !shown?.informs ? dangerDelay : confirmDelay);
    const frame = createFrame(escaped, view ?? emptyView, words, sheet.dialog, settings());
    const { dialog } = frame;
    const guard = guardAgainstClickjacking(frame.confirm, {
      delay: delayOf(view),
      signal,
      isShown: () => view?.informs === true || (sheet.isShown() && frame.isTopShown()),
      approve,
      area: frame.foot,
      attention: sheet.attention,
    });
    const stage =
      flowWords &&
      createStage(flowWords, (outcome) => (outcome === 'done' ? end({ approved: true }) : reject()));

    dialog.addEventListener('keydown', onKeyDown, own({ signal }));
    for (const type of ['change', 'input'])
      dialog.addEventListener(
        type,
        () => guard.block('choice', !step && currentAnswer() === null),
        own({ signal }),
      );
    session.signal.addEventListener('abort', reject, own({ signal }));

    /** Enter in a one-line field confirms. */
    function onKeyDown(event: KeyboardEvent): void {
      const { target } = event;
      if (target instanceof HTMLInputElement && /^(?:text|password|search)$/.test(target.type))
        guard.submitOnEnter(event);
    }

    const blockers = {
      display: createBlocker('display', words.misshown),
      covered: createBlocker('covered', words.covered),
      size: createBlocker('size', words.tooSmall),
    };
    sheet.use(question.kind, {
      closed: onClosed,
      blocked: (reason, isBlocked) => blockers[reason](isBlocked),
      moved: guard.restart,
    });
    if (flow && stage) flow.startOnboarding(stage, question);
    else {
      (question.kind === 'unlock' && frame.password ? frame.password : frame.heading).focus();
      guard.block('choice', currentAnswer() === null);
      awaitReading();
      guard.restart();
    }
  });
}

/** Milliseconds that a reason must last before the person is shown why approval is blocked. */
const messageDelay = 400;

/** Before the first step of a flow. */
const emptyView = own<View>({ title: null, lead: null, subject: [], confirm: '' });

/** Counts the passkeys that could unlock the wallet for this question; 0 if the count takes longer than a second. */
async function countPasskeys({ owner }: Approver.Session, { locked, kind }: Question): Promise<number> {
  if (!owner || !(locked || kind === 'unlock')) return 0;
  const passkeys = (await withTimeout(1_000, () => owner.passkeys())) ?? [];
  return passkeys.filter((passkey) => !own(passkey).asleep).length;
}

/** A copy of plain data in which every string is made readable ({@link readable}). */
function escapeStrings<T>(value: T): T {
  if (typeof value === 'string') return readable(value) as T;
  if (Array.isArray(value)) return value.map(escapeStrings) as T;
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, item]) => [key, escapeStrings(item)]);
  return own(Object.fromEntries(entries)) as T;
}

export declare namespace present {
  interface Options {
    readonly words: DialogWords;
    /** Loads the texts of setting up and recovering a wallet. */
    readonly loadStepWords: () => Promise<StepWords>;
    /** Opens the sheet, or returns the one that is still open after the previous question. */
    readonly openSheet: () => Sheet;
  }
}
