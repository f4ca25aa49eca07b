import { userRejected } from '../rpc/core-errors.js';
import { receiveMessages } from './channel.js';
import { showButton } from './continue-button.js';
import { cutOff, noWindowOrCutOff, popupBlocked } from './errors.js';
import type { FrameView } from './frame-view.js';
import { isInClick } from './popup.js';
import { readGreeting, windowFeatures } from './protocol.js';
import type { OpenLink } from './window-link.js';

/**
 * Links for a frame with a storage of its own. A click in the frame opens the window, so that the dapp has no handle to it:
 * neither can the dapp lead the window away, nor does it carry a port between the two. Each side checks that the other is of
 * this origin.
 */
export function createFrameLinks(view: FrameView): OpenLink {
  return (_token, _isOpen, onMessage, onGone) => {
    const ending = new AbortController();
    const { signal } = ending;
    let port: MessagePort | undefined;

    async function open(): Promise<void> {
      const isShown = await view.show();
      view.onDismissed(() => ending.abort());
      const clicked = isShown ? await showButton(openConnectWindow, signal) : null;
      view.hide();
      if (!clicked) throw popupBlocked();
      // A page that keeps windows from its frames has used the click up, except in WebKit; a browser that opens none has not.
      if (!clicked.window) throw clicked.isClickLeft ? noWindowOrCutOff() : cutOff();
      const opened = clicked.window;
      port = await connect(opened);
      receiveMessages(port, onMessage);
      watch(opened, onGone);
    }

    /** Calls `act` when a window has closed, which no event reports. */
    function watch(target: Window, act: () => void): void {
      const timer = setInterval(() => {
        if (!target.closed && !signal.aborted) return;
        clearInterval(timer);
        act();
      }, closedInterval);
    }

    /** Hands the window a port. @throws ProviderRpcError 4001 if it is closed before it is there */
    function connect(target: Window): Promise<MessagePort> {
      return new Promise((resolve, reject) => {
        const stop = () => window.removeEventListener('message', onReady);
        const onReady = ({ source, origin, data }: MessageEvent<unknown>): void => {
          if (source !== target || origin !== location.origin || readGreeting(data)?.t !== 'ready') return;
          stop();
          const { port1, port2 } = new MessageChannel();
          target.postMessage({ graft: 'bridge', t: 'open' }, location.origin, [port2]);
          resolve(port1);
        };
        window.addEventListener('message', onReady);
        watch(target, () => {
          stop();
          reject(userRejected());
        });
      });
    }

    return {
      opened: open(),
      post: (message) => port?.postMessage(message),
      withdraw: () => ending.abort(),
      close() {
        ending.abort();
        port?.close();
      },
    };
  };
}

/** Milliseconds between two looks whether the window is closed. */
const closedInterval = 250;

function openConnectWindow() {
  const opened = window.open('/connect.html#frame', '_blank', windowFeatures);
  return { window: opened, isClickLeft: isInClick() ?? true };
}
