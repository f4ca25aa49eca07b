import { createQueue } from '../async/queue.js';
import { isUserRejected } from '../rpc/core-errors.js';
import type { Wallet } from '../wallet.js';
import { bridgeError } from './errors.js';
import type { HandedRequest, Handover, WindowAnswer } from './handover.js';
import { isSend } from './protocol.js';
import { visibleSession } from './serve.js';

/**
 * Answers in a window the requests for which the person cannot be asked in the frame: one after another, since a person
 * looks at one window.
 */
export function createElsewhere(options: createElsewhere.Options) {
  const { wallet, handover, needsWindow, isPartitioned } = options;
  const inTurn = createQueue();
  let waiting = 0;

  async function inWindow(request: HandedRequest, reason: string): Promise<string> {
    const decided = await (await handover()).decide(request, reason).catch((error: unknown) => {
      // As in the wallet itself, a refusal is not reported (EIP-747): here the person has closed the window.
      if (request.method === 'wallet_watchAsset' && isUserRejected(error)) return null;
      throw error;
    });
    if (!decided) return 'true';
    const { json, session } = decided;
    await caughtUp(session);
    // The window is closed, so this page sends its signed transactions again until they are mined.
    if (isSend(request.method)) void wallet.resume();
    return json;
  }

  /**
   * Resolves when this page's session is as the window left it, which it learns by a `storage` event. The next request of
   * the dapp relies on it: an account that was just given must be known here.
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
      const timer = setTimeout(done, patience);
    });
  }

  return async (here: () => Promise<string>, request: HandedRequest, reason: string): Promise<string> => {
    if (isPartitioned)
      throw bridgeError('storage-partitioned', 'Here the wallet can ask a person in a window only.');
    const isFirst = waiting++ === 0;
    try {
      return await inTurn(async () => {
        if (isFirst) return inWindow(request, reason);
        // Meanwhile the person may have given what is asked for, such as a connection.
        try {
          return await here();
        } catch (error) {
          if (needsWindow(error)) return inWindow(request, (error as Error).message);
          throw error;
        }
      });
    } finally {
      waiting--;
    }
  };
}

/** Milliseconds. */
const patience = 1_000;

export declare namespace createElsewhere {
  interface Options {
    readonly wallet: Wallet;
    readonly handover: () => Promise<Handover>;
    /** Whether no window of this storage exists to which a question could move. */
    readonly isPartitioned: boolean;
    /** Whether a request failed because its question is for a window. */
    readonly needsWindow: (error: unknown) => boolean;
  }
}
