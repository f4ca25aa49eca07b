import { lazy } from '../async/lazy.js';
import type { ProviderSide } from '../provider/provider.js';
import { type CountedRequests, createRequests, type Router } from '../provider/router.js';
import type { ProviderRpcError } from '../rpc/errors.js';
import { readRequest } from '../rpc/message.js';
import { asksPerson, isSend, walletFacts } from '../rpc/method-facts/wallet-facts.js';
import { own } from '../rpc/own.js';
import { membersOf } from '../rpc/own-data.js';
import type { Hex } from '../rpc/schema.js';
import type { Connection, PendingRequest } from './connection.js';
import { popupBlocked, unknownOutcome } from './errors.js';
import { createWalletFrame, type WalletFrame } from './frame.js';
import { mayBePermitted } from './permitted.js';
import { asksForAccounts } from './plain-connect.js';
import { createPopup } from './popup.js';
import { type Message, randomToken, readJson, times, writeError } from './protocol.js';
import { createReconnectingPort, type ReconnectingPort } from './reconnecting-port.js';
import type { createWindows, Windows } from './windows.js';

/** The wallet as the provider's requests reach it: in a frame, in windows, or in both. */
export interface Remote {
  readonly requests: CountedRequests;
  readonly status: ReconnectingPort['status'];
  /** Loads the wallet if it is not there. */
  connect(): void;
  /** Drops the connection, because the page removed the frame or the frame loaded another document. */
  lose(): void;
  /** The person has closed the frame over the page: what it asks is refused. */
  dismiss(): void;
  /** Opens the wallet's own page. @throws ProviderRpcError -32002 `popup-blocked` */
  open(view: string): void;
  /** Rejects pending requests with `error`, and removes everything. */
  close(error: ProviderRpcError): void;
}

/** Maximum results of sends kept, so that no result is returned for a second, equal send. */
const maxAnswered = 100;

/** {@link createRemote} in this page. */
export function remoteInPage(options: Omit<createRemote.Options, 'frame' | 'popup'>): Remote {
  const { host } = options;
  const frame = createWalletFrame({
    host,
    onLost: () => remote.lose(),
    onDismissed: () => remote.dismiss(),
  });
  const remote = createRemote({ ...options, frame, popup: createPopup(host) });
  return remote;
}

/**
 * A line to the wallet's frame. For what a person decides the page opens the wallet's window within its click, and the frame
 * hands the request over. A frame with a storage of its own opens that window itself. Where no frame loads, the page asks a
 * window directly.
 */
export function createRemote(options: createRemote.Options): Remote {
  const { host, frame, popup, origin, mirror, events } = options;
  const closing = new AbortController();
  const { signal: closed } = closing;
  /** Methods that the wallet answers in a window, as its first message lists them. */
  let windowMethods: readonly unknown[] = [];
  /** The page's permissions to send without a question, as the wallet's last message lists them. */
  let permitted: unknown;
  /** Results of the last sends. */
  const answered: unknown[] = [];
  /** The id of the last `surface`. */
  let shown: unknown;
  /** Token of the open window that serves this page, or `null`. */
  let openWindow: string | null = null;
  /** End of a pause without windows, because the person has refused several questions; milliseconds since 1970. */
  let pausedUntil = 0;
  /** Buttons that open a window, by its token. */
  const offering = new Map<string, AbortController>();
  /** Whether the frame has no wallet: it has a storage of its own, or cannot be reached. */
  let isInWindows = false;
  /** Whether no frame of the wallet loads in this page. */
  let isUnreachable = false;

  const line = createReconnectingPort({
    open: frame.open,
    route,
    onWelcome,
    onMessage,
    onEnd() {
      openWindow = null;
      frame.remove();
      events.setReachable(false);
    },
    isRepeatable: () => true,
    isNeeded: () => !closed.aborted && subscriptions.peek()?.isEmpty() === false,
    onUnreachable(pending) {
      if (!isInWindows) beginInWindows({ t: 'state' });
      isInWindows = isUnreachable = true;
      return answerByMemory(pending);
    },
    onUnknown(pending) {
      const refuse = () => pending.reject(unknownOutcome());
      if (pending.answered || closed.aborted) refuse();
      else {
        setTimeout(refuse, times.ready + times.welcome);
        const resolve = (hash: unknown) => (hash === null ? refuse() : pending.resolve(hash));
        line.request(own({ ...pending, answered: [...answered], resolve, reject: refuse }));
      }
    },
  });

  /** The page's subscriptions, which continue when the line reopens. */
  const subscriptions = lazy(async () => {
    const { createResubscription } = await import('./resubscription.js');
    return createResubscription(line.request, events.notify);
  });

  const windows = lazy(async () => {
    const { createWindows } = await import('./windows.js');
    return createWindows({ host, popup, mirror, origin, onState: setSession });
  });

  function onWelcome(welcome: Message, connection: Connection): void {
    windowMethods = Array.isArray(welcome.methods) ? welcome.methods : [];
    isUnreachable = false;
    pause(welcome.paused);
    isInWindows = Array.isArray(welcome.features) && welcome.features.includes('partitioned');
    const session = membersOf(welcome.session) as Message;
    if (!isInWindows) setSession(session);
    // Loaded now, so that a later click can open a window at once.
    else beginInWindows(session);
    if (session.connected === true) events.setReachable(true);
    subscriptions.peek()?.renew(connection);
  }

  /** A chunk that does not load is loaded again by the request that needs it. */
  const beginInWindows = (session: Message): void =>
    void windows().then(
      ({ begin }) => begin(session),
      () => {},
    );

  function setSession(session: Message): void {
    permitted = session.permitted;
    const { chainId } = mirror.state();
    mirror.set(session);
    if (isInWindows) line.post({ t: 'chain', chainId: mirror.state().chainId });
    // Subscriptions end with the chain that they were made for.
    if (mirror.state().chainId !== chainId) subscriptions.peek()?.clear();
  }

  function onMessage(message: Message): void {
    const { t, token } = message;
    if (t === 'state') {
      if (isInWindows) windows.peek()?.remember(message);
      else setSession(message);
    } else if (t === 'event') onEvent(message);
    else if (t === 'surface') onSurface(message);
    else if (t === 'paused') pause(message.ms);
    else if (t === 'need-window') void offerWindow(String(token));
    else if (t === 'unneeded') offering.get(String(token))?.abort();
    else if (t === 'window-ended' && token === openWindow) openWindow = null;
  }

  const pause = (ms: unknown): void => {
    if (typeof ms === 'number') pausedUntil = Date.now() + ms;
  };

  /** Opens the window that the wallet needs, in a click or by a button, and reports whether it did. */
  async function offerWindow(token: string): Promise<void> {
    const unneeded = new AbortController();
    offering.set(token, unneeded);
    try {
      await popup.offer(`window.html#${token}`, unneeded.signal);
      openWindow = token;
      line.post({ t: 'window', token, opened: true });
    } catch (error) {
      line.post({ t: 'window', token, opened: false, error: writeError(error as ProviderRpcError) });
    }
    offering.delete(token);
  }

  function onSurface({ id: surface, open }: Message): void {
    shown = surface;
    if (open === true) frame.show();
    else frame.hide();
    line.post({ t: open === true ? 'shown' : 'hidden', surface });
  }

  function onEvent({ name, json }: Message): void {
    if (name === 'connect') events.setReachable(true);
    else if (name === 'disconnect') events.setReachable(false);
    else if (name === 'message') {
      const { data } = membersOf(readJson(json));
      const { subscription, result } = membersOf(data) as { subscription: Hex; result: unknown };
      subscriptions.peek()?.receive(subscription, result);
    }
  }

  /** Sends a request on its way: in this task, so that a window is opened within the click. */
  function route(pending: PendingRequest): void {
    const { method } = pending;
    if (line.status() === 'ready' && !frame.isThere()) line.lose();
    if (walletFacts(method).follows === 'subscription') {
      subscriptions().then((loaded) => loaded.request(pending), pending.reject);
      return;
    }
    if (isInWindows && answerByMemory(pending)) return;
    if (opensWindow(pending) && !mayBePermitted(pending, permitted)) {
      const token = randomToken();
      if (popup.open(`window.html#${token}`)) openWindow = pending.window = token;
    }
    line.request(pending);
  }

  /** Whether a request opens a window at once, which a browser allows only within the click. */
  const opensWindow = (pending: PendingRequest): boolean =>
    windowMethods.includes(pending.method) &&
    openWindow === null &&
    Date.now() >= pausedUntil &&
    !(mirror.state().accounts.length > 0 && asksForAccounts(pending));

  /**
   * Answers a request without the wallet, or has a window answer it where no frame loads.
   * @returns whether the request is on its way
   */
  function answerByMemory(pending: PendingRequest): boolean {
    const { method } = pending;
    if (!asksPerson(method) && !walletFacts(method).isOfSession) return false;
    const act = (loaded: Windows): void => {
      if (loaded.answer(pending)) return;
      if (isUnreachable) loaded.request(pending);
      else line.request(pending);
    };
    const present = windows.peek();
    if (present) act(present);
    else windows().then(act, pending.reject);
    return true;
  }

  const router: Router = (args, settings) =>
    new Promise((resolve, reject) => {
      const { method, params } = readRequest(args);
      const { signal, onProgress } = own(settings);
      const settle = (result: unknown): void => {
        if (isSend(method)) answered.push(result);
        if (answered.length > maxAnswered) answered.shift();
        resolve(result);
      };
      const pending: PendingRequest = own({
        ...{ method, json: JSON.stringify(params), at: Date.now(), resolve: settle, reject },
        onProgress: onProgress as ((progress: never) => void) | undefined,
      });
      const cancel = () => {
        line.cancel(pending);
        windows.peek()?.cancel(pending);
      };
      route(pending);
      signal?.addEventListener('abort', cancel, own({ once: true }));
    });

  if (globalThis.window) {
    const listen = (target: EventTarget, type: string, listener: (event: never) => void) =>
      target.addEventListener(type, listener as EventListener, own({ signal: closed }));
    // A page in the back/forward cache holds no open port.
    listen(window, 'pagehide', ({ persisted }: PageTransitionEvent) => persisted && line.suspend());
    listen(window, 'pageshow', ({ persisted }: PageTransitionEvent) => persisted && line.connect());
    listen(document, 'visibilitychange', () => {
      if (document.visibilityState === 'visible' && mirror.isKnown()) line.connect();
    });
  }

  return {
    requests: createRequests({ router }),
    status: line.status,
    connect: line.connect,
    lose() {
      // While it loads, the new document says that it is ready as the first one would have.
      if (line.status() === 'ready') line.lose();
    },
    dismiss: () => line.post({ t: 'hidden', surface: shown }),
    open(view) {
      if (!popup.open(`#${encodeURIComponent(view)}`)) throw popupBlocked();
    },
    close(error) {
      closing.abort();
      line.post({ t: 'bye' });
      line.fail(error);
      windows.close((loaded) => loaded.fail(error));
      popup.close();
    },
  };
}

export declare namespace createRemote {
  interface Options extends Pick<createWindows.Options, 'host' | 'origin' | 'popup' | 'mirror'> {
    readonly frame: WalletFrame;
    readonly events: Pick<ProviderSide, 'setReachable' | 'notify'>;
  }
}
