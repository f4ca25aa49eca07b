import { createPublicClient, http } from 'viem';
import { createVolatileMemory, createWallet } from '../../../src/index.js';
import { rawCaller } from '../raw.js';

/** Milliseconds for `count` reads one after another, no two alike. */
export type OverheadPage = (
  contender: 'raw' | 'ours' | 'viem',
  url: string,
  first: number,
  count: number,
) => Promise<number>;

type Ask = (params: readonly [`0x${string}`, 'latest']) => Promise<unknown>;

const method = 'eth_getBalance';
const callers: Record<'raw' | 'ours' | 'viem', (url: string) => Ask> = {
  raw(url) {
    const ask = rawCaller(url);
    return (params) => ask(method, params);
  },
  ours(url) {
    const { provider } = createWallet({ networks: [{ chainId: 31, url }], memory: createVolatileMemory() });
    return (params) => provider.request({ method, params });
  },
  viem(url) {
    const client = createPublicClient({ transport: http(url) });
    return (params) => client.request({ method, params: [...params] });
  },
};

const made = new Map<string, Ask>();
export const bench: OverheadPage = async (contender, url, first, count) => {
  const ask = made.get(url) ?? callers[contender](url);
  made.set(url, ask);
  const start = performance.now();
  for (let i = first; i < first + count; i++) await ask([`0x${i.toString(16).padStart(40, '0')}`, 'latest']);
  return performance.now() - start;
};
