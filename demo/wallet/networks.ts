import { local } from 'virtual:local-service';
import type { NetworkOptions } from '../../src/index.js';

/** A service that the person named in the settings: kept in this browser only, because its key is in the URL. */
export interface OwnService {
  readonly url: string;
  readonly chainId: number;
}

const key = 'graft-demo:service';

export function recallService(): OwnService | null {
  try {
    const { url, chainId } = JSON.parse(localStorage.getItem(key) ?? '') as Partial<OwnService>;
    return typeof url === 'string' && typeof chainId === 'number' ? { url, chainId } : null;
  } catch {
    return null;
  }
}

export function rememberService(service: OwnService | null): void {
  if (service) localStorage.setItem(key, JSON.stringify(service));
  else localStorage.removeItem(key);
}

/** In order of preference: of the settings, of the environment, of this machine. One for each chain. */
export function configuredNetworks(): readonly NetworkOptions[] {
  const { VITE_SERVICE_URL: url, VITE_CHAIN_ID: chainId = '31' } = import.meta.env;
  const wanted = [recallService(), url ? { url, chainId: Number(chainId) } : null, local];
  const networks = new Map<number, NetworkOptions>();
  for (const network of wanted)
    if (network && !networks.has(network.chainId)) networks.set(network.chainId, network);
  return [...networks.values()];
}

/** Where coins are given away: the local service only. */
export function faucetOf(url: string | undefined): string | null {
  if (local === null || url === undefined || new URL(url).href !== new URL(local.url).href) return null;
  return new URL('/_local/faucet', local.url).href;
}
