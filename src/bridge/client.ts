/** `graft-wallet/bridge`: for a dapp, the provider of a wallet that lives on a site of its own. */
import { pageOrigin } from '../provider/origin.js';
import type { ErrorClass } from '../rpc/error-base.js';
import { invalidParams } from '../rpc/errors.js';
import { requireTypes } from '../rpc/options.js';
import { own } from '../rpc/own.js';
import { secureOrigin } from '../rpc/secure-origin.js';
import { type Bridge, createBridge } from './bridge.js';

export type { Bridge, BridgeState } from './bridge.js';

/**
 * Connects this page with the wallet on another origin. The provider answers at once; the wallet's frame loads when the
 * page is idle, or with the first request.
 *
 * @example
 * const bridge = connectBridge({ host: 'https://wallet.example.com' });
 * bridge.announce();
 * const [account] = await bridge.provider.request({ method: 'eth_requestAccounts' });
 *
 * @throws ProviderRpcError -32602 naming the option that is wrong
 */
export function connectBridge(options: connectBridge.Options): Bridge {
  requireTypes(options, { host: 'string', errorBase: 'function' });
  const { host: url, errorBase } = own(options);
  const host = secureOrigin(url);
  if (host === null)
    throw invalidParams('host: expected an https origin, such as https://wallet.example.com');
  if (errorBase) void import('../rpc/error-base.js').then(({ joinErrors }) => joinErrors(errorBase));
  const origin = pageOrigin();
  return createBridge(origin, async (page) =>
    (await import('./remote.js')).remoteInPage({ ...page, host, origin }),
  );
}

export declare namespace connectBridge {
  /** The options of {@link connectBridge}. */
  interface Options {
    /** The wallet's origin, such as `https://wallet.example.com`. http only on this machine. */
    readonly host: string;
    /** A library's error class that the errors are also instances of, as in `createWallet`. */
    readonly errorBase?: ErrorClass | undefined;
  }
}
