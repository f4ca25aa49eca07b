import { limitExceeded } from '../../rpc/core-errors.js';
import { errorCode, ProviderRpcError } from '../../rpc/errors.js';
import { own } from '../../rpc/own.js';
import type { Address, Hash, Hex } from '../../rpc/schema.js';
import type { Storage } from '../../storage/storage.js';

/** An approved batch and its transactions. Their states are in the journal. */
export interface Batch {
  readonly id: string;
  readonly origin: string;
  readonly from: Address;
  readonly chainId: number;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /** In the order of the request, which is that of their nonces. */
  readonly calls: readonly { readonly hash: Hash; readonly to: Address | null; readonly value: Hex }[];
}

/** The batches of this browser. An id is unique for each sender and origin (EIP-5792). */
export interface BatchStore {
  find(origin: string, from: Address, id: string): Promise<Batch | undefined>;
  /** @throws ProviderRpcError -32005 if the origin has too many batches that are not a day old */
  requireRoom(origin: string, now: number): Promise<void>;
  /** Durable when it resolves. @throws ProviderRpcError 5720 for an id in use */
  record(batch: Batch): Promise<void>;
  /** Deletes a batch of which nothing was sent, so that its id can be used again. */
  remove(batch: Batch): Promise<void>;
}

/** Milliseconds that a batch is kept at least: EIP-5792 asks for 24 hours. */
const minimumAge = 86_400_000;
/** Older batches of the same origin are deleted beyond this number. */
const kept = 500;
/** Batches of one origin in a day. */
const maxRecent = 1_000;

/** Origins and addresses contain no blank, so no two batches share a key. */
const keyOf = (origin: string, from: Address, id: string) => `${origin} ${from} ${id}`;

export const duplicateId = () =>
  new ProviderRpcError(errorCode.duplicateCalls, 'Duplicate ID: there is a batch with this id already.');

export function createBatchStore(storage: Storage): BatchStore {
  const remove = async ({ origin, from, id }: Batch): Promise<void> => {
    await storage.update('calls', keyOf(origin, from, id), () => undefined);
  };

  const batchesOf = async (origin: string) => (await storage.all('calls', `${origin} `)) as Batch[];

  const prune = async (origin: string, now: number): Promise<void> => {
    const batches = await batchesOf(origin);
    const byAge = batches.sort((a, b) => b.createdAt - a.createdAt);
    for (const batch of byAge.slice(kept)) if (batch.createdAt < now - minimumAge) await remove(batch);
  };

  return {
    async find(origin, from, id) {
      return (await storage.get('calls', keyOf(origin, from, id))) as Batch | undefined;
    },
    async requireRoom(origin, now) {
      const recent = (await batchesOf(origin)).filter(({ createdAt }) => createdAt > now - minimumAge);
      if (recent.length >= maxRecent)
        throw limitExceeded(
          `This site has sent ${maxRecent} batches in a day, as many as one site may`,
          own({ reason: 'stored' }),
        );
    },
    async record(batch) {
      await storage.update('calls', keyOf(batch.origin, batch.from, batch.id), (current) => {
        if (current !== undefined) throw duplicateId();
        return batch;
      });
      // A failed cleanup is repeated with the next batch.
      await prune(batch.origin, batch.createdAt).catch(() => {});
    },
    remove,
  };
}
