import type { Approver } from '../approvals/question.js';
import { lazy } from '../async/lazy.js';
import { errorCode, ProviderRpcError } from '../rpc/errors.js';
import { asksPerson, isSend, walletMethods } from '../rpc/method-facts/wallet-facts.js';
import { own } from '../rpc/own.js';
import { createLocalMemory } from '../session/memory.js';
import { detectOcclusionSupport } from '../ui/dialog/occlusion-support.js';
import type { Look } from '../ui/preferences.js';
import type { Wallet } from '../wallet/wallet.js';
import type { createWindowAnswers } from './answer-in-window.js';
import type { Message } from './protocol.js';
import { createRefusals, refusedOften } from './refusals.js';
import { type Line, type Serving, serve, visibleSession } from './serve.js';
import { sharesStorage } from './shared-storage.js';

/**
 * Serves the dapp's page from the wallet's frame in it. A frame answers what needs no person. The rest is asked in the
 * wallet's window, because no browser tells a frame that it is masked, clipped or covered by a native pop-up. Returns the end.
 */
export function serveFrame(options: serveFrame.Options): () => void {
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

  /** Whether there may be keys of purses here, so that the frames of all other dapps load nothing of them. */
  let hasPurses = isPartitioned && createLocalMemory('graft:purses').read() !== null;
  const purses = lazy(async () =>
    (await import('./held-purses.js')).createHeldPurses(wallet, noteApproval, (hash) => answered.add(hash)),
  );

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
      async onPurse(message) {
        hasPurses = isPartitioned;
        if (hasPurses) (await purses()).receive(message);
      },
      onEnd: (token) => post({ t: 'window-ended', token }),
      async outcomeOf(request) {
        const { sendOutcomeOf } = await import('./send-outcome.js');
        const hash = isPartitioned ? null : await sendOutcomeOf(wallet, request, answered);
        return hash && { json: JSON.stringify(hash), session: visibleSession(wallet) };
      },
    });
  });
  const answers = lazy(async () => {
    const answering = await import('./answer-in-window.js');
    const apart: createWindowAnswers.Apart = {
      async takeSession(session) {
        post({ t: 'state', ...(hasPurses ? await (await purses()).withPurses(session) : session) });
      },
      send: async (request) => (await purses()).answerGiven(request),
    };
    return answering.createWindowAnswers(wallet, handover, isPartitioned ? apart : undefined);
  });
  const surface = lazy(async (): Promise<Approver> => {
    const [{ createFrameSurface }, { windowApprover }, seen, { half }] = await Promise.all([
      import('./surface.js'),
      import('./window-approver.js'),
      view(),
      handover(),
    ]);
    return windowApprover(createFrameSurface(seen, look, move), {
      ...{ origin, half, onHalf() {}, onApproved: noteApproval, onRefused: noteRefusal },
      // The frame is not shown while it waits.
      onBusy: () => move('another question is open'),
    });
  });
  const idleness = lazy(async () => (await import('./idleness.js')).closeIdle(serving, wallet));

  /** Unlocks, without a question, for what a permission covers, with the unlock of an earlier window of this dapp. */
  const unlocker: Approver = {
    async ask(question, session) {
      const half = question.kind === 'unlock' ? handover.peek()?.half() : undefined;
      if (!half) throw move('person');
      const { unlockWith } = await import('./window-approver.js');
      if (await unlockWith(half, question, own(session).sharedUnlock?.(origin))) return { approved: true };
      throw move('person');
    },
  };
  const wallet = options.walletOf(async () => (mayAsk ? await surface() : unlocker), isPartitioned);

  /** Windows that the client has opened, each until the request that came with it is handed over or answered here. */
  const opened = new Set<string>();

  const serving: Serving = serve({
    ...line,
    ...{ wallet, answered, isPartitioned },
    // For these the client opens a window at once.
    windowMethods: mayAsk || isPartitioned ? [] : walletMethods().filter(asksPerson),
    pausedFor: refusals.pause(),
    async inWindow(here, given) {
      const { token } = given;
      const held = hasPurses && asksPerson(given.method) ? await purses() : null;
      const sent = await held?.answer(given);
      if (sent) return sent;
      const request = held ? await held.withHeld(given) : given;
      if (token) opened.add(token);
      // A frame without the wallet's storage asks nothing. And of a send for an open window the frame prepares nothing: it would
      // take twice as many requests to the service.
      const isInOpenWindow = token !== undefined || handover.peek()?.isOpen() === true;
      const isForWindow = isPartitioned || (isInOpenWindow && isSend(request.method));
      const goesToWindow = isForWindow && asksPerson(request.method);
      // It may be signed without a question: if this frame ends meanwhile, the journal has its outcome.
      if (!goesToWindow && isSend(request.method) && visibleSession(wallet).permitted) noteApproval();
      const answer = goesToWindow ? Promise.reject(move('person')) : here();
      const isMoved = await answer.then(
        () => false,
        (error) => moved.has(error),
      );
      const pause = isMoved ? refusals.pause() : 0;
      // The question that is ready first takes the window that is there, whichever request has opened it.
      const [window] = token ? [token] : opened;
      if (token) opened.delete(token);
      if (isMoved && pause === 0) return (await answers())({ ...request, token: window });
      if (token) (await handover()).release(token);
      if (isMoved) throw refusedOften(pause);
      return answer;
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
  return () => {
    serving.close('closed');
    handover.close((loaded) => loaded.close());
    idleness.close((stop) => stop());
    purses.close((held) => held.close());
  };
}

/** One that is not configured stays as it is. */
function switchChain(wallet: Wallet, chainId: unknown): void {
  if (wallet.networks().some((network) => network.chainId === chainId)) wallet.switchChain(chainId as number);
}

export declare namespace serveFrame {
  interface Options {
    readonly line: Line;
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
