import type { Address } from '../rpc/schema.js';
import type { Storage } from '../storage/storage.js';

/** Records, in the journal's archive, that stand for the oldest entries of an account: these need not stay in the journal then. */
export interface Checkpoints {
  /** Reads the last one of an account, of whatever type: any script of the origin can write the storage. */
  read(chainId: number, from: Address): Promise<unknown>;
  write(chainId: number, from: Address, checkpoint: unknown): Promise<void>;
}

export const createCheckpoints = (storage: Storage): Checkpoints => ({
  read: (chainId, from) => storage.get('archive', checkpointKey(chainId, from)),
  write: (chainId, from, checkpoint) => storage.put('archive', [[checkpointKey(chainId, from), checkpoint]]),
});

export const checkpointKey = (chainId: number, from: Address): string => `checkpoint:${chainId}:${from}`;
