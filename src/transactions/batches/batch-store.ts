import { errorCode, ProviderRpcError } from '../../rpc/errors.js';
import type { Address, Hash, Hex } from '../../rpc/schema.js';
import type { Storage } from '../../storage/storage.js';

/** A batch that a person agreed to: which transactions belong to it. What became of them, the journal knows. */
export interface Batch {
  readonly id: string;
  readonly origin: string;
  readonly from: Address;
  readonly chainId: number;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /** In the order they were asked for, which is that of their nonces. */
  readonly calls: readonly { readonly hash: Hash; readonly to: Address | null; readonly value: Hex }[];
}

/** The batches of this browser. An id belongs to one sender and one origin (EIP-5792). */
export interface Batches {
  find(origin: string, from: Address, id: string): Promise<Batch | undefined>;
  /** Durable when it resolves. @throws ProviderRpcError 5720 when the id is taken. */
  record(batch: Batch): Promise<void>;
  /** Forgets a batch of which nothing was sent, so that its id can be used again. */
  remove(batch: Batch): Promise<void>;
}

/** EIP-5792: the status is there for 24 hours. What is older goes, save for the newest. */
const keptFor = 86_400_000;
const kept = 500;

/** An origin and an address have no blanks: no two batches share a key. */
const keyOf = (origin: string, from: Address, id: string) => `${origin} ${from} ${id}`;

export const duplicateId = () =>
  new ProviderRpcError(errorCode.duplicateCalls, 'Duplicate ID: there is a batch with this id already.');

export function createBatches(storage: Storage): Batches {
  const remove = async ({ origin, from, id }: Batch): Promise<void> => {
    await storage.update('calls', keyOf(origin, from, id), () => undefined);
  };

  const prune = async (now: number): Promise<void> => {
    const batches = (await storage.all('calls')) as Batch[];
    const byAge = batches.sort((a, b) => b.createdAt - a.createdAt);
    for (const batch of byAge.slice(kept)) if (batch.createdAt < now - keptFor) await remove(batch);
  };

  return {
    async find(origin, from, id) {
      return (await storage.get('calls', keyOf(origin, from, id))) as Batch | undefined;
    },
    async record(batch) {
      await storage.update('calls', keyOf(batch.origin, batch.from, batch.id), (current) => {
        if (current !== undefined) throw duplicateId();
        return batch;
      });
      // What could not be forgotten now is forgotten another time.
      await prune(batch.createdAt).catch(() => {});
    },
    remove,
  };
}
