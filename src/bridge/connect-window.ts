import type { Approver } from '../approvals/question.js';
import { own } from '../rpc/own.js';
import type { Wallet } from '../wallet/wallet.js';
import { bridgeError } from './errors.js';
import { times } from './protocol.js';
import { createRefusals, refusedOften } from './refusals.js';
import { type Line, serve } from './serve.js';

/**
 * Serves a dapp in whose page no frame of the wallet loads, in a window that it has opened. The window closes once the dapp
 * asks nothing more. The dapp can lead it to a page that looks like it, so it never asks for a password: a passkey works on
 * this origin only. Returns the end.
 */
export function serveInTurn(options: serveInTurn.Options): () => void {
  const { walletOf, person, closeWindow, origin, ...line } = options;
  const refusals = createRefusals(origin);
  let timer: ReturnType<typeof setTimeout> | undefined;

  const approver = async (): Promise<Approver> => {
    const [{ inAskingTurn }, inner] = await Promise.all([import('./asking-turn.js'), person()]);
    return {
      async ask(question, session) {
        const pause = refusals.pause();
        if (pause > 0) throw refusedOften(pause);
        const hasPasskey = async () =>
          ((await session.owner?.passkeys()) ?? []).some((passkey) => !own(passkey).asleep);
        if (question.kind === 'onboarding' || (question.locked && !(await hasPasskey()))) throw noPassword();
        const answer = await inAskingTurn(session.signal, (signal) =>
          inner.ask(question, { ...session, signal, passkeyOnly: true }),
        );
        if (answer.approved) serving.noteApproval();
        else if (!session.signal.aborted) refusals.note();
        return answer;
      },
    };
  };

  const serving = serve({
    ...line,
    wallet: walletOf(approver),
    windowMethods: [],
    onClose: closeWindow,
    onIdle() {
      clearTimeout(timer);
      timer = setTimeout(() => {
        if (serving.isIdle()) closeWindow();
      }, times.linger);
    },
  });
  return () => serving.close('closed');
}

const noPassword = () =>
  bridgeError(
    'no-window',
    'The wallet’s frame does not load in this page, and no password is asked for in a window that the page can lead away. Allow the wallet in the page’s Content-Security-Policy (frame-src).',
    { header: 'Content-Security-Policy' },
  );

export declare namespace serveInTurn {
  interface Options extends Line {
    /** The dapp's, as the browser attests it. */
    readonly origin: string;
    /** Makes the dapp's wallet. */
    readonly walletOf: (approver: () => Promise<Approver>) => Wallet;
    /** Loads the dialog. */
    readonly person: () => Promise<Approver>;
    readonly closeWindow: () => void;
  }
}
