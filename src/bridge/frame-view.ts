import { withTimeout } from '../async/cancellation.js';
import { minScale, minSize } from '../rpc/min-size.js';
import { type Message, times } from './protocol.js';

/** Whether the wallet's frame lies over the dapp's page, which its client decides. */
export interface FrameView {
  /** Has the client show the frame. Resolves with whether it reports so, and the frame is large enough. */
  show(): Promise<boolean>;
  hide(): void;
  /** Calls `listener` when the person dismisses the frame. */
  onDismissed(listener: () => void): void;
  /** Takes a `shown` or `hidden` of the client. */
  receive(message: Message): void;
}

/** Milliseconds between two measurements of a frame that is growing. */
const pause = 50;

export function createFrameView(post: (message: Message) => void): FrameView {
  let count = 0;
  let isShown = false;
  let onShown: (shown: boolean) => void = () => {};
  let dismissed: () => void = () => {};
  return {
    async show() {
      if (!isShown) {
        post({ t: 'surface', id: ++count, open: true });
        const report = new Promise<boolean>((resolve) => {
          onShown = resolve;
        });
        isShown = (await withTimeout(times.shown, () => report)) ?? false;
      }
      // The message that the frame is shown can arrive before the frame has its new size.
      for (let waited = 0; isShown && waited < times.shown / 4 && isTooSmall(); waited += pause)
        await new Promise((resolve) => setTimeout(resolve, pause));
      return isShown && !isTooSmall();
    },
    hide() {
      isShown = false;
      post({ t: 'surface', id: count, open: false });
    },
    onDismissed(listener) {
      dismissed = listener;
    },
    receive({ t, surface }) {
      if (surface !== count) return;
      if (isShown && t === 'hidden') {
        isShown = false;
        dismissed();
      } else onShown(t === 'shown');
    },
  };
}

/** In CSS pixels, or because the page draws this frame smaller by the CSS property `zoom`. */
export const isTooSmall = (): boolean =>
  window.innerWidth < minSize.width ||
  window.innerHeight < minSize.height ||
  window.devicePixelRatio < minScale;
