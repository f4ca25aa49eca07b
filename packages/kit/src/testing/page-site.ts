import { serveDapps } from '../../../../src/bridge/serve-dapps.js';
import { createGranting } from './grant.js';
import type { DocumentHandle, PageSettings, SendMessage } from './page-protocol.js';
import { createApprover, createPageWallet, handleOf, settled, setUp } from './page-wallet.js';

/**
 * This document of the wallet's site, in a test: serves every dapp as a deployed wallet does, with questions for the test. The
 * wallet's own page at `/` has a wallet for the functions of its owner, with the session of the dapp that its address names.
 */
export function serveSite(settings: PageSettings, send: SendMessage): DocumentHandle {
  const granting = createGranting();
  const approver = () =>
    createApprover(settings, send, { ready: Promise.resolve(), isReady: () => true, granting });
  if (location.pathname === '/') {
    const origin = new URLSearchParams(location.search).get('dapp') ?? location.origin;
    const wallet = createPageWallet(settings, { origin, send, approver });
    const ready = setUp(wallet, settings, send).then(() => wallet.unlock(settings.password));
    return handleOf(wallet, ready, granting);
  }
  const isFrame = window.parent !== window;
  const serve = () =>
    serveDapps({
      isAllowed: () => true,
      mayAskInFrame: () => false,
      look: undefined,
      person: async () => approver(),
      wallet: (origin, given) => createPageWallet(settings, { origin, send, approver: given, isFrame }),
    });
  if (isFrame) serve();
  else void inWallet(settings, send).then(serve);
  return { settled };
}

/** Resolves when this storage has the wallet with its accounts. A frame creates none: its storage may be separate. */
async function inWallet(settings: PageSettings, send: SendMessage): Promise<void> {
  const wallet = createPageWallet(settings, { send, approver: () => Promise.reject() });
  await setUp(wallet, settings, send);
  wallet.destroy();
}
