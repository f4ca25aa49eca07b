import { requireTypes } from '../rpc/options.js';
import { own } from '../rpc/own.js';
import { icon } from './icon.js';
import type { Provider } from './provider.js';

/** How the wallet presents itself to dapps (EIP-6963). */
export interface Announcement {
  /** Name for display. Default "Graft". */
  readonly name?: string | undefined;
  /** A square image as a data URI. Default: the icon of Graft. */
  readonly icon?: string | undefined;
  /** Reverse domain name, stable over versions. Default "io.github.graft-wallet". */
  readonly rdns?: string | undefined;
  /**
   * Whether to set `window.ethereum` too if it is absent. A present one stays; if it has a list `ethereum.providers`, this
   * provider is added to it. Default false.
   */
  readonly window?: boolean | undefined;
  /** Sets `provider.isMetaMask`, for dapps that support only wallets with that flag. Default false. */
  readonly isMetaMask?: boolean | undefined;
}

/**
 * One id for each provider, however often it is announced: React's StrictMode runs effects twice, and dapps list a provider
 * once for each id.
 */
const uuids = new WeakMap<Provider, string>();

/**
 * Announces `provider` now and at each request of a dapp (EIP-6963). Without a window it does nothing.
 *
 * @example
 * const stop = announce(wallet.provider, { name: 'Example Wallet', rdns: 'example.wallet', window: true });
 *
 * @returns a function that stops announcing, and leaves `window.ethereum`
 * @throws ProviderRpcError -32602 if `given` is not an object
 */
export function announce(provider: Provider, given?: Announcement): () => void {
  if (given !== undefined) requireTypes(given, {});
  const options = own(given);
  const page = globalThis.window as (Window & typeof globalThis) | undefined;
  if (page === undefined) return () => {};
  const id = uuids.get(provider) ?? uuid();
  uuids.set(provider, id);
  const info = Object.freeze({
    uuid: id,
    name: options.name ?? 'Graft',
    icon: options.icon ?? icon,
    rdns: options.rdns ?? 'io.github.graft-wallet',
  });
  if (options.isMetaMask) Object.assign(provider, { isMetaMask: true });
  const detail = Object.freeze({ info, provider });
  const dispatch = () => {
    page.dispatchEvent(new CustomEvent('eip6963:announceProvider', own({ detail })));
  };
  page.addEventListener('eip6963:requestProvider', dispatch);
  dispatch();
  const leaveWindow = options.window ? enterWindow(page, provider) : () => {};
  return () => {
    page.removeEventListener('eip6963:requestProvider', dispatch);
    leaveWindow();
  };
}

/** Sets `window.ethereum` if it is absent. Every step may throw where another wallet has frozen it. */
function enterWindow(page: Window, provider: Provider): () => void {
  const holder = page as unknown as { ethereum?: { providers?: unknown } };
  try {
    const present = holder.ethereum;
    if (present === undefined || present === null) {
      Object.defineProperty(
        page,
        'ethereum',
        own({ value: provider, configurable: true, enumerable: true, writable: true }),
      );
      page.dispatchEvent(new Event('ethereum#initialized'));
      return () => {
        if (holder.ethereum === (provider as unknown)) delete holder.ethereum;
      };
    }
    const { providers } = present;
    if (Array.isArray(providers) && !providers.includes(provider)) {
      providers.push(provider);
      return () => void providers.splice(providers.indexOf(provider), 1);
    }
  } catch {
    // A frozen or hostile `window.ethereum`: dapps can still find the wallet through EIP-6963.
  }
  return () => {};
}

/** A UUID of version 4 (RFC 9562). `crypto.randomUUID` is not available on pages without https. */
const uuid = (): string => 'xxxxxxxx-xxxx-4xxx-8xxx-xxxxxxxxxxxx'.replaceAll('x', randomDigit);

const randomDigit = (): string =>
  ((crypto.getRandomValues(new Uint8Array(1))[0] as number) & 15).toString(16);
