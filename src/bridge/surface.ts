import type { Answer, Approver } from '../approvals/question.js';
import { anySignal } from '../async/cancellation.js';
import { minScale } from '../rpc/min-size.js';
import { own } from '../rpc/own.js';
import { framedDialog } from '../ui/dialog/dialog.js';
import { detectOcclusionSupport } from '../ui/dialog/occlusion-support.js';
import type { FramedUser } from '../ui/dialog/sheet.js';
import type { Look } from '../ui/preferences.js';
import { type FrameView, isTooSmall } from './frame-view.js';

/** Milliseconds for which the frame may stay covered before the question moves to a window. */
const coveredFor = 2_000;
/** CSS pixels that the mouse must have moved for the scale to be known. */
const measured = 40;
/** Milliseconds for which the frame stays shown for the next question of the queue. */
const keptFor = 100;

/**
 * Asks the person in the frame, for a dapp that the wallet's operator has named (`frameMayAsk`). Wherever it cannot be known
 * that the person sees the dialog, the question moves to a window: before a password is typed, and when the dialog is
 * covered, small or scaled.
 *
 * @param moved creates the error of a request that must be answered in a window
 */
export function createFrameSurface(
  view: FrameView,
  look: Look | undefined,
  moved: (reason: string) => Error,
): Approver {
  let watcher: FramedUser | undefined;
  const inner = framedDialog(look ?? {}, {
    covered: (isCovered) => watcher?.covered(isCovered),
    unfocused: () => watcher?.unfocused(),
  });
  let hiding: ReturnType<typeof setTimeout> | undefined;

  /** Calls `onUntrusted` once the dialog was covered for too long, or the frame is too small. */
  function watch(onUntrusted: (reason: string) => void): () => void {
    let timer: ReturnType<typeof setTimeout> | undefined;
    watcher = {
      covered(isCovered) {
        clearTimeout(timer);
        if (isCovered) timer = setTimeout(onUntrusted, coveredFor, 'covered');
      },
      unfocused: () => onUntrusted('unfocused'),
    };
    const stopping = new AbortController();
    const listening = own({ signal: stopping.signal });
    const onTooSmall = () => onUntrusted('too-small');
    window.addEventListener('resize', () => isTooSmall() && onTooSmall(), listening);
    let last: PointerEvent | undefined;
    // A mouse moves farther in a frame that the page draws smaller.
    window.addEventListener(
      'pointermove',
      (event) => {
        last ??= event;
        const { clientX, clientY, screenX, screenY } = last;
        const inside = Math.hypot(event.clientX - clientX, event.clientY - clientY);
        if (inside < measured) return;
        last = event;
        if (Math.hypot(event.screenX - screenX, event.screenY - screenY) < inside * minScale) onTooSmall();
      },
      listening,
    );
    return () => {
      clearTimeout(timer);
      watcher = undefined;
      stopping.abort();
    };
  }

  return {
    async ask(question, session) {
      if (question.locked || /^(onboarding|unlock)$/.test(question.kind)) throw moved('password');
      if (!detectOcclusionSupport().isSupported) throw moved('occlusion-unknown');
      clearTimeout(hiding);
      if (!(await view.show())) {
        view.hide();
        throw moved('not-shown');
      }
      const untrusted = new AbortController();
      const dismissed = new AbortController();
      view.onDismissed(() => dismissed.abort());
      const stop = watch((reason) => untrusted.abort(reason));
      const [signal, release] = anySignal(session.signal, untrusted.signal, dismissed.signal);
      let answer = { approved: false } as Answer;
      try {
        answer = await inner.ask(question, { ...session, signal });
      } finally {
        stop();
        release();
        hiding = setTimeout(view.hide, untrusted.signal.aborted ? 0 : keptFor);
      }
      if (!answer.approved && untrusted.signal.aborted && !session.signal.aborted)
        throw moved(untrusted.signal.reason);
      return answer;
    },
  };
}
