import { type Bridge, createBridge } from '../../src/bridge/bridge.js';
import { popupBlocked } from '../../src/bridge/errors.js';
import type { WalletFrame } from '../../src/bridge/frame.js';
import type { Popup } from '../../src/bridge/popup.js';
import { randomToken } from '../../src/bridge/protocol.js';
import { createRemote } from '../../src/bridge/remote.js';
import { type Serving, serve } from '../../src/bridge/serve.js';
import type { Wallet } from '../../src/index.js';

/** A bridge whose two sides are in this process: real ports, and a frame that is only a host. */
export interface Bridged {
  readonly bridge: Bridge;
  readonly provider: Bridge['provider'];
  request(method: string, params?: unknown): Promise<unknown>;
  /** Every message in both directions, oldest first. */
  readonly messages: readonly { readonly from: 'client' | 'host'; readonly message: unknown }[];
  /** Events that reached the dapp, oldest first. */
  readonly events: readonly { readonly name: string; readonly payload: unknown }[];
  /** How often the wallet was loaded. */
  generations(): number;
  /** The wallet that answers now. */
  wallet(): Wallet;
  serving(): Serving;
  /** The wallet dies without a word, as a renderer that crashes, and the page notices. */
  crash(): void;
  /** The wallet says nothing any more. */
  freeze(): void;
  stop(): void;
}

export declare namespace bridgeTo {
  interface Options {
    readonly origin: string;
    /** Makes the wallet of a generation. */
    readonly make: (serving: () => Serving) => Wallet;
    readonly serve?: Partial<serve.Options>;
    /** Opens windows. Default: the browser blocks them. */
    readonly popup?: Popup;
  }
}

const names = ['connect', 'disconnect', 'chainChanged', 'accountsChanged', 'message'];

export function bridgeTo(options: bridgeTo.Options): Bridged {
  const messages: { from: 'client' | 'host'; message: unknown }[] = [];
  const events: { name: string; payload: unknown }[] = [];
  let wallet: Wallet | undefined;
  let serving: Serving | undefined;
  let port: MessagePort | undefined;
  let generations = 0;
  let lose: () => void = () => {};

  /** Notes what one side sends. */
  const noted = (given: MessagePort, from: 'client' | 'host'): MessagePort => {
    const post = given.postMessage.bind(given);
    given.postMessage = (message: unknown) => {
      messages.push({ from, message });
      post(message);
    };
    return given;
  };

  const end = () => {
    port?.close();
    wallet?.destroy();
  };

  const frame: WalletFrame = {
    async open() {
      const { port1, port2 } = new MessageChannel();
      generations++;
      const nonce = randomToken();
      port = noted(port2, 'host');
      wallet = options.make(() => serving as Serving);
      serving = serve({ port, nonce, version: 1, wallet, windowMethods: [], ...options.serve });
      return { port: noted(port1, 'client'), nonce };
    },
    isThere: () => true,
    show() {},
    hide() {},
    remove: end,
  };
  const { popup = { open: () => null, offer: () => Promise.reject(popupBlocked()), close() {} } } = options;
  const { origin } = options;
  const bridge = createBridge(origin, async (page) => {
    const remote = createRemote({ ...page, host: 'https://wallet.example', origin, frame, popup });
    lose = remote.lose;
    return remote;
  });
  const { provider } = bridge;
  for (const name of names) provider.on(name, (payload: unknown) => events.push({ name, payload }));

  return {
    bridge,
    provider,
    request: (method, params) =>
      provider.request({ method, ...(params !== undefined && { params: params as readonly unknown[] }) }),
    messages,
    events,
    generations: () => generations,
    wallet: () => wallet as Wallet,
    serving: () => serving as Serving,
    crash() {
      (port as MessagePort).onmessage = null;
      end();
      lose();
    },
    freeze() {
      (port as MessagePort).onmessage = null;
      (port as MessagePort).postMessage = () => {};
    },
    stop() {
      bridge.destroy();
      end();
    },
  };
}

/** What a promise comes to, in plain words for a comparison. */
export const outcome = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    (result) => ({ result }),
    ({ name, code, message, data }) => ({ name, code, message, data }),
  );
