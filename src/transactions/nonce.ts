import type { Address } from '../rpc/schema.js';

/**
 * Runs `task` while nobody else in this browser reserves a nonce of the same account: a Web Lock, held for the
 * signature and the journal's write and never for the network. Where there are no Web Locks (Node, an insecure
 * page), tasks of this page still queue.
 */
export type NonceLock = <T>(chainId: number, from: Address, task: () => Promise<T>) => Promise<T>;

export function createNonceLock(): NonceLock {
  const tails = new Map<string, Promise<unknown>>();
  return (chainId, from, task) => {
    const name = `graft:nonce:${chainId}:${from}`;
    const locks = globalThis.navigator?.locks as LockManager | undefined;
    if (locks) return locks.request(name, task) as ReturnType<typeof task>;
    const turn = (tails.get(name) ?? Promise.resolve()).then(task, task);
    tails.set(name, turn);
    return turn;
  };
}
