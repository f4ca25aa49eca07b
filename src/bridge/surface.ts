import type { Answer, Approver } from '../approvals/question.js';
import { anySignal } from '../async/any-signal.js';
import { errorCode, ProviderRpcError } from '../rpc/errors.js';
import { own } from '../rpc/own.js';
import { framedDialog } from '../ui/dialog/dialog.js';
import { detectOcclusionSupport } from '../ui/dialog/occlusion-support.js';
import type { FramedUser } from '../ui/dialog/sheet.js';
import type { Look } from '../ui/preferences.js';
import { leastSize, type Message, times } from './protocol.js';

/** Asks the person in the frame, after the dapp's page has shown it; or says that it takes a window. */
export interface Surface {
  readonly approver: Approver;
  /** A `shown` or `hidden` of the client. */
  receive(message: Message): void;
  close(): void;
}

/** Milliseconds for which the frame may stay covered before the question moves to a window. */
const coveredFor = 2_000;
/**
 * Pixels of the screen for one CSS pixel: half of a person's own zoom of 100 %. A page can draw a frame smaller by the CSS
 * property `zoom`, which covers nothing and changes no size that the frame can read; but a mouse moves farther in it.
 */
const leastScale = 0.5;
/** CSS pixels that the mouse must have moved for the scale to be known. */
const measured = 40;
/** Milliseconds between two measurements of a frame that is growing. */
const pause = 50;
/** Milliseconds for which the surface stays for the next question: of the same flow after a set-up, else of the queue. */
const keptFor = { onboarding: 2_000, other: 100 };

export function createSurface(options: createSurface.Options): Surface {
  const { post, needsWindow, isPartitioned, look } = own(options);
  let watcher: FramedUser | undefined;
  const inner = framedDialog(look ?? {}, {
    covered: (isCovered) => watcher?.covered(isCovered),
    unfocused: () => watcher?.unfocused(),
  });
  let count = 0;
  let isShown = false;
  let onShown: (shown: boolean) => void = () => {};
  let onDismissed: () => void = () => {};
  let hiding: ReturnType<typeof setTimeout> | undefined;

  /** Has the client show the frame. @returns whether it said so, and the frame is large enough */
  async function show(): Promise<boolean> {
    clearTimeout(hiding);
    if (!isShown) {
      const id = ++count;
      post({ t: 'surface', id, open: true });
      isShown = await new Promise<boolean>((resolve) => {
        const timer = setTimeout(resolve, times.shown, false);
        onShown = (shown) => {
          clearTimeout(timer);
          resolve(shown);
        };
      });
    }
    // The message that the frame is shown can arrive before the frame has its new size.
    for (let waited = 0; isShown && waited < times.shown / 4 && isTooSmall(); waited += pause)
      await new Promise((resolve) => setTimeout(resolve, pause));
    return isShown && !isTooSmall();
  }

  function hide(): void {
    clearTimeout(hiding);
    isShown = false;
    post({ t: 'surface', id: count, open: false });
  }

  /**
   * Calls `onUntrusted` once the dialog was covered for too long, the frame is too small, or the page has taken the
   * keyboard while a password was typed, the rest of which would be typed into the page.
   */
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
    window.addEventListener(
      'pointermove',
      (event) => {
        last ??= event;
        const { clientX, clientY, screenX, screenY } = last;
        const inside = Math.hypot(event.clientX - clientX, event.clientY - clientY);
        if (inside < measured) return;
        last = event;
        if (Math.hypot(event.screenX - screenX, event.screenY - screenY) < inside * leastScale) onTooSmall();
      },
      listening,
    );
    return () => {
      clearTimeout(timer);
      watcher = undefined;
      stopping.abort();
    };
  }

  const move = (reason: string) => needsWindow(new ProviderRpcError(errorCode.unsupportedMethod, reason));

  return {
    approver: {
      async ask(question, session) {
        if (isPartitioned) throw move('storage-partitioned');
        if (!detectOcclusionSupport().isSupported) throw move('occlusion-unknown');
        if (!(await show())) {
          hide();
          throw move('not-shown');
        }
        const untrusted = new AbortController();
        const dismissed = new AbortController();
        onDismissed = () => dismissed.abort();
        const stop = watch((reason) => untrusted.abort(reason));
        const [signal, release] = anySignal(session.signal, untrusted.signal, dismissed.signal);
        let answer = { approved: false } as Answer;
        try {
          answer = await inner.ask(question, { ...session, signal });
        } finally {
          stop();
          release();
          const isSetUp = question.kind === 'onboarding' && answer.approved;
          hiding = setTimeout(
            hide,
            isSetUp ? keptFor.onboarding : untrusted.signal.aborted ? 0 : keptFor.other,
          );
        }
        if (!answer.approved && untrusted.signal.aborted && !session.signal.aborted)
          throw move(untrusted.signal.reason);
        return answer;
      },
    },
    receive({ t, surface }) {
      if (surface !== count) return;
      if (isShown && t === 'hidden') {
        isShown = false;
        onDismissed();
      } else onShown(t === 'shown');
    },
    close: () => clearTimeout(hiding),
  };
}

/** In CSS pixels, or because the page draws this frame smaller by the CSS property `zoom`. */
const isTooSmall = (): boolean =>
  window.innerWidth < leastSize.width ||
  window.innerHeight < leastSize.height ||
  window.devicePixelRatio < leastScale;

export declare namespace createSurface {
  interface Options {
    readonly post: (message: Message) => void;
    /** Notes that the request which fails with this error is to be decided in a window. Returns the error. */
    readonly needsWindow: (error: ProviderRpcError) => ProviderRpcError;
    /** Whether this frame has a storage of its own, in which no wallet may ever be made. */
    readonly isPartitioned: boolean;
    readonly look?: Look | undefined;
  }
}
