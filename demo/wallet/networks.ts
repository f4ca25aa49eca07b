import { local } from 'virtual:local-service';
import type { NetworkOptions } from '../../src/index.js';

/** A service entered in the settings. It is stored only in this browser, because its URL contains the API key. */
export interface CustomService {
  readonly url: string;
  readonly chainId: number;
}

const key = 'graft-demo:service';

export function recallService(): CustomService | null {
  try {
    const { url, chainId } = JSON.parse(localStorage.getItem(key) ?? '') as Partial<CustomService>;
    return typeof url === 'string' && typeof chainId === 'number' ? { url, chainId } : null;
  } catch {
    return null;
  }
}

export function rememberService(service: CustomService | null): void {
  if (service) localStorage.setItem(key, JSON.stringify(service));
  else localStorage.removeItem(key);
}

/** A public service of the testnet, for the demo as a static site. It needs no key, and has no logs. */
const publicTestnet: NetworkOptions = { chainId: 31, url: 'https://public-node.testnet.rsk.co' };

/** One network per chain: from the settings, else from the environment, else the local service, else a public one. */
export function configuredNetworks(): readonly NetworkOptions[] {
  const { VITE_SERVICE_URL: url, VITE_CHAIN_ID: chainId = '31' } = import.meta.env;
  const wanted = [recallService(), url ? { url, chainId: Number(chainId) } : null, localNetwork()];
  const networks = new Map<number, NetworkOptions>();
  for (const network of wanted)
    if (network && !networks.has(network.chainId)) networks.set(network.chainId, network);
  return networks.size > 0 ? [...networks.values()] : [publicTestnet];
}

/** The faucet of a service; null unless it is the local one. */
export function faucetOf(url: string | undefined): string | null {
  if (local === null || url === undefined || new URL(url).href !== new URL(local.url).href) return null;
  return local.faucet;
}

function localNetwork(): NetworkOptions | null {
  if (local === null) return null;
  const { url, other, chainId, push } = local;
  const urls = other === undefined ? url : [url, other];
  return { url: urls, chainId, verify: 'work', ...(push !== undefined && { push }) };
}
