import { createListeners } from '../async/listeners.js';
import { own } from '../rpc/own.js';
import { type Address, isLowerAddress } from '../rpc/schema.js';
import type { ReadableSession, SessionState } from '../session/session.js';

/**
 * The part of the wallet's session that this origin may see: the active chain and the accounts shared with it. The
 * wallet's data about other sites never leaves its origin.
 */
export interface SessionMirror extends ReadableSession {
  /** Whether a first message with the session's state has arrived. */
  isKnown(): boolean;
  /** Stores the state from a message, whose members may have any type. The first message calls no watcher, because it changes nothing. */
  set(message: Readonly<Record<string, unknown>>): void;
}

export function createSessionMirror(origin: string): SessionMirror {
  const listeners = createListeners<[state: SessionState, previous: SessionState]>();
  let isKnown = false;
  let state = stateOf(origin, 30, []);
  return {
    state: () => state,
    watch: listeners.add,
    isKnown: () => isKnown,
    set({ chainId, accounts }) {
      const previous = state;
      state = stateOf(
        origin,
        isChainId(chainId) ? chainId : previous.chainId,
        Array.isArray(accounts) ? accounts.filter(isLowerAddress) : [],
      );
      if (isKnown) listeners.emit(state, previous);
      isKnown = true;
    },
  };
}

const isChainId = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) > 0;

const stateOf = (origin: string, chainId: number, accounts: readonly Address[]): SessionState => ({
  chainId,
  chains: {},
  accounts: accounts.map((address) => ({ address, label: '', path: null })),
  permissions: own({ [origin]: { accounts, date: 0 } }),
  assets: {},
  backup: 'done',
  networks: [],
});
