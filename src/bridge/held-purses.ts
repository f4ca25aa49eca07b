import { lazy } from '../async/lazy.js';
import { unsupportedMethod } from '../rpc/core-errors.js';
import { errorCode, isProviderRpcError, ProviderRpcError } from '../rpc/errors.js';
import { createLocalMemory } from '../session/memory.js';
import { coreOf } from '../wallet/core-of.js';
import type { Wallet } from '../wallet/wallet.js';
import { bridgeError } from './errors.js';
import type { HandedRequest } from './handover.js';
import { type Message, readJson, type VisibleSession } from './protocol.js';

/** The purses of a dapp whose keys this frame has, because it has no wallet. */
export interface HeldPurses {
  /** Takes a message of the wallet's window. The calls after it see its effect. */
  receive(message: Message): void;
  /** Answers a request that is for a purse with the result as JSON text; `null` for any other. */
  answer(request: HandedRequest): Promise<string | null>;
  /** The same for a purse whose key a window has just given. */
  answerGiven(request: HandedRequest): Promise<string>;
  /** A request for a window, with the purses whose keys are here. */
  withHeld(request: HandedRequest): Promise<HandedRequest>;
  /** The session that a window has left, with the purses after the accounts. */
  withPurses(session: VisibleSession): Promise<VisibleSession>;
  close(): void;
}

/** @param onSend called before anything is sent, and `onSent` with its result */
export function createHeldPurses(
  wallet: Wallet,
  onSend: () => void,
  onSent: (hash: unknown) => void,
): HeldPurses {
  const purses = lazy(async () => {
    const core = await coreOf.get(wallet)?.();
    if (!core) throw bridgeError('bridge-lost', 'The wallet is not one that this build has made.');
    const signing = await core.signing();
    return { core, ...(await (await signing.purses()).inFrame({ origin: wallet.origin })) };
  });
  let received: Promise<void> = Promise.resolve();
  const held = async () => {
    await received;
    return (await purses()).addresses().catch(() => []);
  };
  const answer = async ({ method, json, signal }: HandedRequest): Promise<string | null> => {
    await received;
    // A chunk that does not load keeps no other request from its answer.
    const loaded = await purses().catch(() => null);
    if (!loaded) return null;
    try {
      const { core, answer } = loaded;
      if (core.isRefused(method)) throw unsupportedMethod(method, 'This page does not allow it.');
      const result = await answer({ method, params: readJson(json), signal, onSend });
      if (result === null) return null;
      onSent(result);
      return JSON.stringify(result);
    } catch (error) {
      throw isProviderRpcError(error) ? error : new ProviderRpcError(errorCode.internal, 'Internal error.');
    }
  };
  return {
    receive(message) {
      // `serve-frame.ts` reads it.
      createLocalMemory('graft:purses').write('1');
      received = received.then(async () => (await purses()).receive(message)).catch(() => {});
    },
    answer,
    async answerGiven(request) {
      const sent = await answer(request);
      if (sent === null)
        throw bridgeError('bridge-lost', 'The key of the purse did not arrive. Nothing was sent.');
      return sent;
    },
    withHeld: async (request) => ({ ...request, purses: await held() }),
    async withPurses(session) {
      const { accounts } = session;
      // A site that is not connected sees none.
      return accounts.length === 0 ? session : { ...session, accounts: [...accounts, ...(await held())] };
    },
    close: () => purses.close((loaded) => loaded.close()),
  };
}
