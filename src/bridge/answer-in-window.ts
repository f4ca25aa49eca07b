import { isUserRejected } from '../rpc/core-errors.js';
import { isSend } from '../rpc/method-facts/wallet-facts.js';
import type { Wallet } from '../wallet/wallet.js';
import type { HandedRequest, Handover, WindowAnswer } from './handover.js';
import { visibleSession } from './serve.js';

/** Answers requests of a frame in the wallet's window, and brings the frame's session to that of the window. */
export function createWindowAnswers(options: createWindowAnswers.Options) {
  const { wallet, handover, onSession } = options;

  /**
   * Resolves when this page's session is as the window left it, which a `storage` event brings. The next request of the
   * dapp relies on it: an account that was just given must be known here.
   */
  function caughtUp({ chainId, accounts }: WindowAnswer['session']): Promise<void> {
    const wanted = JSON.stringify({ chainId, accounts });
    const isThere = () => JSON.stringify(visibleSession(wallet)) === wanted;
    return new Promise((resolve) => {
      if (isThere()) return resolve();
      const done = () => {
        clearTimeout(timer);
        unwatch();
        resolve();
      };
      const unwatch = wallet.watch(() => isThere() && done());
      const timer = setTimeout(done, catchUpTimeout);
    });
  }

  return async (request: HandedRequest): Promise<string> => {
    const decided = await (await handover()).decide(request).catch((error: unknown) => {
      // As in the wallet itself, a refusal is not reported (EIP-747): here the person has closed the window.
      if (request.method === 'wallet_watchAsset' && isUserRejected(error)) return null;
      throw error;
    });
    if (!decided) return 'true';
    const { json, session } = decided;
    if (onSession) onSession(session);
    else {
      await caughtUp(session);
      // The window closes, so this page sends its signed transactions again until they are mined.
      if (isSend(request.method)) void wallet.resume();
    }
    return json;
  };
}

/** Milliseconds. */
const catchUpTimeout = 1_000;

export declare namespace createWindowAnswers {
  interface Options {
    readonly wallet: Wallet;
    readonly handover: () => Promise<Handover>;
    /** Takes the session that a window leaves, in a frame with a storage of its own; absent where storage is shared. */
    readonly onSession?: ((session: WindowAnswer['session']) => void) | undefined;
  }
}
