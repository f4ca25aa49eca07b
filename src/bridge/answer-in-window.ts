import { withTimeout } from '../async/cancellation.js';
import { isUserRejected } from '../rpc/core-errors.js';
import { isSend } from '../rpc/method-facts/wallet-facts.js';
import type { Wallet } from '../wallet/wallet.js';
import type { HandedRequest, Handover } from './handover.js';
import type { VisibleSession } from './protocol.js';
import { visibleSession } from './serve.js';

/**
 * Answers requests of a frame in the wallet's window, and brings the frame's session to that of the window.
 *
 * @param apart for a frame with a storage of its own; absent where storage is shared
 */
export function createWindowAnswers(
  wallet: Wallet,
  handover: () => Promise<Handover>,
  apart?: createWindowAnswers.Apart,
) {
  /**
   * Resolves when this page's session is as the window left it, which a `storage` event brings. The next request of the
   * dapp relies on it: an account that was just given must be known here.
   */
  async function caughtUp({ chainId, accounts }: VisibleSession): Promise<void> {
    const wanted = JSON.stringify({ chainId, accounts });
    let unwatch = () => {};
    const isThere = new Promise<void>((resolve) => {
      const compare = () => JSON.stringify(visibleSession(wallet)) === wanted && resolve();
      unwatch = wallet.watch(compare);
      compare();
    });
    await withTimeout(catchUpTimeout, () => isThere);
    unwatch();
  }

  return async (request: HandedRequest): Promise<string> => {
    const decided = await (await handover()).decide(request).catch((error: unknown) => {
      // As in the wallet itself, a refusal is not reported (EIP-747): here the person has closed the window.
      if (request.method === 'wallet_watchAsset' && isUserRejected(error)) return null;
      throw error;
    });
    if (!decided) return 'true';
    const { json, session, isForFrame } = decided;
    if (apart) {
      await apart.takeSession(session);
      if (isForFrame) return apart.send(request);
    } else {
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
  interface Apart {
    /** Takes the session that a window leaves. */
    takeSession(session: VisibleSession): Promise<void>;
    /** Sends from a purse whose key the window has given. Resolves with the result as JSON text. */
    send(request: HandedRequest): Promise<string>;
  }
}
