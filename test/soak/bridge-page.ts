/** What each page of `bridge.ts` does, whether its wallet is in it or over the bridge. */
import type { Hex, Provider } from '../../src/index.js';
import type { Log } from '../../src/rpc/schema.js';
import type { Link } from './readers.js';

export interface SoakPage {
  /** Asks for accounts and listens to new heads and to the logs of the contract. */
  start(contract: string): Promise<void>;
  /** What it has been told, oldest first. */
  heard(): Heard;
  pay(to: string, value: number): Promise<Paid>;
}

export interface Heard {
  readonly heads: readonly Link[];
  readonly logs: readonly Log[];
}

/** What came of a payment, as the dapp sees it. */
export type Paid =
  | { readonly hash: Hex }
  | { readonly code: number; readonly message: string; readonly outcomeUnknown: boolean };

export function createSoakPage(provider: Provider): SoakPage {
  const heads: Link[] = [];
  const logs: Log[] = [];
  const told = new Map<string, (result: never) => void>();
  provider.on('message', ({ data }) => told.get(data.subscription)?.(data.result as never));
  return {
    async start(contract) {
      await provider.request({ method: 'eth_requestAccounts' });
      const subscribe = (...params: readonly unknown[]) =>
        provider.request({ method: 'eth_subscribe', params: params as never });
      told.set(await subscribe('newHeads'), (head: Link) => heads.push(head));
      told.set(await subscribe('logs', { address: contract }), (log: Log) => logs.push(log));
    },
    heard: () => ({ heads, logs }),
    async pay(to, value) {
      const [from] = await provider.request({ method: 'eth_accounts' });
      const params = [{ from, to, value: `0x${value.toString(16)}` }] as never;
      try {
        return { hash: await provider.request({ method: 'eth_sendTransaction', params }) };
      } catch (error) {
        const { code, message, data } = error as { code: number; message: string; data?: object };
        return { code, message, outcomeUnknown: Object(data).outcomeUnknown === true };
      }
    },
  };
}
