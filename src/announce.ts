import { randomBytes } from './builtins.js';
import { icon } from './icon.js';
import type { Provider } from './provider.js';
import { requireTypes } from './rpc/options.js';
import { own } from './rpc/own.js';

/** How the wallet presents itself to dapps (EIP-6963). */
export interface Announcement {
  /** Default "Graft". */
  readonly name?: string;
  /** A square image as a data URI. */
  readonly icon?: string;
  /** Reverse domain name, stable over versions. Default "io.github.graft-wallet". */
  readonly rdns?: string;
  /**
   * Also be `window.ethereum`, if no other wallet is. Another wallet that is there stays there; where it keeps
   * a list (`ethereum.providers`), this one is added to it. Default false.
   */
  readonly window?: boolean;
  /**
   * Say so: some dapps serve only wallets that call themselves MetaMask, and mean "a wallet in the page". Default
   * false.
   */
  readonly isMetaMask?: boolean;
}

/**
 * Announces `provider` now and whenever a dapp asks (EIP-6963). Returns its undo; does nothing without a window.
 */
export function announce(provider: Provider, given?: Announcement): () => void {
  if (given !== undefined) requireTypes(given, {});
  const options = own(given);
  const page = globalThis.window as (Window & typeof globalThis) | undefined;
  if (page === undefined) return () => {};
  const info = Object.freeze({
    uuid: uuid(),
    name: options.name ?? 'Graft',
    icon: options.icon ?? icon,
    rdns: options.rdns ?? 'io.github.graft-wallet',
  });
  if (options.isMetaMask) Object.assign(provider, { isMetaMask: true });
  const detail = Object.freeze({ info, provider });
  const say = () => {
    page.dispatchEvent(new CustomEvent('eip6963:announceProvider', own({ detail })));
  };
  page.addEventListener('eip6963:requestProvider', say);
  say();
  const leaveWindow = options.window ? enterWindow(page, provider) : () => {};
  return () => {
    page.removeEventListener('eip6963:requestProvider', say);
    leaveWindow();
  };
}

/** Becomes `window.ethereum` where nobody is. Every step may fail on a page that another wallet has sealed. */
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
    // A sealed or hostile `window.ethereum`: EIP-6963 has announced us all the same.
  }
  return () => {};
}

/** UUID version 4 (RFC 9562); `randomUUID` is missing on pages without https. */
function uuid(): string {
  const bytes = randomBytes(16);
  bytes[6] = ((bytes[6] as number) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
