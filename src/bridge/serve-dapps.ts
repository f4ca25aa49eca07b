import type { Approver } from '../approvals/question.js';
import { lazy } from '../async/lazy.js';
import type { Keyring } from '../keyring/keyring.js';
import { invalidParams } from '../rpc/errors.js';
import { own } from '../rpc/own.js';
import type { Look } from '../ui/preferences.js';
import type { Wallet } from '../wallet/wallet.js';
import { type BridgeChannel, lockName, openChannel } from './channel.js';
import { preloadQuestion } from './preload.js';
import { commonVersion, isToken, readGreeting, versions } from './protocol.js';
import type { Line } from './serve.js';
import { serveFrame } from './serve-frame.js';

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
   * Role of this document: `frame` inside a dapp's page; `window` that a dapp has opened; `page` otherwise, where nothing
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

/** Serves dapps from this document of the wallet's origin. */
export function serveDapps(options: serveDapps.Options): Host {
  const { isAllowed, mayAskInFrame, look, wallet: createWallet } = options;
  const person = lazy(options.person);
  const { role, serves } = placeOf();
  /** Functions to call at the end, newest first. */
  const closing: (() => void)[] = [];
  let client: string | null = null;
  let served: Wallet | undefined;

  /** The wallet of a dapp. @throws ProviderRpcError -32602 if it was made for another origin */
  function walletOf(origin: string, approver: () => Promise<Approver>, isPartitioned = false): Wallet {
    const wallet = createWallet(origin, approver);
    closing.push(() => wallet.destroy());
    if (wallet.origin === origin) {
      if (!isPartitioned) served = wallet;
      return wallet;
    }
    close();
    throw invalidParams('wallet: expected a wallet whose option "origin" is the given origin');
  }

  /** Serves the page that holds this frame or has opened this window, once it has handed over a port. */
  function serveClient(dapp: Window): void {
    const onMessage = ({ source, origin, ports, data }: MessageEvent<unknown>): void => {
      if (source !== dapp) return;
      const greeting = readGreeting(data);
      // All of this is checked before anything is awaited: a second client cannot slip in.
      if (greeting?.t !== 'open' || !isToken(greeting.nonce)) return;
      const [port] = ports;
      if (!port || ports.length !== 1) return;
      window.removeEventListener('message', onMessage);
      const version = commonVersion(greeting.v);
      if (!isAllowed(origin) || !isTopPage(origin)) refuse(port, { reason: 'bridge-origin' });
      else if (version === undefined) refuse(port, { reason: 'bridge-version', v: versions });
      else {
        client = origin;
        const line = { port, nonce: greeting.nonce, version };
        if (role !== 'frame') return void serveOpener(line, origin);
        const end = serveFrame({
          ...{ line, origin, mayAsk: mayAskInFrame(origin), look, onClose: close },
          walletOf: (approver, isPartitioned) => walletOf(origin, approver, isPartitioned),
        });
        closing.push(end);
      }
    };
    window.addEventListener('message', onMessage);
    closing.push(() => window.removeEventListener('message', onMessage));
    // Sent to any origin: the message is public, and the reply's origin is checked.
    dapp.postMessage({ graft: 'bridge', t: 'ready', v: versions }, '*');
  }

  /** Serves a dapp that has opened this window until it has no more questions, then closes the window. */
  async function serveOpener(line: Line, origin: string): Promise<void> {
    const { serveInTurn } = await import('./connect-window.js');
    const end = serveInTurn({
      ...line,
      ...{ closeWindow, person, origin },
      walletOf: (approver) => walletOf(origin, approver),
    });
    closing.push(end);
  }

  /** Answers the requests that the wallet's frame offers to this window, then closes it. */
  async function serveOffers(channel: BridgeChannel, isForOwnFrame = false): Promise<void> {
    const [{ answerOffers }, { windowApprover }, purses] = await Promise.all([
      import('./answer-offers.js'),
      import('./window-approver.js'),
      // Only to a frame that has opened this window itself, so that no dapp is between the two.
      isForOwnFrame ? import('./offered-purses.js') : undefined,
    ]);
    let half: CryptoKey | null = null;
    const walletWithHalf = (origin: string, post: (message: object) => void): Wallet | null => {
      if (!isAllowed(origin)) return null;
      client = origin;
      return walletOf(origin, async () =>
        windowApprover(await person(), {
          origin,
          half: () => half,
          onHalf(key) {
            half = key;
            if (key) post({ t: 'half', key });
          },
          onApproved: () => post({ t: 'approved' }),
          onRefused: () => post({ t: 'refused' }),
        }),
      );
    };
    const keepHalf = (key: CryptoKey) => {
      half ??= key;
    };
    await answerOffers(channel, walletWithHalf, keepHalf, purses?.createOfferedPurses);
    closeWindow();
  }

  /** Serves the frame that shares this window's storage. The lock reports this window's end, and lets one window serve. */
  function serveToken(token: string): void {
    void navigator.locks.request(lockName(token), own({ ifAvailable: true }), async (lock) => {
      if (lock) await serveOffers(openChannel(token));
      else closeWindow();
    });
  }

  /** Serves the wallet's frame that has opened this window, once it has handed over a port. */
  function serveFrameOf(opener: Window): void {
    const onMessage = ({ source, origin, ports: [port], data }: MessageEvent<unknown>): void => {
      if (source !== opener || origin !== location.origin) return;
      if (readGreeting(data)?.t !== 'open' || !port) return;
      window.removeEventListener('message', onMessage);
      void serveOffers(port, true);
    };
    window.addEventListener('message', onMessage);
    closing.push(() => window.removeEventListener('message', onMessage));
    opener.postMessage({ graft: 'bridge', t: 'ready' }, location.origin);
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
  if (role === 'window' && serves) {
    preloadQuestion();
    // It loads its texts.
    person().catch(() => {});
  }
  if (typeof serves === 'string') serveToken(serves);
  else if (serves && location.hash === '#frame') serveFrameOf(serves);
  else if (serves) serveClient(serves);
  else if (role === 'window') window.close();

  return {
    role,
    client: () => client,
    vaultState: async () => served?.vaultState() ?? 'unavailable',
    close,
  };
}

/**
 * The role of this document, and the page, the window or the token that it serves. Each document serves in one way only, since
 * its headers are for that one: `frame.html` the page around it; `window.html#<token>` the frame that shares its storage, out
 * of its opener's reach; `connect.html#frame` the wallet's frame that has opened it; `connect.html#connect` a dapp that has
 * opened it because no frame loads. Without an opener, `connect.html#frame` was cut off by the page's headers, and closes.
 */
function placeOf(): { readonly role: Host['role']; readonly serves: Window | string | null } {
  const isFramed = window.parent !== window;
  const [, name = ''] = /\/(frame|window|connect)(?:\.html)?$/.exec(location.pathname) ?? [];
  const hash = location.hash.slice(1);
  const opener = window.opener as Window | null;
  if (name === 'frame' && isFramed) return { role: 'frame', serves: window.parent };
  if (name === 'window' && !isFramed && isToken(hash)) return { role: 'window', serves: hash };
  if (name === 'connect' && !isFramed && (hash === 'frame' || (hash === 'connect' && opener)))
    return { role: 'window', serves: opener };
  return { role: 'page', serves: null };
}

function refuse(port: MessagePort, why: object): void {
  port.postMessage({ t: 'closing', ...why });
  port.close();
}

/** Whether the dapp's page is the top one, so that no other page can lie around or over it. */
function isTopPage(origin: string): boolean {
  if (window.parent === window) {
    const opener = window.opener as Window | null;
    return opener !== null && opener.top === opener;
  }
  const ancestors = location.ancestorOrigins as DOMStringList | undefined;
  const isOnly = ancestors === undefined || (ancestors.length === 1 && ancestors[0] === origin);
  return window.parent === window.top && isOnly;
}

export declare namespace serveDapps {
  interface Options {
    /** Whether the dapp of this origin is served. */
    readonly isAllowed: (origin: string) => boolean;
    /** Whether a dapp's page may be asked in the frame instead of a window. */
    readonly mayAskInFrame: (origin: string) => boolean;
    /** Makes the wallet for a dapp. */
    readonly wallet: (origin: string, approver: () => Promise<Approver>) => Wallet;
    /** Asks the person in a window. */
    readonly person: () => Promise<Approver>;
    /** Theme, language and texts of the dialog in a frame. */
    readonly look: Look | undefined;
  }
}
