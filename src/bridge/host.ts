/** `graft-wallet/host`: for the pages of a wallet on a site of its own, which serve dapps of other origins. */
import type { Approver } from '../approvals/question.js';
import { lazy } from '../async/lazy.js';
import type { Keyring } from '../keyring/keyring.js';
import { invalidParams, isProviderRpcError, type ProviderRpcError } from '../rpc/errors.js';
import { requireTypes } from '../rpc/options.js';
import { own } from '../rpc/own.js';
import { detectOcclusionSupport } from '../ui/dialog/occlusion-support.js';
import type { Look } from '../ui/preferences.js';
import type { Wallet } from '../wallet.js';
import { personMethods } from './person-methods.js';
import {
  commonVersion,
  isSend,
  isToken,
  leastSize,
  type Message,
  readGreeting,
  versions,
} from './protocol.js';
import { secureOrigin } from './secure-origin.js';
import { serve } from './serve.js';
import { sharesStorage } from './shared-storage.js';

/**
 * This document of the wallet's origin, as it serves dapps of other origins.
 *
 * @example
 * const wallet = (origin: string, approver: () => Promise<Approver>) => createWallet({ networks, origin, approver });
 * const host = serveBridge({ allow: ['https://app.example.com'], wallet });
 * if (host.role === 'page') console.log('no dapp here', await host.vaultState());
 */
export interface Host {
  /**
   * What this document is: `frame` inside a dapp's page; `window` that a dapp has opened; `page` otherwise, where nothing
   * is served.
   */
  readonly role: 'frame' | 'window' | 'page';
  /** The origin of the dapp that is served, as the browser attests it. */
  client(): string | null;
  /**
   * The state of the dapp's wallet. `unavailable` in a frame whose storage is not that of the wallet's own windows, where
   * no wallet is ever made, and where there is no dapp.
   */
  vaultState(): Promise<Keyring.State | 'unavailable'>;
  /** Stops serving, and destroys the wallet. */
  close(): void;
}

/**
 * Serves the dapps whose origins are in `allow` from the wallet's own origin. Call it in `frame.html`, `window.html` and
 * `connect.html`; in any other page of the wallet it does nothing.
 *
 * A dapp is who the browser says that it is. For each the wallet is an ordinary one with that origin; wallets of one name
 * share their accounts, journal, locks and polls as tabs do.
 *
 * @example
 * serveBridge({
 *   allow: ['https://app.example.com'],
 *   wallet: (origin, approver) => createWallet({ networks, origin, approver }),
 * });
 *
 * @throws ProviderRpcError -32602 naming the option that is wrong
 */
export function serveBridge(given: serveBridge.Options): Host {
  requireTypes(given, { wallet: 'function', allow: 'array', look: 'object' });
  const options = own(given);
  const allow = readAllowed(options.allow);
  const { role, serves } = placeOf();
  /** What to do at the end, newest first. */
  const closing: (() => void)[] = [];
  let client: string | null = null;
  let served: Wallet | undefined;

  /** In a window. */
  const openDialog = async (): Promise<Approver> => {
    const { dialog } = await import('../ui/dialog/dialog.js');
    // The dapp has chosen the size. In a small window a person would not see what is asked.
    if (window.innerWidth < leastSize.width || window.innerHeight < leastSize.height)
      window.resizeTo(windowSize.width, windowSize.height);
    return dialog(options.look);
  };

  /** The wallet of a dapp. @throws ProviderRpcError -32602 if it was made for another origin */
  function walletOf(origin: string, approver: () => Promise<Approver>, isPartitioned = false): Wallet {
    const wallet = options.wallet(origin, approver);
    closing.push(() => wallet.destroy());
    if (wallet.origin === origin) {
      if (!isPartitioned) served = wallet;
      return wallet;
    }
    close();
    throw invalidParams('wallet: expected a wallet whose option "origin" is the given origin');
  }

  /** Serves the page that holds this frame or has opened this window, once it has handed over a port. */
  function listen(dapp: Window): void {
    const onMessage = ({ source, origin, ports, data }: MessageEvent<unknown>): void => {
      if (source !== dapp) return;
      const greeting = readGreeting(data);
      // All of this is checked before anything is awaited: a second client cannot slip in.
      if (greeting?.t !== 'open' || !isToken(greeting.nonce)) return;
      const [port] = ports;
      if (!port || ports.length !== 1) return;
      window.removeEventListener('message', onMessage);
      const version = commonVersion(greeting.v);
      if (!allow.has(origin) || !isOnlyAncestor(origin)) refuse(port, { reason: 'bridge-origin' });
      else if (version === undefined) refuse(port, { reason: 'bridge-version', v: versions });
      else {
        client = origin;
        const line = { port, nonce: greeting.nonce, version };
        if (role === 'frame') serveInFrame(line, origin);
        else void serveInWindow(line, origin);
      }
    };
    window.addEventListener('message', onMessage);
    closing.push(() => window.removeEventListener('message', onMessage));
    // To whomever: there is nothing secret in it, and who answers is checked.
    dapp.postMessage(own({ graft: 'bridge', t: 'ready', v: versions }), '*');
  }

  function serveInFrame(line: Line, origin: string): void {
    const isPartitioned = !sharesStorage();
    /** Errors of requests whose question is for a window. */
    const moved = new WeakSet<object>();
    const post = (message: Message): void => serving.post(message);
    const surface = lazy(async () => {
      const { createSurface } = await import('./surface.js');
      const move = (error: ProviderRpcError) => {
        moved.add(error);
        return error;
      };
      return createSurface({ post, needsWindow: move, isPartitioned, look: options.look });
    });
    const handover = lazy(async () => {
      const { createHandover } = await import('./handover.js');
      return createHandover({ origin, post, onApproved: () => serving.noteApproval() });
    });
    const needsWindow = (error: unknown) => isProviderRpcError(error) && moved.has(error);
    const elsewhere = lazy(async () => {
      const { createElsewhere } = await import('./elsewhere.js');
      return createElsewhere({ wallet, handover, isPartitioned, needsWindow });
    });
    const idleness = lazy(async () => (await import('./idleness.js')).closeIdle(serving, wallet));
    const approver = async () => noting((await surface()).approver, () => serving.noteApproval());
    const wallet = walletOf(origin, approver, isPartitioned);
    const serving = serve({
      ...line,
      wallet,
      isPartitioned,
      windowMethods: isPartitioned || !detectOcclusionSupport().isSupported ? personMethods : [],
      async inWindow(here, request) {
        // Its window is open: prepared here as well, a transaction would take twice as many requests to the service.
        if (request.token && isSend(request.method)) return (await elsewhere())(here, request, 'window-open');
        try {
          const json = await here();
          if (request.token) (await handover()).release(request.token);
          return json;
        } catch (error) {
          if (!needsWindow(error)) throw error;
          return (await elsewhere())(here, request, (error as Error).message);
        }
      },
      onClose: close,
      onMessage(message) {
        if (message.t === 'window') handover.peek()?.receive(message);
        else if (message.t === 'shown' || message.t === 'hidden') surface.peek()?.receive(message);
        // A frame with partitioned storage answers only reads, for one dapp. It has no session of its own: the dapp sends it the
        // active chain, which it has received from the wallet's window.
        else if (message.t === 'chain' && isPartitioned) switchChain(wallet, message.chainId);
      },
    });
    // Not before the dapp's first requests are answered.
    setTimeout(idleness, 10_000);
    closing.push(
      () => idleness.close((stop) => stop()),
      () => handover.close((loaded) => loaded.close()),
      () => surface.close((loaded) => loaded.close()),
      () => serving.close('closed'),
    );
  }

  /** Serves a dapp of another site until it has no more questions, then closes the window. */
  async function serveInWindow(line: Line, origin: string): Promise<void> {
    const { serveInTurn } = await import('./connect-window.js');
    const end = serveInTurn({
      ...line,
      closeWindow,
      walletOf: (onApproved) => walletOf(origin, async () => noting(await openDialog(), onApproved)),
    });
    closing.push(() => end('closed'));
  }

  /** Answers the one request that a frame hands to this window, then closes it. */
  async function answerOne(token: string): Promise<void> {
    const { takeOver } = await import('./takeover.js');
    await takeOver(token, {
      walletOf(origin, onApproved) {
        if (!allow.has(origin)) return null;
        client = origin;
        return walletOf(origin, async () => noting(await openDialog(), onApproved));
      },
    });
    closeWindow();
  }

  function closeWindow(): void {
    close();
    window.close();
  }

  function close(): void {
    for (const end of closing.splice(0).reverse()) end();
  }

  window.addEventListener('pagehide', close);
  closing.push(() => window.removeEventListener('pagehide', close));
  if (typeof serves === 'string') void answerOne(serves);
  else if (serves) listen(serves);

  return {
    role,
    client: () => client,
    vaultState: async () => served?.vaultState() ?? 'unavailable',
    close,
  };
}

/** The approver, which also says that the person has agreed, before anything is signed. */
const noting = (person: Approver, onApproved: () => void): Approver => ({
  async ask(question, session) {
    const answer = await person.ask(question, session);
    if (answer.approved) onApproved();
    return answer;
  },
});

type Line = Pick<serve.Options, 'port' | 'nonce' | 'version'>;

/** CSS pixels, as the client opens it. */
const windowSize = { width: 440, height: 720 };

/** One that is not configured stays as it is. */
function switchChain(wallet: Wallet, chainId: unknown): void {
  if (wallet.networks().some((network) => network.chainId === chainId)) wallet.switchChain(chainId as number);
}

/**
 * What this document is, and whom it serves: the page around it, the page that opened it (`#connect`), or the offer that
 * its address names. Each document serves in one way only, since its headers are for that one: what a person decides for
 * an offer is decided in a window that its opener cannot reach.
 */
function placeOf(): { readonly role: Host['role']; readonly serves: Window | string | null } {
  const isFramed = window.parent !== window;
  const [, name = ''] = /\/(frame|window|connect)(?:\.html)?$/.exec(location.pathname) ?? [];
  const hash = location.hash.slice(1);
  const opener = window.opener as Window | null;
  if (name === 'frame' && isFramed) return { role: 'frame', serves: window.parent };
  if (name === 'window' && !isFramed && isToken(hash)) return { role: 'window', serves: hash };
  if (name === 'connect' && !isFramed && hash === 'connect' && opener)
    return { role: 'window', serves: opener };
  return { role: 'page', serves: null };
}

function refuse(port: MessagePort, why: object): void {
  port.postMessage(own({ t: 'closing', ...why }));
  port.close();
}

/** The exact origins. An entry that the browser would write in another way could never be met, so it is refused. */
function readAllowed(allow: readonly string[]): ReadonlySet<string> {
  for (const [at, entry] of allow.entries())
    if (secureOrigin(entry) !== entry)
      throw invalidParams(`allow[${at}]: expected an https origin, such as https://app.example.com`);
  return new Set(allow);
}

/** Whether the dapp's page is the only page that contains this frame; true where the browser does not say. */
function isOnlyAncestor(origin: string): boolean {
  const ancestors = location.ancestorOrigins as DOMStringList | undefined;
  if (ancestors === undefined || window.parent === window) return true;
  return ancestors.length === 1 && ancestors[0] === origin;
}

export declare namespace serveBridge {
  /** The options of {@link serveBridge}. */
  interface Options {
    /**
     * Makes the wallet for a dapp: `createWallet` with the given `origin` and `approver`, which shows its dialog in this
     * document or in a window, wherever it can be trusted.
     */
    readonly wallet: (origin: string, approver: () => Promise<Approver>) => Wallet;
    /** The origins of the dapps, exactly as the browser writes them: `https://app.example.com`. */
    readonly allow: readonly string[];
    /** Theme, language and texts of the dialog. */
    readonly look?: Look;
  }
}
