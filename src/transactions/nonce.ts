import { createExclusive, type Exclusive } from '../exclusive.js';
import type { Address } from '../rpc/schema.js';

/**
 * Runs `task` while nobody else in this browser reserves a nonce of the same account: held for the signature
 * and the journal's write, and never for the network.
 */
export type NonceLock = <T>(chainId: number, from: Address, task: () => Promise<T>) => Promise<T>;

export function createNonceLock(): NonceLock {
  const locks = new Map<string, Exclusive>();
  return (chainId, from, task) => {
    const name = `graft:nonce:${chainId}:${from}`;
    const lock = locks.get(name) ?? createExclusive(name);
    locks.set(name, lock);
    return lock(task);
  };
}
