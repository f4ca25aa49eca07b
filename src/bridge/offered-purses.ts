import { lazy } from '../async/lazy.js';
import type { PurseMessage } from '../purse/message.js';
import type { WindowPurses } from '../purse/window-purses.js';
import { unsupportedMethod } from '../rpc/core-errors.js';
import { errorCode, isProviderRpcError, ProviderRpcError } from '../rpc/errors.js';
import { isLowerAddress } from '../rpc/schema.js';
import { createLocalMemory } from '../session/memory.js';
import { coreOf } from '../wallet/core-of.js';
import type { Wallet } from '../wallet/wallet.js';
import { showNotice, translated } from './notice.js';

/** The purses of a dapp, in the window that the wallet's frame in its page has opened. */
export interface OfferedPurses {
  /** Answers a request that is for a purse; `null` for any other. @param held addresses, as the frame says */
  answer(request: WindowPurses.Request, held: unknown): Promise<WindowPurses.Answer | null>;
  /** Gives the frame the keys that it lacks. Never rejects. */
  give(held: unknown): Promise<void>;
}

/** @param post sends the frame a message, over a port that no dapp has */
export function createOfferedPurses(wallet: Wallet, post: (message: PurseMessage) => void): OfferedPurses {
  /** Whether this wallet has ever had a purse, so that the windows of all others load nothing of it. */
  const marker = createLocalMemory('graft:purses');
  const core = async () => coreOf.get(wallet)?.();
  const purses = lazy(async () => {
    const loaded = await core();
    return (
      loaded &&
      (await (await loaded.signing()).purses()).inWindow({ origin: wallet.origin, post, showWaiting })
    );
  });
  const addresses = (held: unknown) => (Array.isArray(held) ? held.filter(isLowerAddress) : []);
  return {
    async answer(request, held) {
      const { method } = request;
      const isAsked = method === 'wallet_requestExecutionPermissions';
      if (!isAsked && !(method === 'eth_sendTransaction' && marker.read())) return null;
      if ((await core())?.isRefused(method)) throw unsupportedMethod(method, 'This page does not allow it.');
      if (isAsked) marker.write('1');
      try {
        return (await (await purses())?.answer(request, addresses(held))) ?? null;
      } catch (error) {
        throw isProviderRpcError(error) ? error : new ProviderRpcError(errorCode.internal, 'Internal error.');
      }
    },
    async give(held) {
      if (!marker.read()) return;
      await (await purses().catch(() => undefined))?.give(addresses(held));
    },
  };
}

const showWaiting = () => showNotice('waiting', translated<string>(texts), []);

const texts = {
  en: 'Waiting for the next block, in which the purse gets its coins. If you close this window, the next one goes on.',
  es: 'Esperando el próximo bloque, en el que el monedero recibe sus monedas. Si cierras esta ventana, la siguiente continúa.',
  pt: 'Aguardando o próximo bloco, em que o porta-moedas recebe suas moedas. Se você fechar esta janela, a próxima continua.',
};
