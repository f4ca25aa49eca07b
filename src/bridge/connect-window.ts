import type { Wallet } from '../wallet.js';
import { serve } from './serve.js';

/** Milliseconds for which the window waits for the dapp's next request. */
const lingering = 1_000;

/** Serves a dapp of another site in a window, which closes once the dapp asks nothing more. Returns the end. */
export function serveInTurn(options: serveInTurn.Options): (reason: string) => void {
  const { walletOf, closeWindow, ...line } = options;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const serving = serve({
    ...line,
    wallet: walletOf(() => serving.noteApproval()),
    windowMethods: [],
    onClose: closeWindow,
    onIdle() {
      clearTimeout(timer);
      timer = setTimeout(() => {
        if (serving.isIdle()) closeWindow();
      }, lingering);
    },
  });
  return serving.close;
}

export declare namespace serveInTurn {
  interface Options extends Pick<serve.Options, 'port' | 'nonce' | 'version'> {
    /** Makes the dapp's wallet, whose approver calls `onApproved` when the person has agreed. */
    readonly walletOf: (onApproved: () => void) => Wallet;
    readonly closeWindow: () => void;
  }
}
