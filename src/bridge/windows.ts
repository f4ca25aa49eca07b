import { toQuantity } from '../rpc/hex.js';
import { asksPerson, isSend } from '../rpc/method-facts/wallet-facts.js';
import { own } from '../rpc/own.js';
import { membersOf } from '../rpc/own-data.js';
import { createLocalMemory } from '../session/memory.js';
import type { PendingRequest } from './connection.js';
import { bridgeError, unknownOutcome } from './errors.js';
import { handshake } from './handshake.js';
import { asksForAccounts } from './plain-connect.js';
import type { Popup } from './popup.js';
import { type Message, readJson } from './protocol.js';
import { createReconnectingPort, type ReconnectingPort } from './reconnecting-port.js';
import type { SessionMirror } from './session-mirror.js';

/**
 * The wallet of another site, whose frame has a storage of its own and therefore no wallet. A window answers what a person
 * decides; in between this page remembers the session that the last window has left. Where no frame loads, the page opens
 * that window itself and asks it directly.
 */
export interface Windows extends Pick<ReconnectingPort, 'request' | 'cancel' | 'fail'> {
  /**
   * Starts with the session that this or an earlier page has received from a window; without one, with the chain of the frame
   * and without accounts.
   */
  begin(session: Message): void;
  /** Answers what this page remembers, without a window. @returns whether it did */
  answer(pending: PendingRequest): boolean;
  /** Takes the session that a window has left. */
  remember(session: Message): void;
}

/** Milliseconds between two looks whether the window is still there. */
const interval = 500;

export function createWindows(options: createWindows.Options): Windows {
  const { host, popup, mirror, origin, onState } = options;
  const memory = createLocalMemory(`graft:bridge:${host}`);
  let removal = new AbortController();
  let watch: ReturnType<typeof setInterval> | undefined;

  const remember = ({ chainId, accounts }: Message): void => {
    memory.write(JSON.stringify({ chainId, accounts }));
    onState({ t: 'state', chainId, accounts });
  };

  const line = createReconnectingPort({
    async open() {
      const opened = await popup.offer('connect.html#connect');
      removal = new AbortController();
      // `closed` is accurate unless the headers of either page sever the window.
      watch = setInterval(() => {
        if (!opened.closed) return;
        removal.abort();
        if (line.status() === 'ready') line.lose();
      }, interval);
      return handshake(host, () => opened, removal.signal);
    },
    route: (pending) => line.request(pending),
    onWelcome: ({ session }) => remember(membersOf(session) as Message),
    onMessage(message) {
      if (message.t === 'state') remember(message);
    },
    onEnd() {
      clearInterval(watch);
      removal.abort();
    },
    isNeeded: () => false,
    // A window is opened for what a person decides, never for the rest.
    isRepeatable: ({ method }) => isSend(method) || asksPerson(method),
    onUnreachable: () => false,
    // To find out, another window would have to ask for the password.
    onUnknown: (pending) => pending.reject(unknownOutcome()),
  });

  function answer(pending: PendingRequest): boolean {
    const { method, resolve, reject } = pending;
    const { chainId } = mirror.state();
    const accounts = mirror.state().accounts.map(({ address }) => address);
    const isConnected = accounts.length > 0 && asksForAccounts(pending);
    if (!isConnected && (isSend(method) || asksPerson(method))) return false;
    if (!mirror.isKnown()) reject(onlyInWindow());
    else if (method === 'wallet_connect')
      resolve({ accounts: accounts.map((address) => ({ address, capabilities: {} })) });
    else if (isConnected || method === 'eth_accounts') resolve(accounts);
    else if (method === 'eth_chainId') resolve(toQuantity(chainId));
    else if (method === 'net_version') resolve(String(chainId));
    else if (method === 'wallet_getPermissions') resolve(permissionsOf(accounts));
    else if (method === 'wallet_revokePermissions' || method === 'wallet_disconnect') {
      remember({ t: 'state', chainId, accounts: [] });
      resolve(null);
    } else reject(onlyInWindow());
    return true;
  }

  function permissionsOf(accounts: readonly string[]): readonly object[] {
    const id = `${origin}:eth_accounts`;
    const caveats = [{ type: 'restrictReturnedAccounts', value: accounts }];
    const permission = { id, invoker: origin, parentCapability: 'eth_accounts', caveats, date: 0 };
    return accounts.length === 0 ? [] : [permission];
  }

  return {
    request: line.request,
    answer: (pending) => line.status() !== 'ready' && answer(pending),
    remember,
    cancel: line.cancel,
    fail: line.fail,
    begin(session) {
      const state = own({ ...session, accounts: [], ...Object(readJson(memory.read())) } as Message);
      if (state.chainId !== undefined) onState(state);
    },
  };
}

const onlyInWindow = () =>
  bridgeError('storage-partitioned', 'Only a window of the wallet can answer this, and none is open.');

export declare namespace createWindows {
  interface Options {
    /** The wallet's origin. */
    readonly host: string;
    readonly popup: Popup;
    readonly mirror: SessionMirror;
    /** The page's origin. */
    readonly origin: string;
    /** Called with each session state that the window sends. */
    readonly onState: (state: Message) => void;
  }
}
