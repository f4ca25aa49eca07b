/** `graft-wallet/host`: for the pages of a wallet on a site of its own, which serve dapps of other origins. */
import type { Approver } from '../approvals/question.js';
import { invalidParams } from '../rpc/errors.js';
import { minSize } from '../rpc/min-size.js';
import { requireTypes } from '../rpc/options.js';
import { own } from '../rpc/own.js';
import { secureOrigin } from '../rpc/secure-origin.js';
import type { Look } from '../ui/preferences.js';
import type { Wallet } from '../wallet/wallet.js';
import { windowSize } from './protocol.js';
import { type Host, serveDapps } from './serve-dapps.js';

export type { Host } from './serve-dapps.js';

/**
 * Serves the dapps whose origins are in `allow` from the wallet's own origin. Call it in `frame.html`, `window.html` and
 * `connect.html`; in any other page of the wallet it does nothing.
 *
 * The browser reports a dapp's origin. Each dapp gets an ordinary wallet with that origin; wallets of one name share their
 * accounts, journal, locks and polls as tabs do.
 *
 * @example
 * serveBridge({
 *   allow: ['https://app.example.com'],
 *   wallet: (origin, approver) => createWallet({ networks, origin, approver }),
 * });
 *
 * @throws ProviderRpcError -32602 naming the option that is wrong
 */
export function serveBridge(options: serveBridge.Options): Host {
  requireTypes(options, { wallet: 'function', allow: 'array', frameMayAsk: 'array', look: 'object' });
  const { wallet, look, allow, frameMayAsk = [] } = own(options);
  const allowed = readOrigins(allow, 'allow');
  const mayAsk = readOrigins(frameMayAsk, 'frameMayAsk');
  return serveDapps({
    isAllowed: (origin) => allowed.has(origin),
    mayAskInFrame: (origin) => mayAsk.has(origin),
    wallet,
    look,
    async person() {
      const { windowDialog } = await import('../ui/dialog/dialog.js');
      // The dapp has chosen the size. In a small window a person would not see the whole question.
      if (window.innerWidth < minSize.width || window.innerHeight < minSize.height)
        window.resizeTo(windowSize.width, windowSize.height);
      return windowDialog(look);
    },
  });
}

/** The exact origins. An entry that the browser would write in another way could never be met, so it is refused. */
function readOrigins(origins: readonly string[], path: string): ReadonlySet<string> {
  for (const [at, entry] of origins.entries())
    if (secureOrigin(entry) !== entry)
      throw invalidParams(`${path}[${at}]: expected an https origin, such as https://app.example.com`);
  return new Set(origins);
}

export declare namespace serveBridge {
  /** The options of {@link serveBridge}. */
  interface Options {
    /**
     * Creates the wallet for a dapp: `createWallet` with the given `origin` and `approver`, which shows its dialog in this
     * document or in a window, wherever it can be trusted.
     */
    readonly wallet: (origin: string, approver: () => Promise<Approver>) => Wallet;
    /** The origins of the dapps, exactly as the browser writes them: `https://app.example.com`. */
    readonly allow: readonly string[];
    /**
     * Origins of your own, each in `allow` too, whose pages the wallet may ask in their frame instead of a window. Such a page
     * can mask the frame so that a person approves what they do not see: name only pages that may spend the person's money.
     * Default none.
     */
    readonly frameMayAsk?: readonly string[] | undefined;
    /** Theme, language and texts of the dialog. */
    readonly look?: Look | undefined;
  }
}
