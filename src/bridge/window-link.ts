import { errorCode, type ProviderRpcError } from '../rpc/errors.js';
import { lockName, openChannel, receiveMessages } from './channel.js';
import { popupBlocked } from './errors.js';
import { type Message, readError } from './protocol.js';

/** The frame's side of the way to one window of the wallet. */
export interface WindowLink {
  /** Resolves once the window opens. @throws ProviderRpcError -32002 if none opens */
  readonly opened: Promise<void>;
  post(message: object): void;
  /** Withdraws a window that is not open yet. */
  withdraw(): void;
  close(): void;
}

/**
 * Opens a window, or joins the one that the client has opened in its click.
 *
 * @param token names the window
 * @param isOpen whether the client has opened it
 * @param onGone called when a window that was open has ended, perhaps more than once
 */
export type OpenLink = (
  token: string,
  isOpen: boolean,
  onMessage: (message: Message) => void,
  onGone: () => void,
) => WindowLink;

/**
 * Links over a `BroadcastChannel`, for a frame that shares its storage with the wallet's windows. The client opens them, and
 * `receive` takes its word whether a window could be opened.
 */
export function createSharedLinks(post: (message: Message) => void) {
  /** Windows that the client is asked to open, by token. */
  const opening = new Map<string, { resolve: () => void; reject: (error: ProviderRpcError) => void }>();
  const open: OpenLink = (token, isOpen, onMessage, onGone) => {
    const channel = openChannel(token);
    receiveMessages(channel, (message) => {
      // From its first message on, the window holds the lock.
      if (message.t === 'hello') void navigator.locks.request(lockName(token), onGone);
      onMessage(message);
    });
    const opened = isOpen
      ? Promise.resolve()
      : new Promise<void>((resolve, reject) => {
          opening.set(token, { resolve, reject });
          post({ t: 'need-window', token });
        });
    return {
      opened,
      post: (message) => channel.postMessage(message),
      withdraw: () => post({ t: 'unneeded', token }),
      close() {
        opening.delete(token);
        channel.close();
      },
    };
  };
  return {
    open,
    receive({ token, opened, error }: Message): void {
      const waiting = opening.get(token as string);
      opening.delete(token as string);
      if (opened === true) waiting?.resolve();
      else {
        const reason = readError(error);
        waiting?.reject(reason.code === errorCode.resourceUnavailable ? reason : popupBlocked());
      }
    },
  };
}
