import type { Approver } from '../approvals/question.js';
import { lazy } from '../async/lazy.js';
import { errorCode, isProviderRpcError, ProviderRpcError } from '../rpc/errors.js';
import { asksPerson, isSend, walletMethods } from '../rpc/method-facts/wallet-facts.js';
import { detectOcclusionSupport } from '../ui/dialog/occlusion-support.js';
import type { Look } from '../ui/preferences.js';
import type { Wallet } from '../wallet/wallet.js';
import type { HandedRequest } from './handover.js';
import type { Message } from './protocol.js';
import { createRefusals, refusedOften } from './refusals.js';
import { type Serving, serve, visibleSession } from './serve.js';
import { sharesStorage } from './shared-storage.js';
import type { KeptHalf } from './window-approver.js';

/**
 * Serves the dapp's page from the wallet's frame in it. A frame answers what needs no person. The rest is asked in the
 * wallet's window, because no browser tells a frame that it is masked, clipped or covered by a native pop-up.
 */
export function serveFrame(options: serveFrame.Options): serveFrame.Frame {
  const { origin, line, look, onClose } = options;
  const isPartitioned = !sharesStorage();
  const mayAsk = options.mayAsk && !isPartitioned && detectOcclusionSupport().isSupported;
  const refusals = createRefusals(origin);
  /** Results of the sends answered so far. */
  const answered = new Set<unknown>();
  /** Errors of requests whose question is for a window. */
  const moved = new WeakSet<object>();
  const post = (message: Message): void => serving.post(message);
  const noteApproval = (): void => serving.noteApproval();

  const move = (reason: string): ProviderRpcError => {
    const error = new ProviderRpcError(errorCode.unsupportedMethod, `Asked in a window: ${reason}.`);
    moved.add(error);
    return error;
  };
  const noteRefusal = (): ProviderRpcError | undefined => {
    refusals.note();
    const pause = refusals.pause();
    if (pause === 0) return undefined;
    post({ t: 'paused', ms: pause });
    return refusedOften(pause);
  };

  const view = lazy(async () => (await import('./frame-view.js')).createFrameView(post));
  const links = lazy(async () => {
    if (isPartitioned) {
      const { createFrameLinks } = await import('./frame-link.js');
      return { open: createFrameLinks(await view()), receive() {} };
    }
    return (await import('./window-link.js')).createSharedLinks(post);
  });
  const handover = lazy(async () => {
    const [{ createHandover }, { open }] = await Promise.all([import('./handover.js'), links()]);
    return createHandover({
      ...{ origin, answered },
      openLink: open,
      onApproved: noteApproval,
      onRefused: noteRefusal,
      onEnd: (token) => post({ t: 'window-ended', token }),
      async outcomeOf(request) {
        const { sendOutcomeOf } = await import('./send-outcome.js');
        const hash = isPartitioned ? null : await sendOutcomeOf(wallet, request, answered);
        const { chainId, accounts } = visibleSession(wallet);
        return hash && { json: JSON.stringify(hash), session: { chainId, accounts } };
      },
    });
  });
  const answers = lazy(async () => {
    const { createWindowAnswers } = await import('./answer-in-window.js');
    return createWindowAnswers({
      wallet,
      handover,
      onSession: isPartitioned ? (session) => post({ t: 'state', ...session }) : undefined,
    });
  });
  const surface = lazy(async (): Promise<Approver> => {
    const [{ createFrameSurface }, { windowApprover }, seen, { half }] = await Promise.all([
      import('./surface.js'),
      import('./window-approver.js'),
      view(),
      handover(),
    ]);
    const kept: KeptHalf = {
      get current() {
        return half();
      },
      set current(_) {},
    };
    const person = createFrameSurface({ view: seen, moved: move, look });
    return windowApprover(person, {
      ...{ origin, half: kept, onApproved: noteApproval, onRefused: noteRefusal },
      // The frame is not shown while it waits.
      onBusy: () => move('another question is open'),
    });
  });
  const idleness = lazy(async () => (await import('./idleness.js')).closeIdle(serving, wallet));

  const wallet = options.walletOf(
    async () => (mayAsk ? await surface() : { ask: () => Promise.reject(move('person')) }),
    isPartitioned,
  );

  async function inWindow(request: HandedRequest): Promise<string> {
    const pause = refusals.pause();
    if (pause === 0) return (await answers())(request);
    if (request.token) (await handover()).release(request.token);
    throw refusedOften(pause);
  }

  const serving: Serving = serve({
    ...line,
    ...{ wallet, answered, isPartitioned },
    // For these the client opens a window at once.
    windowMethods: mayAsk || isPartitioned ? [] : walletMethods().filter(asksPerson),
    pausedFor: refusals.pause(),
    async inWindow(here, request) {
      // A frame without the wallet's storage asks nothing. And of a send for an open window the frame prepares nothing: it would
      // take twice as many requests to the service.
      const isInOpenWindow = request.token !== undefined || handover.peek()?.isOpen() === true;
      const isForWindow = isPartitioned || (isInOpenWindow && isSend(request.method));
      if (isForWindow && asksPerson(request.method)) return inWindow(request);
      try {
        const json = await here();
        if (request.token) (await handover()).release(request.token);
        return json;
      } catch (error) {
        if (isProviderRpcError(error) && moved.has(error)) return inWindow(request);
        if (request.token) (await handover()).release(request.token);
        throw error;
      }
    },
    onClose,
    onMessage(message) {
      if (message.t === 'window') links.peek()?.receive(message);
      else if (message.t === 'shown' || message.t === 'hidden') view.peek()?.receive(message);
      // A frame with a storage of its own answers only reads, for one dapp. It has no session of its own: the dapp sends it
      // the active chain, which it has received from the wallet's window.
      else if (message.t === 'chain' && isPartitioned) switchChain(wallet, message.chainId);
    },
  });
  // Not before the dapp's first requests are answered.
  setTimeout(idleness, 10_000);
  return {
    close() {
      serving.close('closed');
      handover.close((loaded) => loaded.close());
      idleness.close((stop) => stop());
    },
  };
}

/** One that is not configured stays as it is. */
function switchChain(wallet: Wallet, chainId: unknown): void {
  if (wallet.networks().some((network) => network.chainId === chainId)) wallet.switchChain(chainId as number);
}

export declare namespace serveFrame {
  interface Frame {
    close(): void;
  }
  interface Options {
    readonly line: Pick<serve.Options, 'port' | 'nonce' | 'version'>;
    /** The dapp's, as the browser attests it. */
    readonly origin: string;
    /** Whether the wallet's operator lets this origin be asked in the frame. */
    readonly mayAsk: boolean;
    readonly look?: Look | undefined;
    /** Makes the dapp's wallet. */
    readonly walletOf: (approver: () => Promise<Approver>, isPartitioned: boolean) => Wallet;
    readonly onClose: () => void;
  }
}
