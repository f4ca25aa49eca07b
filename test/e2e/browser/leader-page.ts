/** The page of `leader.timed.test.ts` and `push.timed.test.ts`: one of several tabs that follow the chain. Records every event. */

import { createWallet } from '../../../src/index.js';
import type { Hash, Hex, Log } from '../../../src/rpc/schema.js';
import { hastenKdf } from '../../support/hasty-kdf.js';

hastenKdf();

export interface LeaderPage {
  /** Of `newHeads`. */
  readonly heads: readonly { readonly hash: Hash; readonly parentHash: Hash; readonly number: Hex }[];
  readonly logs: readonly Log[];
  unsubscribe(): Promise<void>;
  /** The name that Web Locks know this page by. */
  client(): Promise<string>;
  /** The pages that hold the leader's lock, and those that wait for it. */
  locks(): Promise<{ held: readonly string[]; pending: readonly string[] }>;
}

const parameters = new URLSearchParams(location.search);
const push = parameters.get('push');
const wallet = createWallet({
  networks: [{ chainId: 33, url: parameters.getAll('service'), ...(push !== null && { push }) }],
  name: 'leader',
  pollingInterval: Number(parameters.get('interval')),
});
const { provider } = wallet;

const heads: LeaderPage['heads'][number][] = [];
const logs: Log[] = [];
const told = new Map<unknown, (result: never) => void>();
provider.on('message', ({ data }) => told.get(data.subscription)?.(data.result as never));

const criteria = { address: parameters.get('contract') };
const ids = [
  await provider.request({ method: 'eth_subscribe', params: ['newHeads'] }),
  await provider.request({ method: 'eth_subscribe', params: ['logs', criteria] as never }),
] as const;
told.set(ids[0], (head: LeaderPage['heads'][number]) => heads.push(head));
told.set(ids[1], (log: Log) => logs.push(log));

Object.assign(window, {
  page: {
    heads,
    logs,
    async unsubscribe() {
      for (const id of ids) await provider.request({ method: 'eth_unsubscribe', params: [id] as never });
    },
    async client() {
      const name = `client:${Math.random()}`;
      return navigator.locks.request(name, async () => {
        const { held = [] } = await navigator.locks.query();
        return held.find((lock) => lock.name === name)?.clientId as string;
      });
    },
    async locks() {
      const { held = [], pending = [] } = await navigator.locks.query();
      const clients = (locks: LockInfo[]) =>
        locks.filter(({ name }) => name?.startsWith('graft:leader:')).map(({ clientId }) => `${clientId}`);
      return { held: clients(held), pending: clients(pending) };
    },
  } satisfies LeaderPage,
});
